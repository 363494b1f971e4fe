"""How large a model would be, from its configuration alone, and how large anything may be."""

from __future__ import annotations

from core.config import Head, LayerConfig, ModelConfig, NormPlacement

MAX_VOCABULARY = 1_000_000
MAX_WIDTH = 65_536
MAX_POSITIONS = 1_000_000
MAX_LAYERS = 1_000
MAX_SEGMENTS = 1_000

MAX_CONFIG_BYTES = 1_000_000
MAX_HEADER_BYTES = 4_000_000  # some 40,000 tensors
MAX_INDEX_BYTES = 16_000_000
MAX_TOKENIZER_BYTES = 64_000_000
MAX_CARD_BYTES = 1_000_000


def parameter_count(config: ModelConfig) -> int:
    """The number of parameters of the model that ``core.models.registry.build`` would make.

    Shared weights count once. Nothing is allocated.
    """
    tables = config.embedding
    rows = tables.vocabulary + tables.max_positions + tables.segments
    count = rows * tables.width + _norm(tables.width)
    for stack in (config.encoder, config.decoder):
        if stack is not None:
            count += stack.modules * _layer(stack.layer)
            if stack.layer.placement is NormPlacement.PRE:
                count += _norm(stack.layer.width)  # after the stack
    if config.pooler:
        count += _dense(tables.width, tables.width)
    return count + sum(_head(head, config) for head in config.heads)


def _head(head: Head, config: ModelConfig) -> int:
    width = config.embedding.width
    match head:
        case Head.MASKED_LANGUAGE:
            return _dense(width, width) + _norm(width) + config.embedding.vocabulary
        case Head.NEXT_SENTENCE:
            return _dense(width, 2)


def _layer(layer: LayerConfig) -> int:
    inner = layer.attention.heads * layer.attention.head_size
    into, out = (
        _dense(layer.width, inner, layer.attention.bias),
        _dense(inner, layer.width, layer.attention.bias),
    )
    attention = 3 * into + out + _norm(layer.width)
    hidden, bias = layer.feed_forward.hidden, layer.feed_forward.bias
    feed_forward = _dense(layer.width, hidden, bias) + _dense(hidden, layer.width, bias)
    attentions = 2 if layer.cross_attention else 1
    return attentions * attention + feed_forward + _norm(layer.width)


def _dense(inputs: int, outputs: int, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _norm(width: int) -> int:
    return 2 * width
