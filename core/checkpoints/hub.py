"""Fetching checkpoints from the Hugging Face hub: public ones, named files only, within limits."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar, cast

from huggingface_hub import HfApi, constants, hf_hub_download
from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError
from huggingface_hub.file_download import repo_folder_name

from core.checkpoints.catalogue import bundled
from core.checkpoints.families import family_of_settings
from core.checkpoints.files import (
    CONFIG,
    INDEX,
    LIMITS,
    PICKLE_SUFFIXES,
    TOKENIZER_FILES,
    WEIGHTS,
    Folder,
    find_shards,
)
from core.checkpoints.policy import LoadPolicy
from core.checkpoints.tokenizer_files import load_tokenizer
from core.hugging_face.errors import (
    CheckpointError,
    CheckpointNotAllowedError,
    NotACheckpointError,
    NotFetchedError,
    OfflineError,
    PickleRefusedError,
    TooLargeError,
    UnknownCheckpointError,
)
from core.tokenisation import TokenizerFileError

ANSWER_SECONDS = 2.0  # for the hub's first answer, the look-up of its address included
REPORT_SECONDS = 0.2

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
# In a repository's folder of the cache, which may also hold what its owner fetched with rights of
# their own: the commit that was fetched without any.
_FETCHED = "headlight-fetched"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHARD = re.compile(r"model-[0-9]+-of-[0-9]+\.safetensors")
_Answer = TypeVar("_Answer")


class Progress(NamedTuple):
    """How far a download is."""

    done_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class _Plan:
    """What is to be fetched of one commit: sizes by file, ``config.json`` first."""

    name: str
    commit: str
    sizes: dict[str, int]


def is_hub_name(name: str) -> bool:
    """Whether it looks like ``owner/name``."""
    return _NAME.fullmatch(name) is not None


def is_cached(name: str) -> bool:
    """Whether a complete copy of the checkpoint lies in the hub's cache."""
    return _cached(name) is not None


def hub_folder(name: str, policy: LoadPolicy) -> Folder:
    """The folder of a checkpoint on the hub: from the cache if it is complete there, else fetched.

    Raises:
        NotFetchedError: nobody has fetched it, and the policy fetches nothing on demand.
        CheckpointError: as :func:`download`.
    """
    if not policy.fetch_on_demand:
        return _fetched(name)
    folder = _cached(name)
    if folder is None:
        for _ in download(name, policy):
            pass
        folder = _cached(name)
    if folder is None:
        raise NotACheckpointError(Path(name), "complete set of files")
    return folder


def download_size(name: str, policy: LoadPolicy) -> int:
    """How many bytes :func:`download` would fetch into an empty cache; nothing is fetched yet.

    Raises:
        CheckpointError: as :func:`download`, but for what only the files themselves say.
    """
    if not policy.allow_hub:
        raise CheckpointNotAllowedError(name, "fetching from the model hub is switched off")
    return sum(_plan(name, policy, [one.name for one in bundled()]).sizes.values())


def download(name: str, policy: LoadPolicy) -> Generator[Progress, None, None]:
    """Fetch the newest version into the hub's cache, reporting a few times a second.

    The number of bytes grows in the library's steps of 10 MB. Closing the iterator stops the
    download at the next step; files that have arrived are kept. Sizes are judged before
    anything is fetched, the family before the weights are.

    Raises:
        OfflineError: no answer within ``ANSWER_SECONDS``, or ``HF_HUB_OFFLINE`` is set.
        UnknownCheckpointError: the hub has no public model of this name.
        CheckpointNotAllowedError: the policy forbids the hub, or the model is behind a gate.
        PickleRefusedError, NotACheckpointError: it has no safetensors.
        TooLargeError: its files are over a limit.
        ForeignFamilyError: of a family that does not exist here.
    """
    if not policy.allow_hub:
        raise CheckpointNotAllowedError(name, "fetching from the model hub is switched off")
    available = [one.name for one in bundled()]
    plan = _plan(name, policy, available)
    total = sum(plan.sizes.values())
    done = 0
    for file, size in plan.sizes.items():
        for part in _fetch(plan, file, available):
            yield Progress(min(done + part, total), total)
        done += size
        if file == CONFIG:
            path = _snapshots(name) / plan.commit
            family_of_settings(Folder(path, within=_repository(name)).settings())
    (_repository(name) / _FETCHED).write_text(plan.commit, encoding="utf-8")
    yield Progress(total, total)


def _plan(name: str, policy: LoadPolicy, available: Sequence[str]) -> _Plan:
    if constants.is_offline_mode():
        raise OfflineError(name, available)
    api = HfApi(token=False)  # never with the host's own rights
    try:
        info = _in_time(lambda: api.model_info(name, files_metadata=True, timeout=ANSWER_SECONDS))
    except GatedRepoError as error:
        raise CheckpointNotAllowedError(name, "the hub asks for an agreement first") from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise UnknownCheckpointError(name, available) from error
    except Exception as error:  # whatever the library's HTTP client or the network raises
        raise OfflineError(name, available) from error
    # A file whose size the hub does not say is not fetched.
    sizes = {one.rfilename: one.size for one in info.siblings or () if one.size is not None}
    return _Plan(name, info.sha or "", _chosen(name, sizes, policy))


def _chosen(name: str, sizes: dict[str, int], policy: LoadPolicy) -> dict[str, int]:
    """The files to fetch, ``config.json`` first."""
    if WEIGHTS in sizes:
        weights = [WEIGHTS]
    elif INDEX in sizes:
        weights = sorted(file for file in sizes if _SHARD.fullmatch(file))
    else:
        for file in sizes:
            if file.endswith(PICKLE_SUFFIXES):
                raise PickleRefusedError(file)
        raise NotACheckpointError(Path(name), WEIGHTS)
    needed = sum(sizes[file] for file in weights)
    if needed > policy.max_bytes:
        raise TooLargeError("the files of weights, in bytes,", needed, policy.max_bytes)
    small = [CONFIG, *TOKENIZER_FILES]
    if WEIGHTS not in weights:
        small.append(INDEX)
    for file in small:
        if sizes.get(file, 0) > LIMITS[file]:
            raise TooLargeError(f"the file {file}, in bytes,", sizes[file], LIMITS[file])
    if CONFIG not in sizes:
        raise NotACheckpointError(Path(name), CONFIG)
    return {file: sizes[file] for file in [*small, *weights] if file in sizes}


def _fetch(plan: _Plan, file: str, available: Sequence[str]) -> Iterator[int]:
    """Fetch one file on a thread of its own, yielding how many bytes of it have arrived."""
    stopped = threading.Event()
    ended: SimpleQueue[Exception | None] = SimpleQueue()
    bars: list[_Bar] = []

    def make_bar(**kwargs: Any) -> _Bar:
        bars.append(_Bar(stopped, **kwargs))
        return bars[-1]

    def work() -> None:
        try:
            hf_hub_download(
                plan.name,
                file,
                revision=plan.commit,
                token=False,
                etag_timeout=ANSWER_SECONDS,
                tqdm_class=cast(type[Any], make_bar),  # it only calls it
            )
        except Exception as error:
            ended.put(error)
        else:
            ended.put(None)

    threading.Thread(target=work, name=f"fetch {file}", daemon=True).start()
    try:
        while True:
            try:
                error = ended.get(timeout=REPORT_SECONDS)
                break
            except Empty:
                yield max((bar.arrived for bar in bars), default=0)
    finally:
        stopped.set()
    if error is not None:
        raise OfflineError(plan.name, available) from error


class _StoppedError(Exception):
    """Nobody reads the progress any more."""


class _Bar:
    """Takes the place of the library's progress bar: counts, prints nothing, can stop."""

    def __init__(self, stopped: threading.Event, *, initial: int = 0, **_: object) -> None:
        self.stopped = stopped
        self.arrived = initial

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, count: float | None = 1) -> None:
        """More bytes have arrived."""
        if self.stopped.is_set():
            raise _StoppedError
        self.arrived += int(count or 0)

    def set_postfix_str(self, *_: object, **__: object) -> None:
        """Nothing is printed."""

    def close(self) -> None:
        """Nothing was opened."""


def _in_time(ask: Callable[[], _Answer]) -> _Answer:
    """The answer, or ``TimeoutError`` after ``ANSWER_SECONDS``.

    On a thread, because looking up an address can block for longer than the timeout of a request.
    """
    answers: SimpleQueue[_Answer | Exception] = SimpleQueue()

    def work() -> None:
        try:
            answers.put(ask())
        except Exception as error:
            answers.put(error)

    threading.Thread(target=work, name="ask the hub", daemon=True).start()
    try:
        answer = answers.get(timeout=ANSWER_SECONDS)
    except Empty as error:
        raise TimeoutError from error
    if isinstance(answer, Exception):
        raise answer
    return answer


def _repository(name: str) -> Path:
    return Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=name, repo_type="model")


def _snapshots(name: str) -> Path:
    return _repository(name) / "snapshots"


def _fetched(name: str) -> Folder:
    try:
        commit = (_repository(name) / _FETCHED).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        commit = ""
    path = _snapshots(name) / commit
    if not _COMMIT.fullmatch(commit) or not path.is_dir():
        raise NotFetchedError(name)
    return Folder(path, within=_repository(name))


def _cached(name: str) -> Folder | None:
    """The newest snapshot in the cache of which all files are there."""
    snapshots = _snapshots(name)
    if not snapshots.is_dir():
        return None
    # Its files are links to the repository's folder, two above.
    for path in sorted(snapshots.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True):
        folder = Folder(path, within=_repository(name))
        try:
            folder.settings()
            find_shards(folder)
            load_tokenizer(folder)
        except (CheckpointError, TokenizerFileError):
            continue
        return folder
    return None
