"""Method files: TOML, or plain values, validated into a `Method`, either complete or as changes to a known method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from factscope.core import UsageError, user_toml
from factscope.methods.base import MethodPart
from factscope.methods.judge_settings import Cascade, Judge, Panel, VerifierJudge
from factscope.methods.method import Method
from factscope.methods.method_catalogue import method_named

_REPLACED_WHOLE = "labels"
"""The table that replaces the old one instead of being merged: a label that it leaves out is not allowed."""
_JUDGES: Mapping[object, type[MethodPart]] = {
    "model": Judge, "verifier": VerifierJudge, "panel": Panel, "cascade": Cascade
}  # fmt: skip
"""The kinds of judges, by the words that pydantic inserts into the path of an error."""
_PROMPTS = ("prompt", "without")
"""Fields that hold the name of a prompt."""
BASED_ON = "based_on"
"""The key that names the method which a file modifies."""


def method_from_toml(path: Path) -> Method:
    """Read a method file. Raises UsageError with the wrong field and its allowed values.

    With `based_on = "standard"` the file holds only the differences from that method.
    """
    values = user_toml(path, f"Method file {path}")
    base = values.pop(BASED_ON, None)
    if base is not None:
        if not isinstance(base, str) or base.endswith(".toml"):
            raise UsageError(f"{path}: {BASED_ON} must name a method.", "Such as standard; see: factscope methods list")
        try:
            values = _changed(method_named(base), values)
        except UsageError as error:
            raise UsageError(f"{path}: {BASED_ON}: {error.message}", error.hint) from None
    return method_from_values(values, str(path))


def _changed(base: Method, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a method with `changes` applied."""
    values = base.model_dump(mode="json")
    judge_changes = changes.get("judge")
    if not isinstance(base.judge, Judge) or not isinstance(judge_changes, dict):
        return _merged(values, changes)
    several_judges = _panel_or_cascade(values["judge"], judge_changes)
    if several_judges is None:
        return _merged(values, changes)
    return {**_merged(values, {**changes, "judge": {}}), "judge": several_judges}


def _panel_or_cascade(judge: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the values of a panel or cascade whose judges are changes to `judge`; None for a single judge.

    Anything but a table stays as it is, and the fields of the method refuse it.
    """

    def changed(member: object) -> object:
        return _merged(judge, member) if isinstance(member, Mapping) else member

    if "judges" in changes:
        members = changes["judges"]
        panel = {**changes, "judges": list(map(changed, members)) if isinstance(members, list) else members}
        if "arbiter" in changes:
            panel["arbiter"] = changed(changes["arbiter"])
        return panel
    if {"by", "at", "verifier"} & changes.keys():
        return {**changes, "judge": changed(changes.get("judge", {}))}
    return None


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Merge `new` into `old`, table by table.

    A verifier replaces a model whole, and the other way round: `name` is a key of verifiers, `prompt` of models.
    """
    if ("name" in new and "prompt" in old) or ("prompt" in new and "prompt" not in old and "name" in old):
        return dict(new)
    merged = dict(old)
    for key, value in new.items():
        are_tables = isinstance(old.get(key), Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(old[key], value) if are_tables and key != _REPLACED_WHOLE else value
    return merged


def method_from_values(values: Mapping[str, Any], where: str) -> Method:
    """Validate plain values into a method. Raises UsageError that names the first wrong field."""
    try:
        return Method.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        location = first["loc"]
        above = location[:-1]
        if set(location[-1:]) & _JUDGES.keys() - _part_at(above).model_fields.keys():
            above = location  # all of a judge is wrong
        field = ".".join(_plain(location)) or "the file"
        classes: dict[str, type[MethodPart]] = {".".join(_plain(above)): _part_at(above), "": Method}
        hints = (f"Fields of {name or 'a method'}: {', '.join(each.model_fields)}." for name, each in classes.items())
        raise UsageError(f"{where}: {field}: {first['msg']}.", "\n".join(hints)) from None


def _part_at(location: Sequence[str | int]) -> type[MethodPart]:
    """Return the part of a method at the path of an error, or the nearest above."""
    settings_class: type[MethodPart] = Method
    for step in location:
        field = settings_class.model_fields.get(str(step))
        settings_class = (_part_in(field.annotation) if field else _JUDGES.get(step)) or settings_class
    return settings_class


def _part_in(annotation: Any) -> type[MethodPart] | None:
    """Return the part that an annotation names, also within others such as `tuple[Rubric, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, MethodPart):
        return annotation
    return next(filter(None, map(_part_in, get_args(annotation))), None)


def for_domain(method: Method, domain: str | None) -> Method:
    """Return the method for responses of a domain; the method itself where it has no changes for that domain."""
    change = method.domains.get(domain or "")
    if change is None:
        return method
    values = _renamed({**method.model_dump(mode="json"), "domains": {}}, change.prompts)
    if change.cut:
        values["cut"] = change.cut.model_dump(mode="json")
    if change.plain:
        values |= {"extract": None, "units": "all", "evidence": {"source": "none", "per": "response"}}
        values["judge"] = _without_evidence(values["judge"])
    return Method.model_validate(values)


def _without_evidence(judge: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a judge for claims without evidence, which have their own prompt."""
    if "judges" in judge:
        return {**judge, "judges": [_without_evidence(each_judge) for each_judge in judge["judges"]]}
    return {**judge, "prompt": judge["without"], "without": None} if judge.get("without") else judge


def variants(method: Method) -> list[Method]:
    """Return the method, and its variant for each of its domains."""
    return [method, *(for_domain(method, name) for name in method.domains)]


def _renamed(values: Any, prompts: Mapping[str, str]) -> Any:
    """Return the values with prompts replaced as `prompts` says."""
    if isinstance(values, list):
        return [_renamed(element, prompts) for element in values]
    if not isinstance(values, dict):
        return values
    return {
        key: prompts.get(value, value) if key in _PROMPTS and isinstance(value, str) else _renamed(value, prompts)
        for key, value in values.items()
    }


def _plain(location: Sequence[str | int]) -> Iterator[str]:
    """Yield the path of an error without the kind of judge, which pydantic inserts between the field names."""
    for step, before in zip(location, ("", *location), strict=False):
        if not (step in _JUDGES and (before in ("judge", "arbiter") or isinstance(before, int))):
            yield str(step)
