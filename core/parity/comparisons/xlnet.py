"""The comparisons of XLNet: one stream with a memory, and two streams in a random order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.models.permutation import CONTENT, QUERY
from core.parity.compare import PATTERN_TOLERANCE, Batch, ComparedTensor, Comparison, queries

_MEMORY = 7
# The first layer's inputs are small, but for the vector that starts the query stream.
_LOUDER = {"louder": {"layer.0.rel_attn.q": 3.0, "layer.0.rel_attn.k": 4.0, "mask_emb": 0.2}}
_SETTINGS = {"vocab_size": 101, "d_model": 48, "n_layer": 3, "n_head": 4, "d_inner": 96}


def _hidden(stream: int) -> Any:
    # Theirs has the batch in the second place.
    return lambda output: output[stream].transpose(0, 1)


def _pattern(stream: int | None) -> Any:
    def pick(output: Any) -> Tensor:
        pattern = output[2] if stream is None else output[2][stream]
        return pattern.permute(2, 3, 0, 1)  # from [query, key, batch, head]

    return pick


def _parts(name: str, stream: str, hidden: int, pattern: int | None) -> tuple[ComparedTensor, ...]:
    block = ComparedTensor(
        f"every {name}block",
        "encoder.layers.{}.output",
        "transformer.layer.{}",
        pick=_hidden(hidden),
        stream=stream,
    )
    return (
        replace(
            block,
            name=f"first {name}block",
            ours="encoder.layers.0.output",
            theirs="transformer.layer.0",
        ),
        ComparedTensor(
            f"every {name}pattern",
            "encoder.layers.{}.attention.pattern",
            "transformer.layer.{}.rel_attn",
            selection=queries,
            pick=_pattern(pattern),
            tolerance=PATTERN_TOLERANCE,
            stream=stream,
        ),
        block,
    )


_LOGITS = ComparedTensor("token logits", "language.logits", "lm_loss")


def _memory(batch: Batch, width: int, layers: int) -> list[Tensor]:
    shape = (len(batch.ids), _MEMORY, width)
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator) for _ in range(layers)]


def _order(batch: Batch) -> Tensor:
    """A random order of each sentence's tokens: True where a key comes before a query."""
    generator = torch.Generator().manual_seed(5)
    rank = torch.rand(batch.ids.shape, generator=generator)
    return rank[:, None, :] < rank[:, :, None]


def _theirs(batch: Batch) -> dict[str, Any]:
    return {
        "input_ids": batch.ids,
        "token_type_ids": batch.segments,
        "attention_mask": None if batch.keep is None else batch.keep.float(),
        "output_attentions": True,
    }


def _run_ours_with_memory(model: Any, batch: Batch) -> object:
    stack = model.config.encoder
    memory = _memory(batch, stack.layer.width, stack.depth)
    return model(batch.ids, batch.segments, batch.keep, memory=memory)


def _run_theirs_with_memory(model: Any, batch: Batch) -> object:
    memory = _memory(batch, model.config.d_model, model.config.n_layer)
    return model(**_theirs(batch), mems=[one.transpose(0, 1) for one in memory])


def _run_ours_alone(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.segments, batch.keep)


def _run_theirs_alone(model: Any, batch: Batch) -> object:
    return model(**_theirs(batch))


def _run_our_streams(model: Any, batch: Batch) -> object:
    targets = torch.arange(batch.ids.shape[1]).expand(batch.ids.shape)
    return model(batch.ids, batch.segments, batch.keep, order=_order(batch), targets=targets)


def _run_their_streams(model: Any, batch: Batch) -> object:
    rows, tokens = batch.ids.shape
    return model(
        **_theirs(batch),
        perm_mask=(~_order(batch)).float(),
        target_mapping=torch.eye(tokens).expand(rows, -1, -1),
    )


XLNET = Comparison(
    name="xlnet",
    system="xlnet",
    reference="XLNetLMHeadModel",
    settings=_SETTINGS,
    parts=(*_parts("", CONTENT, 0, None), _LOGITS),
    run_ours=_run_ours_with_memory,
    run_theirs=_run_theirs_with_memory,
    reference_options=_LOUDER,
)

TWO_STREAMS = Comparison(
    name="xlnet-two-streams",
    system="xlnet",
    reference="XLNetLMHeadModel",
    settings=_SETTINGS,
    parts=(
        *_parts("content ", CONTENT, 0, 0),
        *_parts("query ", QUERY, 1, 1),
        _LOGITS,
    ),
    run_ours=_run_our_streams,
    run_theirs=_run_their_streams,
    reference_options=_LOUDER,
)

# A text without one before it, as a reader types it.

COMPARISONS = (XLNET, TWO_STREAMS)
FOR_TEXTS = (replace(XLNET, run_ours=_run_ours_alone, run_theirs=_run_theirs_alone),)
