"""`felm/published/…`: FELM's evaluators with its authors' prompt files, their limits, and their reading of replies.

The files are not part of Factscope: a user names a copy of `eval/prompt` of FELM's repository (MIT). Replies have at
most 100 tokens; a reply that was cut off is read as far as it goes, and one without an answer means that all is right.
"""

from __future__ import annotations

from pathlib import Path

from factscope.core import UsageError
from factscope.methods import Domain, Method
from factscope.methods.library.felm import MODES, UNITS, Mode, Unit, felm

PREFIX = "felm/published/"
"""Prefix of the names of these methods."""
_SEGMENT: dict[Mode, str] = {"vanilla": "raw", "cot": "cot", "link": "ret_link", "doc": "ret_content"}
_CLAIM: dict[Mode, str] = {"vanilla": "", "cot": "_cot", "link": "_link", "doc": "_content"}
_PLAIN: dict[Mode, str] = {"vanilla": "raw", "cot": "cot", "link": "raw", "doc": "raw"}


def published(name: str, folder: Path) -> Method:
    """Return the method of a name such as `felm/published/segment-cot`, with the prompts of a folder.

    `felm/segment-cot` names the same. Raises UsageError for another name, and for a folder without FELM's files.
    """
    cells = {f"{unit}-{mode}": (unit, mode) for unit in UNITS for mode in MODES}
    short = name.removeprefix(PREFIX).removeprefix("felm/")
    samples = 9 if short.endswith("-consistency") else 1
    cell = cells.get(short.removesuffix("-consistency"))
    if cell is None or (samples > 1 and cell != ("segment", "cot")):
        raise UsageError(
            f"FELM's authors have no prompts for the method {name!r}.",
            f"With --prompts, name one of: {', '.join(PREFIX + one for one in cells)}.",
        )
    if not (folder / "segment").is_dir():
        raise UsageError(
            f"The folder {folder} has no folder `segment`, as the prompts of FELM's authors have.",
            "Name a copy of eval/prompt of the repository hkust-nlp/felm.",
        )
    return _with_files(felm(*cell, samples), *cell, folder)


def _with_files(method: Method, unit: Unit, mode: Mode, folder: Path) -> Method:
    """Return a cell of the grid with the authors' files instead of our prompts."""
    general, science = (_detect(unit, mode, family, folder) for family in ("wk", "sci"))
    bare, bare_science = (_detect(unit, "vanilla", family, folder) for family in ("wk", "sci"))
    instead = {general: science} | ({bare: bare_science} if mode in ("link", "doc") else {})
    values = method.model_dump(mode="json")
    if unit == "claim":
        ours, theirs = (str(folder / "claim" / family / f"claim_extract_{family}.txt") for family in ("wk", "sci"))
        values["extract"]["prompt"] = ours
        instead[ours] = theirs
    values["judge"] |= {"prompt": general, "if_cut_off": "read", "if_unreadable": "published"}
    values["judge"]["without"] = bare if mode in ("link", "doc") else None
    plain = {name: str(folder / "segment" / name / f"{_PLAIN[mode]}.txt") for name in ("math", "reasoning")}
    prompt = bare if mode in ("link", "doc") else general
    values["domains"] = {
        "science": Domain(prompts=instead),
        **{name: Domain(prompts={prompt: path}, plain=True) for name, path in plain.items()},
    }
    values["name"] = method.name.replace("felm/", PREFIX, 1)
    values["title"] = f"{method.title}, by the authors' own prompts"
    return Method.model_validate(values)


def _detect(unit: Unit, mode: Mode, family: str, folder: Path) -> str:
    """Return the authors' file with the prompt that detects errors."""
    if unit == "segment":
        return str(folder / "segment" / family / f"prompt_{family}_{_SEGMENT[mode]}.txt")
    long = "science" if family == "sci" and mode in ("vanilla", "cot") else family
    return str(folder / "claim" / family / f"claim_{long}{_CLAIM[mode]}.txt")
