"""Tests of signed logs: every changed line is detected, and every forgery of `tests.forgeries`."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError, EngineError
from engine.core.paths import HOME_VARIABLE
from engine.io.safety import signing_key as keys
from engine.io.safety.audit_check import check_log, check_quickly
from engine.io.safety.audit_lines import END_BYTES, FIRST, newest_file, read_line, signed_line
from engine.io.safety.audit_log import latest_line, log_file, record
from engine.io.safety.signing_key import signing_key
from tests.forgeries import LOG, LOG_TWO_STEPS

Lines = list[bytes]
K = 2
"""Index of the forged line."""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a log of six lines with a key."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    for k in range(6):
        record("run finished", job=f"job-{k}", updates=84)
    return log_file()


def refused(path: Path) -> str:
    """Check a log with the full and the quick check; return the message of the full check."""
    with pytest.raises(DataError) as full:
        check_log(path)
    with pytest.raises(DataError):
        check_quickly(path)
    return str(full.value)


def old_log(n: int) -> tuple[Lines, bytes]:
    """Return the lines and the newest digest in the format of versions without keys."""
    lines, before = [], FIRST
    for k in range(1, n + 1):
        entry = {"number": k, "utc": "2026-01-01T00:00:00+00:00", "what": "run finished"}
        entry |= {"facts": {"job": f"job-{k}"}, "before": before}
        entry["digest"] = before = sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()
        lines.append(json.dumps(entry, sort_keys=True).encode())
    return lines, f"{n} {before}\n".encode()


def change_line_k(change: Callable[[bytes], bytes]) -> Callable[[Lines], bytes]:
    """Return a forgery that changes line K."""
    return lambda lines: joined([*lines[:K], change(lines[K]), *lines[K + 1 :]])


def joined(lines: Lines) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def without_key(line: bytes) -> bytes:
    return old_log(K + 1)[0][K]


FORGED: dict[str, Callable[[Lines], bytes]] = {
    "doubled key": change_line_k(
        lambda line: line.replace(b"{", b'{"what": "nothing happened", ', 1)
    ),
    "doubled facts": change_line_k(
        lambda line: line.replace(b', "key"', b', "facts": {}, "key"', 1)
    ),
    "escape": change_line_k(lambda line: line.replace(b"run finished", b"\\u0072un finished")),
    "blanks": change_line_k(lambda line: line.replace(b": ", b":    ", 2)),
    "padded": change_line_k(lambda line: b"  " + line + b" "),
    "crlf": lambda lines: b"".join(line + b"\r\n" for line in lines),
    "no last line end": lambda lines: joined(lines)[:-1],
    "blank line": lambda lines: joined(lines) + b"\n",
    "byte order mark": lambda lines: b"\xef\xbb\xbf" + joined(lines),
    "left out": lambda lines: joined([*lines[:K], *lines[K + 1 :]]),
    "exchanged": lambda lines: joined([*lines[:K], lines[K + 1], lines[K], *lines[K + 2 :]]),
    "doubled line": lambda lines: joined([*lines[: K + 1], *lines[K:]]),
    "appended": lambda lines: joined([*lines, old_log(len(lines) + 1)[0][-1]]),
    "upper case": change_line_k(lambda line: line[:-END_BYTES] + line[-END_BYTES:].upper()),
    "signature of another line": lambda lines: change_line_k(
        lambda line: line[:-END_BYTES] + lines[K - 1][-END_BYTES:]
    )(lines),
    "cut": lambda lines: joined(lines[:K]),
    "renumbered key": change_line_k(
        lambda line: line.replace(json.loads(line)["key"].encode(), b"a" * 64)
    ),
}


def test_unchanged_log_is_valid(log: Path) -> None:
    checked = check_log(log)
    assert (checked.n_lines, checked.n_without_key) == (6, 0) and check_quickly(log) == checked
    assert checked.latest == latest_line() and checked.holds(*latest_line())
    assert not checked.holds(7, FIRST) and not checked.holds(3, FIRST) and checked.holds(0, "")


@pytest.mark.parametrize("name", LOG)
def test_no_forgery_passes(log: Path, name: str) -> None:
    whole = log.read_bytes()
    log.write_bytes(FORGED[name](whole.split(b"\n")[:-1]))
    assert log.read_bytes() != whole
    message = refused(log)
    one_line = (
        FORGED[name].__qualname__.startswith("change_line_k") or name == "signature of another line"
    )
    assert not one_line or f"line {K + 1} " in message, message


def test_line_with_another_key_is_named(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = keys.known_keys()
    (log.parent.parent / "key").rename(log.parent.parent / "lost")
    record("run finished", job="x")
    assert signing_key().public not in known
    assert "line 1 is signed with an unknown key" in refused(log)


def rewrite(log: Path, lines: Lines, newest: bytes | None) -> None:
    """Write a log; None removes its newest digest."""
    log.write_bytes(joined(lines))
    if newest is None:
        newest_file(log).unlink()
    else:
        newest_file(log).write_bytes(newest)


def digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def signed_again(lines: Lines) -> Lines:
    """Return all lines with other facts, chained and signed with the current key."""
    signed_lines, before = [], FIRST
    for line in lines:
        entry = json.loads(line) | {"before": before, "facts": {}}
        entry = {name: entry[name] for name in ("number", "utc", "what", "facts", "before")}
        signed_lines.append(signed_line(entry, signing_key()))
        before = digest(signed_lines[-1])
    return signed_lines


@pytest.mark.parametrize("name", LOG_TWO_STEPS)
def test_no_forgery_in_two_steps_passes(log: Path, name: str, tmp_path: Path) -> None:
    lines, newest = log.read_bytes().split(b"\n")[:-1], newest_file(log).read_bytes()
    cut = lines[:3]
    if name == "cut, newest removed":
        rewrite(log, cut, None)
    elif name == "cut, newest rewritten":
        rewrite(log, cut, f"3 {digest(cut[-1])}\n".encode())
    elif name == "cut, newest renumbered":
        rewrite(log, cut, b"3" + newest[1:])
    elif name == "cut, then continued":
        log.write_bytes(joined(cut))
        record("run finished", job="later")
    elif name == "cut, newest removed, continued":
        rewrite(log, cut, None)
        record("run finished", job="later")
    elif name == "changed, digest computed":
        changed = [line.replace(b"job-2", b"job-9") for line in lines]
        after = changed[3].replace(digest(lines[2]).encode(), digest(changed[2]).encode())
        rewrite(log, [*changed[:3], after, *changed[4:]], newest)
    elif name == "changed, signed by another key":
        home = log.parent.parent
        (home / "key").rename(home / "real")
        signed_lines = signed_again(lines)
        other = signing_key()
        text = f"6 {digest(signed_lines[-1])}"
        signed = f"{text} {other.public} {other.sign('log newest', text.encode())}\n"
        (home / "key").rename(home / "forger")
        (home / "real").rename(home / "key")
        rewrite(log, signed_lines, signed.encode())
    elif name == "all lines without key":
        rewrite(log, *old_log(6))
    else:
        log.unlink()
        newest_file(log).unlink()
    refused(log)


def test_newest_digest_without_key_is_not_continued(log: Path) -> None:
    cut = log.read_bytes().split(b"\n")[:3]
    rewrite(log, cut, f"3 {digest(cut[-1])}\n".encode())
    record("run finished", job="later")
    assert "line 4 " in refused(log)


def test_older_log_is_read_without_key_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    rewrite(log_file(), *old_log(4))
    assert (check_log(log_file()).n_lines, check_log(log_file()).n_without_key) == (4, 4)
    record("run finished", job="new")
    record("run finished", job="newer")
    assert (check_log(log_file()).n_lines, check_log(log_file()).n_without_key) == (6, 4)
    whole = log_file().read_bytes()
    for old, new in ((b"job-2", b"job-9"), (b"{", b'{"what": "x", '), (b": ", b":  ")):
        log_file().write_bytes(whole.replace(old, new, 1))
        refused(log_file())
    log_file().write_bytes(joined([*old_log(3)[0], *whole.split(b"\n")[4:-1]]))
    refused(log_file())


def test_truncated_older_log_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    lines, newest = old_log(4)
    rewrite(log_file(), lines[:2], newest)
    record("run finished", job="new")
    assert "line 3 " in refused(log_file())


def changed_bytes(log: Path, n: int, seed: int) -> None:
    """Change single bytes of the log or its newest digest, `n` times; all must be detected."""
    rng = np.random.default_rng(seed)
    files = {path: path.read_bytes() for path in (log, newest_file(log))}
    for path in rng.choice(list(files), n, p=(0.8, 0.2)):
        data = bytearray(files[path])
        data[rng.integers(len(data))] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        with pytest.raises(EngineError):
            check_log(log)
        path.write_bytes(files[path])
    check_log(log)


def test_any_changed_byte_is_detected(log: Path) -> None:
    changed_bytes(log, 50, 1)


@pytest.mark.slow
def test_any_of_many_changed_bytes_is_detected(log: Path) -> None:
    changed_bytes(log, 1500, 2)


def test_checked_log_uses_little_memory(log):
    record("result stored", result="one", key="k")
    found = check_quickly(log)
    assert (found.n_lines, len(found.digests)) == (7, 7 * 32)
    assert [each["facts"] for each in found.about_results] == [{"result": "one", "key": "k"}]
    older = weakref.ref(found)
    record("run finished", job="job")
    del found
    assert check_quickly(log).n_lines == 8
    assert older() is None, "only the newest check stays in memory"


def test_only_new_lines_are_parsed_again(log, monkeypatch):
    before, numbers = check_quickly(log), []

    def counted(data: bytes, number: int, *rest: object, **options: object) -> object:
        numbers.append(number)
        return read_line(data, number, *rest, **options)

    monkeypatch.setattr("engine.io.safety.audit_check.read_line", counted)
    record("result stored", result="one", key="k")
    record("run finished", job="job")
    found = check_quickly(log)
    assert numbers == [before.n_lines + 1, before.n_lines + 2]
    assert found == check_log(log) and check_quickly(log) is found


@pytest.mark.parametrize("place", [0, 0.3, 0.6, 0.99])
def test_change_in_checked_lines_is_detected(log, place):
    check_quickly(log)
    record("run finished", job="job")
    whole = log.read_bytes()
    at = int(place * len(whole))
    log.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(DataError):
        check_quickly(log)
    log.write_bytes(whole)
    assert check_quickly(log) == check_log(log)
    log.write_bytes(whole[: whole[:-1].rindex(b"\n") + 1])
    with pytest.raises(DataError, match="restore the log"):
        check_quickly(log)
