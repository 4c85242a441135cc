"""Configuration of the sentence-embedding model in a folder, as its own files state it.

    model.onnx or onnx/model.onnx       the network, and beside it what is too large for one file (model.onnx_data)
    tokenizer.json                      text → tokens
    modules.json, */config.json, config_sentence_transformers.json, sentence_bert_config.json, tokenizer_config.json,
    config.json                         pooling, length of vectors, prefixes, most tokens; each may be missing

The folder is the user's own, or a download from a hub. Only the needed files are fetched, each once; a complete model
is never checked again. So a branch stays at its first state; name a commit to choose another.

This is the layout of sentence-transformers, and so of most models on a hub.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from factscope.core import Repository, StoreError, UsageError, hub_of, model_name, model_settings, sha256_of

GRAPHS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
_CONFIGS = re.compile(
    r"(config|modules|tokenizer_config|sentence_bert_config|config_sentence_transformers)\.json|[^/]*Pooling/config\.json"
)
_EXTERNAL_DATA = re.compile(r"(?:[._]data(?:_\d+)?)?")
_MODULES = {"Transformer", "Pooling", "Normalize"}
_POOLED_BY = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
TAKE = "Take a model that comes in ONNX form, such as sentence-transformers/all-MiniLM-L6-v2."
_USUAL_TOKENS = 512  # limit of a model whose files state none
_FORM = 1
"""Must be raised when the same files would give other vectors than before."""


class EncoderConfig(NamedTuple):
    """A model's files, and how they are used."""

    graph: Path
    tokenizer: Path
    most_tokens: int
    """Longer texts are cut off at this number of tokens."""
    pooling: Literal["mean", "cls"]
    """Vectors of tokens → vector of the text: their mean without padding, or the first."""
    unit: bool
    """Whether vectors are scaled to length 1, so that their product is the cosine; not so for dot-product models."""
    pad: int
    """The token that pads shorter texts of a batch; it is masked."""
    query_prefix: str
    passage_prefix: str
    digest: str
    """Hash of everything that a text's vector depends on except the text."""


def files_of(names: Iterable[str]) -> list[str]:
    """Return those of a model's files that are needed, by their paths in it."""
    names = list(names)
    graph = next((graph for graph in GRAPHS if graph in names), GRAPHS[0])
    return sorted(name for name in names if name == TOKENIZER or _CONFIGS.fullmatch(name) or _is_graph(name, graph))


def missing_files(names: Collection[str]) -> str:
    """Return the files that are missing, as text; empty when none is."""
    if not any(graph in names for graph in GRAPHS):
        return " or ".join(GRAPHS)
    return "" if TOKENIZER in names else TOKENIZER


def read_recipe(folder: Path) -> EncoderConfig:
    """Read the configuration of the model in a folder.

    Raises UsageError for one that does not exist or can't be used.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} with a sentence-embedding model.", "Check the name.")
    present = [name for name in (*GRAPHS, TOKENIZER) if (folder / name).is_file()]
    if missing := missing_files(present):
        raise UsageError(
            f"The folder {folder} contains no sentence-embedding model to be used: it lacks {missing}.", TAKE
        )
    modules = model_settings(folder / "modules.json", [])
    kinds = [str(module.get("type")).rpartition(".")[2] for module in modules if isinstance(module, dict)]
    if strange := sorted(set(kinds) - _MODULES):
        raise UsageError(
            f"The model in {folder} has a part that is not known here: {', '.join(strange)}.", _other(*sorted(_MODULES))
        )
    prompts_config = model_settings(folder / "config_sentence_transformers.json", {})
    config = EncoderConfig(
        graph=folder / present[0],
        tokenizer=folder / TOKENIZER,
        most_tokens=min(_limits(folder), default=_USUAL_TOKENS),
        pooling=_pooling(folder, modules, kinds),
        unit="Normalize" in kinds or prompts_config.get("similarity_fn_name") not in ("dot", "dot_product"),
        pad=_integer(model_settings(folder / "config.json", {}).get("pad_token_id")) or 0,
        query_prefix=_prompt(prompts_config, "query"),
        passage_prefix=_prompt(prompts_config, "document", "passage"),
        digest="",
    )
    return config._replace(digest=_digest(config))


def _is_graph(name: str, graph: str) -> bool:
    """Return whether a file is the network or part of its data."""
    return name.startswith(graph) and bool(_EXTERNAL_DATA.fullmatch(name[len(graph) :]))


def _pooling(folder: Path, modules: list[Any], kinds: list[str]) -> Literal["mean", "cls"]:
    path = str(modules[kinds.index("Pooling")].get("path")) if "Pooling" in kinds else "1_Pooling"
    settings = model_settings(folder / f"{path}/config.json", {})
    on = [name for name, value in settings.items() if name.startswith("pooling_mode_") and value is True]
    mode = settings.get("pooling_mode") or "+".join(_POOLED_BY.get(name, name) for name in on) or "mean"
    if mode not in ("mean", "cls"):
        raise UsageError(
            f"The model in {folder} makes one vector out of many in a way that is not known here: {mode}.",
            _other("mean", "cls"),
        )
    return "mean" if mode == "mean" else "cls"


def _other(*known_values: str) -> str:
    return f"Known are: {', '.join(known_values)}. Take another model."


def _limits(folder: Path) -> Iterator[int]:
    """Yield the token limits that the files state."""
    settings_named = (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    )
    for file, name in settings_named:
        if limit := _integer(model_settings(folder / file, {}).get(name)):
            yield limit


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _prompt(config: dict[str, Any], *names: str) -> str:
    prompts = config.get("prompts")
    prompts_found = (prompts.get(name) for name in names) if isinstance(prompts, dict) else ()
    return next((prompt for prompt in prompts_found if isinstance(prompt, str)), "")


def _digest(recipe: EncoderConfig) -> str:
    total = sha256(f"{_FORM} {recipe.most_tokens} {recipe.pooling} {recipe.unit} {recipe.pad}".encode())
    folder = recipe.graph.parent
    files_beside = sorted(path for path in folder.iterdir() if _is_graph(path.name, recipe.graph.name))
    for path in (recipe.tokenizer, *files_beside):
        total.update(bytes.fromhex(sha256_of(path)))
    return total.hexdigest()


_COMMIT = "commit"
"""File with the commit of the branch, written when all files have been downloaded."""


def model_folder(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of a model.

    `name` is a folder itself, or a model of a hub, `org/name` or `org/name@revision`, which is stored below `cache`.

    `environment` may hold HF_ENDPOINT and HF_TOKEN. Raises UsageError when there is neither, InputError when the hub
    does not provide it, and StoreError when `cache` can't be written.
    """
    local_folder = Path(name).expanduser()
    if local_folder.is_dir():
        return local_folder
    named = model_name(name)
    if not named or name.startswith("."):
        raise UsageError(
            f"There is no folder {name} with a sentence-embedding model.",
            "Name a folder, or a model of a hub: org/name.",
        )
    hub, (model, revision) = hub_of(environment), named
    folder = cache / "models" / sha256(f"{hub.address} {model} {revision}".encode()).hexdigest()[:16]
    try:
        return folder / (folder / _COMMIT).read_text(encoding="ascii")
    except (OSError, ValueError):
        pass  # not here yet
    return _fetch(Repository(hub, model), revision, folder)


def _fetch(model: Repository, branch: str, folder: Path) -> Path:
    """Download the needed files of a model; files from an earlier attempt are reused."""
    revision = model.revision(branch)
    needed = files_of(revision.files)
    if missing := missing_files(needed):
        raise UsageError(f"The model {model.id} can't be used: it lacks {missing}.", TAKE)
    for name in needed:
        file, path = revision.files[name], folder / revision.commit / name
        if not (path.is_file() and file.size in (None, path.stat().st_size)):
            model.download(name, revision.commit, path, file.size, file.lfs.sha256 if file.lfs else None)
    try:
        (folder / _COMMIT).write_text(revision.commit, encoding="ascii")
    except OSError as error:
        raise StoreError(f"The cache folder {folder} can't be written: {error.strerror}.", "Make room.") from None
    return folder / revision.commit
