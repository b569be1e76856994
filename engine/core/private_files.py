"""Owners of files: the program reads only files that no other user can change.

Whoever can write a folder can put any file into it. The program reads compiled kernels, jobs, the
queue, tuned variants and protocols only from private paths. The rule is that of OpenSSH:

- The path, and each folder above it, belongs to this user or to the administrator (root).
- Nobody else may write to them. A folder with the sticky bit, such as /tmp, may be above the path.
- Permission of a group counts as permission of others, unless the group is the user's own: it has
  the user's name and no other members.
- Below a folder that only its owner may enter, permissions of data do not matter.
- The variable ISOCENTER_GROUP names a group that is trusted with data: paths of this group count as
  the user's own. Code is never read from paths of other users, also not of this group.

Windows has no such owners and modes; there the folders of the user's profile are private by
default, and nothing is checked.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from engine.core.errors import SettingsError

GROUP_VARIABLE = "ISOCENTER_GROUP"
ROOT = 0
MAX_LINKS = 40
_WRITE_BY_OTHERS = stat.S_IWOTH
_REACHED_BY_OTHERS = stat.S_IXGRP | stat.S_IXOTH


@dataclass(frozen=True)
class Refused:
    """A path that was not read.

    Attributes
    ----------
    path : refused file or folder
    reason : owner or permission that makes it unsafe
    instead : replacement that the program used, as a sentence
    is_shared : True if a trusted group could make it usable
    """

    path: Path
    reason: str
    instead: str
    is_shared: bool = False

    def describe(self) -> str:
        """Return one sentence with the remedy."""
        text = (
            f"{self.path} is not used. {self.reason} {self.instead} Make yourself its owner, and "
            "remove the write permission of others with `chmod go-w`."
        )
        if not self.is_shared:
            return text
        return f"{text} As an alternative, name a trusted group in {GROUP_VARIABLE}."


_refused: dict[Path, Refused] = {}
_LOCK = Lock()


def refused_paths() -> tuple[Refused, ...]:
    """Return the paths that this process did not read, in the order in which they were found."""
    with _LOCK:
        return tuple(_refused.values())


def report_refused(path: Path, reason: str, instead: str, *, is_shared: bool = False) -> None:
    """Record a path that was not read, for the notes of the command line and for `doctor`.

    Parameters
    ----------
    path
        refused file or folder
    reason
        result of `privacy_fault`
    instead
        replacement that the program uses, as a sentence
    is_shared
        True for data, which a trusted group may share
    """
    with _LOCK:
        _refused.setdefault(path, Refused(path, reason, instead, is_shared))


def privacy_fault(path: Path, *, code: bool = False) -> str:
    """Return why a path is not private.

    Parameters
    ----------
    path
        file or folder; a missing one is judged by the folders above it
    code
        True if its content runs as a program: then a trusted group does not count

    Returns
    -------
    reason
        owner or permission of the path or of a folder above it; "" if it is private
    """
    if os.name != "posix":
        return ""
    group = None if code else trusted_group()
    try:
        return next(
            filter(
                None, (_reason(each, group, code=code) for each in _paths_of_links(path.absolute()))
            ),
            "",
        )
    except OSError as e:
        return f"{e.filename} cannot be checked ({e.strerror})."


def is_own(path: Path, *, code: bool = False) -> bool:
    """Return True if a file in a private folder is private itself.

    Parameters
    ----------
    path
        file, also a missing one
    code
        as in `privacy_fault`

    Returns
    -------
    is_own
        False if it belongs to another user or others may write it; True if there is none
    """
    if os.name != "posix":
        return True
    try:
        found = path.stat()
    except OSError:
        return True
    return not _reason_of(found, path, None if code else trusted_group(), is_above=False)


def trusted_group() -> int | None:
    """Return the number of the group in ISOCENTER_GROUP; None if the variable is not set.

    Raises
    ------
    SettingsError
        if there is no such group, or this user is not a member
    """
    name = os.environ.get(GROUP_VARIABLE, "")
    return _group_number(name) if name and os.name == "posix" else None


@lru_cache(maxsize=4)
def _group_number(name: str) -> int:
    import grp

    try:
        number = int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
    except KeyError as e:
        raise SettingsError(
            f"{GROUP_VARIABLE}: there is no group {name!r}. Choose a group from the output of "
            "`id -Gn`."
        ) from e
    if os.geteuid() != ROOT and number not in {os.getegid(), *os.getgroups()}:
        raise SettingsError(
            f"{GROUP_VARIABLE}: you are not a member of group {name!r}. Choose a group from the "
            "output of `id -Gn`."
        )
    return number


def _paths_of_links(path: Path) -> Iterator[Path]:
    """Yield a path, and after it the paths that its links lead to, one link at a time.

    Another user could replace a link, or a folder in front of any of them.
    """
    for _ in range(MAX_LINKS):
        yield path
        link = next((each for each in (*reversed(path.parents), path) if each.is_symlink()), None)
        if link is None:
            return
        path = link.parent / link.readlink() / path.relative_to(link)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _reason(path: Path, group: int | None, *, code: bool) -> str:
    """Return why a path is not private; links on it are skipped."""
    is_closed = False
    for each in (*reversed(path.parents), path):
        try:
            found = each.lstat()
        except FileNotFoundError:
            return ""  # created later, in a folder that has passed
        # A link has no permissions; the folder above it decides who can replace it
        if stat.S_ISLNK(found.st_mode):
            continue
        reason = _reason_of(found, each, group, is_above=each != path, is_closed=is_closed)
        if reason:
            return reason
        # Others cannot reach data below it; code could have been written before it was closed
        if not code:
            is_closed = each.name != ".." and (is_closed or not found.st_mode & _REACHED_BY_OTHERS)
    return ""


def _reason_of(
    found: os.stat_result,
    path: Path,
    group: int | None,
    *,
    is_above: bool,
    is_closed: bool = False,
) -> str:
    is_of_group = group is not None and found.st_gid == group
    if found.st_uid not in (os.geteuid(), ROOT) and not is_of_group:
        return f"{path} belongs to {_user(found.st_uid)}."
    # In a folder such as /tmp users cannot rename or remove files of other users
    if is_closed or (is_above and found.st_mode & stat.S_ISVTX):
        return ""
    if found.st_mode & _WRITE_BY_OTHERS:
        return f"Everybody may write to {path}."
    if found.st_mode & stat.S_IWGRP and not is_of_group and not _is_alone_in(found.st_gid):
        return f"Group {_group(found.st_gid)} may write to {path}."
    return ""


@lru_cache(maxsize=32)
def _is_alone_in(number: int) -> bool:
    """Return True for the administrators, and for a group with the user's name and no others."""
    import grp
    import pwd

    if number == ROOT:
        return True
    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and not set(group.gr_mem) - {user.pw_name}


def _user(number: int) -> str:
    import pwd

    try:
        return f"user {pwd.getpwuid(number).pw_name} ({number})"
    except KeyError:
        return f"user {number}"


def _group(number: int) -> str:
    import grp

    try:
        return f"{grp.getgrgid(number).gr_name} ({number})"
    except KeyError:
        return str(number)
