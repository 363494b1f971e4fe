"""How long a forward pass takes that keeps every pattern, against Hugging Face's.

BERT-base with random weights, the same on both sides, without heads. Ours runs the explicit path
under a capture, theirs ``attn_implementation="eager"`` with ``output_attentions=True``. Both are
timed in turn on the same input, so that a busy machine slows both alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from core.bench.timing import device_name, interleaved
from core.hooks import capture
from core.parity.reference import translate

LENGTHS = (16, 64, 128, 512)
TARGET = 1.03
_VOCABULARY = 30_522
_PATTERNS = "encoder.layers.*.attention.pattern"


@dataclass(frozen=True)
class Timing:
    """One length on one device.

    Attributes:
        device: ``"cpu"``, or the name of the GPU.
        length: tokens of the one sentence.
        ours: milliseconds, the median.
        theirs: the same of Hugging Face's model.
        target: the highest ratio wanted.
    """

    device: str
    length: int
    ours: float
    theirs: float
    target: float = TARGET

    @property
    def ratio(self) -> float:
        """Ours as a multiple of theirs."""
        return self.ours / self.theirs


def bench_forward(device: torch.device) -> Iterator[Timing]:
    """Time all lengths on one device."""
    reference = _reference().to(device)
    model = translate(reference).to(device)

    def ours(ids: Tensor) -> None:
        with capture([_PATTERNS]):
            model(ids)

    def theirs(ids: Tensor) -> None:
        reference(input_ids=ids, output_attentions=True)

    generator = torch.Generator().manual_seed(0)
    for length in LENGTHS:
        ids = torch.randint(0, _VOCABULARY, (1, length), generator=generator).to(device)
        mine, other = interleaved(partial(ours, ids), partial(theirs, ids), device)
        yield Timing(device_name(device), length, mine, other)


def _reference() -> Any:
    import transformers

    model_class: Any = transformers.BertModel
    config = model_class.config_class(vocab_size=_VOCABULARY, attn_implementation="eager")
    return model_class(config, add_pooling_layer=False).eval()
