"""How long greedy writing takes, against Hugging Face's ``generate``.

Random weights, the same on both sides, one text, float32, no token that ends it: both write every
piece of the length, with a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.bench.timing import device_name, interleaved
from core.decoding import reader_of, texts_of, write
from core.parity.reference import tiny_reference, translate

LENGTH = 64
SOURCE = 32
TARGET = 1.03


@dataclass(frozen=True)
class Writer:
    """A model that writes.

    Attributes:
        system: its name.
        reference: class in ``transformers``.
        settings: of its configuration.
    """

    system: str
    reference: str
    settings: Mapping[str, Any]


# T5-small, and the base model of the original Transformer.
WRITERS = (
    Writer(
        "t5",
        "T5ForConditionalGeneration",
        {"vocab_size": 32_128, "decoder_start_token_id": 0, "eos_token_id": None},
    ),
    Writer(
        "transformer",
        "MarianMTModel",
        {
            "vocab_size": 37_000,
            "d_model": 512,
            "encoder_layers": 6,
            "decoder_layers": 6,
            "encoder_attention_heads": 8,
            "decoder_attention_heads": 8,
            "encoder_ffn_dim": 2048,
            "decoder_ffn_dim": 2048,
            "max_position_embeddings": 512,
            "scale_embedding": True,
            "activation_function": "relu",
            "pad_token_id": 0,
            "decoder_start_token_id": 0,
            "eos_token_id": None,
            "forced_eos_token_id": None,
        },
    ),
)


@dataclass(frozen=True)
class Decoding:
    """One model on one device.

    Attributes:
        device: ``"cpu"``, or the name of the GPU.
        system: what has written.
        length: pieces written.
        ours: milliseconds, the median.
        theirs: the same of ``generate``.
        same: whether both wrote the same.
        target: the highest ratio wanted.
    """

    device: str
    system: str
    length: int
    ours: float
    theirs: float
    same: bool
    target: float = TARGET

    @property
    def ratio(self) -> float:
        """Ours as a multiple of theirs."""
        return self.ours / self.theirs


def bench_decoding(device: torch.device) -> Iterator[Decoding]:
    """Time all models on one device."""
    for writer in WRITERS:
        reference = tiny_reference(writer.reference, writer.settings).to(device)
        # What writes fastest on their side, not what shows its patterns.
        reference.set_attn_implementation("sdpa")
        model = translate(reference).to(device)
        generator = torch.Generator().manual_seed(0)
        source = torch.randint(
            1, int(writer.settings["vocab_size"]), (1, SOURCE), generator=generator
        ).to(device)

        def ours(model: Any = model, source: Tensor = source) -> list[int]:
            return list(texts_of(write(reader_of(model, source), most=LENGTH))[0])

        def theirs(reference: Any = reference, source: Tensor = source) -> list[int]:
            written = reference.generate(
                source,
                attention_mask=torch.ones_like(source),
                max_new_tokens=LENGTH,
                do_sample=False,
                num_beams=1,
            )
            return list(written[0, 1:].tolist())

        same = ours() == theirs()
        mine, other = interleaved(ours, theirs, device)
        yield Decoding(device_name(device), writer.system, LENGTH, mine, other, same)
