"""Annotation of a file by people: each alone, nothing lost or overwritten, and results in FELM's form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factscope.benchmarks.datasets import load
from factscope.cli import app
from factscope.core import InputError, UsageError, open_database
from factscope.engine import Settings
from factscope.web.annotation import Annotation, Annotations, QueueMember, Role, SegmentMark, read_tasks

from .annotating import APART, FELM, PLAIN, Annotating, Person, write
from .served import server

People = dict[str, Person]
KNOWLEDGE, REASONING = "knowledge_error", "reasoning_error"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    folder = tmp_path_factory.mktemp("annotation")
    settings = Settings(store=folder / "runs.db", cache=folder / "cache")
    with server(settings, str(folder / "server.db")) as port:
        yield port, str(folder / "server.db")


@pytest.fixture
def queue(place: tuple[int, str], tmp_path: Path) -> Callable[..., People]:
    """Open new queues with the given annotators, an adjudicator where there are two, and perhaps a reviewer."""
    port, store = place

    def opened(*names: str, reviewer: str | None = None, **options: Any) -> People:
        named: list[tuple[str, Role]] = [(name, "annotator") for name in names]
        named += [(reviewer, "reviewer")] if reviewer else []
        database = open_database(store)
        seats = [QueueMember(name=name, role=role) for name, role in named]
        tasks = read_tasks(write(tmp_path)).tasks
        made, keys = Annotations(database).open_queue(str(tmp_path), tasks, seats, **options)
        database.close()
        return {seat.name: Person(port, made, key) for seat, key in keys.items()}

    return opened


def test_one_annotator_labels_and_exports_what_the_loader_of_felm_reads(
    queue: Callable[..., People], tmp_path: Path
) -> None:
    ada = queue("Ada")["Ada"]
    assert ada.states() == ["open", "open", "open"]
    left_over = {"correct": True, "kind": None, "reason": "It was called wrong at first."}
    marks = [left_over, {"correct": False, "kind": KNOWLEDGE, "reason": "so it is"}, left_over]
    references = ["https://bridge.example/marlow", "", "https://more.example/"]
    ada.say(1, None, KNOWLEDGE, None, marks=marks, references=references)
    ada.say(2, None, "fooled")
    ada.say(3, None, None, keep=False)
    assert ada.states() == ["done", "done", "done"]
    first, second = ada.export("felm")
    assert {
        name: first[name] for name in ("index", "domain", "source", "prompt", "response", "segmented_response")
    } == {name: FELM[name] for name in ("index", "domain", "source", "prompt", "response", "segmented_response")}
    assert first["labels"] == [True, False, True]
    assert first["type"] == [None, KNOWLEDGE, None]
    assert first["comment"] == ["", "so it is", ""]
    assert first["ref"] == ["https://bridge.example/marlow", "https://more.example/"]
    assert first["ref_contents"] == ["The bridge has four arches.", ""]
    assert "".join(second["segmented_response"]) == PLAIN["response"]
    path = tmp_path / "felm.jsonl"
    path.write_bytes(ada.get("/export?form=felm").body)
    samples = load(str(path), cache=tmp_path / "cache").samples
    assert [[gold.factual for gold in sample.of("segment")] for sample in samples] == [
        [True, False, True],
        [True, False],
    ]
    rows = ada.export("hf")
    assert [(row["annotator"], row["role"], row["keep"], row["done"]) for row in rows] == [
        ("Ada", "annotator", True, True),
        ("Ada", "annotator", True, True),
        ("Ada", "annotator", False, True),
    ]
    assert [one.task.id for one in read_tasks(path).tasks] == ["b1", "plain"]


def test_two_annotators_never_see_each_other(queue: Callable[..., People]) -> None:
    people = queue("Ada", "Ben", reviewer="Cy")
    people["Ada"].say(1, None, None, None, references=["https://ada.example/"])
    ben = people["Ben"]
    seen = ben.get("/items/1").body + ben.get().body
    assert b"ada" not in seen.lower()
    assert b"so it is" not in seen
    assert ben.item(1)["others"] == []
    assert ben.item(1)["state"] == "open"
    assert [ben.get(path).status for path in ("/agreement", "/export", "/export?form=hf")] == [403, 403, 403]
    for judge in ("adjudicator", "Cy"):
        assert people[judge].states() == ["waiting"] * 3
        assert people[judge].item(1)["others"] == [], "not before both are done: a word could tell the other"
        assert people[judge].put(1, people[judge].item(1)["answer"], 0).status == 409


def test_an_adjudicator_settles_disagreements_and_a_reviewer_has_the_last_word(
    queue: Callable[..., People],
) -> None:
    people = queue("Ada", "Ben", reviewer="Cy")
    people["Ada"].say(1, None, KNOWLEDGE, None)
    people["Ben"].say(1, None, None, None)
    for name in ("Ada", "Ben"):
        people[name].say(2, None, "fooled")
    judge, cy = people["adjudicator"], people["Cy"]
    assert judge.states() == ["open", "waiting", "waiting"]
    assert cy.states() == ["waiting", "open", "waiting"]
    assert [row["index"] for row in cy.export("felm")] == ["plain"]
    item = judge.item(1)
    assert [mark["correct"] for mark in item["answer"]["marks"]] == [True, None, True]
    assert {one["seat"]["name"] for one in item["others"]} == {"Ada", "Ben"}
    judge.say(1, None, REASONING, None)
    assert cy.states() == ["open", "open", "waiting"]
    assert cy.export("felm")[0]["type"] == [None, REASONING, None]
    assert {one["seat"]["role"] for one in cy.item(1)["others"]} == {"annotator", "adjudicator"}
    cy.say(1, None, KNOWLEDGE, None)
    assert cy.export("felm")[0]["type"] == [None, KNOWLEDGE, None]
    assert {row["annotator"] for row in cy.export("hf")} == {"Ada", "Ben", "adjudicator", "Cy"}


def test_agreement_uses_the_splits_of_both_and_two_samples_give_no_interval(queue: Callable[..., People]) -> None:
    people = queue("Ada", "Ben")
    nothing = people["adjudicator"].get("/agreement").json
    assert (nothing["units"], nothing["percent"]["value"], nothing["alpha"]["value"]) == (0, None, None)
    people["Ada"].say(1, None, KNOWLEDGE, None)
    people["Ben"].say(1, None, None, cuts=[38])  # one cut fewer: its second segment is Ada's last two
    people["Ada"].say(2, None, KNOWLEDGE)
    people["Ben"].say(2, None, KNOWLEDGE)
    people["Ada"].say(3, None, None)
    people["Ben"].say(3, None, None, keep=False)
    found = people["adjudicator"].get("/agreement").json
    assert (found["samples"], found["units"], found["keep_differs"]) == (2, 5, 1)
    assert found["percent"]["value"] == pytest.approx(0.8)
    assert found["kappa"]["value"] == pytest.approx((0.8 - 14 / 25) / (1 - 14 / 25))
    # Coincidences: 3 pairs right, 1 wrong, 1 apart; of 10 labels 7 right and 3 wrong.
    assert found["alpha"]["value"] == pytest.approx(1 - 9 * 2 / (2 * 7 * 3))
    for measure in ("percent", "kappa", "alpha"):
        assert (found[measure]["low"], found[measure]["high"]) == (None, None)


def test_agreement_is_reported_by_domain_if_there_are_several(queue: Callable[..., People]) -> None:
    people = queue("Ada", "Ben")
    for name, second in (("Ada", KNOWLEDGE), ("Ben", None)):
        people[name].say(1, None, second, None)
        people[name].say(2, None, KNOWLEDGE)
        people[name].say(3, None, None)
    found = people["adjudicator"].get("/agreement").json
    assert [(one["domain"], one["samples"], one["units"]) for one in found["domains"]] == [
        ("wk", 1, 3),
        ("math", 1, 2),
    ], "the sample without a domain is in none, but counts among all"
    assert found["samples"] == 3
    assert [one["percent"]["value"] for one in found["domains"]] == [pytest.approx(2 / 3), 1]
    assert found["domains"][1]["kappa"]["value"] is None, "one label only"


def test_a_suggestion_is_hidden_until_the_first_answer_unless_asked_for(queue: Callable[..., People]) -> None:
    ada = queue("Ada")["Ada"]
    found = ada.item(1)
    assert found["suggestion"] is None
    assert b"It has four" not in ada.get("/items/1").body
    typed = ada.put(1, {**found["answer"], "references": ["https://a.example/"]}, 0).json
    assert typed["suggestion"] is None, "nothing was said of right and wrong yet"
    marks = [{"correct": True}, *found["answer"]["marks"][1:]]
    saved = ada.put(1, {**found["answer"], "marks": marks}, 1).json
    assert saved["suggestion"]["marks"][1] == {"correct": False, "kind": KNOWLEDGE, "reason": "It has four."}
    other = queue("Ben", suggest=True)["Ben"]
    assert other.item(1)["suggestion"]["marks"][0]["correct"] is True


def test_a_change_from_a_second_tab_is_reported_and_nothing_is_overwritten(queue: Callable[..., People]) -> None:
    ada = queue("Ada")["Ada"]
    found = ada.item(1)
    first = {**found["answer"], "references": ["https://first.example/"]}
    assert ada.put(1, first, 0).json["revision"] == 1
    late = ada.put(1, {**found["answer"], "references": ["https://late.example/"]}, 0)
    assert late.status == 412
    assert late.headers["content-type"] == "application/problem+json"
    assert "revision 1, not 0" in late.json["detail"]
    assert ada.item(1)["answer"]["references"] == ["https://first.example/"]
    assert ada.put(1, first, 1).headers["etag"] == '"2"'


def test_merges_and_splits_are_stored_with_their_history(queue: Callable[..., People]) -> None:
    ada = queue("Ada")["Ada"]
    ada.say(2, None, None, None, cuts=[4, 21], edits=[{"what": "split", "at": 4}])
    assert ada.item(2)["answer"]["cuts"] == [4, 21]
    row = ada.export("felm")[0]
    assert row["segmented_response"] == ["The ", "moon is round 🌕. ", "It is made of cheese."]
    assert ada.export("hf")[0]["edits"] == ["split 4"]


def test_bad_answers_are_refused_with_the_reason(queue: Callable[..., People]) -> None:
    ada = queue("Ada")["Ada"]
    good = ada.item(1)["answer"]
    right, blank = {"correct": True}, {"correct": None}
    for changes, said in (
        ({"marks": [right]}, "1 marks for 3 segments"),
        ({"marks": [right, right, blank], "done": True}, "each segment is marked"),
        ({"marks": [right, right, {"correct": False}], "done": True}, "kind of error"),
        ({"marks": [right, right, {"correct": True, "kind": KNOWLEDGE}]}, "only a wrong segment"),
        ({"marks": [right, right, {"correct": False, "kind": "other"}]}, "marks.2.kind"),
        ({"cuts": [20, 10]}, "each after the one before"),
        ({"cuts": [5, 5000]}, "the text ends at 79"),
        ({"cuts": [3, 38]}, "before white space"),
        ({"references": ["x" * 3_000]}, "references.0"),
        ({"references": ["\ud800"]}, "references.0"),
        ({"seconds": -1}, "seconds"),
        ({"mood": "good"}, "no such field"),
    ):
        reply = ada.put(1, {**good, **changes}, 0)
        assert reply.status == 422, changes
        assert said in json.dumps(reply.json), reply.json
    assert ada.put(1, good, "new").status == 422
    assert ada.put(99, good, 0).status == 404
    assert ada.get("/items/0").status == 422
    assert ada.item(1)["revision"] == 0, "nothing of it was kept"
    assert Person(ada._client.port, ada._at.rpartition("/")[2], "wrong-key").get().status == 404
    assert Person(ada._client.port, "nothing", ada._key).get().status == 404


def test_an_answer_survives_a_kill_right_after_it_is_reported_saved(tmp_path: Path) -> None:
    file = write(tmp_path)
    first = Annotating(file, "--annotator", "Ada", "--annotator", "Ben")
    ada = first.person("Ada")
    saved = ada.put(1, {**ada.item(1)["answer"], "references": ["https://kept.example/"]}, 0)
    first.kill()
    assert saved.json["revision"] == 1
    again = Annotating(file)  # the same command without names: the same people
    assert set(again.addresses) == {"Ada", "Ben", "adjudicator"}
    assert [one.rpartition("#")[2] for one in again.addresses.values()] == [
        one.rpartition("#")[2] for one in first.addresses.values()
    ]
    assert again.person("Ada").item(1)["answer"]["references"] == ["https://kept.example/"]
    assert "Traceback" not in again.end()


def test_an_empty_segment_is_left_out_but_its_row_is_not(tmp_path: Path) -> None:
    columns = {"labels": [True, True, False, True], "comment": ["", "", "It has four.", ""]}
    parts = [FELM["segmented_response"][0], " ", *FELM["segmented_response"][1:]]
    kinds = [None, None, "knowledge_error", None]
    read = read_tasks(write(tmp_path, [{**FELM, **columns, "segmented_response": parts, "type": kinds}]))
    (one,) = read.tasks
    assert read.left_out == ("row 1: segment 2 is empty text",)
    assert len(one.task.cuts) == 2
    assert one.suggestion is not None
    assert [mark.correct for mark in one.suggestion.marks] == [True, False, True]


def test_our_own_labelled_file_can_be_labelled_again() -> None:
    read = read_tasks(Path(__file__).parents[2] / "examples" / "labelled.jsonl")
    assert read.left_out == ()
    assert read.tasks[0].segments is not None
    assert read.tasks[0].segments[1] == "Its market has been held every Thursday since 1342."


def test_unusable_rows_are_named_and_the_rest_is_used(tmp_path: Path) -> None:
    rows = [
        FELM,
        {"id": "none", "prompt": "?"},
        {**FELM, "prompt": "again"},
        {**APART, "segmented_response": ["a", None]},
        7,
    ]
    read = read_tasks(write(tmp_path, [*rows, APART]))
    assert [one.task.id for one in read.tasks] == ["b1", "m1"]
    assert [line.partition(":")[0] for line in read.left_out] == ["row 2", "row 3", "row 4", "row 5"]
    assert read.tasks[1].task.text == "2 + 2 = 4.\n4 * 3 = 12.", "segments that do not make up the response stand alone"
    assert read.tasks[1].suggestion is None, "labels that are neither true nor false suggest nothing"
    with pytest.raises(InputError, match="nothing to annotate"):
        read_tasks(write(tmp_path, [{"id": "none"}]))
    with pytest.raises(UsageError):
        read_tasks(tmp_path / "missing.jsonl")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-a", "Ada", "--reviewer", "Ada"], "The name 'Ada' appears twice."),
        (["-a", " "], "A name is empty"),
        (["--guidelines", "missing.txt"], "missing.txt can't be read"),
        (["--host", "0.0.0.0"], "needs a token"),
    ],
)
def test_a_wrong_command_is_refused_with_the_reason(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = str(tmp_path / "server.db")
    done = CliRunner().invoke(app, ["annotate", str(write(tmp_path)), "--store", store, "--no-browser", *arguments])
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_labels_are_exported_and_a_queue_deleted_from_the_command_line(tmp_path: Path) -> None:
    file, store, out = write(tmp_path), tmp_path / "server.db", tmp_path / "out.jsonl"
    annotations, tasks = Annotations(open_database(str(store))), read_tasks(file).tasks
    ada = QueueMember(name="Ada", role="annotator")
    queue, keys = annotations.open_queue(file.name, tasks, [ada])
    found = annotations.find(file.name, tasks)
    assert found
    right = SegmentMark(correct=True)
    for number, removed in ((1, False), (2, True)):
        marks = (right,) * (len(tasks[number - 1].task.cuts) + 1)
        answer = Annotation(cuts=tasks[number - 1].task.cuts, marks=marks, keep=not removed, done=True)
        annotations.save(found, number, ada, 0, answer)

    def call(*arguments: str | Path, code: int = 0) -> str:
        words = ["annotate", str(file), "--store", str(store), *map(str, arguments)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == code, done.output
        return " ".join(done.stderr.split())

    assert "1 of 3 samples; the others are not decided, or removed." in call("--export", out)
    assert [json.loads(line)["index"] for line in out.read_text(encoding="utf-8").splitlines()] == ["b1"]
    assert "2 answers on 3 samples." in call("--export", out, "--form", "hf")
    assert [json.loads(line)["keep"] for line in out.read_text(encoding="utf-8").splitlines()] == [True, False]
    assert "would be written over" in call("--export", file, code=2)
    assert "Nothing is deleted without confirmation." in call("--delete", code=2)
    assert annotations.enter(queue, keys[ada])[0] == found, "so far everything is there"
    assert "with 2 answers" in call("--export", out, "--delete", "--yes")
    assert annotations.find(file.name, tasks) is None
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1
    for arguments in (["--export", out], ["--delete", "--yes"], ["--delete", "--store", tmp_path / "other.db"]):
        assert "The store has no queue of" in call(*arguments, code=2)
    assert not (tmp_path / "other.db").exists()


def test_a_person_has_one_role_and_a_queue_one_adjudicator(tmp_path: Path) -> None:
    database = open_database(str(tmp_path / "server.db"))
    annotations, tasks = Annotations(database), read_tasks(write(tmp_path)).tasks
    ada = QueueMember(name="Ada", role="annotator")
    _, keys = annotations.open_queue("q", tasks, [ada])
    with pytest.raises(UsageError, match="can't be reviewer too"):
        annotations.open_queue("q", tasks, [QueueMember(name="Ada", role="reviewer")])
    with pytest.raises(UsageError, match="two in the role of adjudicator"):
        annotations.open_queue("q", tasks, [QueueMember(name=name, role="adjudicator") for name in ("Cy", "Di")])
    assert annotations.open_queue("q", tasks, [])[1] == keys, "what was refused left nothing behind"
    database.close()
