"""One call that checks a text: its arguments, its result, and its message for each mistake."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import factscope as fs
from tests import lab
from tests.evidence.example_files import make_pdf
from tests.lab import warm
from tests.lab.many_cases import try_all

LENS = "The lighthouse got a Fresnel lens in 1858. It went over to electricity in 1957."
FACT = "In 1858 a first-order Fresnel lens was fitted. The light went over from paraffin to electricity in 1937."


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTSCOPE_STORE", str(tmp_path / "runs.db"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_a_text_is_checked_against_a_folder(documents: Path) -> None:
    report = fs.check("The Marlow bridge was opened in 1931.", evidence=str(documents))
    assert isinstance(report, fs.Report)
    assert (report.score, report.coverage, report.passed(0.8)) == (1.0, 1.0, True)
    assert sum(report.counts.values()) == len(report.claims) == 1
    (claim,) = report.claims
    assert claim.verdict == "supported"
    assert claim.quote == "The Marlow bridge was opened in 1931."
    assert claim.source == "The bridge"
    assert claim.span is not None
    assert claim.span.of(report.text) == claim.text
    assert report.problems == ()


def test_an_answer_is_checked_against_its_contexts() -> None:
    report = fs.check(LENS, contexts=[FACT, {"text": "It cost £5.", "id": "bill"}], question="When did the lens come?")
    first, second = report.claims
    assert first.verdict == "supported"
    assert first.source == "context-1"
    assert [claim.verdict for claim in report.problems] == [second.verdict]
    assert report.record.response.prompt == "When did the lens come?"
    assert [document.id for document in report.record.response.context] == ["context-1", "bill"]
    assert "searched in 2 documents that came with the text" in " ".join(str(report).split())


def test_the_deciding_row_of_a_table_is_quoted() -> None:
    table = "| Island | Population |\n|---|--:|\n| Corra | 1,930 |\n| Tarva | 640 |\n| Neave | 815 |"
    (claim,) = fs.check("Neave has the smallest population.", contexts=f"# Islands\n\n{table}").claims
    assert (claim.verdict, claim.quote) == ("contradicted", "| Neave | 815 |")


def test_a_passage_found_in_two_sources_keeps_its_better_rank() -> None:
    mill = {"text": "The mill at Orrest was rebuilt in 1881.", "title": "Mill"}
    masons = {"text": "Dutch masons rebuilt the mill at Orrest.", "title": "Masons"}
    houses = [{"text": f"Dutch masons worked in granite at house number {n}."} for n in range(30)]
    claim = "The mill at Orrest was rebuilt in granite in 1881 by Dutch masons."
    report = fs.check(claim, evidence=[mill, masons], contexts=[mill, *houses])
    assert [passage.text for passage in report.record.passages[:2]] == [mill["text"], masons["text"]]


def test_evidence_can_be_texts_and_documents() -> None:
    document = fs.Document(id="d", text=FACT, sha256="", title="Keeper's log")
    for evidence in (FACT, [{"text": FACT, "title": "Keeper's log"}], document):
        report = fs.check("The Fresnel lens was fitted in 1858.", evidence=evidence)
        assert report.claims[0].quote == "In 1858 a first-order Fresnel lens was fitted."


def test_a_document_needs_no_hash() -> None:
    notes = [fs.Document(id="lens", text=FACT), fs.Document(id="cost", text="It cost £5.", sha256="")]
    report = fs.check("The Fresnel lens was fitted in 1858. It cost £5.", contexts=notes)
    assert [claim.source for claim in report.claims] == ["lens", "cost"]
    assert notes[0].sha256 == hashlib.sha256(FACT.encode()).hexdigest()
    assert fs.Document(id="page", text=None, url="https://example.org").sha256 == ""


def test_a_pdf_without_a_title_shows_its_file_name(tmp_path: Path) -> None:
    content = make_pdf(
        zlib.compress(b"BT /F1 12 Tf 72 700 Td (The lens was fitted in 1858.) Tj ET"), title=b"(anonymous)"
    )
    (tmp_path / "lens.pdf").write_bytes(content)
    (claim,) = fs.check("The lens was fitted in 1858.", evidence=tmp_path / "lens.pdf").claims
    assert (claim.verdict, claim.source) == ("supported", "lens.pdf")


def test_files_of_the_same_name_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    for name, text in (
        ("docs/plant.txt", "The plant opened in 1990."),
        ("docs/sub/plant.txt", "The mill closed in 2001."),
        ("docs/sub/lake.txt", "The lake froze in 1963."),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    claims = "The plant opened in 1980. The mill closed in 2011. The lake froze in 1973."
    report = fs.check(claims, evidence=tmp_path / "docs")
    names = ["docs/plant.txt", "sub/plant.txt", "lake.txt"]
    assert [claim.source for claim in report.claims] == names
    assert all(f"— {name}\n" in str(report) for name in names)


def test_a_name_that_is_the_whole_path_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plants").mkdir()
    (tmp_path / "plant.txt").write_text("The plant opened in 1990.", encoding="utf-8")
    (tmp_path / "plants" / "plant.txt").write_text("The mill closed in 2001.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    report = fs.check(
        "The plant opened in 1980. The mill closed in 2011.", evidence=[Path("plant.txt"), Path("plants")]
    )
    page = report.save(tmp_path / "report.md").read_text(encoding="utf-8")
    assert "> — plant.txt (against" in page
    assert "> — plants/plant.txt (against" in page
    assert "- plants/plant.txt\n" in page


def test_the_printed_report_is_short_and_states_its_headline_once() -> None:
    text = str(fs.check(LENS, contexts=FACT))
    lines = text.splitlines()
    headline = next(line for line in lines if line.startswith("The evidence"))
    assert lines.count(headline) == 1
    assert len(lines) <= 40
    assert "Claims supported" in text


def test_a_single_claim_is_described_in_the_singular() -> None:
    page = {"text": FACT, "url": "https://lights.example/lens"}
    report = fs.check("The Fresnel lens was fitted in 1858.", contexts=[page])
    sites = "The one claim settled by pages of the web rests on a single site: lights.example (1)."
    assert sites in report.record.warnings
    open_one = fs.check("Penguins waddle across Antarctica.", contexts=FACT)
    assert "Nothing found that supports or contradicts the one claim." in str(open_one)


def test_the_report_is_saved_in_the_format_of_its_file_extension_and_read_back(tmp_path: Path) -> None:
    report = fs.check(LENS, contexts=[FACT])
    for ending in ("html", "json", "md", "csv", "txt", "xml"):
        assert report.save(tmp_path / f"report.{ending}").stat().st_size > 100
    assert fs.Report.load(tmp_path / "report.json").record == report.record
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == report.to_dict()
    with pytest.raises(fs.UsageError, match="is not a known format"):
        report.save(tmp_path / "report.docx")


def test_a_notebook_shows_the_report_in_a_frame_without_scripts() -> None:
    shown = fs.check("<script>alert(1)</script> The lens came in 1858.", contexts=FACT)._repr_html_()
    assert shown.startswith('<iframe sandbox="" srcdoc="')
    assert "<script" not in shown


def test_excluded_evidence_no_longer_counts() -> None:
    report = fs.check("The Fresnel lens was fitted in 1858.", contexts=[{"text": FACT, "id": "log"}])
    assert report.rescore(exclude=fs.Exclusions(documents=("log",))).counts["excluded"] == 1


def test_the_async_version_and_the_stream_give_the_same_result() -> None:
    async def work() -> tuple[fs.Report, list[str]]:
        report = await fs.acheck(LENS, contexts=FACT)
        return report, [event.type async for event in fs.stream(LENS, contexts=FACT)]

    report, events = asyncio.run(work())
    assert report.counts == fs.check(LENS, contexts=FACT).counts
    assert events[0] == "response"
    assert events.count("verdict") >= 3


def test_a_checker_can_be_reused_as_a_sync_and_async_context_manager(documents: Path) -> None:
    with fs.Checker(evidence=documents) as checker:
        assert [checker.check("The Marlow bridge was opened in 1931.").score for _ in range(2)] == [1.0, 1.0]

    async def both() -> list[float | None]:
        async with fs.Checker(evidence=documents) as other:
            found = await asyncio.gather(*(other.acheck("The Marlow bridge was opened in 1931.") for _ in range(2)))
            return [report.score for report in found]

    assert asyncio.run(both()) == [1.0, 1.0]


class Frame:
    """Stand-in for a data frame that yields the names of its columns."""

    columns = ("text",)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


def test_threads_share_a_checker(documents: Path) -> None:
    begin = Barrier(4)

    def check(checker: fs.Checker) -> float | None:
        begin.wait()
        return checker.check("The Marlow bridge was opened in 1931.").score

    with fs.Checker(evidence=documents) as checker, ThreadPoolExecutor(4) as threads:
        assert list(threads.map(check, [checker] * 4)) == [1.0] * 4


def test_a_limit_holds_for_all_calls_of_a_checker(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        checker = fs.Checker(model="openai/lab", evidence=documents, max_calls=3)
        texts = [f"The Marlow bridge was opened in 193{n}." for n in range(8)]
        reports = [checker.check(text) for text in texts[:4]]
        with checker:
            reports.append(checker.check(texts[4]))
        with ThreadPoolExecutor(3) as threads:
            reports += threads.map(checker.check, texts[5:])
        assert server.count() == 3
    assert reports[0].counts["failed"] == 0
    for report in reports[3:]:
        assert any("The budget of 3 calls is used up." in failure.message for failure in report.record.failures)


def test_a_forked_process_leaves_an_open_checker_to_its_parent(documents: Path) -> None:
    code = f"""if True:
        import os, factscope as fs
        with fs.Checker(evidence={str(documents)!r}) as checker:
            child = os.fork()
            print(checker.check("The Marlow bridge was opened in 1931.").score, flush=True)
            if not child:
                checker.close()
                os._exit(0)
            os.waitpid(child, 0)
            print(checker.check("The Marlow bridge was opened in 1931.").score)
    """
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["1.0"] * 3, done.stderr


def test_an_evaluator_works_in_a_process_that_was_forked_after_it_was_used() -> None:
    code = """if True:
        import os, sys, factscope.integrations as integrations
        evaluator = integrations.create_factscope_evaluator()
        for _ in range(2):
            print(evaluator(outputs="A lens was fitted.", context="A lens was fitted.")["score"], flush=True)
            child = os.fork() if _ == 0 else 0
            if child:
                os.waitpid(child, 0)
                sys.exit()
    """
    done = subprocess.run([warm.python(), "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["1.0"] * 2, done.stderr


def test_unusable_evidence_does_not_affect_the_rest(tmp_path: Path) -> None:
    (tmp_path / "lens.txt").write_text(FACT)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    page, lens = "http://127.0.0.1/lens", tmp_path / "lens.txt"
    for evidence, unused in (([lens, page], "was not fetched"), ([FACT, tmp_path / "broken.pdf"], "a broken PDF")):
        report = fs.check("The Fresnel lens was fitted in 1858.", evidence=evidence)
        assert report.counts["supported"] == 1
        assert report.record.searched is not None
        (problem,) = report.record.searched.problems
        assert unused in problem
        assert unused in " ".join(str(report).split())
        assert unused in report.save(tmp_path / "report.md").read_text(encoding="utf-8")
    with pytest.raises(fs.InputError, match="None of the evidence can be used"):
        fs.check("A lens was fitted.", evidence=[tmp_path / "broken.pdf", page])


@try_all(
    ("call", "said"),
    [
        (lambda: fs.check("The lens came in 1858."), "needs evidence"),
        (lambda: fs.check("A lens.", contexts=[{"txt": FACT}]), r"contexts\[0\] has no 'text'; it has 'txt'"),
        (lambda: fs.check("A lens.", contexts=[3]), r"contexts\[0\] is a number"),
        (
            lambda: fs.check("A lens.", contexts=[FACT, {"text": 3}]),
            r"contexts holds a number as text.*\(number 2 of 2\)",
        ),
        (lambda: fs.check("A lens.", contexts=[{"text": None, "title": "a"}]), "has no 'text'; it has 'title'"),
        (lambda: fs.check("A lens.", contexts=Frame()), r"contexts\[0\] is a Frame"),
        (lambda: fs.check("A lens.", evidence=Frame()), r"evidence\[0\] is a Frame"),
        (lambda: fs.check("A lens.", evidence=FACT.encode()), r"evidence\[0\] is bytes"),
        (
            lambda: fs.check("A lens.", contexts=[{"text": "a", "id": 1}, {"text": "b", "id": 1}]),
            "two texts with the id",
        ),
        (lambda: fs.check("A lens.", evidence="documnts/"), "'documnts' does not exist"),
        (lambda: fs.check("A lens.", evidence="my notes/the file.txt"), "does not exist"),
        (lambda: fs.check(["A lens."], contexts=FACT), "checks one text"),
        (lambda: fs.check("A lens.", contexts=FACT, question=3), "question is not a string"),
        (lambda: fs.check("A lens.", contexts=FACT, method="standart"), "Did you mean standard"),
        (lambda: fs.check("A lens.", contexts=FACT, method="standard"), "none is configured"),
        (lambda: fs.check("A lens.", contexts=FACT, model="openai/gpt-4.1-mini"), "OPENAI_API_KEY is not set"),
        (lambda: fs.check("A lens.", contexts=FACT, model="gpt"), "gpt"),
        (lambda: fs.Checker(method="builtin", model="openai/gpt-4.1-mini"), "builtin asks no language model"),
        (lambda: fs.Checker(verifier="builtin", model={"judge": "ollama/qwen3"}), "ollama/qwen3 would not be used"),
        (lambda: fs.check("A lens.", contexts=FACT, search="gogle"), "gogle"),
        (lambda: fs.Checker(settings={"langage": "de"}), "Unknown setting 'langage'"),
        (lambda: fs.Checker(settings=3), "settings is a number"),
        (lambda: fs.Checker(method=3), "method is a number"),
        (lambda: fs.Checker(settings={"langage": "de"}), "Unknown setting 'langage', which the call names"),
        (lambda: fs.Checker(model={"judge": 3}), r"model\['judge'\] is a number"),
        (lambda: fs.Checker(max_cost="much"), "Setting 'max_cost'"),
        (lambda: fs.check("A lens.", evidence=""), "an empty string"),
        (lambda: fs.check("A lens.", evidence=[None]), r"evidence\[0\] is None"),
        (lambda: fs.check(b"A lens.", contexts=FACT), "this is bytes"),
        (lambda: fs.check("A lens.", contexts=FACT).rescore(exclude="log"), "exclude is a string"),
        (lambda: fs.check("A lens.", contexts=FACT).passed("0.8"), "min_score is a string"),
        (lambda: fs.check("A lens.", contexts=FACT).passed(80), "min_score is 80"),
        (lambda: fs.check("A lens.", contexts=FACT).save(3), "named by a string or a path"),
        (lambda: fs.Report.load("nothing.json"), "File not found"),
        (lambda: fs.verify(3), "pairs is a number"),
        (lambda: fs.verify(None), "pairs is None"),
        (lambda: fs.verify([("a", "b")], verifier=3), "verifier is a number"),
        (lambda: fs.benchmark("factbench", models=["a/b"], judges=[None]), "judges names None"),
        (lambda: fs.benchmark("factbench", models=3, judges=["a/b"]), "models is a number"),
        (lambda: fs.benchmark("factbench", models=["a/b"], judges=None), "No judge is named"),
        (lambda: fs.benchmark("factbench", models=["a/b"], judges=["a/b"], data=3), "data is a number"),
        (lambda: fs.evaluate([fs.Checker()], "felm", limit=0), "limit is 0"),
        (lambda: fs.evaluate([fs.Checker()], "felm", seed=-3), "seed is -3"),
        (lambda: fs.evaluate([fs.Checker()], "felm", seed=None), "seed is None"),
        (lambda: fs.evaluate([fs.Checker()], "felm", resamples=-1), "resamples is -1"),
        (lambda: fs.evaluate([fs.Checker()], "felm", resamples=0.5), "resamples is 0.5"),
        (lambda: fs.benchmark("factbench", models=["a/b"], judges=["a/b"], seed=-1), "seed is -1"),
        (lambda: fs.benchmark("factbench", models=["a/b"], judges=["a/b"], resamples=1), "resamples is 1"),
        (lambda: fs.verify([("one",)]), r"pairs\[0\] is not a claim and a passage"),
        (lambda: fs.verify([("a", "b")], verifier="nobody"), "nobody"),
        (lambda: fs.evaluate([3], "felm"), "takes checkers and functions"),
        (lambda: fs.benchmark("facts", models=["a/b"]), "Unknown benchmark 'facts'"),
        (lambda: fs.benchmark("factbench"), "nothing to measure"),
        (lambda: fs.benchmark("facts-grounding", models=["a/b"]), "two to nine judges, not 0"),
        (lambda: fs.benchmark("facts-grounding", models=["a/b"], judges=["a/b"]), "two to nine judges"),
    ],
)
def test_each_mistake_is_a_usage_error_with_its_fix(call: object, said: str) -> None:
    assert callable(call)
    with pytest.raises(fs.UsageError, match=said) as caught:
        call()
    assert caught.value.hint


def test_the_name_of_a_file_is_not_taken_for_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answer.md").write_text(LENS)
    for name in ("answer.md", str(tmp_path / "answer.md")):
        with pytest.raises(fs.UsageError, match=r"answer\.md' is a file, and check\(\) takes the text itself"):
            fs.check(name, contexts=FACT)
    assert fs.check("Lens.md", contexts=FACT).counts["not_checkable"] == 1
    assert fs.check("x" * 5_000, contexts=FACT).text


def test_a_model_from_the_environment_or_settings_can_remain_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fs.Checker(method="builtin", settings={"model": "ollama/qwen3"}).method.name == "builtin"
    assert fs.Checker(settings={"model": "ollama/qwen3", "method": "verify"}).method.name == "verify"
    monkeypatch.setenv("FACTSCOPE_MODEL", "ollama/qwen3")
    assert fs.Checker(method="builtin").method.name == "builtin"


def test_a_blocking_call_in_an_event_loop_names_its_async_version() -> None:
    async def wrong() -> None:
        fs.check(LENS, contexts=FACT)

    with pytest.raises(fs.UsageError, match=r"await factscope\.acheck"):
        asyncio.run(wrong())


def test_bare_pairs_are_labelled_in_order() -> None:
    first, second = fs.verify([("The lens was fitted in 1858.", FACT), ("Bread is sold on Mondays.", FACT)])
    assert first.label == "supported"
    assert first.quote == "In 1858 a first-order Fresnel lens was fitted."
    assert sum(first.probabilities.values()) == pytest.approx(1)
    assert second.label != "supported"
    assert fs.verify([]) == []


def test_a_passage_about_something_else_leaves_the_claim_open() -> None:
    open_pair, unread = fs.verify(
        [("The lens came in 1858.", text) for text in ("A bakery opened on the quay.", "---")]
    )
    assert open_pair.label == unread.label == "not_enough_evidence"
    assert open_pair.label == max(open_pair.probabilities, key=open_pair.probabilities.__getitem__)
    assert open_pair.reason
    assert (unread.probabilities, unread.reason) == ({}, "the passage contains no words")
