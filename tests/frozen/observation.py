"""What a checkpoint does with a sentence, read at the hook points of plain forward passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.hooks import Trace, capture
from core.models.body import Inputs
from core.tasks.continue_text import continue_text
from core.tasks.fill_spans import fill_spans, find_blanks, source_of
from core.tasks.forward import encode, inputs_of
from core.tasks.translate import translate
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import sentinel_ids
from core.tokenisation.languages import languages_of
from tests.frozen.sentences import Sentence

WRITTEN_PIECES = 16  # of a text that is continued

_IN_ENCODER = "encoder.layers.*.attention.pattern"
_IN_DECODER = "decoder.layers.*.attention.pattern"
_ACROSS = "decoder.layers.*.cross_attention.pattern"
_WORDS = "language.logits"


@dataclass(frozen=True)
class Choices:
    """What a head scores at some positions.

    Attributes:
        scores: ``[position, choice]``.
        names: of the choices: pieces, or what a class stands for.
    """

    scores: NDArray[np.float32]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Observation:
    """Everything that is frozen.

    Attributes:
        tokens: by name; those that a decoder reads come last.
        maps: the attention of every layer, stack and stream in the order of the passes, each
            ``[head, query, key]``; behind them what heads give that judge and do not name pieces,
            in probabilities or as it is.
        choices: of every head, by the name of its hook point.
        written: by a model that writes.
    """

    tokens: tuple[str, ...]
    maps: tuple[NDArray[np.float32], ...]
    choices: dict[str, Choices]
    written: str | None = None


@torch.inference_mode()
def observe(checkpoint: Checkpoint, sentence: Sentence) -> Observation:
    """Run a checkpoint on a sentence, and let it write if it can. Nothing is drawn at random.

    Raises:
        HeadlightError: the sentence is none for this model.
    """
    model = checkpoint.model
    if model.text_to_text:
        return _text_to_text(checkpoint, sentence)
    if model.causal:
        return _decoder(checkpoint, sentence)
    return _permutation(checkpoint, sentence) if model.streams else _encoder(checkpoint, sentence)


def _encoder(checkpoint: Checkpoint, sentence: Sentence) -> Observation:
    tokenizer = checkpoint.tokenizer
    encoding = encode(checkpoint, sentence.text, sentence.pair)
    positions = _positions_of(sentence.hide, encoding.words)
    if positions:
        encoding = tokenizer.hide(encoding, sentence.hide)
    model, inputs, names = (
        checkpoint.model,
        inputs_of(checkpoint, encoding.ids, encoding.segments),
        _names(tokenizer),
    )
    with (
        capture([_IN_ENCODER], keep=_kept) as seen,
        capture(["*.logits"] if checkpoint.config.heads else [], keep=_kept) as said,
    ):
        output = model.read(inputs)
    choices: dict[str, Choices] = {}
    numbers: list[Tensor] = []
    for record in said.records:
        value = record.value[0]
        match record.site.name:
            case "masked_language.logits" as head:
                choices[head] = _pieces(value, names, positions)
            case "replaced_token.logits" as head:
                choices[head] = _verdicts(value)
                numbers.append(value.sigmoid())
            case head:
                choices[head] = _classes(value)
                numbers.append(value.softmax(dim=-1))
    if model.span_positions and positions:
        around = (torch.tensor([[position + step for position in positions]]) for step in (-1, 1))
        left, right = (output.hidden[:, one[0]] for one in around)
        offset = torch.zeros(1, len(positions), dtype=torch.long)
        found = model.score_spans(left, right, offset)[0]
        choices["span_boundary.logits"] = _pieces(found, names, range(len(positions)))
    tasks = [task.name for task in checkpoint.config.tasks]
    for task, answers in (model.answer_tasks(inputs, tasks) if tasks else {}).items():
        found = answers[0].float()
        if found.ndim:
            choices[f"tasks.{task}"] = _classes(found)
        numbers.append(found.softmax(dim=-1) if found.ndim else found)
    said_in_numbers = tuple(one.numpy() for one in numbers)
    return Observation(encoding.tokens, (*_maps(seen), *said_in_numbers), choices)


def _permutation(checkpoint: Checkpoint, sentence: Sentence) -> Observation:
    """Once with everybody in sight, once with the hidden words last, for the query stream."""
    encoding = encode(checkpoint, sentence.text, sentence.pair)
    positions = _positions_of(sentence.hide, encoding.words)
    model, inputs = checkpoint.model, inputs_of(checkpoint, encoding.ids, encoding.segments)
    rank = torch.arange(len(encoding))
    rank[positions] += len(encoding)
    order = (rank[None, :] < rank[:, None])[None]  # [1, query, key]
    with capture([_IN_ENCODER], keep=_kept) as seen:
        model.read(inputs)
        with capture([_WORDS], keep=_kept) as said:
            model.read(replace(inputs, order=order, predicted=torch.tensor([positions])))
    found = _pieces(said[_WORDS][0], _names(checkpoint.tokenizer), range(len(positions)))
    return Observation(encoding.tokens, _maps(seen), {_WORDS: found})


def _decoder(checkpoint: Checkpoint, sentence: Sentence) -> Observation:
    encoding = encode(checkpoint, sentence.text)
    with capture([_IN_DECODER], keep=_kept) as seen, capture([_WORDS], keep=_kept) as said:
        checkpoint.model.read(inputs_of(checkpoint, encoding.ids, encoding.segments))
    found = _pieces(said[_WORDS][0], _names(checkpoint.tokenizer), range(len(encoding)))
    written = continue_text(checkpoint, sentence.text, most=WRITTEN_PIECES).texts[0]
    return Observation(encoding.tokens, _maps(seen), {_WORDS: found}, written)


def _text_to_text(checkpoint: Checkpoint, sentence: Sentence) -> Observation:
    tokenizer, config = checkpoint.tokenizer, checkpoint.config
    target = [] if config.start_id is None else [config.start_id]
    if marks := sentinel_ids(tokenizer):
        source = source_of(find_blanks(sentence.text), tokenizer)
        written = fill_spans(checkpoint, sentence.text).texts[0]
        for mark, part in zip(marks, sentence.target, strict=False):
            target += [mark, *tokenizer.ids_of(part)]
    else:
        language = sentence.language
        tag = () if language is None else (languages_of(tokenizer)[language],)
        source = (*tag, *encode(checkpoint, sentence.text).ids)
        written = translate(checkpoint, sentence.text, language=language, beams=1).text
        target += tokenizer.ids_of(" ".join(sentence.target))
    # A recurrent network has attention across only.
    within = [] if config.recurrent is not None else [_IN_ENCODER, _IN_DECODER]
    with capture([*within, _ACROSS], keep=_kept) as seen, capture([_WORDS], keep=_kept) as said:
        checkpoint.model.read(Inputs(torch.tensor([source]), target=torch.tensor([target])))
    found = _pieces(said[_WORDS][0], _names(tokenizer), range(len(target)))
    tokens = tuple(map(tokenizer.token, (*source, *target)))
    return Observation(tokens, _maps(seen), {_WORDS: found}, written)


def _positions_of(hide: Sequence[int], words: Sequence[int | None]) -> list[int]:
    return [at for at, word in enumerate(words) if word is not None and word in hide]


def _kept(value: Tensor) -> Tensor:
    return value.float().clone()


def _maps(trace: Trace) -> tuple[NDArray[np.float32], ...]:
    return tuple(record.value[0].numpy() for record in trace.records)


def _names(tokenizer: Tokenizer) -> tuple[str, ...]:
    pieces = {number: piece for piece, number in tokenizer.inner.get_vocab().items()}
    return tuple(pieces.get(number, f"#{number}") for number in range(max(pieces) + 1))


def _pieces(scores: Tensor, names: tuple[str, ...], positions: Iterable[int]) -> Choices:
    """``[token, vocabulary]`` at some positions; rows of the table without a piece are left out."""
    return Choices(scores[list(positions), : len(names)].float().numpy(), names)


def _verdicts(scores: Tensor) -> Choices:
    """``[token]``, positive for "replaced"."""
    both = torch.stack([torch.zeros_like(scores), scores], dim=-1)
    return Choices(both.float().numpy(), ("original", "replaced"))


def _classes(scores: Tensor) -> Choices:
    """``[class]`` or ``[token, class]``; classes are numbered."""
    rows = torch.atleast_2d(scores).float()
    return Choices(rows.numpy(), tuple(map(str, range(rows.shape[-1]))))
