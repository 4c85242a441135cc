"""Predictions of a checker: probabilities, labels, quotes and abstentions. The models are those of `tiny`."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from factscope.core import BoundaryError, UsageError
from factscope.judging.verifiers import ClaimPair, Prediction
from factscope.judging.verifiers.published import (
    CATALOGUE,
    ChatSpec,
    ClassifierSpec,
    Network,
    PublishedChecker,
    form_in,
    read_form,
)
from factscope.judging.verifiers.published import published_checker as checking

TINY = Path(__file__).parent / "tiny"
ALL = sorted(folder.name for folder in TINY.iterdir())
LONG = "The town hall was finished in 1908, after a fire. It has six arches of grey stone. "


def checker(name: str, **changes: object) -> PublishedChecker:
    form = form_in(TINY / name)
    assert isinstance(form, ClassifierSpec)
    return PublishedChecker(f"{name}@1", TINY / name, form.model_copy(update=changes))


def rows(name: str) -> list[dict]:
    return json.loads((TINY / name / "reference.json").read_text(encoding="utf-8"))[:3]


@pytest.mark.parametrize("name", ALL)
def test_tokens_and_logits_match_transformers(name: str) -> None:
    model = checker(name).network
    reference = json.loads((TINY / name / "reference.json").read_text(encoding="utf-8"))
    inputs = [model.encode(row["passage"], row["claim"]) for row in reference]
    assert [made.ids for made in inputs] == [row["ids"] for row in reference]
    wanted = np.array([row["logits"] for row in reference])
    assert np.abs(model.logits(inputs) - wanted).max() < 1e-4
    alone = np.concatenate([model.logits([made]) for made in inputs])
    assert np.abs(alone - wanted).max() < 1e-4


@pytest.mark.parametrize("name", ALL)
def test_chances_and_labels_follow_from_the_published_logits(name: str) -> None:
    one = checker(name)
    found = one.verify([ClaimPair(row["claim"], row["passage"]) for row in rows(name)])
    for opinion, row in zip(found, rows(name), strict=True):
        chances = opinion.probabilities
        assert chances is not None
        if name == "bert":
            support = 1 / (1 + math.exp(-row["logits"][0]))
        else:
            powers = np.exp(row["logits"])
            support = powers[1] / powers.sum()
        assert chances.supported == pytest.approx(support, abs=1e-4)
        if name == "deberta":
            against, neither = powers[0] / powers.sum(), powers[2] / powers.sum()
            assert chances == pytest.approx((support, against, neither), abs=1e-4)
            best = max(chances)
            label = ("supported", "contradicted", "not_enough_evidence")[chances.index(best)]
        else:
            assert chances[1:] == (None, None)
            best = max(support, 1 - support)
            label = "supported" if support > 0.5 else "not_supported"
        if best < 0.6:
            assert (opinion.label, opinion.confidence, opinion.flags) == ("not_enough_evidence", None, ("unsure",))
        else:
            assert (opinion.label, opinion.flags) == (label, ())
            assert opinion.confidence == pytest.approx(best, abs=1e-4)
        assert (opinion.quote is not None) == (opinion.label in ("supported", "contradicted"))


def test_an_opinion_does_not_depend_on_its_neighbours() -> None:
    one = checker("deberta")
    pairs = [ClaimPair(row["claim"], other["passage"]) for row in rows("deberta") for other in rows("deberta")]
    together = one.verify([*pairs, *pairs])
    alone = [one.verify([pair])[0] for pair in pairs]
    assert together == [*alone, *alone]
    assert one.verify([]) == []


class Words(Network):
    """Stand-in for a network: support is the share of the claim's words in the passage, and "not" counts against it.

    Tokens are those of the real network.
    """

    def logits(self, inputs: object) -> np.ndarray:  # type: ignore[override]
        made = []
        for passage, claim in inputs:  # type: ignore[attr-defined]
            words = set(claim.lower().rstrip(".").split())
            share = len(words & set(passage.lower().replace(".", "").split())) / len(words)
            against = 9.0 if " not " in passage and share > 0.5 else 0.0
            made.append([against, 10 * share - 3, 2.0])
        return np.array(made, np.float32)

    def encode(self, passage: str, claim: str) -> object:
        return _Texts(super().encode(passage, claim).ids, passage, claim)


class _Texts(tuple):  # type: ignore[type-arg]
    def __new__(cls, ids: list[int], passage: str, claim: str) -> _Texts:
        made = super().__new__(cls, (passage, claim))
        made.ids = ids  # type: ignore[attr-defined]
        return made


@pytest.fixture
def wordy(monkeypatch: pytest.MonkeyPatch) -> PublishedChecker:
    monkeypatch.setattr(checking, "Network", Words)
    return checker("deberta", window=120, chunk=60)


def said(one: PublishedChecker, claim: str, passage: str) -> Prediction:
    return one.verify([ClaimPair(claim, passage)])[0]


def test_the_most_telling_part_of_a_long_passage_decides_and_is_quoted(wordy: PublishedChecker) -> None:
    passage = LONG * 3 + "A ferry crosses the bay every day. " + LONG * 3
    opinion = said(wordy, "A ferry crosses the bay.", passage)
    assert opinion.label == "supported"
    assert opinion.quote is not None
    assert opinion.quote.of(passage) == "A ferry crosses the bay every day."
    denied = passage.replace(
        "A ferry crosses the bay every day", "A ferry does not cross: it crosses the bay in winter"
    )
    opinion = said(wordy, "A ferry crosses the bay.", denied)
    assert (opinion.label, opinion.quote is not None) == ("contradicted", True)


def test_a_claim_of_several_sentences_is_as_good_as_the_weakest(wordy: PublishedChecker) -> None:
    passage = "A ferry crosses the bay every day. The town hall was finished in 1908."
    both = said(wordy, "A ferry crosses the bay. The town hall was finished in 1908.", passage)
    assert both.label == "supported"
    one = said(wordy, "A ferry crosses the bay. Maria Lind wrote novels.", passage)
    assert one.label == "not_enough_evidence"
    assert one.rationale.startswith("“Maria Lind wrote novels.”")
    assert not one.flags


def test_a_passage_that_supports_and_contradicts_settles_nothing(wordy: PublishedChecker) -> None:
    passage = "A ferry crosses the bay every day. " + LONG * 2 + "A ferry crosses the bay in winter, not in summer."
    opinion = said(wordy, "A ferry crosses the bay.", passage)
    assert (opinion.label, opinion.confidence, opinion.flags) == ("not_enough_evidence", None, ("unsure",))
    assert "another contradicts it" in opinion.rationale


@pytest.mark.parametrize(
    ("claim", "passage", "flag"),
    [
        ("A ferry crosses the bay.", "", "nothing_to_read"),
        ("A ferry crosses the bay.", " \n\t… ***", "nothing_to_read"),
        ("…", "A ferry crosses the bay.", "nothing_to_read"),
        ("word " * 400, "A ferry crosses the bay.", "too_long"),
        ("A ferry crosses the bay.", "Die Fähre fährt im Sommer täglich und im Winter nicht.", "other_language"),
        ("Le bac traverse la baie tous les jours et les nuits.", "A ferry crosses the bay.", "other_language"),
        ("A ferry crosses the bay.", "フェリーは毎日湾を渡る。", "other_language"),
    ],
)
def test_an_unreadable_pair_gets_an_abstention_and_not_a_guess(
    wordy: PublishedChecker, claim: str, passage: str, flag: str
) -> None:
    opinion = said(wordy, claim, passage)
    assert (opinion.label, opinion.confidence, opinion.quote) == ("not_enough_evidence", None, None)
    assert opinion.flags == (flag,)
    assert opinion.rationale


@pytest.mark.medium
def test_the_nearest_parts_of_a_megabyte_are_read_and_finding_nothing_is_not_a_verdict(wordy: PublishedChecker) -> None:
    filler = LONG * (1_000_000 // len(LONG) // 2)
    passage = filler + "A ferry crosses the bay every day. " + filler
    claims = ("A ferry crosses the bay.", "Maria Lind wrote the novel.")
    found, missing = wordy.verify([ClaimPair(claim, passage) for claim in claims])
    assert found.label == "supported"
    assert (missing.label, missing.flags) == ("not_enough_evidence", ("partly_read",))
    again = ClaimPair(claims[1], (passage + " ")[:-1])  # equal text in another object
    assert again.passage is not passage
    assert wordy.verify([ClaimPair(claims[0], passage), again])[1].flags == ("partly_read",)


def test_a_longer_claim_in_the_batch_does_not_make_a_passage_partly_read(wordy: PublishedChecker) -> None:
    passage = LONG * 30
    short, long = "Maria Lind wrote a novel.", f"Maria Lind wrote {'many long novels and ' * 4} stories."
    few, many = ([one.flags for one in wordy.verify([ClaimPair(claim, passage)])] for claim in (short, long))
    assert (few, many) == ([()], [("partly_read",)])
    assert [one.flags for one in wordy.verify([ClaimPair(short, passage), ClaimPair(long, passage)])] == [*few, *many]


def test_a_sentence_without_words_is_not_part_of_a_claim(wordy: PublishedChecker) -> None:
    passage = "A ferry crosses the bay every day."
    assert said(wordy, "A ferry crosses the bay! \n\n😀 …", passage).label == "supported"


def test_a_sentence_longer_than_the_window_is_read_in_parts(wordy: PublishedChecker) -> None:
    passage = "stone " * 300 + "and a ferry crosses the bay every day " + "stone " * 300
    assert said(wordy, "A ferry crosses the bay.", passage).label == "supported"


@pytest.mark.parametrize("name", ["roberta", "deberta", "hhem"])
def test_special_tokens_in_a_text_do_not_end_it(name: str) -> None:
    network = checker(name).network
    mark = {"roberta": "</s>", "deberta": "[SEP]"}.get(name, "</s>")
    number = network._tokenizer.token_to_id(mark)
    plain = network.encode("The lake freezes.", "It has six arches.").ids
    forged = network.encode(f"The lake freezes.{mark}It has six arches.", f"It has six arches.{mark}").ids
    assert forged.count(number) == plain.count(number)


def test_any_language_may_be_declared(wordy: PublishedChecker) -> None:
    wordy.form = wordy.form.model_copy(update={"languages": ()})
    assert "other_language" not in said(wordy, "Die Fähre fährt.", "Die Fähre fährt im Winter nicht und nie.").flags


def test_the_catalogue_of_published_checkers_is_complete() -> None:
    assert {one.name for one in CATALOGUE} >= {
        "minicheck-roberta-large", "minicheck-deberta-v3-large", "minicheck-flan-t5-large", "bespoke-minicheck-7b",
        "hhem-2.1-open", "alignscore-base", "nli-deberta-v3-base", "nli-roberta-base",
    }  # fmt: skip
    for one in CATALOGUE:
        assert one.page.startswith("https://huggingface.co/")
        assert one.licence
        assert one.source
        if isinstance(one.form, ChatSpec):
            assert "{passage}" in one.form.user
            continue
        paths = [path for source in one.files for path in source.paths]
        assert "config.json" in paths
        assert all(len(source.revision) == 40 for source in one.files)
        assert all(len(digest) == 64 for source in one.files for digest in source.sha256.values())
        assert all(path in paths for source in one.files for path in source.sha256)


def folder(tmp_path: Path, name: str, **changes: str | None) -> Path:
    made = tmp_path / name
    shutil.copytree(TINY / name, made)
    for file, content in changes.items():
        path = made / file.replace("__", ".")
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content, encoding="utf-8")
    return made


def load(place: Path) -> list[Prediction]:
    form = form_in(place)
    assert isinstance(form, ClassifierSpec)
    return PublishedChecker("x", place, form).verify([ClaimPair("The lake freezes.", "The lake freezes every winter.")])


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("roberta", {"verifier__toml": None}, "What the outputs .* mean is not known .*LABEL_0"),
        ("roberta", {"verifier__toml": "kind = "}, "not TOML"),
        ("roberta", {"verifier__toml": 'kind = "classes"'}, "classes need labels"),
        ("roberta", {"verifier__toml": 'kind = "sequence"'}, "not a format of a checker"),
        ("roberta", {"verifier__toml": 'kind = "score"\ntext = "{claim}"'}, "must hold"),
        ("roberta", {"verifier__toml": 'kind = "score"'}, "declares 1 for each text"),
        ("roberta", {"tokenizer__json": None}, "has no tokenizer.json"),
        ("roberta", {"tokenizer__json": "{}"}, "tokenizer in .* can't be read"),
        ("deberta", {"tokenizer__json": None, "spm__model": "x"}, "spm.model, which is for another program"),
        ("deberta", {"config__json": "[1]"}, "not laid out as one"),
        ("roberta", {"model__onnx": None}, "contains no model"),
        ("deberta", {"model__onnx": "abcdefghijklmnop"}, "can't be loaded"),
        ("hhem", {"verifier__toml": 'kind = "answers"\nsupported = "nosuch"\nnot_supported = 3'}, "no token 'nosuch'"),
        ("hhem", {"verifier__toml": 'kind = "answers"\nsupported = 5\nnot_supported = 3'}, "can't answer in words"),
    ],
)
def test_an_invalid_folder_is_refused_with_a_remedy(
    tmp_path: Path, name: str, changes: dict[str, str | None], says: str
) -> None:
    with pytest.raises((UsageError, BoundaryError), match=says) as caught:
        load(folder(tmp_path, name, **changes))
    assert "Traceback" not in str(caught.value)


def test_weights_stored_beside_a_large_network_are_read(tmp_path: Path) -> None:
    """Logits are the mean of a table's rows, one per token; the table is a separate file, as in large networks."""
    place = folder(tmp_path, "deberta", model__onnx=None)
    table = np.random.default_rng(7).normal(size=(400, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceMean", ["rows"], ["logits"], axes=[1], keepdims=0),
    ]
    given = helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["texts", "tokens"])
    made = helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, ["texts", 3])
    graph = helper.make_graph(nodes, "means", [given], [made], [onnx.numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, place / "model.onnx", save_as_external_data=True, location="model.onnx_data", size_threshold=0)
    assert (place / "model.onnx_data").is_file()
    (opinion,) = load(place)
    form = form_in(place)
    assert isinstance(form, ClassifierSpec)
    ids = Network(place, form).encode("The lake freezes every winter.", "The lake freezes.").ids
    powers = np.exp(table[ids].mean(axis=0))
    assert opinion.probabilities is not None
    assert opinion.probabilities.contradicted == pytest.approx(powers[0] / powers.sum(), abs=2e-4)


def test_a_format_file_can_describe_a_chat_model(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('kind = "chat"\nsystem = "s"\nuser = "{passage}{claim}"\nsupported = "Yes"\nnot_supported = "No"')
    assert isinstance(read_form(path), ChatSpec)


def test_the_older_files_of_a_byte_level_tokenizer_are_read(tmp_path: Path) -> None:
    model = json.loads((TINY / "roberta" / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    merges = "\n".join(["#version: 0.2", *(" ".join(pair) for pair in model["merges"])])
    place = folder(
        tmp_path, "roberta", tokenizer__json=None, vocab__json=json.dumps(model["vocab"]), merges__txt=merges
    )
    form = form_in(place)
    assert isinstance(form, ClassifierSpec)
    network = Network(place, form)
    for row in rows("roberta"):
        assert network.encode(row["passage"], row["claim"]).ids == row["ids"]
