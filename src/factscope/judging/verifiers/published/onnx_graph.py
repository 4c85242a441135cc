"""An ONNX network, built step by step. Texts are rows, tokens columns; hidden states are flat.

A hidden state has the shape (texts × tokens, width), so that a layer is one matrix product with its weights as they
lie in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factscope.judging.verifiers.published.weights import Weights

_OPSET, _IR = 20, 10
MASKED = -1e30
"""Added to the scores of tokens that are not there: after the softmax they have no share."""


class Net:
    """A network under way, and the names of the weights that it takes from their file."""

    def __init__(self, weights: Weights) -> None:
        from onnx import helper

        self.weights = weights
        self.used: set[str] = set()
        """Weights that the network takes from outside."""
        self._helper = helper
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[str] = []

    def input(self, name: str) -> str:
        """An input of whole numbers, texts × tokens."""
        self._inputs.append(name)
        return name

    def do(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """One operation; returns the name of what it gives."""
        name = f"n{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: NDArray[Any] | Sequence[int] | float) -> str:
        """A value that belongs to the network itself; whole numbers become int64, others float32."""
        from onnx import numpy_helper

        array = np.array(value)
        is_integer = array.dtype.kind == "i" or not array.size
        name = f"k{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array.astype(np.int64 if is_integer else np.float32), name))
        return name

    def weight(self, name: str) -> str:
        """A weight of the model, by its name in the file. Raises UsageError when it has none."""
        self.weights.shape(name)
        self.used.add(name)
        return name

    def linear(self, hidden: str, name: str) -> str:
        """`hidden · Wᵀ + b` with the weights of a layer; without `b` when it has none."""
        bias = [self.weight(f"{name}.bias")] if f"{name}.bias" in self.weights else []
        return self.do("Gemm", hidden, self.weight(f"{name}.weight"), *bias, transB=1)

    def layer_norm(self, hidden: str, name: str, epsilon: float) -> str:
        """Layer normalisation (Ba et al. 2016) over the width."""
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.do("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=epsilon)

    def activation(self, hidden: str, name: str) -> str:
        """An activation function by its name in settings files. Raises KeyError with a name that is not known."""
        kinds = {"relu": "Relu", "gelu": "Gelu", "tanh": "Tanh", "gelu_new": "Gelu", "gelu_pytorch_tanh": "Gelu"}
        tanh = {"approximate": "tanh"} if name in ("gelu_new", "gelu_pytorch_tanh") else {}
        return self.do(kinds[name], hidden, **tanh)

    def shape_like(self, ids: str, *more: int) -> str:
        """The shape (texts, tokens, …) with further sizes at its end."""
        return self.do("Concat", self.do("Shape", ids), self.constant(list(more)), axis=0)

    def heads(self, flat: str, shape: str) -> str:
        """(texts × tokens, width) → (texts, heads, tokens, width of a head); `shape` is (texts, tokens, heads, …)."""
        return self.do("Transpose", self.do("Reshape", flat, shape), perm=[0, 2, 1, 3])

    def flat(self, heads: str, width: int) -> str:
        """The way back from `heads`."""
        swapped = self.do("Transpose", heads, perm=[0, 2, 1, 3])
        return self.do("Reshape", swapped, self.constant([-1, width]))

    def bias_of(self, mask: str) -> str:
        """A mask of 1 and 0 → what is added to attention scores, of the shape (texts, 1, 1, tokens)."""
        is_token = self.do("Cast", self.do("Unsqueeze", mask, self.constant([1, 2])), to=1)
        is_padding = self.do("Sub", self.constant(1.0), is_token)
        return self.do("Mul", is_padding, self.constant(MASKED))

    def first(self, flat: str, shape: str) -> str:
        """The state of each text's first token: (texts × tokens, width) → (texts, width)."""
        return self.do("Gather", self.do("Reshape", flat, shape), self.constant(0), axis=1)

    def distances(self, ids: str, longest: int) -> str:
        """(tokens, tokens): where tokens stand from each other, column less row, plus `longest`; never negative."""
        count = self.do("Gather", self.do("Shape", ids), self.constant(1), axis=0)
        positions = self.do("Range", self.constant(0), count, self.constant(1))
        rows = self.do("Unsqueeze", positions, self.constant([1]))
        columns = self.do("Unsqueeze", positions, self.constant([0]))
        return self.do("Add", self.do("Sub", columns, rows), self.constant(longest))

    def written(self, output: str) -> bytes:
        """The network whose last operation is `output`, called `logits`, without the weights that come from outside."""
        from onnx import TensorProto

        self._nodes.append(self._helper.make_node("Identity", [output], ["logits"]))
        inputs = [
            self._helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in self._inputs
        ]
        outputs = [self._helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["texts", "classes"])]
        outside = [_outside(name, self.weights.shape(name)) for name in sorted(self.used)]
        graph = self._helper.make_graph(self._nodes, "checker", inputs, outputs, [*self._constants, *outside])
        opset = self._helper.make_opsetid("", _OPSET)
        model = self._helper.make_model(graph, opset_imports=[opset], ir_version=_IR)
        return bytes(model.SerializeToString())


def _outside(name: str, shape: tuple[int, ...]) -> Any:
    """A weight whose numbers are handed over when the network is opened."""
    from onnx import TensorProto

    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights")
    return tensor
