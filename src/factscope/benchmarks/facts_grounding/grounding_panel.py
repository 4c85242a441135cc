"""The judges of FACTS Grounding and their templates: one value, from the command line to the recorded result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from factscope.core.errors import UsageError
from factscope.methods import Method
from factscope.methods.library.facts_grounding import TEMPLATES, default_template, judge_role, with_judges


class GroundingPanel(NamedTuple):
    """Judges, in order, and the method that asks each with its template."""

    models: tuple[str, ...]
    templates: tuple[str, ...]
    method: Method
    windows: tuple[int, ...] = ()
    """Tokens that each takes in one call, 0 for any number; empty for any number by all."""

    @property
    def roles(self) -> dict[str, str]:
        """The model of each role of the method."""
        return {judge_role(number): model for number, model in enumerate(self.models, 1)}

    @property
    def judges(self) -> list[tuple[str, str]]:
        """Each judge's model with its template."""
        return list(zip(self.models, self.templates, strict=True))

    def names(self) -> tuple[str, ...]:
        """Return the judges' models, with the template where one model judges more than once."""
        short_names = [
            model if self.models.count(model) == 1 else f"{model} ({template})" for model, template in self.judges
        ]
        return tuple(
            name if short_names.count(name) == 1 else f"{name} #{short_names[:index].count(name) + 1}"
            for index, name in enumerate(short_names)
        )


def panel_of(
    judges: Sequence[str],
    *,
    prompts: Path | None = None,
    eligibility: str | None = "without_context",
    windows: Sequence[str] = (),
) -> GroundingPanel:
    """Return the panel of some judges, each `provider/model` or `template=provider/model`.

    By default a judge has the published template of its family. `windows` are tokens that fit into a call, for all
    judges or as `model=tokens` for one of them; `prompts` and `eligibility` are those of `with_judges`. Raises
    UsageError.
    """
    pairs = [judge.partition("=") if judge.partition("=")[0] in TEMPLATES else ("", "", judge) for judge in judges]
    models = tuple(model.strip() for _, _, model in pairs)
    templates = tuple(template or default_template(model) for template, _, model in pairs)
    sizes = _sizes(windows, models)
    method = with_judges(templates, prompts=prompts, eligibility=eligibility, windows=sizes)
    return GroundingPanel(models, templates, method, sizes)


def _sizes(windows: Sequence[str], models: Sequence[str]) -> tuple[int, ...]:
    """Return each judge's context window in tokens, 0 where none is stated. Raises UsageError."""
    sizes: dict[str, int] = {}
    for setting in windows:
        model, _, size = setting.rpartition("=")
        if not size.isdecimal() or int(size) < 1 or (model and model not in models):
            raise UsageError(
                f"--window {setting!r} is not a number of tokens, or not of a judge.",
                "Such as 32000 for all judges, or openai/gpt-4.1=128000 for one.",
            )
        sizes[model] = int(size)
    return tuple(sizes.get(model, sizes.get("", 0)) for model in models)
