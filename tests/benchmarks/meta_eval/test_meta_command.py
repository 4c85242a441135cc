"""`factscope meta` as a person runs it: on the example data set, and on faulty data."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from factscope.cli import app
from tests import lab

EXAMPLES = Path(__file__).parents[3] / "examples"
LABELLED, PREDICTED, HARBOUR = EXAMPLES / "labelled.jsonl", EXAMPLES / "predictions.jsonl", EXAMPLES / "harbour"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the store and cache shared by all calls here."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def meta(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTSCOPE_STORE", str(kept / "runs.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(kept / "cache"))

    def call(*arguments: str | Path | int, code: int = 0) -> Result:
        words = [*map(str, arguments), *([] if "--resamples" in arguments else ["--resamples", "200"])]
        result = CliRunner().invoke(app, ["meta", *words], env={"COLUMNS": "80"})
        assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
        return result

    return call


def claims(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "claims.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


MARLOW = [
    {
        "id": "m1",
        "claim": "The bridge has four arches.",
        "evidence": "The bridge has four arches.",
        "label": "supported",
    },
    {
        "id": "m2",
        "claim": "The bridge has six arches.",
        "evidence": "The bridge has four arches.",
        "label": "contradicted",
    },
    {"id": "m3", "claim": "The hall was built in 1908.", "evidence": "Penguins like fish.", "label": "not_enough"},
    {
        "id": "m4",
        "claim": "The hall is 90 metres high.",
        "evidence": "The hall is 90 metres high.",
        "label": "supported",
    },
]


@pytest.mark.medium
def test_the_json_output_has_the_documented_form(meta: Any) -> None:
    """The form is as documented."""
    done = meta(LABELLED, "--evidence", HARBOUR, "-m", "builtin", "--predictions", PREDICTED, "--format", "json", "-q")
    found = json.loads(done.stdout)
    assert found["dataset"] == "labelled"
    assert [one["method"] for one in found["methods"]] == ["builtin", "predictions"]
    for one in found["methods"]:
        assert list(one["levels"]) == ["segment", "response"]
        segment = one["levels"]["segment"]
        assert segment["n"] == 27
        assert segment["coverage"] == 1
        assert set(segment["error"]) == {"precision", "recall", "f1"}
        assert {"balanced_accuracy", "accuracy", "auroc", "ece", "intervals", "by_domain"} <= set(segment)
        assert set(segment["by_domain"]) == {"ferry", "history", "lighthouse"}
        low, high = segment["intervals"]["f1"]
        assert low <= segment["error"]["f1"] <= high
    everything = found["baselines"]["segment"]["flag everything"]
    assert everything["error"]["f1"] == pytest.approx(2 * 9 / (9 + 27))
    nothing = found["baselines"]["segment"]["flag nothing"]
    assert nothing["error"]["precision"] is None
    assert everything["confusion"] == {"tp": 9, "fp": 18, "fn": 0, "tn": 0}
    assert nothing["confusion"] == {"tp": 0, "fp": 0, "fn": 9, "tn": 18}
    assert (found["n_unlabelled"], found["units"], found["rule"]) == (1, "own", "unsupported")
    assert {one["level"] for one in found["pairings"]} == {"segment", "response"}


@pytest.mark.medium
def test_the_same_command_runs_nothing_twice(meta: Any) -> None:
    first = meta(LABELLED, "--evidence", HARBOUR, "--format", "json", "--resamples", 0, "-q")
    again = meta(LABELLED, "--evidence", HARBOUR, "--format", "json", "--resamples", 0)
    values, same = json.loads(first.stdout), json.loads(again.stdout)
    assert values.pop("made") <= same.pop("made")
    assert same == values
    assert meta(LABELLED, "--evidence", HARBOUR, "--limit", 2, "-q").stdout.splitlines()[0]


def test_the_table_fits_a_narrow_terminal(meta: Any) -> None:
    table = meta(LABELLED, "--evidence", HARBOUR, "--predictions", PREDICTED, "-m", "builtin", "-q").stdout
    assert "Segments: 27 in 10 responses, 9 wrong" in table
    assert "flag nothing" in table
    assert "predictions less builtin" in table
    assert "1 unit labelled neither right nor wrong" in table
    assert "builtin: disagrees with people on" in table
    grids = [line for line in table.splitlines() if re.search(r"\d\.\d{3}", line)]
    assert max(map(len, grids)) <= 80
    assert "…" not in "".join(grids)


def test_the_table_counts_all_units_and_names_unanswered_or_never_flagged_ones(meta: Any, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in PREDICTED.read_text(encoding="utf-8").splitlines()]
    some, nothing = tmp_path / "some.jsonl", tmp_path / "nothing.jsonl"
    some.write_text("\n".join(json.dumps(row) for row in rows if row["id"] != "town-1"), encoding="utf-8")
    nothing.write_text("\n".join(json.dumps({**row, "wrong": False}) for row in rows), encoding="utf-8")
    table = meta(LABELLED, "--predictions", some, "--level", "segment").stdout
    assert "Segments: 27 in 10 responses, 9 wrong" in table
    assert re.match(
        r"The checker some finds \d of 8 wrong segments; [^;]*; it answers 89% of all\. ", " ".join(table.split())
    )
    assert re.search(r"^ some +24 .*\n +of 27 ", table, re.MULTILINE)
    first = meta(LABELLED, "--predictions", nothing, "--level", "segment").stdout.splitlines()[0]
    assert first == "The checker nothing finds 0 of 9 wrong segments; it flags nothing."


def test_confidence_figures_cover_only_answers_that_state_a_confidence(meta: Any, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in PREDICTED.read_text(encoding="utf-8").splitlines()]
    for name, sure in (("few", 5), ("most", 20)):
        cut = [{key: value for key, value in row.items() if n < sure or key != "p_wrong"} for n, row in enumerate(rows)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, cut)), encoding="utf-8")
    words = (LABELLED, "--predictions", tmp_path / "few.jsonl", "--predictions", tmp_path / "most.jsonl")
    read = csv.DictReader(io.StringIO(meta(*words, "-f", "csv").stdout))
    table = {(row["method"], row["measure"]): row for row in read if (row["level"], row["part"]) == ("segment", "all")}
    for measure in ("auroc", "ece", "brier"):
        few, most = table["few", measure], table["most", measure]
        assert (few["value"], few["low"], few["answered"]) == ("", "", "5")
        assert few["remark"] == "withheld: only 5 of 27 units have an answer that says how sure it is"
        assert float(most["value"])
        assert (most["n"], most["answered"], table["most", "f1"]["answered"]) == ("27", "20", "27")
    shown = " ".join(meta(*words, "--level", "segment").stdout.split())
    assert "most: AUROC, ECE, Brier: only the 20 of 27 answers that say how sure they are" in shown
    tex = meta(*words, "--level", "segment", "-f", "latex").stdout
    assert re.search(r"few( & [\d.]+){6} & -- & --", tex)
    assert "most: AUROC, ECE: only the 20 of 27 answers that say how sure they are." in tex


def test_the_headline_does_not_mistake_withheld_figures_for_a_set_without_errors(meta: Any, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(PREDICTED.read_text(encoding="utf-8").splitlines()[:5]), encoding="utf-8")
    first = meta(LABELLED, "--predictions", few, "--level", "segment", "-f", "md").stdout.splitlines()[0]
    assert first == "**No figures for labelled: less than half of its segments were answered.**"


def test_csv_and_latex_output_has_figures_and_remarks(meta: Any, tmp_path: Path) -> None:
    meta(LABELLED, "--predictions", PREDICTED, "-o", tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    by_key = {(row["method"], row["level"], row["part"], row["measure"]): row for row in rows}
    f1 = by_key["predictions", "segment", "all", "f1"]
    assert float(f1["low"]) <= float(f1["value"]) <= float(f1["high"])
    undefined = by_key["flag nothing", "segment", "all", "precision"]
    assert (undefined["value"], undefined["remark"]) == ("", "nothing was flagged")
    assert ("predictions", "segment", "domain=ferry", "f1") in by_key
    assert ("predictions", "segment", "error=reversed", "recall") in by_key
    meta(LABELLED, "--predictions", PREDICTED, "-o", tmp_path / "out.tex")
    tex = (tmp_path / "out.tex").read_text(encoding="utf-8")
    assert tex.count("\\begin{tabular}") == tex.count("\\end{tabular}") == 2
    assert "flag nothing & --" in tex
    body = [line for line in tex.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") for line in body} == {8}
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(PREDICTED.read_text(encoding="utf-8").splitlines()[:-5]), encoding="utf-8")
    meta(LABELLED, "--predictions", PREDICTED, "--predictions", few, "-o", tmp_path / "both.tex")
    row = next(line for line in (tmp_path / "both.tex").read_text(encoding="utf-8").splitlines() if "few &" in line)
    assert re.match(r"few & \d\d[~\\, ]*\\% &", row), "a figure never stands without its coverage"


def test_the_page_is_one_file_without_script_that_shows_each_error_with_its_evidence(meta: Any, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    meta(LABELLED, "--evidence", HARBOUR, "-m", "builtin", "--predictions", PREDICTED, "-o", page, "-q")
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert not re.findall(r"(?:src|href)=\"(?!#|https?://marrowick-herald\.example)[^\"]", text)
    assert text.count('<svg class="plot"') >= 6  # two levels: checkers, domains and reliability for two
    assert "What confidence is worth" in text
    assert "F1 by domain" in text
    cases = re.findall(r'<details class="case">.*?</details>\n', text, re.DOTALL)
    assert cases
    assert any("<blockquote" in case for case in cases)


def test_hostile_text_stays_text(meta: Any, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)> The bridge has\x1b[31m six\u202e arches & more."
    rows = [
        {"id": "<b>x</b>", "claim": evil, "evidence": evil, "label": "contradicted"},
        {"id": "y", "claim": "A bridge has =1 arches.", "evidence": "No.", "label": "supported"},
    ]
    meta(claims(tmp_path, rows), "-o", tmp_path / "out.html", "-q", code=1)  # the verifier can't read "No."
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<b>x" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x1b" not in meta(claims(tmp_path, rows), "-q", code=1).stdout


def test_claims_are_judged_against_the_evidence_given_with_each(meta: Any, tmp_path: Path) -> None:
    found = json.loads(meta(claims(tmp_path, MARLOW), "--format", "json", "-q").stdout)
    assert found["units"] == "given"
    (one,) = found["methods"]
    assert list(one["levels"]) == ["claim"]
    assert one["levels"]["claim"]["n_answered"] == 4
    assert one["outcomes"]["supported"] == {"supported": 2}
    assert "supported" not in one["outcomes"]["not_enough_evidence"]
    assert set(one["levels"]["claim"]["by_error_type"]) == {"contradicted", "not_enough_evidence"}


@pytest.mark.medium
def test_one_command_can_run_sweeps(meta: Any, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    meta(LABELLED, "--evidence", HARBOUR, "--sweep", "passages=1,3", "--sweep", "alpha=0,0.5,1", "-o", page, "-q")
    text = page.read_text(encoding="utf-8")
    assert "Sweep over passages" in text
    found = json.loads(
        meta(LABELLED, "--evidence", HARBOUR, "--sweep", "passages=1,3", "--format", "json", "-q").stdout
    )
    assert [one["method"] for one in found["methods"]] == ["builtin passages=1", "builtin passages=3"]
    assert found["sweeps"] == [
        {
            "setting": "passages",
            "values": ["1", "3"],
            "checkers": ["builtin passages=1", "builtin passages=3"],
        }
    ]


@pytest.fixture(scope="module")
def server() -> Iterator[lab.Server]:
    with lab.model_server() as made:
        yield made


def test_a_sweep_over_judges_asks_each_model_and_says_which_is_better(
    server: lab.Server, meta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ["The Marlow bridge was opened in 1931.", "It has six arches."]
    rows = [
        {
            "index": str(n),
            "domain": "wk",
            "prompt": f"What is there in Marlow, {n}?",
            "response": " ".join(parts),
            "segmented_response": parts,
            "labels": [True, False],
            "comment": ["", "It has four."],
            "type": [None, "knowledge_error"],
            "ref": ["https://a.example/1"],
            "ref_contents": [],
        }
        for n in range(2)
    ]
    felm = tmp_path / "all.jsonl"
    felm.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    server.script([{"when": {"model": "blind"}, "do": {"text": "Answer: ALL_CORRECT"}}])
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    swept = ["--sweep", "judge=openai/lab,openai/blind", "--method", "felm/segment-doc"]
    found = json.loads(meta("felm", "--data", felm, *swept, "--format", "json", "-q").stdout)
    assert {json.loads(one["body"])["model"] for one in server.log()} == {"lab", "blind"}
    asked = server.count()
    again = meta("felm", "--data", felm, *swept)
    assert server.count() == asked, "nothing is asked twice"
    sees, blind_one = found["methods"]
    assert [sees["models"]["judge"], blind_one["models"]["judge"]] == ["openai/lab", "openai/blind"]
    assert sees["levels"]["segment"]["error"] == {"precision": 1, "recall": 1, "f1": 1}
    assert blind_one["levels"]["segment"]["error"]["recall"] == 0
    assert found["sweeps"][0]["values"] == ["openai/lab", "openai/blind"]
    assert {(one["first"], one["second"]) for one in found["pairings"]} == {
        ("felm/segment-doc judge=openai/lab", "felm/segment-doc judge=openai/blind")
    }
    assert "texts with references of which there is only the address, not fetched (2: 0, 1)" in again.stderr
    assert "texts without a reference that can be shown, judged as without evidence (2: 0, 1)" in again.stderr


def test_a_recording_holds_all_calls_though_results_are_stored(
    server: lab.Server, meta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    words = (claims(tmp_path, MARLOW[:1]), "--method", "standard", "--model", "openai/lab", "--format", "json", "-q")
    first = json.loads(meta(*words).stdout)
    meta(*words, "--record", "calls.jsonl")
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "other.db"))
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    asked = server.count()
    replayed = json.loads(meta(*words, "--replay", "calls.jsonl").stdout)
    assert replayed["methods"][0]["levels"] == first["methods"][0]["levels"]
    assert server.count() == asked


def test_values_of_alpha_are_a_table_with_the_ranks_of_the_models(meta: Any, tmp_path: Path) -> None:
    """Mean scores of 1/2 and 3/2 alpha: the two swap places at a third."""
    said = {"steady": ["contradicted", *["supported"] * 3], "vague": ["supported", *["undecided"] * 3]}
    texts = ["It has one arch. ", "It has two. ", "It has three. ", "It has four."]
    parts = [{"text": text, "label": text != "It has two. "} for text in texts]
    rows = [{"id": name, "model": name, "response": "".join(texts), "segments": parts} for name in said]
    told = [{"id": name, "unit": f"g{n}", "label": one} for name in said for n, one in enumerate(said[name], 1)]
    data, predicted, page = tmp_path / "data.jsonl", tmp_path / "other.jsonl", tmp_path / "alpha.html"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    predicted.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    swept = [data, "--predictions", predicted, "--sweep", "alpha=0,0.5,1"]
    table = " ".join(meta(*swept).stdout.split())
    assert "models keep their ranks at 0.5 for alpha from 0.33 to 1.00" in table
    assert "−1.000 vague 0.000, steady 0.500" in table
    assert "+1.000 steady 0.500, vague 0.750" in table
    found = json.loads(meta(*swept, "--format", "json").stdout)["methods"][0]["alpha"]
    assert [(one["alpha"], one["tau"]) for one in found["sensitivity"]["curve"]] == [(0, -1), (0.5, 1), (1, 1)]
    assert found["sensitivity"]["stable_from"] == pytest.approx(1 / 3)
    assert (found["common"]["n"], found["unsearched"]) == (3, 0)
    meta(*swept, "-o", page)
    assert "What each alpha does" in page.read_text(encoding="utf-8")
    predicted.write_text(json.dumps(told[0]), encoding="utf-8")
    certain = json.loads(meta(*swept, "--format", "json").stdout)["methods"][0]["alpha"]
    assert (certain["common"]["value"], certain["common"]["n"]) == (0.5, 0), "without labels it is a half"


def test_responses_without_any_evidence_say_nothing_of_alpha(meta: Any, tmp_path: Path) -> None:
    """Nobody searched for them; a unit without evidence in a searched response still counts."""
    said = {"searched": ["supported", "no_evidence", "undecided"], "unsearched": ["no_evidence"] * 3}
    texts = ["It has one arch. ", "It has two. ", "It has three."]
    parts = [{"text": text, "label": text != "It has two. "} for text in texts]
    rows = [{"id": name, "response": "".join(texts), "segments": parts} for name in said]
    told = [{"id": name, "unit": f"g{n}", "label": one} for name in said for n, one in enumerate(said[name], 1)]
    data, predicted = tmp_path / "data.jsonl", tmp_path / "other.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    predicted.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    found = json.loads(meta(data, "--predictions", predicted, "--format", "json").stdout)["methods"][0]["alpha"]
    assert (found["common"]["n"], found["unsearched"]) == (2, 3)
    table = " ".join(meta(data, "--predictions", predicted).stdout.split())
    assert "left out: 3 units of responses to which there was no evidence at all" in table


def test_irrelevant_evidence_counts_for_alpha(meta: Any, tmp_path: Path) -> None:
    """Each response is one claim: irrelevant evidence is still evidence."""
    rows = [
        {"id": "u1", "claim": "The tower is red.", "evidence": "A bakery opened.", "label": "not_enough"},
        {"id": "u2", "claim": "The lens came in 1858.", "evidence": "The lens came in 1858.", "label": "supported"},
    ]
    method = json.loads(meta(claims(tmp_path, rows), "-m", "builtin", "-f", "json", "-q").stdout)["methods"][0]
    assert method["outcomes"]["not_enough_evidence"] == {"no_evidence": 1}
    assert (method["alpha"]["common"]["n"], method["alpha"]["unsearched"]) == (1, 0)
    recorded = tmp_path / "recorded.jsonl"
    for label, n, unsearched in (("irrelevant", 1, 0), ("no_evidence", 0, 1)):
        told = [{"id": "u1", "unit": "g1", "label": label}, {"id": "u2", "unit": "g1", "label": "supported"}]
        recorded.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
        words = (claims(tmp_path, rows), "--predictions", recorded, "-f", "json")
        alpha = json.loads(meta(*words).stdout)["methods"][0]["alpha"]
        assert (alpha["common"]["n"], alpha["unsearched"]) == (n, unsearched), label


def test_missing_predictions_leave_responses_unanswered_even_after_writing(meta: Any, tmp_path: Path) -> None:
    texts = ["The lens came in 1858.", "The tower is red."]
    segments = [{"text": text, "label": text == texts[0]} for text in texts]
    data, named, lists = (tmp_path / f"{name}.jsonl" for name in ("data", "named", "lists"))
    for path, row in (
        (data, {"response": " ".join(texts), "segments": segments}),
        (named, {"unit": "g1", "wrong": False}),
        (lists, {"labels": [True, None]}),
    ):
        path.write_text("\n".join(json.dumps({"id": f"r{n}", **row}) for n in range(4)), encoding="utf-8")
    written = tmp_path / "written"
    words = (data, "--predictions", named, "--predictions", lists)
    done = meta(*words, "--write-predictions", written)
    assert done.stdout.count("lists: 4 lists of labels, read as true = right and false = wrong") == 1
    assert "predictions for 4 units" in " ".join(done.stderr.split())
    again = (data, "--predictions", written / "named.jsonl", "--predictions", written / "lists.jsonl")
    for call in (words, again):
        for method in json.loads(meta(*call, "-f", "json").stdout)["methods"]:
            segment, response = (method["levels"][level] for level in ("segment", "response"))
            assert (segment["n_answered"], segment["coverage"]) == (4, 0.5)
            assert (response["n_answered"], response["coverage"]) == (0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sweep", "colour=1,2"], "does not name a setting that can be swept"),
        (["--sweep", "passages=1"], "has fewer than two values"),
        (["--sweep", "passages=1,many"], "passages=many: Input should be a valid integer"),
        (["--sweep", "rounds=1,2"], "searches once for each claim"),
        (["--sweep", "ranker=bm25,dense"], "needs a model"),
        (["--sweep", "alpha=2"], "alpha must be between 0 and 1"),
        (["-m", "builtin", "-m", "verify", "--record", "calls.jsonl"], "A recording holds the calls of one method"),
        (["--by", "colour"], "No sample has the tag 'colour'"),
        (["--level", "claim"], "No claim of labelled has a label"),
        (["--method", "nothing"], "Unknown method 'nothing'"),
        (["--predictions", "none.jsonl"], "file of predictions none.jsonl can't be read: no such file"),
        (["-o", "out.xyz"], "is not a known format"),
        (["-m", "builtin", "-m", "builtin"], "Two checkers are called 'builtin'"),
    ],
)
def test_a_wrong_call_gets_a_one_line_message(meta: Any, options: list[str], message: str) -> None:
    result = meta(LABELLED, "--evidence", HARBOUR, "--limit", 1, *options, "-q", code=2)
    assert message in " ".join(result.output.split())


def test_failed_checks_give_exit_code_1_and_are_retried(
    server: lab.Server, meta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server.script([{"when": {"contains": "six arches"}, "do": {"text": "I would rather not say."}}])
    words = (claims(tmp_path, MARLOW), "-m", "verify", "--model", "openai/exit", "-q", "-f", "json")
    failed = meta(*words, code=1)
    figures = json.loads(failed.stdout)["methods"][0]["levels"]["claim"]
    assert (figures["n"], figures["n_answered"]) == (4, 3)
    assert "Run the same command again" in failed.stderr
    server.script([])
    retried = meta(*words)
    assert json.loads(retried.stdout)["methods"][0]["levels"]["claim"]["n_answered"] == 4
    assert "again" not in retried.stderr


def test_a_model_that_no_method_asks_is_refused_unless_one_does(
    server: lab.Server, meta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    words = (claims(tmp_path, MARLOW[:1]), "-m", "builtin", "--model", "openai/idle", "-q")
    assert "builtin asks no language model: openai/idle would not be used" in meta(*words, code=2).stderr
    meta(*words, "-m", "verify")


def test_bad_rows_are_named_and_the_rest_is_used(meta: Any, tmp_path: Path) -> None:
    rows = [
        *MARLOW,
        {"id": "m1", "claim": "Twice.", "evidence": "x", "label": "supported"},
        {"id": "m6", "claim": "Odd.", "evidence": "x", "label": "perhaps"},
        {"id": "m7", "claim": None, "evidence": "x", "label": "supported"},
    ]
    result = meta(claims(tmp_path, rows), "--format", "json", "-q", code=1)
    assert json.loads(result.stdout)["methods"][0]["levels"]["claim"]["n"] == 4
    told = " ".join(result.stderr.split())
    assert "claims: rows that can't be used: another has the same id (m1)" in told
    assert "claims: rows that can't be used: the label 'perhaps' is not among" in told
    assert "claims: rows that can't be used: column 'claim' contains no text (row 7)" in told
    first = meta(claims(tmp_path, rows), "--limit", 4, "-q")
    assert "can't be used" not in first.output, "rows after the limit are not read"
    nothing = meta(claims(tmp_path, rows[4:6]), "--limit", 1, code=1)  # it has no words for the verifier to compare
    assert "Traceback" not in nothing.output
    assert "again" not in nothing.stderr


def test_a_list_of_labels_by_several_people_is_refused_with_a_remedy(meta: Any, tmp_path: Path) -> None:
    rows = [*MARLOW, {"id": "m8", "claim": "Odd.", "evidence": "x", "label": ["supported", "contradicted"]}]
    result = meta(claims(tmp_path, rows), "--format", "json", "-q", code=1)
    assert json.loads(result.stdout)["methods"][0]["levels"]["claim"]["n"] == 4
    told = " ".join(result.stderr.split())
    assert "a label is a list; write one word, such as what most of several people say (row 5)" in told


def test_an_interval_below_zero_is_not_written_as_a_dash_between_signs(meta: Any, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in PREDICTED.read_text(encoding="utf-8").splitlines()]
    guessed = [{"id": row["id"], "unit": row["unit"], "wrong": n % 2 == 0} for n, row in enumerate(rows)]
    (tmp_path / "guessed.jsonl").write_text("\n".join(map(json.dumps, guessed)), encoding="utf-8")
    table = meta(LABELLED, "--predictions", tmp_path / "guessed.jsonl", "--level", "segment", "-f", "md").stdout
    assert re.search(r" -?0\.\d+ \(-0\.\d\d to 0\.\d\d\)", table)
    assert not re.search(r"\(-0\.\d\d–|–-0", table)


def test_a_note_on_missing_values_covers_only_those(meta: Any, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in PREDICTED.read_text(encoding="utf-8").splitlines()]
    none = [{"id": row["id"], "unit": row["unit"], "wrong": False} for row in rows]
    (tmp_path / "none.jsonl").write_text("\n".join(map(json.dumps, none)), encoding="utf-8")
    table = meta(LABELLED, "--predictions", tmp_path / "none.jsonl", "--level", "segment", "-f", "md").stdout
    assert "–: nothing was flagged" in table
    assert "–: nothing was flagged, so F1 is 0" not in table


def test_a_set_of_one_class_gets_a_remark_and_not_a_zero(meta: Any, tmp_path: Path) -> None:
    done = meta(claims(tmp_path, [MARLOW[0], MARLOW[3]]), "-q")
    assert "there are no errors and nothing was flagged" in done.stdout
    found = json.loads(meta(claims(tmp_path, [MARLOW[0], MARLOW[3]]), "--format", "json", "-q").stdout)
    claim = found["methods"][0]["levels"]["claim"]
    assert claim["error"] == {"precision": None, "recall": None, "f1": None}
    assert claim["auroc"] is None
    assert claim["accuracy"] == 1


@pytest.mark.parametrize("option", ["--seed", "--resamples"])
def test_negative_numbers_for_random_draws_are_refused(meta: Any, option: str) -> None:
    done = meta(LABELLED, "--predictions", PREDICTED, "-q", option, -1, code=2)
    assert f"Invalid value for '{option}'" in done.output


def test_a_call_without_any_evidence_is_refused(meta: Any) -> None:
    result = meta(LABELLED, "-m", "builtin", "-q", code=2)
    assert re.search(r"needs evidence, but the data have none \(\d+ texts\)", " ".join(result.output.split()))


def test_the_output_never_overwrites_the_data(meta: Any, tmp_path: Path) -> None:
    path = claims(tmp_path, MARLOW)
    result = meta(path, "-f", "json", "-o", path, code=2)
    assert "would be written over" in " ".join(result.output.split())
    own = Path(shutil.copy(PREDICTED, tmp_path / "own.jsonl"))
    result = meta(LABELLED, "--predictions", own, "--write-predictions", tmp_path, code=2)
    assert "would be written over" in " ".join(result.output.split())
    assert own.read_bytes() == PREDICTED.read_bytes()


def test_a_sweep_is_refused_where_only_predictions_are_named(meta: Any) -> None:
    result = meta(LABELLED, "--predictions", PREDICTED, "--sweep", "passages=1,3", code=2)
    assert "--sweep passages=… changes a setting of a method" in " ".join(result.output.split())
    meta(LABELLED, "--predictions", PREDICTED, "--sweep", "alpha=0,1")


def test_no_intervals_are_announced_where_none_were_drawn(meta: Any) -> None:
    for form in ("table", "latex"):
        for n in (0, 50):
            text = meta(LABELLED, "--predictions", PREDICTED, "-f", form, "--resamples", n).output
            assert ("bootstrap intervals" in text) == (n > 0), form


def test_the_help_says_how_to_measure_another_strictness(meta: Any) -> None:
    assert "FACTSCOPE_STRICTNESS" in meta("--help").output
