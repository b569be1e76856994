"""Public names of the engine: loaded on demand, each with an example that runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import engine
from engine.core.settings import Settings

HEAVY = ("numba", "scipy", "h5py", "PySide6", "cupy", "matplotlib", "nibabel", "pydantic")
SUBPACKAGES = engine._SUBPACKAGES
NAMES = sorted({name for name in engine.__all__ if not name.startswith("__")} - {*SUBPACKAGES})
FACE = Path(engine.__file__)


def test_every_public_name_can_be_loaded_and_is_listed_once() -> None:
    assert len(engine.__all__) == len(set(engine.__all__))
    assert all(hasattr(engine, name) for name in engine.__all__)
    assert set(engine.__all__) <= set(dir(engine))


def test_type_checkers_see_the_loaded_names() -> None:
    """Names and modules under TYPE_CHECKING are those of the table."""
    (typed,) = (
        node for node in ast.parse(FACE.read_text("utf-8")).body if isinstance(node, ast.If)
    )
    type_checked = {
        (f"{each.module}".removeprefix("engine."), alias.name)
        for each in typed.body
        if isinstance(each, ast.ImportFrom) and each.module != "engine"
        for alias in each.names
    }
    assert type_checked == {
        (module, name) for module, names in engine._MODULES.items() for name in names
    }


def test_unknown_public_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'engine' has no attribute 'reed'"):
        _ = engine.reed


def test_importing_the_engine_loads_no_heavy_modules() -> None:
    script = f"import sys, engine; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_package_hides_no_public_name() -> None:
    packages = {path.name for path in FACE.parent.iterdir() if path.is_dir()}
    modules = {path.stem for path in FACE.parent.glob("*.py")}
    assert not ({*engine.__all__} - {*SUBPACKAGES}) & (packages | modules)


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_subpackage_has_an_example_and_documents_its_names(name: str) -> None:
    module = getattr(engine, name)
    example = doctest.DocTestParser().get_doctest(module.__doc__ or "", {}, name, None, 0)
    assert len(example.examples) > 1, f"{name} has no example"
    assert doctest.DocTestRunner().run(example).failed == 0
    public = {each: getattr(module, each) for each in names_of(module)}
    assert public
    for key, value in public.items():
        if inspect.isfunction(value) or inspect.isclass(value):
            text = inspect.getdoc(value) or ""
            missing = [each for each in parameters(value) if each not in text]
            if inspect.isfunction(value):  # the first line or a section must state the return value
                states = text.startswith("Return ") or "Returns\n" in text or "Yields\n" in text
                missing += [] if states else ["Returns"]
            assert not missing, f"{name}.{key}: {missing}"


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module: its `__all__`, or all that it loads on demand."""
    found = getattr(module, "__all__", None) or dir(module)
    return [each for each in found if not each.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_documented_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    text = inspect.getdoc(getattr(engine, name)) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert len(example.examples) > 1, f"{name} has no example"
    assert doctest.DocTestRunner().run(example).failed == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_fully_documented(name: str) -> None:
    value = getattr(engine, name)
    text = inspect.getdoc(value) or ""
    missing = [each for each in parameters(value) if each not in text]
    if inspect.isfunction(value) and inspect.signature(value).return_annotation != "None":
        missing += [] if "Returns\n" in text or "Yields\n" in text else ["Returns"]
    assert not missing, f"{name}: {missing}"
    assert text.splitlines()[0].endswith("."), f"{name}: the first line must be a sentence"
    if inspect.isclass(value) and issubclass(value, Settings):
        silent = [key for key, field in value.model_fields.items() if not described(field)]
        assert not silent, f"{name}: {silent}"


def parameters(value: object) -> list[str]:
    """Return the names that a caller writes; fields of settings describe themselves."""
    if inspect.isclass(value) and issubclass(value, Settings | Exception):
        return []
    signature_parameters = inspect.signature(value).parameters.values()
    named = (
        p.name for p in signature_parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    )
    return [name for name in named if name != "self" and not name.startswith("_")]


def described(field: object) -> bool:
    """Return True if a field has a description or settings of its own, or is a tag."""
    values = getattr(field, "annotation", None)
    inner = inspect.isclass(values) and issubclass(values, Settings)
    inner = inner or isinstance(getattr(field, "default", None), Settings)
    return bool(getattr(field, "description", "")) or inner or "Literal" in str(values)
