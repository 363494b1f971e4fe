"""Texts with blanks of known sizes: our own T5 learns to fill a blank with exactly so many words.

Span corruption (:mod:`core.objectives.span_corruption`) with changes, because a reader leaves one
to ten blanks in a sentence or two and says how long each is: whole words are cut out, the number of
blanks and their sizes vary widely, most texts are single sentences, a size token stands behind each
sentinel, and of every second blank the punctuation that closes it stays in the text, as readers
write ``on the ___.``::

    source   The <extra_id_0> <size_2> on the <extra_id_1> <size_1> . </s>
    targets  <extra_id_0> cat sat <extra_id_1> mat <extra_id_2> </s>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.layouts import Layout, layout_at
from core.objectives.splicing import splice
from core.objectives.text_to_text import TextToText, TextToTextBatch, teacher_forced
from core.objectives.texts import Texts, TextSampler

# Four of five sentences have at most 48 pieces; wider batches would be padding for the most part.
_SENTENCES, _STRETCHES = Layout(share=0.6, length=48, short=True), Layout(share=0.4, length=128)
BLANK_LAYOUTS = (_SENTENCES, _STRETCHES)
FREE_LAYOUTS = (_SENTENCES,)
LONG_LAYOUTS = (_STRETCHES,)


@dataclass(frozen=True)
class BlankRule:
    """How many blanks a text has and how large they are.

    Attributes:
        most: blanks of a text.
        longest: words of a blank.
        share: of the words of a text, the most that is cut out.
        room: of the tokens of a text, the most that the targets hold beside their sentinels: few
            texts use all of their share.
    """

    most: int = 10
    longest: int = 64
    share: float = 0.5
    room: float = 0.5

    def __post_init__(self) -> None:
        shares = min(self.share, self.room), max(self.share, self.room)
        if self.most < 1 or self.longest < 1 or not 0.0 < shares[0] <= shares[1] <= 1.0:
            raise ConfigError(
                f"{self.most} blanks of at most {self.longest} words in {self.share} of a text are"
                " no rule: at least 1 of 1, in at most all of it"
            )


# Readers ask for far more words than they write, too, or leave the number to the model.
LONG_BLANKS = BlankRule(most=2, longest=128, share=0.9, room=1.0)
FREE_BLANKS = BlankRule(longest=16)


@dataclass(frozen=True)
class Blanks:
    """Blanks in the order of the text, without two side by side.

    Attributes:
        starts: first word of each, ``[batch, blank]``.
        sizes: its words; 0 where a text has fewer blanks, ``[batch, blank]``.
    """

    starts: Tensor
    sizes: Tensor


def draw_blanks(words: Tensor, *, rule: BlankRule, generator: torch.Generator) -> Blanks:
    """Draw blanks for texts of so many words, at least one for each text that has a word.

    A text wants 1 to ``most`` blanks, all numbers equally often, and gets as many as fit into its
    share; sizes are drawn evenly on a logarithmic scale, smaller where many are wanted; the words
    that stay are spread over the gaps at random.

    Args:
        words: ``[batch]``.
        rule: how many and how large.
        generator: of all random draws, on the device of ``words``.
    """
    batch, most = len(words), rule.most

    def uniform() -> Tensor:
        return torch.rand(batch, most, device=words.device, generator=generator)

    total = words[:, None]
    room = (rule.share * total).long().clamp(min=1)
    wanted = 1 + torch.randint(most, (batch, 1), device=words.device, generator=generator)
    limit = torch.minimum(2 * room // wanted, room).clamp(1, rule.longest)
    sizes = ((limit + 1).float().log() * uniform()).exp().long().clamp(min=1).minimum(limit)
    number = torch.arange(most, device=words.device)
    taken = sizes.cumsum(1)
    # A blank more needs a word between it and the one before.
    fits = (number < wanted) & (taken <= room) & (taken + number <= total) & (total > 0)
    sizes = torch.where(fits.long().cummin(1).values > 0, sizes, 0)
    count = (sizes > 0).sum(1, keepdim=True)
    free = total - sizes.sum(1, keepdim=True) - (count - 1)
    order = torch.where(sizes > 0, uniform(), 2.0).sort(1).values
    gaps = (order * (free + 1)).long().minimum(free)
    return Blanks(gaps + (sizes + 1).cumsum(1) - (sizes + 1), sizes)


class SizedBlanks(TextToText):
    """Batches and loss of filling blanks of known sizes."""

    name = "blanks"

    def __init__(
        self,
        sampler: TextSampler,
        continuations: Tensor,
        punctuation: Tensor,
        sentinels: Tensor,
        size_ids: Tensor | None,
        *,
        tokens: int,
        layouts: tuple[Layout, ...] = BLANK_LAYOUTS,
        rule: BlankRule | None = None,
        start_id: int = 0,
        end_id: int = 1,
        padding_id: int = 0,
    ) -> None:
        """Prepare.

        Args:
            sampler: where texts come from; its generator makes all random draws.
            continuations: boolean ``[id]``, True for pieces that continue a word.
            punctuation: boolean ``[id]``, True for pieces of nothing but punctuation.
            sentinels: ids of the sentinels in their order, ``[sentinel]``.
            size_ids: id of the token that says so many words, ``[words + 1]``; the first means
                nothing. ``None`` for free blanks, of which nothing says how long they are.
            tokens: about how many tokens of text a batch holds, whatever its layout.
            layouts: the shapes of batches and how often each comes; short ones are sentences.
            rule: how many blanks and how large.
            start_id: what the decoder reads first.
            end_id: what ends both sides.
            padding_id: what comes after it.

        Raises:
            ConfigError: there are too few sentinels.
        """
        rule = rule or BlankRule()
        if len(sentinels) <= rule.most:
            raise ConfigError(
                f"{rule.most} blanks and a closing need {rule.most + 1} sentinels, not"
                f" {len(sentinels)}"
            )
        most = rule.longest if size_ids is None else len(size_ids) - 1
        self.rule = replace(rule, longest=min(rule.longest, most))
        self.sampler = sampler
        self.continuations = continuations
        self.punctuation = punctuation
        self.sentinels = sentinels[: rule.most + 1]
        self.size_ids = size_ids
        self.tokens = tokens
        self.layouts = layouts
        self.start_id, self.end_id, self.padding_id = start_id, end_id, padding_id

    def batch(self, step: int) -> TextToTextBatch:
        """Draw the batch of a step; its layout depends on nothing but the step."""
        return self.batch_of(layout_at(step, self.layouts))

    def shapes(self) -> list[TextToTextBatch]:
        """One batch of every layout, drawn without consequence for the batches of the steps."""
        generator = self.sampler.generator
        before = generator.get_state()
        batches = [self.batch_of(layout) for layout in self.layouts]
        generator.set_state(before)
        return batches

    def batch_of(self, layout: Layout) -> TextToTextBatch:
        """Draw a batch of the given layout."""
        draw = self.sampler.sentences if layout.short else self.sampler.running
        return self.cut_out(draw(max(1, self.tokens // layout.length), layout.length))

    def cut_out(self, texts: Texts) -> TextToTextBatch:
        """Cut blanks out of texts that begin with a word."""
        words = self.words(texts)
        return self.without(
            texts, draw_blanks(words, rule=self.rule, generator=self.sampler.generator)
        )

    def words(self, texts: Texts) -> Tensor:
        """How many words of each text may be cut out, ``[batch]``."""
        inside = torch.arange(texts.ids.shape[1], device=texts.ids.device) < texts.sizes[:, None]
        begun = (self._begins(texts.ids) & inside).sum(1)
        # The last word of a text that fills its positions may be cut short: it is never a blank.
        return (begun - (texts.sizes == texts.ids.shape[1]).long()).clamp(min=0)

    def _begins(self, ids: Tensor) -> Tensor:
        return ~self.continuations[ids] | (torch.arange(ids.shape[1], device=ids.device) == 0)

    def without(self, texts: Texts, blanks: Blanks) -> TextToTextBatch:
        """The texts without these blanks, and what stood there."""
        ids, sizes = texts
        length, most = ids.shape[1], self.rule.most
        position = torch.arange(length, device=ids.device)
        begins = self._begins(ids)
        word = begins.long().cumsum(1) - 1
        inside = position < sizes[:, None]
        begin, end = blanks.starts[:, None, :], (blanks.starts + blanks.sizes)[:, None, :]
        member = (word[..., None] >= begin) & (word[..., None] < end) & inside[..., None]
        member &= ~self._left(ids, begins, word, end)
        # Blanks of many pieces that would not fit into the targets stay text, with all after them.
        capacity = round(self.rule.room * length)
        fits = member.sum(1).cumsum(1) <= capacity  # [batch, blank]
        member = member & fits[:, None, :]
        number = torch.arange(1, most + 1, device=ids.device)
        spans = (member * number).amax(-1)
        marks = self.sentinels.expand(len(ids), -1)[..., None]
        if self.size_ids is not None:
            sizes_said = torch.nn.functional.pad(self.size_ids[blanks.sizes], (0, 1))
            marks = torch.cat([marks, sizes_said[..., None]], dim=2)
        both = splice(
            ids,
            sizes,
            spans,
            marks,
            end_id=self.end_id,
            padding_id=self.padding_id,
            source_width=length + most + 1,
            target_width=capacity + most + 2,
        )
        asked = torch.where(spans.amax(1) > 0, both.target_sizes, 0)
        inputs, labels = teacher_forced(
            both.targets, asked, start_id=self.start_id, padding_id=self.padding_id
        )
        keep = torch.arange(both.source.shape[1], device=ids.device) < both.source_sizes[:, None]
        return TextToTextBatch(both.source, keep, inputs, labels)

    def _left(self, ids: Tensor, begins: Tensor, word: Tensor, end: Tensor) -> Tensor:
        """The closing punctuation of blanks that stays in the text, ``[batch, token, blank]``.

        Args:
            ids: ``[batch, token]``.
            begins: which tokens begin a word, ``[batch, token]``.
            word: number of each token's word, ``[batch, token]``.
            end: the word after each blank, ``[batch, 1, blank]``.
        """
        position = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        solid = torch.where(begins | ~self.punctuation[ids], position, 0)
        last = torch.zeros_like(position).scatter_reduce(1, word, solid, "amax")  # [batch, word]
        closing = position > last.gather(1, word)
        uniforms = torch.rand(end.shape, device=ids.device, generator=self.sampler.generator)
        return closing[..., None] & (word[..., None] == end - 1) & (uniforms < 0.5)
