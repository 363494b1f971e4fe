"""The direction of imports, and the size of files."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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

LONGEST = {
    "core/models/architectures": 150,
    "core/models/blocks": 250,
    "pages": 80,
    "": 400,
}
GENERATED_OR_FOREIGN = ("app/static/vendor",)


def source_files(*endings: str) -> list[str]:
    paths = (path for floor in (*FLOORS, "tests") for path in (ROOT / floor).rglob("*"))
    names = (path.relative_to(ROOT).as_posix() for path in paths if path.suffix in endings)
    return sorted(name for name in names if not name.startswith(GENERATED_OR_FOREIGN))


def imports(name: str) -> Iterator[tuple[str, bool]]:
    """Modules that a file imports, each with whether the import stands inside a function."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"), name)
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = {id(child) for function in functions for child in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) in inside


def belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


PYTHON = [name for name in source_files(".py") if not name.startswith("tests/")]


def test_every_floor_has_files():
    assert {name.split("/")[0] for name in PYTHON} == set(FLOORS)


@pytest.mark.parametrize("name", PYTHON)
def test_imports_go_down_only(name):
    rules = [banned for place, banned in FORBIDDEN.items() if f"{name}/".startswith(f"{place}/")]
    wrong = [
        module
        for module, _ in imports(name)
        if any(belongs(module, package) for banned in rules for package in banned)
    ]
    assert not wrong, f"{name} imports {wrong}"


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


@pytest.mark.parametrize("name", [name for name in PYTHON if not name.startswith(MODELS)])
def test_nobody_asks_for_the_class_of_a_model(name):
    found = class_tests((ROOT / name).read_text(encoding="utf-8"))
    assert not found, f"{name} asks for {found}: let the body answer (core/models/body.py)"


def test_asking_for_a_class_is_found():
    imported = "from core.models.decoder import DecoderBody as Causal\n"
    assert class_tests(f"{imported}isinstance(model, int | Causal)") == ["Causal"]
    assert class_tests(f"{imported}match model:\n    case Causal(): pass") == ["Causal"]
    assert class_tests(f"{imported}isinstance(Causal, type)") == []


def test_configurations_know_nothing_of_models():
    found = [module for module, _ in imports("core/config.py") if belongs(module, "core")]
    assert set(found) == {"core.checks", "core.errors", "core.recurrent_config", "core.task_config"}


@pytest.mark.parametrize("name", PYTHON)
def test_reference_implementation_stays_out(name):
    found = [inside for module, inside in imports(name) if belongs(module, "transformers")]
    if name.startswith(REFERENCE_IS_IMPORTED_INSIDE_FUNCTIONS):
        assert all(found), f"{name} imports transformers when it is imported itself"
    else:
        assert not found, f"{name} imports transformers"


@pytest.mark.parametrize("name", PYTHON)
def test_nothing_is_unpickled(name):
    modules = {module for module, _ in imports(name)}
    assert not modules & {"pickle", "dill", "joblib", "shelve"}
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert "torch.load" not in calls


@pytest.mark.parametrize("name", source_files(".py", ".js", ".css"))
def test_file_is_short_enough(name):
    most = next(lines for place, lines in LONGEST.items() if name.startswith(place))
    lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
    assert lines <= most, f"{name} has {lines} lines: it is two things"
