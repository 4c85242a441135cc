"""`factscope verifiers behaviour`: checkers over clear cases, pair by pair and in whole texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from factscope.benchmarks.behaviour.behaviour_figures import (
    Behaviour,
    BehaviourRow,
    PairRow,
    SentenceRow,
    pair_figures,
    text_figures,
)
from factscope.benchmarks.behaviour.behaviour_tables import document, figure_lines, to_html
from factscope.benchmarks.behaviour.run_suite import check_pair, check_text, judge_pairs
from factscope.benchmarks.behaviour.suite import BUNDLED, PairCase, Suite, examples_suite, read_suite
from factscope.benchmarks.figure_lines import result_of
from factscope.cli.call_options import ModelOptions, with_groups
from factscope.cli.calling import finish, load
from factscope.cli.demo_command import DOCUMENTS, examples_folder
from factscope.cli.output import log, warn
from factscope.cli.progress import ProgressDisplay
from factscope.cli.result_options import ResultFileOptions
from factscope.core import FactscopeError, InputError, __version__, commit, made_at, many
from factscope.core.records import Report
from factscope.engine import check
from factscope.engine.find_method import chosen_method
from factscope.engine.open_tools import open_encoders, open_tools
from factscope.engine.settings import Settings
from factscope.evidence.collection import open_collection
from factscope.judging.verifiers.registry import BUILTIN, available
from factscope.judging.verifiers.verifier_list import Verifiers
from factscope.llm.session import steps
from factscope.methods import Method

_AT_ONCE = 8
"""Pairs that a method with a language model works on at once; calls have limits of their own."""


class BehaviourOptions(ModelOptions, ResultFileOptions):
    """The suites, the checkers, and where the result is written."""

    suite: Annotated[list[Path] | None, typer.Option(metavar="FOLDER")] = None
    """A suite of your own. Repeat for more. Default: the bundled one and demo."""
    verifier: Annotated[list[str] | None, typer.Option(metavar="NAME|FOLDER")] = None
    """Default: all installed verifiers. Repeat for more."""
    method: Annotated[list[str] | None, typer.Option("--method", "-m")] = None
    """A method, such as standard. Repeat for more."""
    only: Literal["pairs", "texts"] | None = None
    """Only one half of the suites."""


@with_groups
def behaviour(options: BehaviourOptions) -> None:
    """Measure checkers on clear cases: claims by kind, and whole texts with retrieval.

    A verifier is asked about each pair itself, and judges the texts in method builtin. A method checks both through
    the engine. JSON and HTML hold every case with its outcome.

    Example: factscope verifiers behaviour --verifier builtin -o behaviour.html
    """
    settings = load({"model": options.model}).model_copy(update={"search": None, "evidence": (), "verifier": None})
    suites = _suites(options.suite, options.only)
    rows: list[BehaviourRow] = []
    left_out: list[str] = []
    names = options.verifier or ([] if options.method else available(settings.cache))
    checkers = [*((name, True) for name in names), *((name, False) for name in options.method or ())]
    with ProgressDisplay(quiet=options.quiet) as progress:
        for name, is_verifier in checkers:
            measure = partial(_measured, name, is_verifier, settings=settings, progress=progress)
            try:
                rows += [measure(each) for each in suites]
            except FactscopeError as error:
                if options.verifier or options.method:
                    raise
                left_out.append(f"{name}: {error.message}")
    warn(f"Left out: {reason}" for reason in left_out)
    measured = Behaviour(
        rows=tuple(rows), left_out=tuple(left_out), factscope=__version__, commit=commit(), made=made_at()
    )
    result = result_of("Behaviour of checkers", measured, document, figure_lines, html=to_html, indent=2)
    options.put(result)
    if _tell_failures(rows):
        raise typer.Exit(1)


def _tell_failures(rows: Sequence[BehaviourRow]) -> bool:
    """Name each checker with pairs or sentences that failed, and one reason; return whether there is one."""
    failed = [row for row in rows if (row.pairs and row.pairs.failed) or (row.texts and row.texts.failed)]
    for row in failed:
        cases = [(pair.id, pair.rationale) for pair in row.judged if pair.answer is None]
        cases += [(each.text, each.reason) for each in row.sentences if each.outcome == "failed"]
        (name, reason), n = cases[0], many(len(cases), "case")
        log(f"{row.checker} on {row.suite}: {n} failed, in no figure. The first ({name}): {reason or 'unknown'}", "red")
    return bool(failed)


def _suites(folders: Sequence[Path] | None, only: str | None) -> list[Suite]:
    """Return the suites, or the named half of each.

    Raises the errors of `read_suite`, and InputError for a folder in which that leaves no case.
    """
    if not folders:
        examples = examples_folder()
        bundled = (read_suite(BUNDLED, "behaviour"), examples_suite(examples, examples / DOCUMENTS))
        return [half for each in bundled if not (half := _half(each, only)).is_empty]
    suites = [_half(read_suite(folder), only) for folder in folders]
    for folder, each in zip(folders, suites, strict=True):
        if each.is_empty:
            among, leave = (f" among its {only}", "leave out --only, or ") if only else ("", "")
            hint = f"{leave}add rows to its pairs.jsonl, or to the key.jsonl of a text."
            raise InputError(f"The suite {folder} has no case{among}.", hint[0].upper() + hint[1:])
    return suites


def _half(suite: Suite, only: str | None) -> Suite:
    return suite._replace(pairs=() if only == "texts" else suite.pairs, texts=() if only == "pairs" else suite.texts)


def _measured(
    name: str, is_verifier: bool, suite: Suite, settings: Settings, progress: ProgressDisplay
) -> BehaviourRow:
    """Return one checker on one suite. Raises FactscopeError."""
    judged: list[PairRow] = []
    phase, n_texts = f"{name}: {suite.name}", len(suite.texts)
    counted = ", ".join(
        many(len(cases), word) for cases, word in ((suite.pairs, "pair"), (suite.texts, "text")) if cases
    )
    progress.show(phase, 0, max(1, n_texts), f"{name} on {suite.name}: {counted}")

    def tell_text(done: int) -> None:
        progress.show(phase, done, n_texts, f"{phase}: {done} of {many(n_texts, 'text')} checked")

    if is_verifier:
        opened = Verifiers(settings.cache)[name]()
        judged = judge_pairs(opened, suite.pairs)
        own_settings = settings if name == BUILTIN else settings.model_copy(update={"verifier": name})
        name, method, suite = opened.name, chosen_method(own_settings, BUILTIN), suite._replace(pairs=())
    else:
        method = chosen_method(settings, name)
        name = f"{name}{_models(method, settings)}"
    through, sentences = _through_engine(method, suite, settings, tell_text)
    judged += through
    return BehaviourRow(
        checker=name,
        suite=suite.name,
        digest=suite.digest,
        pairs=pair_figures(judged) if judged else None,
        texts=text_figures(sentences) if sentences else None,
        judged=tuple(judged),
        sentences=tuple(sentences),
    )


def _models(method: Method, settings: Settings) -> str:
    """Return the models that a method asks, in brackets; nothing for one that asks none."""
    models_asked = {settings.model.get(step.role) or settings.model.get("*", "") for _, step in steps(method)} - {""}
    return f" ({', '.join(sorted(models_asked))})" if models_asked else ""


def _through_engine(
    method: Method, suite: Suite, settings: Settings, on_text: Callable[[int], None]
) -> tuple[list[PairRow], list[SentenceRow]]:
    """Return a suite's pairs and texts checked by a method, each with its own documents alone.

    `on_text` is called with the number of texts checked so far. Raises FactscopeError.
    """
    tools, encoders, gate = open_tools(settings=settings), open_encoders(settings), asyncio.Semaphore(_AT_ONCE)
    with TemporaryDirectory() as cache:

        async def check_one(text: str, documents: Path) -> Report:
            collection = open_collection([documents], Path(cache), None, encoders)
            return await check(text, method, replace(tools, sources={"local": collection}))

        async def check_pair_in_turn(case: PairCase) -> PairRow:
            async with gate:
                return await check_pair(check_one, case)

        async def check_suite() -> tuple[list[PairRow], list[SentenceRow]]:
            judged = await asyncio.gather(*map(check_pair_in_turn, suite.pairs))
            sentences: list[SentenceRow] = []
            for done, case in enumerate(suite.texts, 1):
                sentences += await check_text(check_one, case)
                on_text(done)
            return judged, sentences

        return finish(tools, check_suite)
