"""Held-out figures of an ELECTRA: how well it finds the tokens that its generator replaced."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.evaluation.options import Figures, Options
from core.evaluation.windows import choose_windows, windows_of
from core.models.architectures.electra import Electra
from core.models.blocks.attention import fused_attention
from core.models.encoder import EncoderBody
from core.objectives.masking import MaskingRule, mask_tokens
from core.objectives.pieces import ordinary_ids, specials_of
from core.objectives.replaced_tokens import sample_tokens
from core.objectives.sentence_pairs import SHORTEST
from core.tasks.errors import OtherVocabularyError
from core.training.corpora import TokenCorpus

GENERATOR = "electra-generator"

FLAT = (2.0, 3.0)  # temperatures

_RULE = MaskingRule(share=0.15, masked=1.0, replaced=0.0)


@dataclass(frozen=True)
class Verdicts:
    """How well scores tell two kinds of tokens apart.

    Attributes:
        auc: the probability that a replaced token scores higher than an original one, a tie counted
            half; ``None`` where there is only one kind.
        accuracy: share judged rightly at a probability of 0.5, where a score of exactly 0 is wrong.
        all_original_accuracy: what calling every token original would reach.
        precision: of the tokens called replaced, the share that are; ``None`` if there are none.
        recall: of the replaced tokens, the share called so; ``None`` if there are none.
        f1: harmonic mean of the two, ``None`` without both.
        replaced_share: of all tokens judged.
        tokens: judged.
    """

    auc: float | None
    accuracy: float
    all_original_accuracy: float
    precision: float | None
    recall: float | None
    f1: float | None
    replaced_share: float
    tokens: int


@dataclass(frozen=True)
class ReplacedFigures:
    """Measured on held-out text, special tokens and padding left out.

    Attributes:
        verdicts: the discriminator's.
        flat: the same where the generator's samples are drawn at the temperatures in ``FLAT``:
            fewer of them are the original, and more are out of place.
        loss: its mean nats a token, of ``verdicts``.
        generator_top1: share of hidden tokens whose original is the generator's first guess.
        generator_top5: share whose original is among its first five.
        generator_loss: its mean nats a hidden token.
        generator_places: number of hidden tokens.
        windows: inputs of running text that were read.
        windows_available: inputs that the text would give.
        length: tokens an input, at most.
    """

    verdicts: Verdicts
    flat: dict[float, Verdicts]
    loss: float
    generator_top1: float
    generator_top5: float
    generator_loss: float
    generator_places: int
    windows: int
    windows_available: int
    length: int


def verdicts_of(scores: Tensor, replaced: Tensor) -> Verdicts:
    """Judge scores by the truth.

    Args:
        scores: positive for "replaced", ``[token]``; one that is no number counts as wrong.
        replaced: the truth, boolean ``[token]``.

    Raises:
        ConfigError: there is no token.
    """
    tokens = len(scores)
    if not tokens:
        raise ConfigError("there is no token to judge")
    scores = scores.double()
    worst = torch.where(replaced, -torch.inf, torch.inf)
    scores = torch.where(scores.isnan(), worst, scores)
    called = scores > 0
    right = torch.where(replaced, called, scores < 0)
    hits, positives = int((called & replaced).sum()), int(replaced.sum())
    precision = hits / int(called.sum()) if called.any() else None
    recall = hits / positives if positives else None
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * hits / (int(called.sum()) + positives)
    return Verdicts(
        auc=area_under_curve(scores, replaced),
        accuracy=int(right.sum()) / tokens,
        all_original_accuracy=(tokens - positives) / tokens,
        precision=precision,
        recall=recall,
        f1=f1,
        replaced_share=positives / tokens,
        tokens=tokens,
    )


def area_under_curve(scores: Tensor, positive: Tensor) -> float | None:
    """The area under the ROC curve, from ranks: Mann and Whitney's U, ties counted half.

    Args:
        scores: ``[token]``, numbers.
        positive: which should score higher, boolean ``[token]``.

    Returns:
        From 0 to 1; ``None`` where all tokens are of one kind.
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return None
    _, index, count = scores.unique(return_inverse=True, return_counts=True)
    last = count.cumsum(0).double()
    rank = last - (count - 1) / 2  # of equal scores the mean, counted from 1
    above = float(rank[index][positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


@torch.inference_mode()
def evaluate_discriminator(
    discriminator: Checkpoint,
    generator: Checkpoint,
    corpus: TokenCorpus,
    *,
    length: int = 128,
    windows: int = 2000,
    seed: int = 0,
) -> ReplacedFigures:
    """Hide 15 % of the tokens, let the generator draw others, ask what was replaced.

    A drawn token that happens to be the original counts as original. As in training all hidden
    tokens become masks for the generator.

    Args:
        discriminator: with the head for replaced tokens.
        generator: with the masked-word head and the same vocabulary, on the same device.
        corpus: held-out text in their tokens, on that device.
        length: tokens an input, special ones included.
        windows: inputs at most; of more, so many are drawn at random.
        seed: of all random draws.

    Raises:
        ConfigError: ``length`` or ``windows`` is out of its range.
        CorpusError: the text is too short.
        MissingHeadError: one of them lacks its head.
        OtherVocabularyError: the two have different vocabularies.
    """
    _check(discriminator, generator, length, windows)
    tokenizer, device = discriminator.tokenizer, corpus.tokens.device
    judge, writer = cast(Electra, discriminator.model), cast(EncoderBody, generator.model)
    specials, ordinary = specials_of(tokenizer), ordinary_ids(tokenizer).to(device)
    random_generator = torch.Generator(device).manual_seed(seed)
    chosen, available = choose_windows(corpus, length, windows, random_generator)
    guesses: list[Tensor] = []  # [rank of the original, nats] of each hidden token
    # By temperature, [score, was it replaced] of each token.
    judged: dict[float, list[Tensor]] = {temperature: [] for temperature in (1.0, *FLAT)}
    with fused_attention():
        for inputs in windows_of(corpus, chosen, length, specials):
            masked = mask_tokens(
                inputs.ids,
                inputs.ordinary,
                rule=_RULE,
                mask_id=specials.mask,
                ordinary_ids=ordinary,
                generator=random_generator,
            )
            row, column = masked.weights.nonzero(as_tuple=True)
            position, label = masked.positions[row, column], masked.labels[row, column]
            hidden = writer.encode(masked.ids, None, inputs.keep)
            logits = writer.score_words(hidden[row, position]).float()  # [position, vocabulary]
            guesses.append(_ranks_and_nats(logits, label).cpu())
            uniforms = torch.rand(len(position), generator=random_generator, device=device)
            for temperature, scored in judged.items():
                seen = inputs.ids.clone()
                seen[row, position] = sample_tokens(logits / temperature, uniforms)
                score = judge.judge_tokens(judge.encode(seen, None, inputs.keep)).float()
                both = torch.stack([score, (seen != inputs.ids).float()], dim=-1)
                scored.append(both[inputs.ordinary].cpu())

    scores, truths = torch.cat(judged[1.0]).unbind(1)
    ranks, nats = torch.cat(guesses).unbind(1)
    return ReplacedFigures(
        verdicts=_verdicts(judged[1.0]),
        flat={temperature: _verdicts(judged[temperature]) for temperature in FLAT},
        loss=float(functional.binary_cross_entropy_with_logits(scores, truths)),
        generator_top1=float((ranks < 1).float().mean()),
        generator_top5=float((ranks < 5).float().mean()),
        generator_loss=float(nats.mean()),
        generator_places=len(ranks),
        windows=len(chosen),
        windows_available=available,
        length=length,
    )


def _verdicts(judged: list[Tensor]) -> Verdicts:
    scores, truths = torch.cat(judged).unbind(1)
    return verdicts_of(scores, truths.bool())


def _ranks_and_nats(logits: Tensor, label: Tensor) -> Tensor:
    """Of each hidden token, its rank among all guesses, from 0, and its loss: ``[position, 2]``."""
    # Behind every piece that scores as well, or no number: a tie is no right guess.
    rank = (~(logits < logits.gather(1, label[:, None]))).sum(1) - 1
    nats = functional.cross_entropy(logits, label, reduction="none")
    return torch.stack([rank.float(), nats], dim=1)


def evaluate_replaced(checkpoint: Checkpoint, options: Options) -> Figures:
    """All figures of a discriminator, against the generator that is named or bundled.

    Raises:
        ConfigError: no text is given, or as in :func:`evaluate_discriminator`.
        CheckpointError: the generator cannot be opened.
    """
    if options.text is None:
        raise ConfigError("a discriminator is measured on --text")
    began = time.monotonic()
    device = next(checkpoint.model.parameters()).device
    here = Path.cwd()
    generator = load_checkpoint(
        options.generator or GENERATOR,
        device=device,
        policy=LoadPolicy(roots=(here, Path(here.anchor))),
    )
    found = evaluate_discriminator(
        checkpoint,
        generator,
        TokenCorpus.from_files([options.text], checkpoint.tokenizer.inner).to(device),
        length=options.length,
        windows=options.windows,
        seed=options.seed,
    )
    figures = asdict(found)
    verdicts, flat = figures.pop("verdicts"), figures.pop("flat")
    return {
        "generator": generator.name,
        **verdicts,
        **{f"temperature_{temperature:g}": one for temperature, one in flat.items()},
        **figures,
        "seconds": time.monotonic() - began,
    }


def _check(discriminator: Checkpoint, generator: Checkpoint, length: int, windows: int) -> None:
    if Head.REPLACED_TOKEN not in discriminator.config.heads:
        raise MissingHeadError("replaced tokens")
    if Head.MASKED_LANGUAGE not in generator.config.heads:
        raise MissingHeadError("masked words")
    one, other = (each.tokenizer.inner.get_vocab() for each in (discriminator, generator))
    if one != other:
        raise OtherVocabularyError(discriminator.name)
    positions = min(each.config.embedding.max_positions for each in (discriminator, generator))
    if not SHORTEST <= length <= positions:
        raise ConfigError(
            f"an input of these models holds {SHORTEST} to {positions} tokens, not {length}"
        )
    if windows < 1:
        raise ConfigError(f"at least 1 input must be read, not {windows}")
