"""The hub, played by a small server of our own, and the lack of one."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from core.checkpoints import (
    CheckpointNotAllowedError,
    ForeignFamilyError,
    LoadPolicy,
    NotACheckpointError,
    NotFetchedError,
    OfflineError,
    PickleRefusedError,
    TooLargeError,
    UnknownCheckpointError,
    catalogue,
    download,
    download_size,
    load_checkpoint,
    needs_download,
)
from core.checkpoints.hub import is_hub_name
from core.commands.texts import load

COMMIT = "c" * 40
ALLOWED = LoadPolicy(allow_hub=True)
CHUNK = 16_384
HANGS_SECONDS = 60.0


@dataclass
class FakeHub:
    """One public model, ``owner/tiny``; what was asked for; how slowly it answers."""

    files: dict[str, bytes]
    claimed: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[str | None] = field(default_factory=list)
    silent: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    chunk_seconds: float = 0.0
    status: int = 200

    def listing(self) -> bytes:
        siblings = [
            {"rfilename": name, "size": self.claimed.get(name, len(content))}
            for name, content in self.files.items()
        ]
        return json.dumps({"id": "owner/tiny", "sha": COMMIT, "siblings": siblings}).encode()


class Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def answer(self) -> None:
        hub = self.hub
        path = self.path.partition("?")[0]
        hub.asked.append(path)
        hub.headers.append(self.headers.get("Authorization"))
        if hub.silent:
            hub.over.wait(HANGS_SECONDS)
        if hub.status != 200:
            self.send_response(hub.status)
            self.send_header("Content-Length", "0")
            if hub.status == 403:
                self.send_header("X-Error-Code", "GatedRepo")
            self.end_headers()
            return
        if path.startswith("/api/models/owner/tiny"):
            body = hub.listing()
        elif path.startswith("/owner/tiny/resolve/"):
            body = hub.files[path.rpartition("/")[2]]
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            for start in range(0, len(body), CHUNK):
                self.wfile.write(body[start : start + CHUNK])
                time.sleep(hub.chunk_seconds)

    do_GET = do_HEAD = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


def use_endpoint(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    template = address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.fixture
def hub(
    tiny_checkpoint_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeHub]:
    files = {path.name: path.read_bytes() for path in tiny_checkpoint_folder.iterdir()}
    files["pytorch_model.bin"] = b"pickle"
    files["modeling_evil.py"] = b"raise SystemExit"
    fake = FakeHub(files)
    handler = type("OneHandler", (Handler,), {"hub": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    use_endpoint(monkeypatch, f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    yield fake
    fake.over.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, an address where nobody listens, two bundled checkpoints."""
    use_endpoint(monkeypatch, "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("alpha", "beta"):
        (tmp_path / "assets" / name).mkdir(parents=True)
        (tmp_path / "assets" / name / "config.json").write_text('{"model_type": "bert"}')
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path / "assets")


def fetched(hub: FakeHub) -> set[str]:
    return {path.rpartition("/")[2] for path in hub.asked if "/resolve/" in path}


def test_names_of_the_hub() -> None:
    for name in ("google/bert", "a/b", "Some-one/model_1.0-x"):
        assert is_hub_name(name)
    for name in ("bert", "a/b/c", "/a", "a/", "../a", "a/..", "a/.b", "a b/c", "é/a", "a/b\n"):
        assert not is_hub_name(name)


def test_it_loads_and_then_needs_no_hub(hub: FakeHub, tiny_checkpoint_folder: Path) -> None:
    checkpoint = load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED)
    local = load_checkpoint(
        "tiny", device="cpu", policy=LoadPolicy(roots=(tiny_checkpoint_folder.parent,))
    )
    assert checkpoint.revision == local.revision
    assert checkpoint.name == "owner/tiny"
    assert fetched(hub) == {
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "model.safetensors.index.json",
        "model-00001-of-00001.safetensors",
    }
    assert set(hub.headers) == {None}  # the host's own token stays here
    hub.asked.clear()
    hub.status = 500
    assert load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED).revision == local.revision
    assert not hub.asked


def test_progress_runs_from_nothing_to_everything(hub: FakeHub) -> None:
    hub.chunk_seconds = 0.06
    steps = list(download("owner/tiny", ALLOWED))
    total = sum(len(hub.files[name]) for name in fetched(hub))
    done = [step.done_bytes for step in steps]
    assert {step.total_bytes for step in steps} == {total}
    assert done == sorted(done)
    assert done[-1] == total
    assert len([value for value in set(done) if 0.1 * total < value < 0.9 * total]) >= 2


def test_closing_the_iterator_stops_the_download(hub: FakeHub) -> None:
    hub.chunk_seconds = 0.1
    steps = download("owner/tiny", ALLOWED)
    for step in steps:
        if step.done_bytes > 30_000:
            break
    assert step.done_bytes < step.total_bytes / 2
    steps.close()
    for thread in threading.enumerate():
        if thread.name.startswith("fetch "):
            thread.join(5)
            assert not thread.is_alive()
    hub.chunk_seconds = 0.0
    assert list(download("owner/tiny", ALLOWED))[-1].done_bytes == step.total_bytes


def test_a_newer_version_is_fetched_on_request(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED)
    monkeypatch.setitem(globals(), "COMMIT", "d" * 40)
    config = json.loads(hub.files["config.json"])
    hub.files["config.json"] = json.dumps({**config, "layer_norm_eps": 0.5}).encode()
    assert load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED).config == first.config
    list(download("owner/tiny", ALLOWED))
    assert load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED).config != first.config


def test_a_size_is_told_before_anything_is_fetched(hub: FakeHub) -> None:
    size = download_size("owner/tiny", ALLOWED)
    assert not fetched(hub)
    assert list(download("owner/tiny", ALLOWED))[-1].total_bytes == size
    with pytest.raises(CheckpointNotAllowedError):
        download_size("owner/tiny", LoadPolicy())


def test_what_nobody_asked_for_is_neither_fetched_nor_opened(hub: FakeHub) -> None:
    told = LoadPolicy(allow_hub=True, fetch_on_demand=False)
    with pytest.raises(NotFetchedError):
        load_checkpoint("owner/tiny", device="cpu", policy=told)
    assert not hub.asked
    first = load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED)
    repository = Path(constants.HF_HUB_CACHE) / "models--owner--tiny"
    # What the owner of the cache fetched otherwise does not count.
    mark = (repository / "headlight-fetched").read_text()
    (repository / "headlight-fetched").unlink()
    with pytest.raises(NotFetchedError):
        load_checkpoint("owner/tiny", device="cpu", policy=told)
    for wrong in ("", "../../..", "e" * 40):
        (repository / "headlight-fetched").write_text(wrong)
        with pytest.raises(NotFetchedError):
            load_checkpoint("owner/tiny", device="cpu", policy=told)
    (repository / "headlight-fetched").write_text(mark)
    # Nor what the cache's owner fetches later.
    (repository / "snapshots" / ("d" * 40)).mkdir()
    opened = load_checkpoint("owner/tiny", device="cpu", policy=told)
    assert opened.revision == first.revision


def remove_weights(hub: FakeHub) -> None:
    for name in list(hub.files):
        if "safetensors" in name:
            del hub.files[name]


def only_other_files(hub: FakeHub) -> None:
    remove_weights(hub)
    del hub.files["pytorch_model.bin"]


def no_config(hub: FakeHub) -> None:
    del hub.files["config.json"]


def foreign(hub: FakeHub) -> None:
    hub.files["config.json"] = b'{"model_type": "mamba"}'


def huge_weights(hub: FakeHub) -> None:
    hub.claimed["model-00001-of-00001.safetensors"] = 10**12


def huge_tokenizer(hub: FakeHub) -> None:
    hub.claimed["tokenizer.json"] = 10**12


def gated(hub: FakeHub) -> None:
    hub.status = 403


def unsound(hub: FakeHub) -> None:
    hub.status = 503


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (remove_weights, PickleRefusedError),
        (only_other_files, NotACheckpointError),
        (no_config, NotACheckpointError),
        (foreign, ForeignFamilyError),
        (huge_weights, TooLargeError),
        (huge_tokenizer, TooLargeError),
        (gated, CheckpointNotAllowedError),
        (unsound, OfflineError),
    ],
)
def test_no_weights_are_fetched_in_vain(
    change: Callable[[FakeHub], None], error: type[Exception], hub: FakeHub
) -> None:
    change(hub)
    with pytest.raises(error):
        load_checkpoint("owner/tiny", device="cpu", policy=ALLOWED)
    assert fetched(hub) <= {"config.json"}


def test_the_limit_is_that_of_the_policy(hub: FakeHub) -> None:
    size = len(hub.files["model-00001-of-00001.safetensors"])
    with pytest.raises(TooLargeError) as caught:
        list(download("owner/tiny", LoadPolicy(allow_hub=True, max_bytes=size - 1)))
    assert (caught.value.needed, caught.value.limit) == (size, size - 1)


def test_a_model_that_the_hub_does_not_have(hub: FakeHub) -> None:
    with pytest.raises(UnknownCheckpointError, match="'owner/none'"):
        load_checkpoint("owner/none", policy=ALLOWED)


def test_the_hub_must_be_allowed(hub: FakeHub) -> None:
    with pytest.raises(CheckpointNotAllowedError):
        next(download("owner/tiny", LoadPolicy()))
    assert not hub.asked


def assert_offline_without_waiting() -> None:
    started = time.monotonic()
    with pytest.raises(OfflineError, match="bundled are: alpha, beta") as caught:
        load_checkpoint("owner/tiny", policy=ALLOWED)
    assert time.monotonic() - started < HANGS_SECONDS / 4
    assert caught.value.name == "owner/tiny"
    assert caught.value.available == ("alpha", "beta")


def test_nobody_listens(no_hub: None) -> None:
    assert_offline_without_waiting()


def test_a_name_that_does_not_resolve(no_hub: None, monkeypatch: pytest.MonkeyPatch) -> None:
    use_endpoint(monkeypatch, "http://hub.invalid")
    assert_offline_without_waiting()


def test_looking_up_the_address_hangs(no_hub: None, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    use_endpoint(monkeypatch, "http://hub.invalid")
    monkeypatch.setattr("core.checkpoints.hub.ANSWER_SECONDS", 0.2)
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: over.wait(HANGS_SECONDS))
    assert_offline_without_waiting()
    over.set()


def test_the_hub_does_not_answer(
    no_hub: None, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.silent = True
    monkeypatch.setattr("core.checkpoints.hub.ANSWER_SECONDS", 0.2)
    assert_offline_without_waiting()


def test_offline_by_request(no_hub: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("asked although offline")

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", forbidden)
    assert_offline_without_waiting()


def test_the_command_line_fetches_what_is_missing_and_says_how_far_it_is(
    hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert needs_download("owner/tiny", ALLOWED)
    assert load("owner/tiny").name == "owner/tiny"
    said = capsys.readouterr()
    assert "fetching owner/tiny: " in said.err
    assert said.err.endswith(" MB\n")
    assert said.out == ""

    assert not needs_download("owner/tiny", ALLOWED)
    hub.asked.clear()
    load("owner/tiny")
    assert capsys.readouterr().err == ""
    assert hub.asked == []


@pytest.mark.parametrize("name", ["bert", "nothing", "../.."])
def test_only_hub_names_need_a_download(name: str) -> None:
    assert not needs_download(name, ALLOWED)
    assert not needs_download("owner/tiny", LoadPolicy())
