from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import FileFormatError, SettingsError
from engine.tools.benchmark import listmode, report

KERNELS = {
    "workload": "w",
    "n_events": {"128": 16},
    "repeats": 3,
    "n_left_out": 2,
    "rows": [
        {
            "size": 128,
            "tof": tof,
            "sums": "float",
            "timing": "none",
            "mapping": mapping,
            "order": "tiles",
            "block": 128,
            "events_per_s": speed,
            "fault": "",
        }
        for tof, mapping, speed in (
            (False, "warp", 2e8),
            (False, "block", None),
            (True, "warp", 1e8),
        )
    ],
    "bars": [
        {
            "name": "fused",
            "value": 2e8,
            "bar": 1e8,
            "way": "at least",
            "unit": "events/s",
            "passed": True,
        }
    ],
}
KERNELS["best"] = KERNELS["rows"][:1]


@pytest.fixture(scope="module")
def run() -> dict:
    work = listmode.ListModeWork(events=300, sizes=(8,), iterations=2, repeats=1)
    messages: list[str] = []
    figures = listmode.run([cpu(2)], parts=("projector", "table2"), work=work, log=messages.append)
    assert len(messages) == 2
    return figures


@pytest.fixture
def stored(run, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    return path


def test_run_records_date_devices_and_environment(run):
    assert run["devices"]["cpu"]["threads"] == 2
    assert run["environment"]["packages"]["numpy"]
    assert run["date"]
    assert list(run["parts"]) == ["projector", "table2"]


def test_figures_contain_no_path_of_the_machine(run):
    assert "/" not in json.dumps(run["devices"])
    assert str(Path.cwd()) not in json.dumps(run)


def test_page_has_a_table_of_each_part_with_published_figures(stored):
    page = report.page([report.read(stored)])

    assert "### Projector" in page
    assert "### Table 2: MLEM, 2 iterations" in page
    assert "unknown number of events" in page
    assert "run.json" not in page


def test_table_rows_have_as_many_cells_as_the_header(run):
    page = report.page([run | {"parts": run["parts"] | {"kernels": KERNELS}}])

    blocks = [b.splitlines() for b in page.split("\n\n") if b.startswith("|")]
    assert len(blocks) >= 5
    for block in blocks:
        assert len({line.count(" | ") for line in block}) == 1
        assert len({len(line) for line in block}) == 1


@pytest.mark.slow
def test_report_consists_of_a_page_and_images(stored, tmp_path, capsys):
    folder = tmp_path / "report"

    assert main(["bench", "report", str(stored), str(stored), "-o", str(folder)]) == DONE

    assert (folder / "projector.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (folder / "table2.svg").read_bytes()
    assert "![table2](table2.png)" in (folder / report.PAGE).read_text()
    assert "Table 2" in capsys.readouterr().out


def test_kernel_figures_are_drawn(run, tmp_path):
    figures = run | {"parts": {"kernels": KERNELS}}

    written = report.write([figures], tmp_path)

    assert {path.name for path in written} == {report.PAGE, "kernels.png", "kernels.svg"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not valid JSON"),
        ("[1]", "does not contain benchmark results in format version 1"),
        ('{"start to picture [s]": 0.8}', "does not contain benchmark results in format version 1"),
        (
            '{"format": "isocenter bench listmode", "version": 99}',
            "does not contain benchmark results in format version 1",
        ),
    ],
)
def test_foreign_files_give_one_sentence(text, sentence, tmp_path, capsys):
    path = tmp_path / "foreign.json"
    path.write_text(text)

    assert main(["bench", "report", str(path)]) == USER_FAULT

    error = capsys.readouterr().err
    assert "foreign.json" in error
    assert sentence in error
    assert error.count("\n") == 1


def test_missing_file_is_named(tmp_path, capsys):
    assert main(["bench", "report", str(tmp_path / "no.json")]) == USER_FAULT

    assert "no.json: the file cannot be read" in capsys.readouterr().err


def test_missing_figure_is_reported_as_a_fault_of_the_file(run, tmp_path):
    parts = json.loads(json.dumps(run["parts"]))
    del parts["table2"]["rows"][0]["seconds"]
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(run | {"parts": parts}))

    with pytest.raises(FileFormatError, match=r"cut\.json: a result is missing"):
        report.page([report.read(path)])


def test_kernel_benchmark_requires_a_gpu():
    with pytest.raises(SettingsError, match="'kernels' is not available"):
        listmode.run([cpu(1)], parts=("kernels",), work=listmode.ListModeWork(), log=print)


def test_command_measures_and_writes_figures(tmp_path, capsys):
    out = tmp_path / "figures.json"
    size = ["--events", "300", "--sizes", "8", "--iterations", "1", "--repeats", "1"]

    code = main(
        ["bench", "listmode", "--device", "cpu", "--parts", "table2", *size, "--json", str(out)]
    )

    assert code == DONE
    assert report.read(out)["parts"]["table2"]["rows"][0]["size"] == 8
    assert "Table 2" in capsys.readouterr().out


@pytest.mark.parametrize("sizes", ["big", "2", "32,,64", "99999"])
def test_sizes_out_of_range_are_refused(sizes, capsys):
    assert main(["bench", "listmode", "--device", "cpu", "--sizes", sizes]) == USER_FAULT

    assert f"--sizes '{sizes}'" in capsys.readouterr().err
