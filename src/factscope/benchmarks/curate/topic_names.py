"""The stage that names topics: by a model, or without one by their most characteristic words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import polars as pl
from pydantic import Field

from factscope.benchmarks.curate.stage import Stage, StageContext, StageResult, ask_about, no_drops, reason_of
from factscope.core.records import Record
from factscope.llm.model_errors import ModelError
from factscope.llm.session import Variables
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


class _TopicSummary(NamedTuple):
    topic: int
    words: list[str]
    prompts: list[str]
    """The most representative ones that are still there."""

    def variables(self, longest: int) -> Variables:
        """Return the words and the prompts, cut to a length, for the question."""
        prompts = {f"p{number}": prompt[:longest] for number, prompt in enumerate(self.prompts, 1)}
        return {"words": " ".join(self.words), "prompts": prompts}


async def work(rows: pl.DataFrame, context: StageContext) -> StageResult:
    """Name topics: the side table `topic_names` (topic, name, named_by); all rows go on.

    Where a call fails or waits, the topic is named by its words, and marked as such, until the next build asks again.
    Raises errors that would affect every call.
    """
    topics = {str(topic.topic): topic for topic in _topics(rows, context)}
    answers: dict[str, TopicName | ModelError] = {}
    model, facts = BASELINE, dict[str, object](by=BASELINE)
    if context.tools is not None:
        models, longest = context.session.models, context.parameters.names.characters
        answers = await ask_about(
            {key: topic.variables(longest) for key, topic in topics.items()}, ASK, TopicName, context
        )
        model, facts["by"] = models.of(ASK.role), models.described(ASK.role)
    unanswered = Counter(reason_of(answer) for answer in answers.values() if isinstance(answer, ModelError))
    named = []
    for key, topic in topics.items():
        answer = answers.get(key)
        name = " ".join(answer.name.split())[:_LONGEST] if isinstance(answer, TopicName) else ""
        by_words = ", ".join(topic.words[:_WORDS]) or topic_name(topic.topic, {})
        named.append((topic.topic, name, model) if name else (topic.topic, by_words, BASELINE))
    if context.tools is not None:
        facts["failed"] = unanswered.total()
    sides = {"topic_names": pl.DataFrame(named, _NAMED, orient="row")}
    return StageResult(rows, no_drops(), facts, sides, unanswered)


STAGE = Stage("names", "Gives each topic a name.", work, (ASK.role,))


def topic_name(topic: int, names: Mapping[int, str]) -> str:
    """Return the name of a topic from the side table `topic_names`; negative numbers are outside all topics."""
    return OUTSIDE if topic < 0 else names.get(topic, f"topic {topic}")


def _topics(rows: pl.DataFrame, context: StageContext) -> list[_TopicSummary]:
    """Return the topics that still have prompts, in order."""
    settings = context.parameters.names
    table = context.side("topics").join(rows.select("topic").unique(), on="topic", how="semi").sort("topic")
    exploded = table.select(ids=pl.col("representatives").list.head(settings.shown)).explode("ids")
    texts = dict(rows.join(exploded, left_on="id", right_on="ids", how="semi").select("id", "prompt").iter_rows())
    return [
        _TopicSummary(
            row["topic"], row["words"], [texts[prompt_id] for prompt_id in row["representatives"] if prompt_id in texts]
        )
        for row in table.iter_rows(named=True)
    ]
