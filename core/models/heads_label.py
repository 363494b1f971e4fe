"""What fine-tuned checkpoints predict: labels of texts, labels of tokens, the span of an answer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.config import Head, LabelConfig, ModelConfig
from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate
from core.models.blocks.weights import Linear


class SequenceClassesHead(nn.Module):
    """Sorts texts into labels: one layer over a summary, or two over the state of one token.

    Hook point: ``logits`` ``[batch, label]``.
    Source: Devlin et al. 2019, "BERT", section 4.1; RoBERTa, ELECTRA and DistilBERT have the second
    layer in their released code.
    """

    def __init__(self, width: int, labels: LabelConfig, *, bias: bool = True) -> None:
        super().__init__()
        self.dense = None if labels.hidden is None else Linear(width, width)
        self.activation = None if labels.hidden is None else Activate(labels.hidden)
        self.output = Linear(width, len(labels.names), bias=bias)
        self.logits = HookPoint()

    def forward(self, summary: Tensor) -> Tensor:
        """``[batch, width]`` to ``[batch, label]``."""
        if self.dense is not None and self.activation is not None:
            summary = self.activation(self.dense(summary))
        return self.logits(self.output(summary))


class TokenClassesHead(nn.Module):
    """Scores every token: in labels (tagging), or as start and as end of an answer.

    Hook point: ``logits`` ``[batch, token, label]``; of an answer, column 0 is the start.
    Source: Devlin et al. 2019, "BERT", sections 4.2 and 5.3.
    """

    def __init__(self, width: int, labels: int) -> None:
        super().__init__()
        self.dense = Linear(width, labels)
        self.logits = HookPoint()

    def forward(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, token, label]``."""
        return self.logits(self.dense(hidden))


def build_label_heads(
    config: ModelConfig, width: int, *, bias: bool = True
) -> dict[str, nn.Module]:
    """The heads of a fine-tuned model by the names of their modules; empty without one.

    Args:
        config: of the model.
        width: of its last states.
        bias: whether the last layer of the head for texts has one.
    """
    heads: dict[str, nn.Module] = {}
    if config.labels is not None and Head.SEQUENCE_CLASSES in config.heads:
        heads[Head.SEQUENCE_CLASSES.value] = SequenceClassesHead(width, config.labels, bias=bias)
    if config.labels is not None and Head.TOKEN_CLASSES in config.heads:
        heads[Head.TOKEN_CLASSES.value] = TokenClassesHead(width, len(config.labels.names))
    if Head.ANSWER_SPAN in config.heads:
        heads[Head.ANSWER_SPAN.value] = TokenClassesHead(width, 2)
    return heads


def last_token(hidden: Tensor, keep: Tensor | None) -> Tensor:
    """The state of every text's last token: ``[batch, token, width]`` to ``[batch, width]``."""
    if keep is None:
        return hidden[:, -1]
    places = torch.arange(hidden.shape[1], device=hidden.device)
    last = (places * keep).argmax(dim=1)  # [batch]
    return hidden[torch.arange(len(hidden), device=hidden.device), last]
