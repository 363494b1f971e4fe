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


MODELS = "core/models/"


def class_tests(source: str) -> list[str]:
    """Classes of ``core.models`` that a source asks an object for."""
    tree = ast.parse(source)
    theirs = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and belongs(node.module or "", "core.models")
        for alias in node.names
    }
    asked = [
        inner
        for node in ast.walk(tree)
        for inner in (
            ast.walk(node.args[1])
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
            else ast.walk(node.cls)
            if isinstance(node, ast.MatchClass)
            else ()
        )
    ]
    return [one.id for one in asked if isinstance(one, ast.Name) and one.id in theirs]


def test_nobody_asks_for_the_class_of_a_model():
    wrong = [
        f"{name} asks for {asked}: let the body answer (core/models/body.py)"
        for name in PYTHON
        if not name.startswith(MODELS)
        for asked in class_tests((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert not wrong


def test_asking_for_a_class_is_found():
    imported = "from core.models.decoder import DecoderBody as Causal\n"
    assert class_tests(f"{imported}isinstance(model, int | Causal)") == ["Causal"]
    assert class_tests(f"{imported}match model:\n    case Causal(): pass") == ["Causal"]
    assert class_tests(f"{imported}isinstance(Causal, type)") == []


def test_configurations_know_nothing_of_models():
    found = [module for module, _ in imports("core/config.py") if belongs(module, "core")]
    assert set(found) == {
        "core.checks",
        "core.errors",
        "core.recurrent_config",
        "core.rotary_config",
        "core.task_config",
    }


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
