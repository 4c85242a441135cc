"""Descriptions in schemas, read from the docstrings under fields."""

from __future__ import annotations

from pydantic import Field, create_model

from factscope.core import Documented, field_docs


class Ship(Documented):
    """A ship."""

    name: str
    """Name on her bow."""
    length: float = 0
    """Length over all,
    in metres."""
    flag: str = Field("", description="Where she is registered.")
    """Not read: the field says it itself."""
    silent: int = 0


class Ferry(Ship):
    """A ferry."""

    length: float = 1
    cars: int = 0
    """Cars that she takes."""


def test_the_sentence_under_a_field_is_its_description() -> None:
    properties = Ship.model_json_schema()["properties"]
    assert properties["name"]["description"] == "Name on her bow."
    assert properties["length"]["description"] == "Length over all,\nin metres."
    assert properties["flag"]["description"] == "Where she is registered."
    assert "description" not in properties["silent"]


def test_inherited_fields_keep_their_descriptions_and_redefined_ones_do_not() -> None:
    assert field_docs(Ferry) == {
        "name": "Name on her bow.", "flag": field_docs(Ship)["flag"], "cars": "Cars that she takes.",
    }  # fmt: skip


def test_a_model_without_source_code_has_no_descriptions() -> None:
    made = create_model("Made", __base__=Documented, size=(int, 0))
    assert field_docs(made) == {}
    assert "description" not in made.model_json_schema()["properties"]["size"]
