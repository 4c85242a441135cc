"""The stage that names topics: by a model, or without one by their most characteristic words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.parameters import Names
from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, ask_about, no_drops, reason_of
from factscope.core import Record
from factscope.llm import ModelError, Variables
from factscope.methods import Ask

ASK = Ask(prompt="curate/name_topic", role="curate", max_tokens=200)
BASELINE = "baseline: words"
OUTSIDE = "outside of all topics"
_WORDS = 3  # words that make a topic's name without a model
_NAMED = {"topic": pl.Int32, "name": pl.String, "named_by": pl.String}
_LONGEST = 80  # characters; a longer reply is not a name


class TopicName(Record):
    """The reply of a model that names a topic."""

    name: str = Field(min_length=1)
    """A few words."""


async def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Name topics: the side table `topic_names` (topic, name, named_by); all rows go on.

    Where a call fails or waits, the topic is named by its words, and marked as such, until the next build asks again.
    Raises errors that would affect every call.
    """
    topics = context.side("topics").join(rows.select("topic").unique(), on="topic", how="semi").sort("topic")
    answers: dict[str, TopicName | ModelError] = {}
    model, facts = BASELINE, dict[str, object](by=BASELINE)
    if context.tools is not None:
        models = context.session.models
        answers = await ask_about(_variables(topics, rows, context.parameters.names), ASK, TopicName, context)
        model, facts["by"] = models.of(ASK.role), models.described(ASK.role)
    unanswered = Counter(reason_of(answer) for answer in answers.values() if isinstance(answer, ModelError))
    named = []
    for topic, words in topics["topic", "words"].iter_rows():
        answer = answers.get(str(topic))
        name = " ".join(answer.name.split())[:_LONGEST] if isinstance(answer, TopicName) else ""
        by_words = ", ".join(words[:_WORDS]) or topic_name(topic, {})
        named.append((topic, name, model) if name else (topic, by_words, BASELINE))
    if context.tools is not None:
        facts["failed"] = unanswered.total()
    sides = {"topic_names": pl.DataFrame(named, _NAMED, orient="row")}
    return StageResult(rows, no_drops(), facts, sides, unanswered)


STAGE = Stage("names", "Gives each topic a name.", work, (ASK.role,))


def topic_name(topic: int, names: Mapping[int, str]) -> str:
    """Return the name of a topic from the side table `topic_names`; negative numbers are outside all topics."""
    return OUTSIDE if topic < 0 else names.get(topic, f"topic {topic}")


def _variables(topics: pl.DataFrame, rows: pl.DataFrame, settings: Names) -> dict[str, Variables]:
    """Return for the question about each topic its words, and its most representative prompts that are still there."""
    exploded = topics.select(ids=pl.col("representatives").list.head(settings.shown)).explode("ids")
    texts = dict(rows.join(exploded, left_on="id", right_on="ids", how="semi").select("id", "prompt").iter_rows())
    variables: dict[str, Variables] = {}
    for topic, words, ids in topics["topic", "words", "representatives"].iter_rows():
        prompts = [texts[prompt_id][: settings.characters] for prompt_id in ids if prompt_id in texts]
        numbered = {f"p{number}": prompt for number, prompt in enumerate(prompts, 1)}
        variables[str(topic)] = {"words": " ".join(words), "prompts": numbered}
    return variables
