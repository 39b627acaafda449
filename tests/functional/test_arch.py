"""Architecture tables and branches of the example server, as a user asks about them."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

from codepath.model.arch import MISSES
from codepath.report.markdown import shown
from tests.functional.running import EXAMPLE, Program, write


def test_what_misses_an_architecture(example: Program) -> None:
    found = example.document("arch", "--target", "sm120")
    assert found["targets"] == ["sm120"]
    assert found["columns"] == ["sm89", "sm90", "sm100", "sm103", "sm120", "sm121"]
    missed = {t["name"]: t for t in found["tables"] if t["verdicts"]["sm120"] == "crash"}
    assert set(missed) == {"REDUCE_LIMITS", "tile_shape: major == 8"}
    table = missed["REDUCE_LIMITS"]
    assert table["place"]["file"] == "mini_server/comm/symm_reduce.py"
    assert table["place"]["line"] == 7
    assert (table["kind"], table["severity"], table["keys"]) == ("table", "error", ["9", "10"])
    assert table["verdicts"] == {
        "sm89": "excluded",
        "sm90": "covered",
        "sm100": "covered",
        "sm103": "covered",
        "sm120": "crash",
        "sm121": "crash",
    }
    assert next((u["place"]["line"], u["style"]) for u in table["lookups"]) == (23, "[]")
    assert next(e["what"] for e in table["evidence"]) == "torch.cuda.get_device_capability()"
    assert [u["entry"] for u in table["uses"]] == ["mini-server"]


def test_the_matrix_says_the_answer_first(example: Program) -> None:
    lines = example.text("arch", "--target", "sm120").splitlines()
    assert lines[0].startswith("SM120 missed by 2 of ")
    row = next(line for line in lines if line.startswith("REDUCE_LIMITS"))
    assert row.split()[1:] == ["·", "✓", "✓", "✓", "✗", "✗"]
    assert "KeyError: 12 at mini_server/comm/symm_reduce.py:23" in "\n".join(lines)


def test_what_an_architecture_has_is_no_finding(example: Program) -> None:
    found = example.document("arch", "--target", "sm90", "--fail", "error")
    assert all(t["verdicts"]["sm90"] != "crash" for t in found["tables"])
    assert "missed by" not in example.text("arch", "--target", "sm90").splitlines()[0]


def test_a_gate_fails_by_severity(example: Program) -> None:
    example.run("arch", "--target", "sm120", "--fail", "error", status=1)
    example.run("arch", "--target", "sm100", "--fail", "error")


def test_one_construct_is_explained_for_each_architecture(example: Program) -> None:
    found = example.document("arch", "--explain", "is_any_blackwell")
    (value,) = found["values"]
    assert value["values"] == {
        "sm89": "False",
        "sm90": "False",
        "sm100": "True",
        "sm103": "True",
        "sm120": "True",
        "sm121": "True",
    }
    line = example.document("arch", "--explain", "mini_server/comm/symm_reduce.py:21")
    (test,) = line["values"]
    assert (test["values"]["sm89"], test["values"]["sm120"]) == ("true", "false")
    assert "crash: KeyError: 12" in example.text("arch", "--explain", "REDUCE_LIMITS")


def test_a_word_that_is_no_architecture_is_an_error(example: Program) -> None:
    said = example.error("arch", "--target", "sm1200")
    assert "no architecture is called `sm1200`" in said
    assert "codepath.toml" in said
    assert "depend on the architecture" in example.error("arch", "--explain", "expert_layout.py:1")


def test_a_new_gpu_needs_a_table_only(tmp_path: Path) -> None:
    copytree(EXAMPLE, tmp_path / "server")
    config = tmp_path / "server" / "codepath.toml"
    config.write_text(
        config.read_text(encoding="utf-8")
        + '\n[[architectures]]\nname = "sm130"\ncapability = [13, 0]\nfamily = "rubin"\nshared-memory = 101376\n',
        encoding="utf-8",
    )
    program = Program(tmp_path / "server", tmp_path / "cache")
    found = program.document("arch", "--target", "sm130")
    assert found["columns"][-1] == "sm130"
    assert {t["name"]: t["verdicts"]["sm130"] for t in found["tables"]}["REDUCE_LIMITS"] == "crash"


def test_markdown_has_a_table_a_severity(example: Program) -> None:
    said = example.text("arch", "--target", "sm120", "--format", "markdown")
    assert "### Crashes" in said
    place = shown("mini_server/comm/symm_reduce.py:7")
    assert f"| {shown('REDUCE_LIMITS')} | {place} |" in said


def test_markdown_of_one_construct_is_a_block(example: Program) -> None:
    said = example.text("arch", "--explain", "REDUCE_LIMITS", "--format", "markdown")
    assert said.startswith("```text\n") and said.endswith("\n```\n")


def test_a_stored_answer_is_the_same(tmp_path: Path) -> None:
    copytree(EXAMPLE, tmp_path / "server")
    program = Program(tmp_path / "server", tmp_path / "cache")
    words = ("arch", "--target", "sm120")
    first = program.document(*words)
    again = program.document(*words)
    first["stats"]["seconds"] = again["stats"]["seconds"] = 0
    assert again == first
    assert program.document("arch", "--target", "sm90")["targets"] == ["sm90"]
    table = tmp_path / "server" / "mini_server" / "comm" / "symm_reduce.py"
    table.write_text(table.read_text(encoding="utf-8").replace("10:", "12:"), encoding="utf-8")
    changed = {t["name"]: t["verdicts"]["sm120"] for t in program.document(*words)["tables"]}
    assert changed["REDUCE_LIMITS"] == "covered"


def test_sarif_lists_what_misses_a_target(example: Program) -> None:
    document = json.loads(example.text("arch", "--target", "sm120", "--format", "sarif"))
    (run,) = document["runs"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} >= {"arch-table-gap", "arch-branch-gap"}
    found = {
        (r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in run["results"]
    }
    assert ("arch-table-gap", "error", 7) in found
    missed = {
        t["name"] for t in example.document("arch", "--target", "sm120")["tables"] if t["verdicts"]["sm120"] in MISSES
    }
    assert len(run["results"]) == len(missed)
    assert "leave out --explain" in example.error("arch", "--explain", "REDUCE_LIMITS", "--format", "sarif")


def test_a_way_in_is_shown_under_conditions_that_agree(example: Program) -> None:
    rows = example.document("arch", "--target", "sm120")["tables"]
    (table,) = (row for row in rows if row["name"] == "REDUCE_LIMITS")
    (use,) = table["uses"]
    said = [(guard["text"], guard["polarity"]) for guard in use["guards"]]
    assert ("server_args.enable_symm_mem and self.world_size > 1", True) in said  # that is `server_args.tp_size`
    assert ("server_args.tp_size == 1", True) not in said


def test_launch_options_decide_whether_a_row_is_reached(example: Program) -> None:
    (table,) = (t for t in example.document("arch", "--target", "sm120")["tables"] if t["name"] == "REDUCE_LIMITS")
    (use,) = table["uses"]
    assert use["options"][0] == "--enable-symm-mem"
    assert not any(guard["text"].startswith("__name__") for guard in use["guards"])
    assert "    depends on --enable-symm-mem" in example.text("arch", "--target", "sm120")


def test_a_device_is_known_by_the_end_of_its_name(example: Program) -> None:
    for word, name in (("5090", "sm120"), ("PRO 6000", "sm120"), ("DGX Spark", "sm121"), ("b300", "sm103")):
        assert example.document("arch", "--target", word)["targets"] == [name]
    example.error("arch", "--target", "6000")
    assert "gpu = 'sm120'" in example.text("reach", "tile_shape", "--assume", "gpu=RTX PRO 6000")


def test_rows_of_tests_and_vendored_code_are_asked_for(tmp_path: Path) -> None:
    branch = "import torch\n\n\ndef pick():\n    return 1 if torch.cuda.get_device_capability()[0] == 9 else 2\n"
    files = {f"app/{name}": branch for name in ("run.py", "test/test_run.py", "third_party/lib.py")}
    write(tmp_path / "tree", {**files, "app/__init__.py": ""})
    program = Program(tmp_path / "tree", tmp_path / "cache")
    found = program.document("arch")
    assert [t["place"]["file"] for t in found["tables"]] == ["app/run.py"]
    assert found["left_out"] == 2
    assert "2 tables and branches of tests and vendored code left out" in program.text("arch")
    whole = program.document("arch", "--include", "tests,vendored")
    assert len(whole["tables"]) == 3
    assert whole["left_out"] == 0


def test_things_of_one_name_are_listed(tmp_path: Path) -> None:
    predicate = "import torch\n\n{}is_new = torch.cuda.get_device_capability()[0] >= 10\n"
    function = "import torch\n\n\ndef is_new():\n    return torch.cuda.get_device_capability()[0] >= 9\n"
    write(tmp_path / "tree", {"app/one.py": predicate.format(""), "app/two.py": function})
    program = Program(tmp_path / "tree", tmp_path / "cache")
    assert "`is_new` names 2 things" in program.error("arch", "--explain", "is_new")
    assert program.document("arch", "--explain", "one.is_new")["values"][0]["values"]["sm90"] == "False"
    assert program.document("arch", "--explain", "two.is_new")["values"][0]["values"]["sm90"] == "True"
