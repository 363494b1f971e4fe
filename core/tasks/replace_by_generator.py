"""One sentence through ELECTRA's pre-training: hidden, filled by a generator, judged.

Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators",
section 2 and figure 2: the loss is the generator's on masked words plus 50 times the
discriminator's on all tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from core.bounds import require
from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.hooks import captured
from core.models.blocks.attention import fused_attention
from core.models.body import Inputs
from core.objectives.masking import MaskingRule, draw_masking
from core.objectives.pieces import ordinary_ids
from core.objectives.replaced_tokens import sample_tokens
from core.tasks.decoded_pieces import text_with
from core.tasks.detect_replaced import REPLACED, THRESHOLD
from core.tasks.errors import NothingToReplaceError, OtherVocabularyError
from core.tasks.fill_mask import Prediction, likeliest, require_guesses
from core.tasks.forward import device_of, encode, scored_words
from core.tokenisation import Encoding, Tokenizer

WEIGHT = 50.0  # of the discriminator's loss: the paper's lambda


@dataclass(frozen=True)
class SampledToken:
    """A token that was hidden, and what the generator put there.

    Attributes:
        position: counted from 0 with special tokens.
        word: number of the word that it belongs to.
        original: the hidden piece as it stands in the vocabulary.
        candidates: the likeliest at the temperature of the draw, the likeliest first.
        draw: in [0, 1), what decided the sample: the cumulative probabilities pass it there.
        sample: the piece that was drawn, with its probability.
        same: whether that is the original, which then counts as not replaced.
        nats: what the generator loses here: -ln of the original's probability, at temperature 1.
    """

    position: int
    word: int | None
    original: str
    candidates: tuple[Prediction, ...]
    draw: float
    sample: Prediction
    same: bool
    nats: float


@dataclass(frozen=True)
class Replacements:
    """A text in which a generator has replaced some tokens.

    Attributes:
        encoding: of the text as it was typed.
        samples: in the order of the text.
        ids: what the discriminator reads, one a token.
        pieces: the same, readable.
        text: what a person would type to have the discriminator read the same; ``None`` where no
            text is cut into these pieces.
        vocabulary: number of pieces that the generator knows.
        loss: mean nats a position.
        device: where the generator ran.
    """

    encoding: Encoding
    samples: tuple[SampledToken, ...]
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    text: str | None
    vocabulary: int
    loss: float
    device: str

    def with_loss_of(self, judged: JudgedReplacements) -> float:
        """What training makes smaller: the generator's loss + 50 times the discriminator's."""
        return self.loss + WEIGHT * judged.loss


@dataclass(frozen=True)
class DiscriminatedToken:
    """What the discriminator makes of one token, special ones included, as in training.

    Attributes:
        position: counted from 0.
        probability: that the token was replaced (the paper's D is that of the original).
        replaced: whether that is more than a half.
        truth: whether the token is another one than in the text.
        nats: what the discriminator loses here: -ln of the probability of the truth.
    """

    position: int
    probability: float
    replaced: bool
    truth: bool
    nats: float


@dataclass(frozen=True)
class JudgedReplacements:
    """What the discriminator makes of all tokens.

    Attributes:
        tokens: one for every token.
        loss: mean nats a token.
        device: where the discriminator ran.
    """

    tokens: tuple[DiscriminatedToken, ...]
    loss: float
    device: str


@torch.inference_mode()
def sample_replacements(
    generator: Checkpoint,
    text: str,
    *,
    share: float = 0.15,
    seed: int = 0,
    temperature: float = 1.0,
    top: int = 5,
    cut: bool = False,
) -> Replacements:
    """Hide a share of the tokens and let a generator sample what stands there instead.

    The tokens are chosen as in training; masks that a person typed stay what they are.

    Args:
        generator: a model that guesses hidden words.
        text: what a person typed.
        share: of the tokens, more than 0 and at most 1; at least one is hidden.
        seed: of all random draws.
        temperature: divides the generator's scores before the draw; above 1 unlikelier tokens come.
        top: candidates a position that are named.
        cut: leave out the end of a text that is too long, instead of refusing.

    Raises:
        MissingHeadError: the model cannot guess words.
        TopOutOfRangeError: too few or too many candidates.
        ConfigError: the share or the temperature is out of its range.
        NothingToReplaceError: there is nothing but masks.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_guesses(generator, top)
    require(sampled_temperature=temperature)
    tokenizer, model = generator.tokenizer, generator.model
    device = next(model.parameters()).device
    rule = MaskingRule(share=share, masked=1.0, replaced=0.0)
    encoding = encode(generator, text, cut=cut)
    ids = torch.tensor([encoding.ids])  # [1, token]
    ordinary = ~torch.tensor([encoding.special]) & (ids != tokenizer.mask_id)
    if not ordinary.any():
        raise NothingToReplaceError
    random_generator = torch.Generator().manual_seed(seed % 2**63)
    drawn = draw_masking(
        ordinary, rule=rule, ordinary_ids=ordinary_ids(tokenizer), generator=random_generator
    )
    masked = drawn.apply(ids, rule=rule, mask_id=tokenizer.mask_id)
    positions = masked.positions[0][drawn.real[0]].sort().values  # [position]
    uniforms = torch.rand(len(positions), generator=random_generator)
    with fused_attention():
        hidden = model.read(Inputs(masked.ids.to(device)), predict=False).hidden[0]
    logits = scored_words(generator, hidden[positions.to(device)]).float().cpu()  # [position, v]
    scaled = logits / temperature
    samples = sample_tokens(scaled, uniforms)
    labels = ids[0, positions]
    nats = functional.cross_entropy(logits, labels, reduction="none").tolist()
    likely = scaled.softmax(-1).gather(1, samples[:, None])[:, 0].tolist()
    candidates = likeliest(scaled, top, tokenizer)
    seen = ids[0].scatter(0, positions, samples).tolist()
    return Replacements(
        encoding=encoding,
        samples=tuple(
            SampledToken(
                position=position,
                word=encoding.words[position],
                original=encoding.tokens[position],
                candidates=candidates[number],
                draw=uniforms[number].item(),
                sample=Prediction(tokenizer.token(int(samples[number])), likely[number]),
                same=bool(samples[number] == labels[number]),
                nats=nats[number],
            )
            for number, position in enumerate(positions.tolist())
        ),
        ids=tuple(seen),
        pieces=_pieces(tokenizer, seen),
        text=text_with(encoding, seen, tokenizer),
        vocabulary=tokenizer.vocabulary_size,
        loss=sum(nats) / len(nats),
        device=str(device),
    )


def _pieces(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    return tuple(tokenizer.readable(tokenizer.token(number)) for number in ids)


@torch.inference_mode()
def judge_replacements(
    checkpoint: Checkpoint,
    ids: Sequence[int],
    originals: Sequence[int],
    *,
    pieces: Sequence[str],
    vocabulary: int,
) -> JudgedReplacements:
    """Let a discriminator judge every token of a text that a generator has changed.

    Args:
        checkpoint: a discriminator with the generator's vocabulary.
        ids: what it reads, one a token.
        originals: ids of the text before the generator changed it.
        pieces: readable, what the ids mean to the generator.
        vocabulary: number of pieces that the generator knows.

    Raises:
        MissingHeadError: the model is no discriminator.
        OtherVocabularyError: its pieces are others than the generator's.
        SequenceTooLongError: it reads fewer tokens than the generator.
    """
    if Head.REPLACED_TOKEN not in checkpoint.config.heads:
        raise MissingHeadError("replaced tokens")
    tokenizer = checkpoint.tokenizer
    if tokenizer.vocabulary_size != vocabulary or _pieces(tokenizer, ids) != tuple(pieces):
        raise OtherVocabularyError(checkpoint.name)
    device, model = device_of(checkpoint), checkpoint.model
    inputs = Inputs(torch.tensor([[*ids]], device=device))
    with fused_attention():
        logits = captured(REPLACED, lambda: model.read(inputs))[0].float().cpu()  # [token]
    truths = torch.tensor(ids) != torch.tensor(originals)
    nats = functional.binary_cross_entropy_with_logits(logits, truths.float(), reduction="none")
    judged = zip(logits.sigmoid().tolist(), truths.tolist(), nats.tolist(), strict=True)
    return JudgedReplacements(
        tokens=tuple(
            DiscriminatedToken(position, probability, probability > THRESHOLD, truth, loss)
            for position, (probability, truth, loss) in enumerate(judged)
        ),
        loss=float(nats.mean()),
        device=str(device),
    )


def replace_by_generator(
    checkpoint: Checkpoint,
    generator: Checkpoint,
    text: str,
    *,
    share: float = 0.15,
    seed: int = 0,
    temperature: float = 1.0,
    top: int = 5,
    cut: bool = False,
) -> tuple[Replacements, JudgedReplacements]:
    """:func:`sample_replacements`, then :func:`judge_replacements`, with their errors."""
    sampled = sample_replacements(
        generator, text, share=share, seed=seed, temperature=temperature, top=top, cut=cut
    )
    judged = judge_replacements(
        checkpoint,
        sampled.ids,
        sampled.encoding.ids,
        pieces=sampled.pieces,
        vocabulary=sampled.vocabulary,
    )
    return sampled, judged
