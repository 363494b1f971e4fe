"""Translation: pairs of about the same length side by side, label smoothing, teacher forcing.

Source: Vaswani et al. 2017, "Attention Is All You Need", sections 5.1 and 5.4: smoothing of 0.1, in
the form of Szegedy et al. 2016 that the paper refers to, over all tokens (its code spreads it over
the other tokens only).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.layouts import Layout, layout_at
from core.objectives.text_to_text import TextToText, TextToTextBatch, teacher_forced
from core.training.corpora import CorpusError

WIDTHS = (10, 12, 16, 20, 24, 32, 64)  # tokens of the longer side, its end included


@dataclass(frozen=True)
class ParallelTexts:
    """Pairs of texts as padded tables, sorted into widths.

    Attributes:
        sources: one table a width, ``[pair, width]``.
        source_sizes: tokens of each, ``[pair]``.
        targets: likewise.
        target_sizes: likewise.
    """

    sources: tuple[Tensor, ...]
    source_sizes: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]
    target_sizes: tuple[Tensor, ...]

    @classmethod
    def from_ids(
        cls,
        pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
        *,
        end_id: int,
        padding_id: int,
        widths: Sequence[int] = WIDTHS,
    ) -> ParallelTexts:
        """Sort pairs of token ids without ends; what is wider than all widths is left out.

        Raises:
            CorpusError: nothing is left.
        """
        found: dict[int, list[tuple[Sequence[int], Sequence[int]]]] = {}
        for source, target in pairs:
            longest = max(len(source), len(target)) + 1
            width = next((one for one in sorted(widths) if longest <= one), None)
            if width is not None:
                found.setdefault(width, []).append((source, target))
        if not found:
            raise CorpusError(f"no pair has at most {max(widths)} tokens a side")
        tables: tuple[list[Tensor], ...] = ([], [], [], [])
        for width in sorted(found):
            for side in (0, 1):
                texts = [pair[side] for pair in found[width]]
                sizes = np.array([len(ids) + 1 for ids in texts])
                table = np.full((len(texts), width), padding_id, np.int32)
                real = np.arange(width) < sizes[:, None]
                table[real] = np.fromiter(
                    chain.from_iterable((*ids, end_id) for ids in texts), np.int32, sizes.sum()
                )
                tables[2 * side].append(torch.from_numpy(table))
                tables[2 * side + 1].append(torch.from_numpy(sizes))
        return cls(*(tuple(table) for table in tables))

    def to(self, device: torch.device) -> ParallelTexts:
        """The same texts on another device."""
        return ParallelTexts(
            *(
                tuple(table.to(device) for table in tables)
                for tables in (self.sources, self.source_sizes, self.targets, self.target_sizes)
            )
        )


class Translation(TextToText):
    """Batches and loss of translation; every pair is equally likely, whatever its width."""

    name = "translation"

    def __init__(
        self,
        texts: ParallelTexts,
        generator: torch.Generator,
        *,
        tokens: int,
        start_id: int,
        padding_id: int,
        smoothing: float = 0.1,
    ) -> None:
        """Prepare.

        Args:
            texts: the pairs.
            generator: of all random draws, on their device.
            tokens: about how many tokens of each side a batch holds, padding included.
            start_id: what the decoder reads first.
            padding_id: what stands after the ends.
            smoothing: share of each target that is spread over all tokens.

        Raises:
            ConfigError: the smoothing is no share.
        """
        if not 0.0 <= smoothing < 1.0:
            raise ConfigError(f"label smoothing must be in [0, 1), not {smoothing}")
        self.texts = texts
        self.generator = generator
        self.start_id, self.padding_id = start_id, padding_id
        self.smoothing = smoothing
        self._rows = [max(1, tokens // table.shape[1]) for table in texts.sources]
        # A width has as many batches as its pairs fill.
        self._layouts = tuple(
            Layout(share=len(table) / rows, length=number)
            for number, (table, rows) in enumerate(zip(texts.sources, self._rows, strict=True))
        )

    def batch(self, step: int) -> TextToTextBatch:
        """Draw the batch of a step; its width depends on nothing but the step."""
        return self.batch_of(layout_at(step, self._layouts).length)

    def shapes(self) -> list[TextToTextBatch]:
        """One batch of every width, drawn without consequence for the batches of the steps."""
        before = self.generator.get_state()
        batches = [self.batch_of(number) for number in range(len(self._layouts))]
        self.generator.set_state(before)
        return batches

    def batch_of(self, number: int) -> TextToTextBatch:
        """Draw a batch from the table of this number."""
        texts = self.texts
        source = texts.sources[number]
        chosen = torch.randint(
            len(source),
            (self._rows[number],),
            device=source.device,
            generator=self.generator,
        )
        position = torch.arange(source.shape[1], device=source.device)
        inputs, labels = teacher_forced(
            texts.targets[number][chosen].long(),
            texts.target_sizes[number][chosen],
            start_id=self.start_id,
            padding_id=self.padding_id,
        )
        return TextToTextBatch(
            source[chosen].long(),
            position < texts.source_sizes[number][chosen][:, None],
            inputs,
            labels,
        )
