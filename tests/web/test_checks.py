"""Checks over HTTP: made, viewed, changed, compared, exported, deleted; each journey as a person takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscope.core.records import Report
from factscope.engine import Settings
from factscope.web import title_of
from tests import lab

from .served import CHECKS, REQUEST, TEXT, Client, server, wait_for


def test_a_check_runs_from_creation_to_completion(client: Client) -> None:
    made = client.post(CHECKS, REQUEST)
    assert made.status == 201
    check = made.json
    assert made.headers["location"] == f"{CHECKS}/{check['id']}"
    assert len(check["id"]) >= 20
    assert check["title"] == TEXT
    assert title_of(f"{TEXT} {TEXT}") == f"{TEXT} The…"
    whole = client.done(check["id"])
    report = Report.model_validate(whole["report"])
    assert {outcome: n for outcome, n in report.counts.items() if n} == {
        "supported": 1,
        "contradicted": 1,
        "not_checkable": 1,
    }
    assert whole["counts"] == report.counts
    assert [score["name"] for score in whole["scores"]] == [score.name for score in report.scores]
    assert whole["progress"] == {"segments": 3, "claims": 3, "judged": 3, "failed": 0}
    assert [document.url for document in report.documents] == ["bridge.txt"], "a name, and no place on the server"
    assert whole["request"]["documents"] == [{"name": "bridge.txt", "bytes": 57}]


def test_an_answer_is_checked_against_the_contexts_that_come_with_it(client: Client) -> None:
    contexts = [
        "The Marlow bridge was opened in 1931.",
        {"text": "It is 212 metres long.", "id": "log", "title": "Log"},
    ]
    body = {"text": "The Marlow bridge was opened in 1931.", "question": "When?", "contexts": contexts}
    made = client.post(CHECKS, body)
    assert made.status == 201, made.json
    assert made.json["request"]["contexts"] == [
        contexts[0],
        {"text": "It is 212 metres long.", "id": "log", "title": "Log", "url": None},
    ]
    report = Report.model_validate(client.done(made.json["id"])["report"])
    assert report.counts["supported"] == 1
    assert [document.id for document in report.response.context] == ["context-1", "log"]
    estimate = client.post("/api/v1/estimate", body).json
    assert "--context context-1.txt --context context-2.txt" in estimate["command"]


def test_strictness_is_the_floor_of_contradictions(client: Client, tmp_path: Path) -> None:
    low = client.done(client.check(strictness="low"))["report"]
    usual = client.done(client.check())["report"]
    assert low["method"]["roll_up"]["contradiction_floor"] > usual["method"]["roll_up"]["contradiction_floor"]
    assert "--strictness low" in client.post("/api/v1/estimate", {**REQUEST, "strictness": "low"}).json["command"]
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", strictness="high")
    with server(settings, str(tmp_path / "server.db")) as port:
        own = Client(port)
        assert own.get("/api/v1/setup").json["defaults"]["strictness"] == "high"
        report = own.done(own.check())["report"]
        assert report["method"]["roll_up"]["contradiction_floor"] == 0


@pytest.mark.parametrize(
    ("contexts", "said"),
    [
        ([{"words": "…"}], "text"),
        ([{"text": "a b", "id": "x"}, {"text": "c d", "id": "x"}], "two texts with the id"),
        ([3], "contexts"),
    ],
)
def test_unusable_contexts_are_named(client: Client, contexts: list[Any], said: str) -> None:
    refused = client.post(CHECKS, {"text": TEXT, "contexts": contexts})
    assert refused.status == 422
    assert said in json.dumps(refused.json)


def test_checks_are_listed_newest_first_page_by_page(client: Client) -> None:
    ids = [client.check(text=f"The bridge has {n} arches.") for n in range(5)]
    found: list[str] = []
    after = ""
    while True:
        page = client.get(f"{CHECKS}?limit=2{after}").json
        found += [one["id"] for one in page["checks"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == ids[::-1]


def test_a_deleted_check_is_removed_with_its_text(client: Client) -> None:
    check = client.check()
    client.done(check)
    assert client.call("DELETE", f"{CHECKS}/{check}").status == 204
    for path in ("", "/events", "/export", f"/compare/{check}"):
        assert client.get(f"{CHECKS}/{check}{path}").status == 404
    assert client.get(CHECKS).json["checks"] == []


def test_the_same_request_sent_again_makes_no_second_check(client: Client) -> None:
    first = client.post(CHECKS, REQUEST, Idempotency_Key="abc")
    again = client.post(CHECKS, REQUEST, Idempotency_Key="abc")
    assert (first.status, again.status) == (201, 200)
    assert first.json["id"] == again.json["id"]
    other = client.post(CHECKS, {**REQUEST, "text": "It has five arches."}, Idempotency_Key="abc")
    assert other.status == 422
    assert "Idempotency-Key" in other.json["detail"]
    stranger = Client(client.port).post(CHECKS, REQUEST, Idempotency_Key="abc")
    assert stranger.status == 201
    assert stranger.json["id"] != first.json["id"]


def test_choices_are_stored_and_a_second_tab_overwrites_nothing(client: Client) -> None:
    check = client.check()
    report = client.done(check)["report"]
    exclude = {"passages": [report["passages"][0]["id"]]}
    override = {"unit_id": "s1.c1", "outcome": "supported", "who": "me", "why": "I was there", "at": "2026-11-21"}
    choices = {"exclude": exclude, "overrides": [override], "bands": [0.2, 0.7]}
    first = client.call("PUT", f"{CHECKS}/{check}/choices", choices, {"If-Match": '"0"'})
    assert first.status == 200
    assert first.headers["etag"] == '"1"'
    late = client.call("PUT", f"{CHECKS}/{check}/choices", {"reason": "other"}, {"If-Match": '"0"'})
    assert late.status == 412
    assert "revision 1" in late.json["detail"]
    kept = client.get(f"{CHECKS}/{check}").json
    assert kept["choices"]["overrides"] == [override]
    assert kept["choices"]["bands"] == [0.2, 0.7]
    assert kept["report"]["excluded"]["passages"] == [], "the machine's result stays as it was"


def test_an_export_leaves_out_what_the_person_left_out(client: Client) -> None:
    check = client.check()
    client.done(check)
    assert client.get(CHECKS).json["checks"][0]["counts"]["supported"] == 1
    client.call("PUT", f"{CHECKS}/{check}/choices", {"exclude": {"documents": ["bridge.txt"]}})
    chosen = client.get(f"{CHECKS}/{check}/export?format=json").json
    original = client.get(f"{CHECKS}/{check}/export?format=json&original=true").json
    assert chosen["counts"]["excluded"] == 2
    assert original["counts"]["supported"] == 1
    (listed,) = client.get(CHECKS).json["checks"]
    assert (listed["counts"], listed["scores"]) == (chosen["counts"], chosen["scores"]), "the list says the same"


def test_an_exclusion_that_matches_nothing_is_reported_and_excludes_nothing(client: Client) -> None:
    check = client.check()
    client.done(check)
    exclude = {"documents": ["bridge.txt", "brigde.txt"], "passages": ["s9.c9.p1"]}
    saved = client.call("PUT", f"{CHECKS}/{check}/choices", {"exclude": exclude}).json
    passage, document = saved["unknown"]
    assert "No evidence in the report is of 'brigde.txt' (documents). Did you mean bridge.txt?" in document
    assert "s9.c9.p1" in passage
    assert client.call("PUT", f"{CHECKS}/{check}/choices", {}).json["unknown"] == []


def test_crossed_thresholds_are_refused(client: Client) -> None:
    refused = client.call("PUT", f"{CHECKS}/{client.check()}/choices", {"bands": [0.7, 0.2]})
    assert refused.status == 422
    assert refused.json["detail"] == "bands: the lower threshold, 0.7, is above the upper one, 0.2."


@pytest.mark.parametrize("form", ["html", "json", "jsonl", "csv", "md", "claimreview"])
def test_every_form_of_export_is_a_download(client: Client, form: str) -> None:
    check = client.check()
    client.done(check)
    reply = client.get(f"{CHECKS}/{check}/export?format={form}")
    assert reply.status == 200, reply.body
    assert reply.headers["content-disposition"].startswith('attachment; filename="factscope-20')
    assert len(reply.body) > 300


def test_two_checks_are_compared_unit_by_unit(client: Client) -> None:
    first, second = client.check(), client.check(documents=[{"name": "b.txt", "text": "The bridge has six arches."}])
    client.done(first)
    client.done(second)
    compared = client.get(f"{CHECKS}/{first}/compare/{second}")
    assert compared.status == 200, compared.body
    assert compared.json["n_units"] == 3
    assert {(one["first"], one["second"]) for one in compared.json["changes"]} >= {("contradicted", "supported")}


def test_a_sample_opens_at_once_with_what_was_recorded(client: Client) -> None:
    samples = client.get("/api/v1/setup").json["samples"]
    assert [sample["kind"] for sample in samples] == ["document", "question", "text"]
    for sample in samples:
        opened = client.post(f"/api/v1/samples/{sample['id']}")
        assert opened.status == 201
        whole = client.get(f"{CHECKS}/{opened.json['id']}").json
        assert whole["state"] == "done"
        report = Report.model_validate(whole["report"])
        assert whole["counts"] == report.counts
        assert client.events(opened.json["id"])[-1].type == "end"
        again = client.post(f"/api/v1/samples/{sample['id']}")
        assert (again.status, again.json["id"]) == (200, opened.json["id"])
    assert client.post("/api/v1/samples/none").status == 404


def test_unavailable_choices_are_listed_with_the_reason(client: Client) -> None:
    setup = client.get("/api/v1/setup").json
    methods = {one["name"]: one for one in setup["methods"]}
    assert methods["builtin"]["available"]
    assert not methods["standard"]["available"]
    assert "none is configured" in methods["standard"]["why_not"]
    engines = {one["name"]: one for one in setup["engines"]}
    assert engines["wikipedia"]["available"]
    assert "SERPER_API_KEY" in engines["serper"]["why_not"]
    assert setup["model"] is None
    assert setup["defaults"]["method"] == "builtin"


def test_an_estimate_calls_nothing_and_names_the_same_check(client: Client) -> None:
    reply = client.post("/api/v1/estimate", {**REQUEST, "deny_categories": ["blog"], "language": "en"}).json
    assert reply["calls"] == {"low": 0, "high": 0}
    assert reply["cost"] == {"low": 0, "high": 0}
    assert reply["command"].startswith("FACTSCOPE_DENY_CATEGORIES=blog FACTSCOPE_LANGUAGE=en factscope check 'The Mar")
    assert "--evidence bridge.txt" in reply["command"]
    asked = client.post("/api/v1/estimate", {**REQUEST, "question": "When was it opened?"}).json
    assert "--question 'When was it opened?'" in asked["command"]
    assert reply["body"]["window"] == 1
    for text in ("- The bridge has six arches.", "# Bridges\n\nThis one has six arches.", "It has six arches. " * 20):
        written = client.post("/api/v1/estimate", {**REQUEST, "text": text}).json["command"]
        assert written.startswith("factscope check text.txt --evidence"), text
    assert client.post("/api/v1/estimate", {**REQUEST, **reply["body"], "documents": []}).json["notes"] == []
    (note,) = client.post("/api/v1/estimate", {**REQUEST, "passages": 3, "ranker": "bm25", "window": 5}).json["notes"]
    assert note.startswith("The command leaves out passages, window:")
    asked = client.post("/api/v1/estimate", {"text": TEXT, "method": "standard", "model": "openai/gpt-4.1-mini"}).json
    assert asked["calls"]["high"] > 0
    unknown = client.post("/api/v1/estimate", {"text": TEXT, "method": "standard", "model": "openai/nobody"}).json
    assert unknown["cost"] is None, "an unknown price is never nothing"


@pytest.mark.parametrize("method", ["standard", "facts-and-evidence", "verify", "builtin"])
def test_a_text_with_nothing_to_check_is_estimated_too(client: Client, method: str) -> None:
    reply = client.post("/api/v1/estimate", {"text": "Have you seen it?", "method": method})
    assert reply.status == 200, reply.body
    assert reply.json["calls"]["low"] <= 1


@pytest.mark.medium
def test_a_very_long_text_is_estimated_by_its_beginning(client: Client) -> None:
    def calls(times: int) -> float:
        text = "The Marlow bridge was opened in 1931, and it has four arches.\n\n" * times
        reply = client.post("/api/v1/estimate", {"text": text, "method": "facts-and-evidence"})
        return float(reply.json["calls"]["high"])

    assert calls(16_000) == pytest.approx(10 * calls(1_600), rel=0.01)


def test_one_claim_in_other_words_is_estimated_by_itself(client: Client) -> None:
    whole = client.done(client.check())
    claim = whole["report"]["claims"][1]
    asked = {"text": TEXT, "claims": [{"id": claim["id"], "text": "The Marlow bridge has six arches."}]}
    plan = client.post(f"{CHECKS}/{whole['id']}/recheck/plan", asked).json
    assert plan["changed"] == plan["depending"] == []
    assert plan["kept"] == len(whole["report"]["claims"]) - 1
    assert plan["estimate"]["calls"]["high"] == 0, "the built-in method calls no model"
    assert plan["estimate"]["command"] == f"factscope check '{TEXT}' --evidence bridge.txt --method builtin"
    nobody = client.post(f"{CHECKS}/{whole['id']}/recheck/plan", {**asked, "claims": [{"id": "s9.c9", "text": "x"}]})
    assert nobody.status == 422


def test_a_source_that_was_left_out_stays_out_of_the_next_version(client: Client) -> None:
    whole = client.done(client.check())
    document, passage = whole["report"]["documents"][0]["id"], whole["report"]["passages"][0]["id"]
    chosen = {"exclude": {"documents": [document], "passages": [passage]}, "bands": [0.2, 0.7], "reason": "It is old."}
    assert client.call("PUT", f"{CHECKS}/{whole['id']}/choices", chosen).status == 200
    made = client.post(f"{CHECKS}/{whole['id']}/recheck", {"text": TEXT.replace("six", "five")}).json
    choices = client.done(made["id"])["choices"]
    assert (choices["exclude"]["documents"], choices["exclude"]["passages"]) == ([document], [passage])
    assert (choices["bands"], choices["reason"]) == ([0.2, 0.7], "It is old.")
    assert not choices["overrides"], "a person judged the earlier words"
    assert document in [one["id"] for one in client.done(made["id"])["report"]["documents"]]


def test_an_excluded_passage_stays_excluded_if_its_sentence_is_in_the_next_version(client: Client) -> None:
    whole = client.done(client.check())
    report = whole["report"]
    of_claim = {passage["claim_id"]: passage for passage in report["passages"]}
    names = [of_claim[claim]["id"] for claim in ("s1.c1", "s2.c1")]
    chosen = {"exclude": {"passages": names}, "reason": "It is old."}
    assert client.call("PUT", f"{CHECKS}/{whole['id']}/choices", chosen).status == 200
    text = f"The town is old. {TEXT.replace('six', 'five')}"
    made = client.post(f"{CHECKS}/{whole['id']}/recheck", {"text": text}).json
    found = client.done(made["id"])
    (name,) = found["choices"]["exclude"]["passages"]
    passage = next(one for one in found["report"]["passages"] if one["id"] == name)
    old = of_claim["s1.c1"]
    assert (passage["claim_id"], passage["span"], passage["text"]) == ("s2.c1", old["span"], old["text"])
    assert found["choices"]["reason"] == "It is old."
    claim = {"id": "s1.c1", "text": "The Marlow bridge was opened in 1932."}
    edited = client.post(f"{CHECKS}/{whole['id']}/recheck", {"text": TEXT, "claims": [claim]}).json
    assert client.done(edited["id"])["choices"]["exclude"]["passages"] == [names[1]], "s1.c1 has other words now"


@pytest.fixture(scope="module")
def models() -> Any:
    with lab.model_server() as found:
        yield found


def test_a_stopped_check_keeps_what_is_done_and_carries_on(
    models: lab.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    models.script([{"when": {"contains": r"six arches\n<<<END claim"}, "do": {"hang": True}}])
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        check = client.check(
            method="facts-and-evidence", text="The Marlow bridge was opened in 1931. It has six arches."
        )
        wait_for(lambda: client.get(CHECKS).json["checks"][0], lambda one: one["progress"]["judged"] > 0)
        assert client.post(f"{CHECKS}/{check}/cancel").status == 200
        stopped = client.done(check, state="stopped")
        assert (stopped["progress"]["judged"], stopped["progress"]["claims"]) == (1, 2)
        assert stopped["report"]["scores"] == []
        assert sum(stopped["report"]["counts"].values()) == 1
        assert client.get(f"{CHECKS}/{check}/export").status == 409
        models.script([])
        assert client.post(f"{CHECKS}/{check}/retry").status == 200
        whole = client.done(check)
        assert whole["progress"]["judged"] == 2
        Report.model_validate(whole["report"])


def test_only_what_failed_is_tried_again(models: lab.Server, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from factscope.engine import Settings

    monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
    settings = Settings(
        store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"}, method="facts-and-evidence"
    )
    with server(settings, str(tmp_path / "server.db")) as port:
        client = Client(port)
        models.script([{"when": {"contains": r"six arches\n<<<END claim"}, "do": {"text": "I do not know."}}])
        check = client.check(
            method="facts-and-evidence", text="The Marlow bridge was opened in 1931. It has six arches."
        )
        whole = client.done(check)
        assert whole["counts"]["failed"] == 1
        models.script([])
        client.post(f"{CHECKS}/{check}/retry")
        whole = client.done(check)
        assert whole["counts"]["failed"] == 0
        asked = [json.loads(one["body"])["messages"][-1]["content"] for one in models.log()]
        assert asked, "nothing was tried again"
        assert all("six arches" in one for one in asked), "what had its verdict was asked again"
        kinds = [event.type for event in client.events(check)]
        assert kinds.count("state") == 5  # running, done, queued, running, done


def test_a_failing_model_is_reported_at_the_check_and_nothing_is_lost(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from factscope.engine import Settings

    with lab.model_server([{"do": {"status": 401}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab-secret-key")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(settings, str(tmp_path / "server.db")) as port:
            client = Client(port)
            check = client.check(method="standard")
            failed = client.done(check, state="failed")
            assert failed["problem"]["hint"]
            assert "OPENAI_API_KEY" in json.dumps(failed["problem"])
            assert "sk-lab-secret-key" not in json.dumps(failed)
            assert client.events(check)[-1].data["problem"] == failed["problem"]
            models.script([])
            client.post(f"{CHECKS}/{check}/retry")
            assert client.done(check)["counts"]["failed"] == 0
