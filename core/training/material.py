"""What an objective is made from: a model's configuration, its tokenizer, and data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.objectives.labelled_files import LabelledTask
from core.objectives.layouts import layouts_within
from core.objectives.pieces import ordinary_ids, specials_of
from core.objectives.relations import Relation
from core.objectives.sentence_pairs import PairSampler
from core.objectives.translation import ParallelTexts
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus


@dataclass(frozen=True)
class TasksAndText:
    """Labelled tasks, and beside them text whose hidden words are one more.

    Attributes:
        tasks: with their examples.
        corpus: on the model's device.
        share: of all mini-batches that hide words.
    """

    tasks: tuple[LabelledTask, ...]
    corpus: TokenCorpus
    share: float


@dataclass(frozen=True)
class Material:
    """What an objective is made from.

    Attributes:
        config: of the model that is trained.
        tokenizer: of its texts.
        data: a corpus, or pairs of texts, on the model's device; or labelled tasks, with
            text or without.
        generator: of all random draws, on that device.
        tokens: about how many a batch holds.
        length: of a text in tokens: of each, or where texts are of several lengths, of the longest
            (objectives with masks have lengths of their own).
        teacher: the model to learn from, where there is one.
        generator_alone: whether only the generator beside the model learns.
        generator_temperature: the highest temperature that its samples are drawn at.
        from_elsewhere: whether segments out of order are from elsewhere half of the time.
    """

    config: ModelConfig
    tokenizer: Tokenizer
    data: TokenCorpus | ParallelTexts | tuple[LabelledTask, ...] | TasksAndText
    generator: torch.Generator
    tokens: int
    length: int
    teacher: nn.Module | None = None
    generator_alone: bool = False
    generator_temperature: float = 1.0
    from_elsewhere: bool = False

    @property
    def corpus(self) -> TokenCorpus:
        """The data, where it is running text."""
        assert isinstance(self.data, TokenCorpus)
        return self.data

    @property
    def ordinary(self) -> Tensor:
        """Ids of the tokens that are not special."""
        return ordinary_ids(self.tokenizer).to(self.generator.device)

    def hidden_words(self, relation: Relation | None) -> dict[str, Any]:
        """Arguments of the objectives that hide words."""
        layouts = layouts_within(self.config.embedding.max_positions)
        if relation is Relation.ORDER and self.from_elsewhere:
            relation = Relation.IN_PLACE
        if relation in (Relation.ORDER, Relation.IN_PLACE):
            # As in Lan et al. 2020, "ALBERT", section 3.1: the order is learnt slowly otherwise.
            layouts = tuple(replace(one, pairs=1.0 if one.pairs else 0.0) for one in layouts)
        longest = max(layout.length for layout in layouts)
        sampler = PairSampler(
            self.corpus,
            specials_of(self.tokenizer),
            self.generator,
            longest=longest,
            relation=relation,
        )
        return {
            "sampler": sampler,
            "ordinary_ids": self.ordinary,
            "tokens": self.tokens,
            "layouts": layouts,
        }
