"""The texts that a vocabulary is learnt from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.bounds import require
from core.errors import ConfigError
from core.training.corpora import read_documents
from core.training.parallel import training_pairs


def texts_to_count(
    files: Sequence[Path], pairs: Sequence[Path] = (), limit_mb: float = 100.0
) -> Iterator[str]:
    """Yield paragraphs and sentences from all files in turn, until there are enough.

    Args:
        files: running text; a turn is a document.
        pairs: pairs of texts, of which those held out for measuring are left out; a turn is a pair.
        limit_mb: megabytes of text after which no more is read.

    Raises:
        ConfigError: no file is given, or the limit is not above 0.
        CorpusError: a file cannot be read.
    """
    if not (files or pairs):
        raise ConfigError("a vocabulary is learnt from --data or --pairs")
    require(limit_mb=limit_mb)
    waiting: deque[Iterator[Sequence[str]]] = deque(
        [*map(read_documents, files), *(iter(training_pairs(path)) for path in pairs)]
    )
    room = limit_mb * 1e6
    while waiting:
        source = waiting.popleft()
        texts = next(source, None)
        if texts is None:
            continue
        for text in texts:
            if room <= 0:
                return
            room -= len(text.encode())
            yield text
        waiting.append(source)
