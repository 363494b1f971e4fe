"""Cutting spans out of texts: what is left with marks in their place, and what was cut, in order.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", section 3.1.4, figure 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Spliced:
    """Both sides; what comes after an end is padding.

    Attributes:
        source: the text with marks, and the end, ``[batch, key]``.
        source_sizes: its tokens, ``[batch]``.
        targets: every span after its first mark, one mark more, and the end, ``[batch, token]``.
        target_sizes: its tokens, ``[batch]``.
    """

    source: Tensor
    source_sizes: Tensor
    targets: Tensor
    target_sizes: Tensor


def splice(
    ids: Tensor,
    sizes: Tensor,
    spans: Tensor,
    marks: Tensor,
    *,
    end_id: int,
    padding_id: int,
    source_width: int,
    target_width: int,
) -> Spliced:
    """Replace each span by its marks, and say what it was.

    Of ``a b c d e`` with spans ``b c`` and ``e``, marked X and Y: the source ``a X d Y end`` and
    the targets ``X b c Y e Z end``.

    Args:
        ids: ``[batch, token]``.
        sizes: tokens of each text, ``[batch]``.
        spans: number of the span of each token, counted from 1 in the order of the text; 0 outside
            and after the end, ``[batch, token]``.
        marks: what stands for each span in the source, its first mark in the targets too; the row
            after the last span's closes the targets, ``[batch, span + 1, mark]``.
        end_id: what ends both sides.
        padding_id: what comes after it.
        source_width: positions of the source; what does not fit is lost.
        target_width: positions of the targets; likewise.
    """
    batch, length = ids.shape
    each = marks.shape[2]
    position = torch.arange(length, device=ids.device)
    inside = (spans > 0) & (position < sizes[:, None])
    kept = (spans == 0) & (position < sizes[:, None])
    number = torch.where(inside, spans, 0)
    opened = number.cummax(1).values  # spans begun at this token or before
    first = inside & (number > torch.nn.functional.pad(number, (1, 0))[:, :length])
    cut = inside.long().cumsum(1) - inside.long()  # tokens of spans before this one
    total, count = inside.sum(1), opened[:, -1]

    def side(width: int) -> Tensor:
        # One position more than is kept, for everything that belongs nowhere.
        return torch.full((batch, width + 1), padding_id, dtype=ids.dtype, device=ids.device)

    def put(into: Tensor, where: Tensor, at: Tensor, what: Tensor) -> Tensor:
        last = into.shape[1] - 1
        return into.scatter(1, torch.where(where, at, last).clamp(max=last), what)

    source = put(side(source_width), kept, position - cut + each * opened, ids)
    targets = put(side(target_width), inside, cut + opened, ids)
    owner = (opened - 1).clamp(min=0)
    for offset in range(each):
        mark = marks[:, :, offset].gather(1, owner)
        source = put(source, first, position - cut + each * (opened - 1) + offset, mark)
    targets = put(targets, first, cut + opened - 1, marks[:, :, 0].gather(1, owner))
    always = torch.ones_like(count[:, None], dtype=torch.bool)
    last = marks[:, :, 0].gather(1, count[:, None])
    end = torch.full_like(last, end_id)
    source_sizes = sizes - total + each * count + 1
    target_sizes = total + count + 2
    source = put(source, always, source_sizes[:, None] - 1, end)
    targets = put(targets, always, target_sizes[:, None] - 2, last)
    targets = put(targets, always, target_sizes[:, None] - 1, end)
    return Spliced(
        source[:, :-1],
        source_sizes.clamp(max=source_width),
        targets[:, :-1],
        target_sizes.clamp(max=target_width),
    )
