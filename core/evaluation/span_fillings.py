"""Whether a T5 fills blanks with as many words as are asked for, and whether it repeats itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from core.checkpoints import Checkpoint
from core.decoding import GREEDY, Sampling
from core.decoding.blanks import MOST_FREE
from core.errors import ConfigError
from core.tasks import fill_spans
from core.training.corpora import CorpusError, read_documents, split_sentences

# Words of a blank, and how many sentences are tried: long ones take their time.
TRIALS = {1: 1000, 2: 20, 4: 20, 8: 20, 16: 20, 32: 10, 64: 20, 512: 1}
FREE_TRIALS = 200
CHANCE = Sampling(temperature=0.8, top_p=0.9)
_SHORTEST, _LONGEST = 8, 40  # words of a sentence that is tried


@dataclass(frozen=True)
class Trial:
    """A sentence with one blank, and what was there.

    Attributes:
        text: as a reader writes it.
        word: that the blank stands for.
    """

    text: str
    word: str


def trials(path: Path, seed: int) -> list[Trial]:
    """Sentences of a text, a word in each left out, but not the first.

    Punctuation that closes the word stays. One sentence of each document comes first, then another
    of each that has two, and so on, all in random order: the first n of them are spread over the
    documents as evenly as n can be.

    Raises:
        CorpusError: it cannot be read, or has no sentence of 8 to 40 words.
    """
    chance = torch.Generator().manual_seed(seed)
    rounds: list[list[Trial]] = []
    for document in read_documents(path):
        found = []
        for paragraph in document:
            for sentence in split_sentences(paragraph):
                words = sentence.split()
                places = [n for n, word in enumerate(words) if n and _letters(word)]
                if _SHORTEST <= len(words) <= _LONGEST and "_" not in sentence and places:
                    place = places[int(torch.randint(len(places), (1,), generator=chance))]
                    word = _letters(words[place])
                    words[place] = "___" + words[place][len(word) :]
                    found.append(Trial(" ".join(words), word))
        for number, trial in enumerate(_shuffled(found, chance)):
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(trial)
    if not rounds:
        raise CorpusError(f"no sentence of the text has {_SHORTEST} to {_LONGEST} words")
    return [trial for one in rounds for trial in _shuffled(one, chance)]


def _shuffled(trials: Sequence[Trial], chance: torch.Generator) -> list[Trial]:
    return [trials[number] for number in torch.randperm(len(trials), generator=chance)]


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
        distinct3_chance: the same with chance (temperature 0.8, top-p 0.9).
        free: of blanks whose number of words is left to the model, where one word was.
    """

    exact: dict[int, float]
    tried: dict[int, int]
    one_word: float
    distinct3: float
    distinct3_chance: float
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
        seed: of all chance.
        share: of the sentences that are tried otherwise; at least one of each size.

    Raises:
        ConfigError: a share of nothing or of more than all.
        CorpusError: see :func:`trials`.
    """
    if not 0 < share <= 1:
        raise ConfigError(f"a share is above 0 and at most 1, not {share}")
    found = trials(path, seed)
    exact, tried, right = {}, {}, 0
    greedy: list[float] = []
    lucky: list[float] = []
    for words, most in TRIALS.items():
        chosen = found[: max(1, round(share * most))]
        hits = 0
        for trial in chosen:
            text = trial.text.replace("___", f"___{words}___")
            filling = fill_spans(checkpoint, text, sampling=GREEDY).fillings[0][0]
            hits += len(filling.split()) == words
            right += words == 1 and filling.lower() == trial.word.lower()
            if words == 64:
                greedy.append(distinct(filling.lower().split()))
                drawn = fill_spans(checkpoint, text, sampling=CHANCE, seed=seed).fillings[0][0]
                lucky.append(distinct(drawn.lower().split()))
        exact[words], tried[words] = hits / len(chosen), len(chosen)
    return Fillings(
        exact,
        tried,
        right / tried[1],
        sum(greedy) / len(greedy),
        sum(lucky) / len(lucky),
        _try_free(checkpoint, found[: max(1, round(share * FREE_TRIALS))], seed),
    )


def _try_free(checkpoint: Checkpoint, chosen: Sequence[Trial], seed: int) -> FreeFillings:
    def ended(filling: str) -> bool:
        return len(filling.split()) < MOST_FREE

    fillings, ends_chance = [], 0
    for trial in chosen:
        text = trial.text.replace("___", "___*___")
        fillings.append(fill_spans(checkpoint, text, sampling=GREEDY).fillings[0][0])
        drawn = fill_spans(checkpoint, text, sampling=CHANCE, seed=seed).fillings[0][0]
        ends_chance += ended(drawn)
    same = (
        filling.lower() == trial.word.lower()
        for filling, trial in zip(fillings, chosen, strict=True)
    )
    count = len(chosen)
    return FreeFillings(
        tried=count,
        ended=sum(map(ended, fillings)) / count,
        ended_chance=ends_chance / count,
        right=sum(same) / count,
        words=sum(len(filling.split()) for filling in fillings) / count,
    )
