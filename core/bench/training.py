"""Training tokens per second against Hugging Face's, and the share of the peak that is reached.

Models of one configuration in one loop (``core.training.loop``): AdamW, gradients clipped; on a GPU
bfloat16 where autocast allows it, and both compiled. A few steps of one, then as many of the other,
in turn. Each side computes its loss in its own way: ours asks a BERT's head about the hidden words
only, Hugging Face's about every word, and then ignores most of the answers.

Flops of a step: 6 for every weight of a matrix and every token that it meets (2 forwards, 4 back),
and 12 * layers * tokens * width * keys for the scores of the attention and what they mix (Chowdhery
et al. 2023, "PaLM", appendix B). Tables that are only looked up in cost nothing, and the output
matrix counts wherever we use it.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.bench.timing import device_name
from core.objectives.losses import IGNORED, at_positions, mean_losses, token_loss
from core.parity.reference import translate
from core.training.loop import LoopSettings, StepEvent, train
from core.training.optimisers import adamw
from core.training.schedules import Budget

ROUNDS = 8  # of each side, after the first, which compiles
STEPS = 10  # a round, on a GPU
TARGET = 1.0

# Dense bfloat16 with sums in float32, flops a second, from the makers' data sheets.
PEAKS = {
    "H200": 989e12,
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "A100": 312e12,
}


@dataclass(frozen=True)
class Texts:
    """A batch.

    Attributes:
        ids: what is read, ``[batch, token]``.
        labels: what is to be said, ``IGNORED`` elsewhere, ``[batch, token]``.
        positions: of these in a BERT's input, ``[batch, position]``.
        tokens: read on both sides.
    """

    ids: Tensor
    labels: Tensor
    positions: Tensor
    tokens: int


@dataclass(frozen=True)
class Contest:
    """A model to train on both sides.

    Attributes:
        name: of the system.
        reference: class in ``transformers``.
        settings: of its configuration.
        rows: texts a batch.
        length: tokens of a text.
        target: tokens of what a decoder of its own reads; 0 without.
        hidden: share of the tokens that are to be said; 1 for all.
    """

    name: str
    reference: str
    settings: Mapping[str, Any]
    rows: int
    length: int
    target: int = 0
    hidden: float = 1.0


# BERT-base, GPT-2 with half its layers, T5-small; without dropout, as our recipes train.
CONTESTS = (
    Contest(
        "bert",
        "BertForMaskedLM",
        {"vocab_size": 30_522, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        rows=64,
        length=512,
        hidden=0.15,
    ),
    Contest(
        "gpt",
        "GPT2LMHeadModel",
        {
            "vocab_size": 50_257,
            "n_layer": 6,
            "embd_pdrop": 0.0,
            "resid_pdrop": 0.0,
            "attn_pdrop": 0.0,
        },
        rows=32,
        length=1024,
    ),
    Contest(
        "t5",
        "T5ForConditionalGeneration",
        {"vocab_size": 32_128, "dropout_rate": 0.0, "decoder_start_token_id": 0},
        rows=64,
        length=512,
        target=128,
    ),
)


@dataclass(frozen=True)
class Speed:
    """One contest on one device.

    Attributes:
        device: ``"cpu"``, or the name of the GPU.
        system: what was trained.
        ours: tokens a second, the median.
        theirs: the same of Hugging Face's model.
        parameters: of the model.
        utilisation: flops of our training as a share of the device's peak; ``None`` where that is
            not known.
        target: the lowest ratio wanted.
    """

    device: str
    system: str
    ours: float
    theirs: float
    parameters: int
    utilisation: float | None
    target: float = TARGET

    @property
    def ratio(self) -> float:
        """Ours as a multiple of theirs."""
        return self.ours / self.theirs


class _TimedModel:
    """One of the two models as an objective of the loop; every batch is the same."""

    name = "bench"

    def __init__(self, loss: Callable[[Any, Texts], Tensor], batch: Texts) -> None:
        self._loss = loss
        self._batch = batch

    def batch(self, step: int) -> Texts:  # noqa: ARG002 - the loop's signature, as below
        return self._batch

    def shapes(self) -> Sequence[Texts]:
        return [self._batch]

    def losses(
        self,
        model: nn.Module,
        batch: Texts,
        counts: Mapping[str, Tensor] | None = None,  # noqa: ARG002
    ) -> dict[str, Tensor]:
        return {"loss": self._loss(model, batch)}

    def counts(self, batch: Texts) -> dict[str, Tensor]:  # noqa: ARG002
        return {}


def bench_training(
    device: torch.device,
    say: Callable[[str], None],
    contests: Sequence[Contest] = CONTESTS,
) -> Iterator[Speed]:
    """Train both sides of each contest in turn.

    Args:
        device: to train on; on a GPU compiled and in bfloat16.
        say: is told how far it is, a line at a time.
        contests: what to train.
    """
    on_gpu = device.type == "cuda"
    settings = LoopSettings(
        peak_rate=1e-4, report_every=STEPS if on_gpu else 1, compiled=on_gpu, half=on_gpu
    )
    for contest in contests:
        reference = reference_of(contest)
        model = translate(reference).to(device)
        reference.to(device)
        batch = batch_of(contest, device)
        runs = [
            _rounds(model, _TimedModel(OURS[contest.name], batch), settings),
            _rounds(reference, _TimedModel(theirs, batch), settings),
        ]
        speeds: list[list[float]] = [[], []]
        for number in range(-1, ROUNDS):
            for side in (0, 1) if number % 2 else (1, 0):
                began = time.perf_counter()
                next(runs[side])
                seconds = time.perf_counter() - began
                if number < 0:
                    say(f"{contest.name}, {('ours', 'theirs')[side]}: first round {seconds:.1f} s")
                else:
                    speeds[side].append(batch.tokens * settings.report_every / seconds)
        mine, other = (statistics.median(one) for one in speeds)
        flops = flops_of(contest, model) / batch.tokens
        peak = peak_of(device_name(device))
        speed = Speed(
            device_name(device),
            contest.name,
            mine,
            other,
            sum(one.numel() for one in model.parameters()),
            None if peak is None else mine * flops / peak,
        )
        say(f"{contest.name}: {mine:,.0f} against {other:,.0f} tokens/s, {speed.ratio:.3f}")
        yield speed
        del model, reference, runs
        gc.collect()
        if on_gpu:
            torch.compiler.reset()
            torch.cuda.empty_cache()


def _rounds(model: nn.Module, side: _TimedModel, settings: LoopSettings) -> Iterator[StepEvent]:
    steps = settings.report_every * (ROUNDS + 1)
    return train(model, side, adamw(model), Budget(steps=steps), settings)


def reference_of(contest: Contest) -> Any:
    """Hugging Face's model, freshly initialised, with the attention that it prefers."""
    import transformers

    model_class = getattr(transformers, contest.reference)
    torch.manual_seed(0)
    return model_class(model_class.config_class(**contest.settings))


def batch_of(contest: Contest, device: torch.device) -> Texts:
    """Random tokens, of which the contest's share is to be said."""
    generator = torch.Generator().manual_seed(0)
    vocabulary = int(contest.settings["vocab_size"])

    def draw(length: int) -> Tensor:
        return torch.randint(1, vocabulary, (contest.rows, length), generator=generator)

    ids, said = draw(contest.length), max(1, round(contest.hidden * contest.length))
    uniforms = torch.rand(ids.shape, generator=generator)
    positions = uniforms.topk(said).indices
    labels = torch.full_like(ids, IGNORED).scatter(1, positions, ids.gather(1, positions))
    if contest.target:
        labels = draw(contest.target)
    tokens = ids.numel() + (labels.numel() if contest.target else 0)
    return Texts(ids.to(device), labels.to(device), positions.to(device), tokens)


def _masked_words(model: Any, batch: Texts) -> Tensor:
    logits = model.score_words(at_positions(model.encode(batch.ids), batch.positions))
    return _mean(logits, batch.labels.gather(1, batch.positions))


def _next_words(model: Any, batch: Texts) -> Tensor:
    logits = model.score_words(model.decode(batch.ids)[:, :-1])
    return _mean(logits, batch.labels[:, 1:])


def _target_words(model: Any, batch: Texts) -> Tensor:
    read = nn.functional.pad(batch.labels[:, :-1], (1, 0), value=model.config.start_id)
    hidden = model.decode(read, model.encode(batch.ids))
    return _mean(model.score_words(hidden), batch.labels)


OURS: dict[str, Callable[[Any, Texts], Tensor]] = {
    "bert": _masked_words,
    "gpt": _next_words,
    "t5": _target_words,
}


def _mean(logits: Tensor, labels: Tensor) -> Tensor:
    return mean_losses({"words": token_loss(logits, labels)}, {})["loss"]


def theirs(model: Any, batch: Texts) -> Tensor:
    """Hugging Face's own loss of a batch."""
    options = {} if model.config.model_type == "bert" else {"use_cache": False}
    return model(input_ids=batch.ids, labels=batch.labels, **options).loss


def peak_of(name: str) -> float | None:
    """Flops a second that a GPU of this name can reach, or ``None``."""
    return next((peak for part, peak in PEAKS.items() if part in name), None)


def flops_of(contest: Contest, model: Any) -> float:
    """Flops of our training on one batch, see the module's text."""
    config = model.config
    rows, source, target = contest.rows, contest.length, contest.target

    def matrices(part: nn.Module | None) -> int:
        if part is None:
            return 0
        return sum(one.weight.numel() for one in part.modules() if isinstance(one, nn.Linear))

    def attention(stack: Any, queries: int, keys: int) -> float:
        shape = stack.layer.attention
        return 12.0 * stack.depth * queries * keys * shape.heads * shape.head_size

    table = config.embedding.vocabulary * config.embedding.width
    said = target or max(1, round(contest.hidden * source))
    head = matrices(getattr(model, "masked_language", None))
    flops = 6.0 * (table + head) * said
    encoder, decoder = getattr(model, "encoder", None), getattr(model, "decoder", None)
    flops += 6.0 * matrices(encoder) * source
    if config.encoder is not None:
        flops += attention(config.encoder, source, source)
    if config.decoder is not None:
        read = target or source
        across = sum(matrices(one.cross_attention) for one in model.decoder.layers)
        keys_values = across // 2  # these two meet the source, the other two the target
        flops += 6.0 * ((matrices(decoder) - keys_values) * read + keys_values * source)
        flops += attention(config.decoder, read, read)
        if target:
            flops += attention(config.decoder, target, source)
    return rows * flops
