"""Whether a T5 fills blanks with as many words as are asked for, and whether it repeats itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from core.checkpoints import Checkpoint
from core.decoding import GREEDY, Sampling, write
from core.decoding.blanks import MOST_FREE, FilledBlanks
from core.decoding.reader import reader_of
from core.errors import ConfigError
from core.tasks.fill_spans import FREE, decoded, find_blanks, source_of
from core.training.corpora import CorpusError, read_documents, split_sentences

# Words of a blank, and how many sentences are tried: long ones take their time.
TRIED = {1: 1000, 2: 20, 4: 20, 8: 20, 16: 20, 32: 10, 64: 20, 512: 1}
FREE_TRIALS = 200
SAMPLED = Sampling(temperature=0.8, top_p=0.9)
_BATCH = 32  # texts that are filled at once
_SHORTEST, _LONGEST = 8, 40  # words of a sentence that is tried


@dataclass(frozen=True)
class BlankedSentence:
    """A sentence with one blank, and what was there.

    Attributes:
        text: as a reader writes it.
        word: that the blank stands for.
    """

    text: str
    word: str


def blanked_sentences(path: Path, seed: int) -> list[BlankedSentence]:
    """Sentences of a text, a word in each left out, but not the first.

    Punctuation that closes the word stays. One sentence of each document comes first, then another
    of each that has two, and so on, all in random order: the first n of them are spread over the
    documents as evenly as n can be.

    Raises:
        CorpusError: it cannot be read, or has no sentence of 8 to 40 words.
    """
    generator = torch.Generator().manual_seed(seed)
    rounds: list[list[BlankedSentence]] = []
    for document in read_documents(path):
        found = []
        for paragraph in document:
            for sentence in split_sentences(paragraph):
                words = sentence.split()
                indices = [n for n, word in enumerate(words) if n and _letters(word)]
                if _SHORTEST <= len(words) <= _LONGEST and "_" not in sentence and indices:
                    index = indices[int(torch.randint(len(indices), (1,), generator=generator))]
                    word = _letters(words[index])
                    words[index] = "___" + words[index][len(word) :]
                    found.append(BlankedSentence(" ".join(words), word))
        for number, blanked in enumerate(_shuffled(found, generator)):
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(blanked)
    if not rounds:
        raise CorpusError(f"no sentence of the text has {_SHORTEST} to {_LONGEST} words")
    return [blanked for one in rounds for blanked in _shuffled(one, generator)]


def _shuffled(
    sentences: Sequence[BlankedSentence], generator: torch.Generator
) -> list[BlankedSentence]:
    return [sentences[number] for number in torch.randperm(len(sentences), generator=generator)]


def _letters(word: str) -> str:
    # The word without what closes it; nothing for one that is not all letters before that.
    bare = word.rstrip(".,;:!?)\"”’'")
    return bare if bare.isalpha() else ""


def distinct(words: Sequence[str], size: int = 3) -> float:
    """Share of different runs of ``size`` words; 1 for fewer words than that."""
    runs = list(zip(*(words[offset:] for offset in range(size)), strict=False))
    return len(set(runs)) / len(runs) if runs else 1.0


@dataclass(frozen=True)
class Fillings:
    """What came of it.

    Attributes:
        exact: by words asked for, the share of blanks that got exactly as many.
        tried: by words asked for, how many blanks.
        one_word: share of single words that are the ones left out.
        distinct3: mean share of different runs of three words in blanks of 64, always the likeliest
            piece taken.
        distinct3_sampled: the same when sampled (temperature 0.8, top-p 0.9).
        free: of blanks whose number of words is left to the model, where one word was.
    """

    exact: dict[int, float]
    tried: dict[int, int]
    one_word: float
    distinct3: float
    distinct3_sampled: float
    free: FreeFillings


@dataclass(frozen=True)
class FreeFillings:
    """What came of free blanks.

    Attributes:
        tried: how many blanks.
        ended: share that the model closed itself, before it had as many words as it may have.
        ended_chance: the same with chance, as in :class:`Fillings`.
        right: share that got the word left out and nothing else.
        words: mean number of words.
    """

    tried: int
    ended: float
    ended_chance: float
    right: float
    words: float


def try_fillings(
    checkpoint: Checkpoint, path: Path, *, seed: int = 0, share: float = 1
) -> Fillings:
    """Fill blanks of 1 to 512 words in sentences of a held-out text.

    Args:
        checkpoint: a T5.
        path: the text.
        seed: of all random draws.
        share: of the sentences that are tried otherwise; at least one of each size.

    Raises:
        ConfigError: a share of nothing or of more than all.
        CorpusError: see :func:`blanked_sentences`.
    """
    if not 0 < share <= 1:
        raise ConfigError(f"a share is above 0 and at most 1, not {share}")
    found = blanked_sentences(path, seed)
    exact, tried = {}, {}
    fillings: dict[int, list[str]] = {}
    drawn: list[str] = []
    for words, most in TRIED.items():
        chosen = found[: max(1, round(share * most))]
        fillings[words] = _filled(checkpoint, chosen, words)
        hits = sum(len(filling.split()) == words for filling in fillings[words])
        exact[words], tried[words] = hits / len(chosen), len(chosen)
        if words == 64:
            drawn = _filled(checkpoint, chosen, words, seed)
    return Fillings(
        exact,
        tried,
        _right(fillings[1], found),
        _distinct(fillings[64]),
        _distinct(drawn),
        _try_free(checkpoint, found[: max(1, round(share * FREE_TRIALS))], seed),
    )


def _right(fillings: Sequence[str], chosen: Sequence[BlankedSentence]) -> float:
    same = (
        one.lower() == blanked.word.lower() for one, blanked in zip(fillings, chosen, strict=False)
    )
    return sum(same) / len(fillings)


def _distinct(fillings: Sequence[str]) -> float:
    return sum(distinct(one.lower().split()) for one in fillings) / len(fillings)


def _filled(
    checkpoint: Checkpoint,
    chosen: Sequence[BlankedSentence],
    words: int | None,
    seed: int | None = None,
) -> list[str]:
    """The blank of each trial filled, many texts at a time.

    Args:
        checkpoint: a T5.
        chosen: the trials.
        words: of each blank; ``None`` for a free one.
        seed: of all random draws; ``None`` for the likeliest piece each time.
    """
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    names = {number: piece for piece, number in tokenizer.inner.get_vocab().items()}
    size = FREE if words is None else words
    sources = [
        torch.tensor(source_of(find_blanks(one.text.replace("___", f"___{size}___")), tokenizer))
        for one in chosen
    ]
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    device = next(model.parameters()).device
    filled = []
    for start in range(0, len(sources), _BATCH):
        some = sources[start : start + _BATCH]
        ids = pad_sequence(some, batch_first=True, padding_value=tokenizer.pad_id).to(device)
        lengths = torch.tensor([len(one) for one in some], device=device)
        keep = torch.arange(ids.shape[1], device=device) < lengths[:, None]
        guide = FilledBlanks(
            tokenizer,
            [words],
            vocabulary=checkpoint.config.embedding.vocabulary,
            rows=len(some),
            device=device,
        )
        steps = write(
            reader_of(model, ids, keep),
            most=guide.most,
            sampling=GREEDY if generator is None else SAMPLED,
            generator=generator,
            guide=guide,
        )
        for _ in steps:
            pass
        filled += [decoded(guide.pieces(row)[0], names) for row in range(len(some))]
    return filled


def _try_free(checkpoint: Checkpoint, chosen: Sequence[BlankedSentence], seed: int) -> FreeFillings:
    def ended(fillings: Sequence[str]) -> float:
        return sum(len(one.split()) < MOST_FREE for one in fillings) / len(fillings)

    fillings = _filled(checkpoint, chosen, None)
    return FreeFillings(
        tried=len(chosen),
        ended=ended(fillings),
        ended_chance=ended(_filled(checkpoint, chosen, None, seed)),
        right=_right(fillings, chosen),
        words=sum(len(one.split()) for one in fillings) / len(fillings),
    )
