"""The labelled data sets that are known by name: where each is, under which licence, and how it is cited.

None of them comes with Factscope. A hash or revision that is not known here is None: the hash of the first file that is
read is then kept, and later ones are compared with it.
"""

from __future__ import annotations

from typing import NamedTuple

from factscope.datasets import claim_sets, fact_sets, fava_set, felm_set, response_sets
from factscope.datasets.reading import DatasetForm


class Benchmark(NamedTuple):
    """A data set that is known by name."""

    id: str
    title: str
    form: DatasetForm
    licence: str
    """As its owners state it."""
    citation: str
    page: str
    """Where a person finds it."""
    hub: str | None = None
    """Its id on the Hugging Face hub, with the part that is read; None when it is not read from there."""
    revision: str | None = None
    """The commit that is read."""
    sha256: str | None = None
    """Of its file; of several, of their hashes in order."""
    files: str = ""
    """What to give as a local copy."""

    @property
    def source(self) -> str | None:
        """Return the name of the data set on the hub: `org/name@revision:part`."""
        if self.hub is None:
            return None
        name, colon, part = self.hub.partition(":")
        return f"{name}{f'@{self.revision}' if self.revision else ''}{colon}{part}"


CATALOGUE = (
    Benchmark(
        id="felm",
        title="FELM: 847 responses of ChatGPT in 4,426 segments (4,425 in the paper), five domains",
        form=felm_set.FORM,
        licence="CC BY-NC-SA 4.0 (no commercial use)",
        citation="FELM: Benchmarking Factuality Evaluation of Large Language Models (Chen et al. 2023)",
        page="https://huggingface.co/datasets/hkust-nlp/felm",
        hub="hkust-nlp/felm:all.jsonl",
        revision="e473129f48e8ba9ae6187e37c3fc7447ac4c8040",
        files="all.jsonl, or the file of one domain such as math.jsonl",
    ),
    Benchmark(
        id="favabench",
        title="FavaBench: 460 passages of ChatGPT and Llama 2 with their errors tagged",
        form=fava_set.FORM,
        licence="CC BY 4.0",
        citation="Fine-grained Hallucination Detection and Editing for Language Models (Mishra et al. 2024)",
        page="https://huggingface.co/datasets/fava-uw/fava-data",
        hub="fava-uw/fava-data:annotations.json",
        revision="aa2fd412464674ac13464131425d5162ed102b5c",
        files="annotations.json",
    ),
    Benchmark(
        id="factcheck-bench",
        title="Factcheck-Bench: 94 responses of ChatGPT, their sentences and claims",
        form=fact_sets.FACTCHECK_BENCH,
        licence="Apache-2.0",
        citation="Factcheck-Bench: Fine-Grained Evaluation Benchmark for Automatic Fact-checkers (Wang et al. 2023)",
        page="https://github.com/yuxiaw/Factcheck-GPT",
        files="factcheck-GPT-benchmark.jsonl",
    ),
    Benchmark(
        id="factscore",
        title="FActScore: biographies of three models, their facts labelled by people",
        form=fact_sets.FACTSCORE,
        licence="MIT",
        citation="FActScore: Fine-grained Atomic Evaluation of Factual Precision in Long Form Text Generation"
        " (Min et al. 2023)",
        page="https://github.com/shmsw25/FActScore",
        files="labeled/ChatGPT.jsonl, InstructGPT.jsonl or PerplexityAI.jsonl",
    ),
    Benchmark(
        id="halueval",
        title="HaluEval: responses of ChatGPT to general requests, and answers, dialogues and summaries in pairs",
        form=response_sets.HALUEVAL,
        licence="MIT; the copy on the hub Apache-2.0",
        citation="HaluEval: A Large-Scale Hallucination Evaluation Benchmark for Large Language Models"
        " (Li et al. 2023)",
        page="https://github.com/RUCAIBox/HaluEval",
        hub="pminervini/HaluEval:general",
        revision="12a856119f03975a94509091e8cada3e6be6ead7",
        files="general_data.json, qa_data.json, dialogue_data.json or summarization_data.json",
    ),
    Benchmark(
        id="wice",
        title="WiCE: claims of Wikipedia against the pages that they cite",
        form=claim_sets.WICE,
        licence="labels ODC-BY; text of Wikipedia CC BY-SA",
        citation="WiCE: Real-World Entailment for Claims in Wikipedia (Kamoi et al. 2023)",
        page="https://github.com/ryokamoi/wice",
        hub="jon-tow/wice:data/claim_test.jsonl",
        revision="54f7976b8ce4fe0a9bfd35a4dd30af9d5b45d8a6",
        files="data/entailment_retrieval/claim/test.jsonl",
    ),
    Benchmark(
        id="fm2",
        title="FoolMeTwice: claims that players wrote to be hard to guess",
        form=claim_sets.FM2,
        licence="Apache-2.0; evidence from Wikipedia CC BY-SA",
        citation="Fool Me Twice: Entailment from Wikipedia Gamification (Eisenschlos et al. 2021)",
        page="https://github.com/google-research/fool-me-twice",
        hub="tasksource/fool-me-twice:dev.jsonl",
        files="dataset/dev.jsonl or test.jsonl",
    ),
    Benchmark(
        id="scifact",
        title="SciFact: scientific claims against abstracts",
        form=claim_sets.SCIFACT,
        licence="claims CC BY 4.0; abstracts ODC-By 1.0",
        citation="Fact or Fiction: Verifying Scientific Claims (Wadden et al. 2020)",
        page="https://github.com/allenai/scifact",
        files="claims_dev.jsonl with corpus.jsonl beside it",
    ),
)

FORMS = (
    felm_set.FORM,
    fava_set.FORM,
    fact_sets.FACTCHECK_BENCH,
    fact_sets.FACTSCORE,
    fact_sets.FORM,
    claim_sets.SCIFACT,
    claim_sets.FM2,
    claim_sets.WICE,
    claim_sets.FORM,
    response_sets.HALUEVAL,
    response_sets.FORM,
)
"""All forms; a file that names no data set is read by the first whose columns it has."""
