"""Workflows, issue templates and pre-commit hooks are well-formed and run existing commands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs, which is not installed")

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
JOB_KEYS = {"if", "needs", "runs-on", "timeout-minutes", "strategy", "steps"}
STEP_KEYS = {"name", "uses", "with", "if", "run", "shell", "env"}


def loaded(path: Path) -> dict[Any, Any]:
    """Return a YAML file; YAML 1.1 reads the key `on` as True."""
    return dict(yaml.safe_load(path.read_text("utf-8")))


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    return dict(loaded(path)["jobs"])


def commands(path: Path) -> Iterator[str]:
    for job in jobs(path).values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_is_well_formed(path: Path) -> None:
    text = loaded(path)
    assert set(text) <= {"name", True, "permissions", "concurrency", "jobs"}
    assert text["permissions"] in ({"contents": "read"}, {"contents": "write"})
    for job in jobs(path).values():
        assert {"runs-on", "timeout-minutes", "steps"} <= set(job) <= JOB_KEYS
        for step in job["steps"]:
            assert set(step) <= STEP_KEYS
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_files_of_workflow_commands_exist(path: Path) -> None:
    found = [
        word for each in commands(path) for word in re.findall(r"(?:packaging|\.ci)/\S+", each)
    ]
    assert found
    assert all((ROOT / name).is_file() for name in found), found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_matrix_variables_are_defined(path: Path) -> None:
    for job in jobs(path).values():
        matrix = job.get("strategy", {}).get("matrix", {})
        used = re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))
        assert set(used) == set(matrix)


def test_ci_runs_on_push_and_pull_request() -> None:
    events = loaded(GITHUB / "workflows/ci.yml")[True]
    assert {"push", "pull_request"} <= set(events)


def test_known_vulnerabilities_are_checked_every_week() -> None:
    weekly = GITHUB / "workflows/newest.yml"
    assert "schedule" in loaded(weekly)[True] and "bash .ci/audit" in list(commands(weekly))
    audited = (ROOT / ".ci/audit").read_text("utf-8")
    assert "pip-audit==" in audited and "packaging/lock/$group.txt" in audited


def test_version_bounds_exclude_known_vulnerabilities() -> None:
    least = {"pydicom": "3.0.2", "pynetdicom": "3.0.4", "jinja2": "3.1.6"}
    locked = (ROOT / "packaging/lock/base.txt").read_text("utf-8")
    for name, version in least.items():
        assert f"{name}>={version}" in PROJECT["dependencies"]
        assert re.search(rf"^{name}==", locked, re.MULTILINE)


def test_every_supported_python_is_tested_on_linux() -> None:
    promised = [each.rsplit(" ")[-1] for each in PROJECT["classifiers"] if ":: 3." in each]
    linux = jobs(GITHUB / "workflows/ci.yml")["linux"]
    assert linux["strategy"]["matrix"]["python"] == promised
    assert "bash .ci/run" in [step.get("run") for step in linux["steps"]]


def test_readme_test_command_runs_on_macos_and_windows() -> None:
    desktop = jobs(GITHUB / "workflows/ci.yml")["desktop"]
    matrix = desktop["strategy"]["matrix"]
    assert [name.split("-")[0] for name in matrix["system"]] == ["macos", "windows"]
    assert matrix["python"] == ["3.11", "3.14"]
    (command,) = (step["run"] for step in desktop["steps"] if "run" in step)
    assert f"{command}\n" in (ROOT / "README.md").read_text("utf-8")


def test_bare_debian_is_tested() -> None:
    debian = jobs(GITHUB / "workflows/ci.yml")["debian"]
    assert debian["strategy"]["matrix"]["release"] == ["bookworm", "trixie"]
    assert debian["steps"][-1]["run"] == "sudo .ci/bare-debian ${{ matrix.release }}"


def test_newest_libraries_are_tested_every_week() -> None:
    path = GITHUB / "workflows/newest.yml"
    (schedule,) = loaded(path)[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", schedule["cron"])
    assert "bash .ci/newest" in list(commands(path))


def test_tag_makes_a_release_with_wheel_and_guide() -> None:
    path = GITHUB / "workflows/release.yml"
    assert loaded(path)[True] == {"push": {"tags": ["v*"]}}
    text = "\n".join(commands(path))
    for part in ("release_notes.py", "pip wheel", "mkdocs build --strict", "gh release create"):
        assert part in text


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_form_is_well_formed(path: Path) -> None:
    form = loaded(path)
    assert {"name", "description", "body"} <= set(form)
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert fields and all(each["attributes"]["label"] for each in fields)
    assert len({each["id"] for each in fields}) == len(fields)


def test_hooks_check_code_and_message_with_the_projects_versions() -> None:
    (repository,) = loaded(ROOT / ".pre-commit-config.yaml")["repos"]
    hooks = {hook["id"]: hook for hook in repository["hooks"]}
    assert repository["repo"] == "local"
    assert hooks["commit-message"]["stages"] == ["commit-msg"]
    asked = {each for hook in hooks.values() for each in hook.get("additional_dependencies", ())}
    assert asked <= set(PROJECT["optional-dependencies"]["test"])


def test_pull_request_template_asks_for_the_reason() -> None:
    assert (GITHUB / "pull_request_template.md").read_text("utf-8").startswith("## Why\n")
