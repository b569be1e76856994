"""Plug-ins: features that other installed packages add, found by their entry points.

A package names its features in its `pyproject.toml`, one group for each kind of feature:

    [project.entry-points."isocenter.filters"]
    unsharp = "unsharp_mask:Unsharp"

The table of a kind adds the features of its group after its own. A feature that
cannot be used is skipped, with one sentence in the log.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_origin

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")

PREFIX = "isocenter."
GROUPS = {
    "formats": "format",
    "corrections": "correction",
    "steps": "step",
    "algorithms": "algorithm",
    "filters": "filter",
    "priors": "prior",
    "panels": "panel",
    "modalities": "modality",
}
"""Groups of entry points, and a word for a feature of each."""
_MARK = f"[{PREFIX}".encode()

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlugIn:
    """An installed package with features.

    Attributes
    ----------
    name : name of the package
    version : its version
    """

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Feature:
    """A feature that a package declares.

    Attributes
    ----------
    group : kind of feature, a key of `GROUPS`
    name : name of the entry point
    value : its object, "module:name"
    plug_in : the package
    """

    group: str
    name: str
    value: str
    plug_in: PlugIn

    def __str__(self) -> str:
        word = GROUPS.get(self.group, self.group)
        return f"{word} {self.name!r} of the plug-in {self.plug_in}"


class PlugInError(Exception):
    """Reason to skip a feature, as a clause."""


_OWNERS: dict[str, Feature] = {}
"""Features that are in use, by the full name of their class."""
_PROBLEMS: dict[Feature, str] = {}


@lru_cache(maxsize=1)
def features() -> tuple[Feature, ...]:
    """Return the features of all installed packages, in the order of package and name."""
    found = [feature for each in _packages() for feature in _features_of(each)]
    for feature in found:
        if feature.group not in GROUPS:
            _skip(feature, f"there is no group {PREFIX}{feature.group}; the groups are {_groups()}")
    return tuple(sorted(found, key=lambda each: (each.plug_in.name, each.group, each.name)))


def unskipped() -> tuple[Feature, ...]:
    """Return the features that were not skipped so far."""
    return tuple(each for each in features() if each not in _PROBLEMS)


def problems() -> tuple[str, ...]:
    """Return a sentence for each feature that was skipped so far."""
    return tuple(_PROBLEMS.values())


def added(
    group: str,
    base: type[Any],
    *,
    own: Iterable[type[Any]] = (),
    fits: Callable[[type[Any]], bool] = lambda one: True,
) -> tuple[type[Any], ...]:
    """Return the classes that plug-ins add to a table.

    Parameters
    ----------
    group
        key of `GROUPS`
    base
        class that each feature of the group extends
    own
        classes already in the table; a feature must not have the `kind` of one of them
    fits
        False for a class that belongs to another table of the same group; raises `PlugInError`
        for one that belongs to none
    """
    own_kinds = {_kind_of(one) for one in own} - {None}
    chosen = []
    for feature in features():
        if feature.group != group or feature in _PROBLEMS:
            continue
        try:
            one = _checked(_object_of(feature), base)
            if not fits(one):
                continue
            kind = _kind_of(one)
            if kind is not None and kind in own_kinds:
                raise PlugInError(f"there is already one of the kind {kind!r}; rename it")
        except PlugInError as e:
            _skip(feature, str(e))
            continue
        own_kinds.add(kind)
        _OWNERS[_full_name(one)] = feature
        chosen.append(one)
    return tuple(chosen)


def with_added(own: tuple[type[T], ...], group: str, base: type[Any]) -> tuple[type[T], ...]:
    """Return our classes of a table and, after them, those of plug-ins.

    Parameters
    ----------
    own
        our classes
    group
        key of `GROUPS`
    base
        class that each feature of the group extends
    """
    return (*own, *added(group, base, own=own))


def skip_class(one: type[Any], reason: str) -> bool:
    """Skip a feature that fails when it is used; return False for a class that is our own.

    Parameters
    ----------
    one
        class from a table
    reason
        why it is skipped, as a clause
    """
    feature = _OWNERS.get(_full_name(one))
    if feature is not None:
        _skip(feature, reason)
    return feature is not None


def at_fault(error: BaseException) -> PlugIn | None:
    """Return the plug-in with code in the traceback of an error; None if there is none.

    Parameters
    ----------
    error
        an error that was raised
    """
    by_top = {_top(each.value): each.plug_in for each in features()}
    found, trace = None, error.__traceback__
    while trace is not None:
        # the innermost one: a plug-in can use another
        found = by_top.get(_top(str(trace.tb_frame.f_globals.get("__name__", "")))) or found
        trace = trace.tb_next
    return found


def added_objects(group: str, check: Callable[[Any], T]) -> tuple[T, ...]:
    """Return the objects that plug-ins add to a table of objects.

    Parameters
    ----------
    group
        key of `GROUPS`
    check
        returns the object for the table; raises `PlugInError` if it cannot be used
    """
    chosen = []
    for feature in features():
        if feature.group != group or feature in _PROBLEMS:
            continue
        try:
            chosen.append(check(_object_of(feature)))
        except PlugInError as e:
            _skip(feature, str(e))
    return tuple(chosen)


def plug_ins_of(classes: Iterable[type[Any]]) -> list[dict[str, Any]]:
    """Return the packages to which some classes belong, as JSON values for a record.

    Parameters
    ----------
    classes
        classes of settings, readers and modalities that a run used

    Returns
    -------
    plug_ins
        name, version, SHA-256 of the installed files, and the features that were used
    """
    used: dict[PlugIn, list[Feature]] = {}
    for one in classes:
        feature = _owner_of(one)
        if feature is not None and feature not in used.setdefault(feature.plug_in, []):
            used[feature.plug_in].append(feature)
    return [
        {
            "name": plug_in.name,
            "version": plug_in.version,
            "sha256": digest_of(some),
            "features": sorted(f"{each.group}: {each.name}" for each in some),
        }
        for plug_in, some in sorted(used.items(), key=lambda each: each[0].name)
    ]


def classes_in(settings: Any) -> Iterator[type[Any]]:
    """Yield the classes of settings and of all settings within, but not of those switched off.

    Parameters
    ----------
    settings
        a settings object, a list of them, or any other value
    """
    fields = getattr(type(settings), "model_fields", None)
    if fields is not None:
        if getattr(settings, "use", "on") == "off":
            return
        yield type(settings)
        for name in fields:
            yield from classes_in(getattr(settings, name))
    elif isinstance(settings, (list, tuple)):
        for each in settings:
            yield from classes_in(each)


def digest_of(some: Iterable[Feature]) -> str:
    """Return the SHA-256 of all files of the top packages of features, by path and content.

    Parameters
    ----------
    some
        features of one package
    """
    tops = {_top(each.value) for each in some}
    digest = sha256()
    for top in sorted(tops):
        source = getattr(sys.modules.get(top), "__file__", None)
        if source is None:
            continue
        file = Path(source)
        root = file.parent if file.name == "__init__.py" else file
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root.parent).as_posix()
                content = sha256(path.read_bytes()).hexdigest()
                digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def _packages() -> Iterator[Distribution]:
    """Yield the installed packages that declare features, each once."""
    seen = set()
    for folder in _declaring():
        # Its import takes longer than all of this, and few computers have plug-ins.
        from importlib.metadata import Distribution

        package = Distribution.at(folder)
        name = str(package.metadata["Name"])
        # The first one on the path is the one that Python imports.
        if name not in seen:
            seen.add(name)
            yield package


def _declaring() -> Iterator[Path]:
    """Yield the folders of metadata whose entry points contain a group of ours."""
    for place in dict.fromkeys(sys.path):
        try:
            names = sorted(each.name for each in Path(place or ".").iterdir())
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                folder = Path(place or ".", name)
                try:
                    is_ours = _MARK in (folder / "entry_points.txt").read_bytes()
                except OSError:
                    continue
                if is_ours:
                    yield folder


def _features_of(package: Distribution) -> Iterator[Feature]:
    plug_in = PlugIn(str(package.metadata["Name"]), package.version)
    try:
        points = list(package.entry_points)
    except (ValueError, TypeError, KeyError) as e:
        broken = Feature("features", "entry_points.txt", "", plug_in)
        _skip(broken, f"its entry points cannot be read ({e})")
        return
    for each in points:
        if each.group.startswith(PREFIX):
            yield Feature(each.group.removeprefix(PREFIX), each.name, each.value, plug_in)


def _object_of(feature: Feature) -> Any:
    """Return the object of a feature.

    Raises
    ------
    PlugInError
        if it cannot be imported, whatever the reason
    """
    from importlib.metadata import EntryPoint

    point = EntryPoint(feature.name, feature.value, PREFIX + feature.group)
    try:
        try:
            return point.load()
        except (AttributeError, ImportError):
            return _loaded_again(point)
    # A plug-in is the code of somebody else: not even its exit may end this program.
    except (Exception, SystemExit) as e:
        reason = " ".join(str(e).split()) or "no reason given"
        text = f"{feature.value} cannot be imported ({type(e).__name__}: {reason[:200]})"
        raise PlugInError(text) from e


def _loaded_again(point: EntryPoint) -> Any:
    """Load an object again, because its module is only partly imported.

    A module of a plug-in that a script or another table imports first leads to this table before
    its classes exist. A second, complete import replaces the first one: an import returns the
    module in `sys.modules`, so that each class exists once for all users.
    """
    top = _top(point.value)
    unfinished = {
        name: module
        for name, module in list(sys.modules.items())
        if _top(name) == top and _is_unfinished(module)
    }
    if not unfinished:
        return point.load()
    for name in unfinished:
        del sys.modules[name]
    try:
        return point.load()
    except BaseException:
        sys.modules.update(unfinished)
        raise


def _is_unfinished(module: Any) -> bool:
    # Python's own import system reads this attribute, and no public one states the same.
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _checked(one: Any, base: type[Any]) -> type[Any]:
    if not (isinstance(one, type) and issubclass(one, base)):
        raise PlugInError(f"{one!r:.80} is no class that extends {base.__name__}")
    if inspect.isabstract(one):
        missing = ", ".join(sorted(getattr(one, "__abstractmethods__", ())))
        raise PlugInError(f"{one.__name__} lacks {missing}")
    kind = getattr(one, "model_fields", {}).get("kind")
    # The kind selects the class in a file, so each class has a fixed one.
    if kind is not None and get_origin(kind.annotation) is not Literal:
        raise PlugInError(f"{one.__name__}.kind must be a Literal with its name in files")
    for name in ("title", "kind"):
        if name in _annotations(base) and not _is_text(one, name):
            raise PlugInError(f"{one.__name__}.{name} must be a text")
    if hasattr(one, "model_fields"):
        try:
            one()
        except Exception as e:
            reason = " ".join(str(e).split())[:200]
            raise PlugInError(f"{one.__name__} needs a default for each setting ({reason})") from e
    return one


def _annotations(base: type) -> set[str]:
    return {name for each in base.__mro__ for name in getattr(each, "__annotations__", ())}


def _is_text(one: type, name: str) -> bool:
    found = _kind_of(one) if name == "kind" else getattr(one, name, None)
    return isinstance(found, str) and bool(found.strip())


def _kind_of(one: type) -> Any:
    """Return the name of a class in files: an attribute, or the default of a field."""
    fields = getattr(one, "model_fields", {})
    return fields["kind"].default if "kind" in fields else getattr(one, "kind", None)


def _owner_of(one: type) -> Feature | None:
    """Return the feature that a class is, or the first one of its package; None if it is ours."""
    found = _OWNERS.get(_full_name(one))
    if found is not None:
        return found
    top = _top(one.__module__)
    return next((each for each in features() if _top(each.value) == top), None)


def _top(name: str) -> str:
    return name.partition(":")[0].partition(".")[0]


def _full_name(one: type) -> str:
    return f"{one.__module__}.{one.__qualname__}"


def _groups() -> str:
    return ", ".join(PREFIX + each for each in GROUPS)


def _skip(feature: Feature, reason: str) -> None:
    """Note that a feature is skipped, and say so once."""
    if feature not in _PROBLEMS:
        text = f"The {feature} is skipped: {reason}. Update or uninstall {feature.plug_in.name}."
        _PROBLEMS[feature] = text
        log.warning("%s", text)
