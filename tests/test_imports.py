"""The direction of imports, and what is never imported."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("core", "app", "pages")

# What a floor may not import, by the start of the module's name.
FORBIDDEN = {
    "core": ("app", "pages", "streamlit", "plotly", "altair", "bertviz"),
    "app": ("pages",),
    "app/figures": ("pages", "streamlit"),
    "app/theme.py": ("pages", "streamlit"),
}
# `transformers` is the reference to compare with, and loads slowly.
REFERENCE_IS_IMPORTED_INSIDE_FUNCTIONS = ("core/parity", "core/bench")

PYTHON = sorted(
    path.relative_to(ROOT).as_posix() for floor in FLOORS for path in (ROOT / floor).rglob("*.py")
)


@cache
def nodes(name: str) -> tuple[ast.AST, ...]:
    """All of a file's syntax tree."""
    return tuple(ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"), name)))


@cache
def imports(name: str) -> list[tuple[str, bool]]:
    """Modules that a file imports, each with whether the import stands inside a function."""
    functions = [
        node for node in nodes(name) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = {id(child) for function in functions for child in ast.walk(function)}
    found = []
    for node in nodes(name):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) in inside))
    return found


def belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_every_floor_has_files():
    assert {name.split("/")[0] for name in PYTHON} == set(FLOORS)


def test_imports_go_down_only():
    def banned(name: str, module: str) -> bool:
        rules = [
            modules for place, modules in FORBIDDEN.items() if f"{name}/".startswith(f"{place}/")
        ]
        return any(belongs(module, package) for modules in rules for package in modules)

    wrong = [
        f"{name} imports {module}"
        for name in PYTHON
        for module, _ in imports(name)
        if banned(name, module)
    ]
    assert not wrong


def test_reference_implementation_stays_out():
    wrong = [
        f"{name} imports {module}"
        for name in PYTHON
        for module, inside in imports(name)
        if belongs(module, "transformers")
        and not (inside and name.startswith(REFERENCE_IS_IMPORTED_INSIDE_FUNCTIONS))
    ]
    assert not wrong


def test_nothing_is_unpickled():
    wrong = []
    for name in PYTHON:
        modules = {module for module, _ in imports(name)} & {"pickle", "dill", "joblib", "shelve"}
        wrong += [f"{name} imports {module}" for module in sorted(modules)]
        wrong += [
            f"{name}:{node.lineno} calls torch.load"
            for node in nodes(name)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load"
        ]
    assert not wrong
