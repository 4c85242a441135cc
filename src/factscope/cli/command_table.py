"""All commands, by name: the module of each and a short description, so that help imports none of the modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Entry(NamedTuple):
    """One command."""

    help: str
    """Its purpose, in a few words."""
    place: str
    """Its module below `factscope.cli` and its function, as in `check_command:check`."""


class Section(NamedTuple):
    """A group of commands under one name."""

    help: str
    """Their common subject."""
    commands: Mapping[str, Entry]
    """By name; the one called `list`, if there is one, runs when none is named."""


COMMANDS: dict[str, Entry | Section] = {
    "check": Entry("Check a text against evidence.", "check_command:check"),
    "run": Entry("Check many responses and score them all.", "run_command:run"),
    "compare": Entry("List what changed between two runs.", "compare_command:compare"),
    "demo": Entry("Check a bundled text with errors in it.", "demo_command:demo"),
    "evidence": Entry("Show the passages found for a claim.", "evidence_command:evidence"),
    "meta": Entry("Measure checkers against people's labels.", "meta_command:meta"),
    "calibrate": Entry("Fit a verifier's confidence to your labels.", "calibrate_command:calibrate"),
    "score": Entry("Score reports again; no model is called.", "score_command:score"),
    "export": Entry("Write a report or a run in another form.", "export_command:export"),
    "selftest": Entry("Run the reliability tests on this machine.", "selftest_command:selftest"),
    "doctor": Entry("Test everything that a check needs.", "doctor_command:doctor"),
    "serve": Entry("Serve the page and the HTTP API.", "serve_command:serve"),
    "mcp": Entry("Serve assistants, by the Model Context Protocol.", "mcp_command:mcp"),
    "review": Entry("Check the texts of a pull request.", "review_command:review"),
    "annotate": Entry("Label the segments of texts, as for FELM.", "annotate_command:annotate"),
    "papers": Entry("Compare the papers' tables with recomputed ones.", "papers_command:papers"),
    "schema": Entry("Print the JSON Schema of a report.", "schema_command:schema"),
    "methods": Section(
        "The ways to check a text.",
        {"list": Entry("List the methods, with paper and cost.", "methods_command:list_methods")},
    ),
    "models": Section(
        "Language models that can judge.",
        {"list": Entry("List the providers, and what is missing.", "models_command:list_models")},
    ),
    "search": Section(
        "Search engines of the web.",
        {"list": Entry("List the engines, and what is missing.", "search_command:list_engines")},
    ),
    "benchmarks": Section(
        "Labelled data sets to measure checkers against.",
        {
            "list": Entry("List the data sets, with licence and source.", "benchmarks_command:list_benchmarks"),
            "describe": Entry("Count what a data set holds, by domain.", "benchmarks_command:describe"),
        },
    ),
    "bench": Section(
        "Language models measured by a benchmark.",
        {
            "factbench": Entry("FactBench, in tiers of prompts.", "bench_factbench:factbench"),
            "factbench-disjoint": Entry(
                "Select by one evaluator, report by another.", "bench_studies:disjoint_prompts"
            ),
            "facts-grounding": Entry("FACTS Grounding, by several judges.", "bench_facts:facts_grounding"),
            "facts-probes": Entry("Judges on cases with known answers.", "bench_judges:facts_probes"),
            "facts-table": Entry("The table from recorded verdicts.", "bench_facts:facts_table"),
            "facts-templates": Entry("Choose a template for each judge.", "bench_judges:facts_templates"),
            "short-answers": Entry(
                "SimpleQA Verified and similar sets, by one grader.", "bench_short_answers:short_answers"
            ),
            "recall": Entry("Recall of extraction and of responses.", "bench_studies:recall"),
            "rounds": Entry("How many rounds of search are enough.", "bench_studies:rounds"),
            "feedback": Entry("Errors in the responses of a run.", "bench_feedback:feedback"),
        },
    ),
    "curate": Section(
        "Benchmarks made from conversations.",
        {
            "build": Entry("Logs to a benchmark.", "curate_command:build"),
            "update": Entry("The next release, from new logs.", "curate_update:update"),
            "difficulty": Entry("How hard the prompts are.", "curate_update:difficulty"),
            "explore": Entry("A release as one page.", "curate_update:explore"),
        },
    ),
    "leaderboard": Section(
        "Measured models and checkers as a static site.",
        {
            "build": Entry("Make the site.", "leaderboard_command:build"),
            "check": Entry("Check files that add a model.", "leaderboard_command:check"),
        },
    ),
    "verifiers": Section(
        "Verifiers that judge without a language model.",
        {
            "list": Entry("List the verifiers, and where each is.", "verifiers_command:list_verifiers"),
            "pull": Entry("Fetch a verifier once.", "verifiers_command:pull"),
            "bench": Entry("Measure verifiers on labelled sets.", "verifiers_bench:bench"),
            "behaviour": Entry("Measure checkers on clear cases.", "verifiers_behaviour:behaviour"),
            "show": Entry("Show the details of one verifier.", "verifiers_command:show"),
        },
    ),
    "store": Section(
        "The file that stores checks.",
        {
            "check": Entry("List what is damaged in it.", "store_command:check_store"),
            "repair": Entry("Save the readable part of it.", "store_command:repair_store"),
        },
    ),
    "config": Section(
        "Current settings.", {"show": Entry("Show every setting and its source.", "config_command:show")}
    ),
}
