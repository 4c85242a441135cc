"""Python client for the API of a server: one method for each operation, with the records as they are.

    from factscope.web.client import ServerClient
    from factscope.web.forms import CheckRequest

    with ServerClient("http://127.0.0.1:8642", secret) as client:
        check = client.create_check(CheckRequest(text=..., documents=...))
        for event in client.watch(check.id):
            print(event.type, event.data)
        report = client.get_check(check.id).report

Written by scripts/client.py from the description of the API; do not change it by hand.
"""
# ruff: noqa: A002, D205 - parameters have the names of the API, docstrings its sentences

from __future__ import annotations

from factscope.core.records import Report
from factscope.report.citations.overview import CitationView
from factscope.scoring.run_changes import RunComparison
from factscope.web import step_forms as steps
from factscope.web.annotation.annotation_forms import (
    Annotation,
    AnnotationAgreement,
    AnnotationItem,
    AnnotationQueue,
    SavedAnnotation,
)
from factscope.web.forms import (
    Check,
    CheckDocuments,
    CheckList,
    CheckRequest,
    Choices,
    ChosenCheck,
    Estimate,
    ModelCall,
    RecheckPlan,
    RecheckRequest,
    WholeCheck,
)
from factscope.web.http_client import HttpClient
from factscope.web.setup_forms import Health, Setup


class ServerClient(HttpClient):
    """A server, as one user."""

    def get_setup(self) -> Setup:
        """Return the options of this server, and why some are unavailable."""
        return self.read(Setup, "GET", "/api/v1/setup")

    def estimate_check(self, body: CheckRequest) -> Estimate:
        """Estimate the calls, usage and cost of a check; nothing is called. With the same check for the command
        line.
        """
        return self.read(Estimate, "POST", "/api/v1/estimate", body)

    def create_check(self, body: CheckRequest, *, idempotency_key: str | None = None) -> Check:
        """Make a check. It waits for its turn, and runs on whether anybody watches it or not."""
        return self.read(Check, "POST", "/api/v1/checks", body, idempotency_key=idempotency_key)

    def list_checks(self, *, limit: int = 20, after: str | None = None) -> CheckList:
        """Return your checks, newest first. Pass `next` as `after` for the following ones."""
        return self.read(CheckList, "GET", "/api/v1/checks", query={"limit": limit, "after": after})

    def get_check(self, check_id: str) -> WholeCheck:
        """Return a check with its report, or with the results so far while it runs."""
        return self.read(WholeCheck, "GET", f"/api/v1/checks/{check_id}")

    def delete_check(self, check_id: str) -> bytes:
        """Delete a check with its text, documents and records. A running check is stopped."""
        return self.call("DELETE", f"/api/v1/checks/{check_id}")

    def cancel_check(self, check_id: str) -> Check:
        """Stop a check; its results so far stay, and `retry` resumes it. A check that has ended stays as it is."""
        return self.read(Check, "POST", f"/api/v1/checks/{check_id}/cancel")

    def retry_check(self, check_id: str) -> Check:
        """Resume a check: whatever failed or was not reached is tried again, the rest is kept and costs nothing."""
        return self.read(Check, "POST", f"/api/v1/checks/{check_id}/retry")

    def put_choices(self, check_id: str, body: Choices, *, if_match: str | None = None) -> ChosenCheck:
        """Save what you left out, your thresholds and your own verdicts."""
        return self.read(ChosenCheck, "PUT", f"/api/v1/checks/{check_id}/choices", body, if_match=if_match)

    def compare_checks(self, check_id: str, other_id: str) -> RunComparison:
        """Compare two finished checks, unit by unit: the verdicts that changed, and the settings that differ."""
        return self.read(RunComparison, "GET", f"/api/v1/checks/{check_id}/compare/{other_id}")

    def export_check(self, check_id: str, *, format: str = "html", original: bool = False) -> bytes:
        """Return a check as a file, without the evidence that you left out, unless the `original` is asked for."""
        return self.call("GET", f"/api/v1/checks/{check_id}/export", query={"format": format, "original": original})

    def open_sample(self, sample_id: str) -> Check:
        """Open a bundled example with its recorded result, as a check of yours; opened again, it is the same check."""
        return self.read(Check, "POST", f"/api/v1/samples/{sample_id}")

    def get_documents(self, check_id: str) -> CheckDocuments:
        """Return the documents that were given with a check, so that it can be made again with other settings."""
        return self.read(CheckDocuments, "GET", f"/api/v1/checks/{check_id}/documents")

    def get_call(self, check_id: str, judgement_id: str) -> ModelCall:
        """Return the call to a model that a judgement came from: the prompt and the reply, word for word."""
        return self.read(ModelCall, "GET", f"/api/v1/checks/{check_id}/calls/{judgement_id}")

    def get_citations(self, check_id: str, *, original: bool = False) -> CitationView:
        """Return the citations of a text that was checked with `cited`."""
        return self.read(CitationView, "GET", f"/api/v1/checks/{check_id}/citations", query={"original": original})

    def recheck(self, check_id: str, body: RecheckRequest) -> Check:
        """Check a changed text: sentences that did not change, and depend on no changed one, keep their results."""
        return self.read(Check, "POST", f"/api/v1/checks/{check_id}/recheck", body)

    def plan_recheck(self, check_id: str, body: RecheckRequest) -> RecheckPlan:
        """Plan the recheck of a changed text; nothing is called."""
        return self.read(RecheckPlan, "POST", f"/api/v1/checks/{check_id}/recheck/plan", body)

    def annotation_queue(self, queue_id: str, *, annotator_key: str) -> AnnotationQueue:
        """Return a queue as you see it: the samples that you can work on, and how far you are with each."""
        return self.read(AnnotationQueue, "GET", f"/api/v1/annotation/{queue_id}", annotator_key=annotator_key)

    def annotation_item(self, queue_id: str, number: str, *, annotator_key: str) -> AnnotationItem:
        """Return a sample with your answer so far. An adjudicator and a reviewer see those before them too."""
        return self.read(
            AnnotationItem, "GET", f"/api/v1/annotation/{queue_id}/items/{number}", annotator_key=annotator_key
        )

    def save_annotation(
        self, queue_id: str, number: str, body: Annotation, *, if_match: str, annotator_key: str
    ) -> SavedAnnotation:
        """Keep your answer; it is on disk once this is answered."""
        return self.read(
            SavedAnnotation,
            "PUT",
            f"/api/v1/annotation/{queue_id}/items/{number}",
            body,
            if_match=if_match,
            annotator_key=annotator_key,
        )

    def annotation_agreement(self, queue_id: str, *, annotator_key: str) -> AnnotationAgreement:
        """Measure the agreement of annotators so far, with 95 % intervals."""
        return self.read(
            AnnotationAgreement, "GET", f"/api/v1/annotation/{queue_id}/agreement", annotator_key=annotator_key
        )

    def export_annotation(self, queue_id: str, *, form: str = "felm", annotator_key: str) -> bytes:
        """Return JSON lines."""
        return self.call(
            "GET", f"/api/v1/annotation/{queue_id}/export", query={"form": form}, annotator_key=annotator_key
        )

    def segment_text(self, body: steps.SegmentRequest) -> steps.Segments:
        """Cut a text into segments with exact offsets."""
        return self.read(steps.Segments, "POST", "/api/v1/segment", body)

    def extract_claims(self, body: steps.ClaimsRequest) -> steps.Claims:
        """Cut segments into claims as a method does: by rules, or by its model, made to stand alone."""
        return self.read(steps.Claims, "POST", "/api/v1/claims", body)

    def write_queries(self, body: steps.QueriesRequest) -> steps.WrittenQueries:
        """Write the first searches for claims as a method does: the claim's own text, or its model's queries."""
        return self.read(steps.WrittenQueries, "POST", "/api/v1/queries", body)

    def search_web(self, body: steps.SearchRequest) -> steps.Hits:
        """Search the web; results of sites that are left out are not listed."""
        return self.read(steps.Hits, "POST", "/api/v1/search", body)

    def fetch_page(self, body: steps.FetchRequest) -> steps.PageFetch:
        """Fetch a public page and read its text, without menus, hidden words and the like."""
        return self.read(steps.PageFetch, "POST", "/api/v1/fetch", body)

    def find_passages(self, body: steps.PassagesRequest) -> steps.FoundPassages:
        """Find the passages of documents about a claim, best first."""
        return self.read(steps.FoundPassages, "POST", "/api/v1/passages", body)

    def categorise_source(self, body: steps.SourceRequest) -> steps.SourceCategory:
        """Categorise a source by its host name alone: by a table, by rules, or by the model for the role `source`."""
        return self.read(steps.SourceCategory, "POST", "/api/v1/source-category", body)

    def judge_claims(self, body: steps.JudgeRequest) -> steps.Judgements:
        """Judge claims by passages, as the judges of a method do."""
        return self.read(steps.Judgements, "POST", "/api/v1/judge", body)

    def roll_up_verdicts(self, body: steps.RollUpRequest) -> steps.RolledUpVerdicts:
        """Roll judgements up into verdicts on claims, segments and the response; no model is called."""
        return self.read(steps.RolledUpVerdicts, "POST", "/api/v1/roll-up", body)

    def score_report(self, body: steps.ScoreRequest) -> steps.Scores:
        """Compute scores from an unchanged report; no model is called."""
        return self.read(steps.Scores, "POST", "/api/v1/score", body)

    def rescore_report(self, body: steps.RescoreRequest) -> Report:
        """Roll a report up and score it again with some evidence left out; no model is called."""
        return self.read(Report, "POST", "/api/v1/rescore", body)

    def get_health(self) -> Health:
        """Return whether the server works, its store included."""
        return self.read(Health, "GET", "/healthz")

    def get_metrics(self) -> bytes:
        """Return counters in the text form of Prometheus."""
        return self.call("GET", "/metrics")
