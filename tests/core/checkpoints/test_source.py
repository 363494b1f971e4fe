"""Names lead only to allowed places."""

import socket
from pathlib import Path

import pytest

from core.checkpoints import (
    CheckpointNotAllowedError,
    LoadPolicy,
    UnknownCheckpointError,
    bundled,
    bundled_checkpoint,
    catalogue,
    load_checkpoint,
)
from core.checkpoints.source import find_folder
from core.config import Head


@pytest.fixture
def shipped(tiny_checkpoint_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of bundled checkpoints with two good ones and three that are none."""
    folder = tmp_path / "assets"
    for name in ("alpha", "beta", "foreign", "broken", "empty"):
        (folder / name).mkdir(parents=True)
    for name in ("alpha", "beta"):
        for file in tiny_checkpoint_folder.iterdir():
            (folder / name / file.name).write_bytes(file.read_bytes())
    (folder / "alpha" / "card.md").write_text("\n# A first BERT\n\n## Data\n")
    (folder / "foreign" / "config.json").write_text('{"model_type": "mamba"}')
    (folder / "broken" / "config.json").write_text("{")
    (folder / "notes.txt").write_text("not a folder")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", folder)
    return folder


def test_the_catalogue(shipped: Path) -> None:
    alpha, beta = bundled()
    assert (alpha.name, alpha.system, alpha.title) == ("alpha", "bert", "A first BERT")
    assert (beta.name, beta.title) == ("beta", "beta")
    assert alpha.folder == shipped / "alpha"
    assert alpha.size_bytes == sum(one.stat().st_size for one in alpha.folder.iterdir())


def test_nothing_bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path / "nothing")
    assert bundled() == ()
    with pytest.raises(UnknownCheckpointError, match="none is bundled"):
        find_folder("bert", LoadPolicy())


def test_a_bundled_name_needs_no_permission(shipped: Path) -> None:
    checkpoint = load_checkpoint("alpha", device="cpu")
    assert checkpoint.name == "alpha"
    assert checkpoint.card == "\n# A first BERT\n\n## Data\n"


def test_a_bundled_name_comes_first(shipped: Path, tmp_path: Path) -> None:
    (tmp_path / "root" / "alpha").mkdir(parents=True)
    policy = LoadPolicy(roots=(tmp_path / "root",))
    assert find_folder("alpha", policy).path == shipped / "alpha"


@pytest.mark.parametrize("name", ["", "   ", "gamma", "foreign", "a\0b", "a\nb", "x" * 100_000])
@pytest.mark.parametrize("with_root", [False, True])
def test_an_unknown_name_lists_what_there_is(
    name: str, with_root: bool, shipped: Path, tmp_path: Path
) -> None:
    (tmp_path / "root").mkdir()
    policy = LoadPolicy(roots=(tmp_path / "root",) if with_root else (), allow_hub=True)
    with pytest.raises(UnknownCheckpointError, match="bundled are: alpha, beta") as caught:
        find_folder(name, policy)
    assert caught.value.name == name
    assert caught.value.available == ("alpha", "beta")
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../..",
        "../../",
        "../alpha",
        "./../secret",
        "/",
        "/etc",
        "alpha/../../secret",
        "link/deeper",
        "{root}/../secret",
        "{root}2",
    ],
)
def test_places_outside_the_roots_are_refused(name: str, shipped: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for folder in (root, tmp_path / "secret" / "deeper", tmp_path / "root2"):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "secret")
    name = name.format(root=root)
    for policy in (LoadPolicy(roots=(root,)), LoadPolicy()):
        with pytest.raises(CheckpointNotAllowedError) as caught:
            find_folder(name, policy)
        assert caught.value.name == name


def test_a_link_out_of_a_root_leads_nowhere(tmp_path: Path) -> None:
    for name in ("root", "secret"):
        (tmp_path / name).mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(UnknownCheckpointError):
        find_folder("link", LoadPolicy(roots=(tmp_path / "root",)))


def test_what_is_outside_is_not_given_away(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "there").mkdir()
    messages = []
    for name in ("there", "gone"):
        with pytest.raises(CheckpointNotAllowedError) as caught:
            find_folder(f"../{name}", LoadPolicy(roots=(tmp_path / "root",)))
        messages.append(str(caught.value).replace(name, "*"))
    assert messages[0] == messages[1]


def test_places_beneath_the_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "deep" / "model").mkdir(parents=True)
    (second / "model").mkdir(parents=True)
    (second / "inner link").symlink_to(second / "model")
    policy = LoadPolicy(roots=(first, second))
    for name, place in (
        ("deep/model", first / "deep" / "model"),
        ("model", second / "model"),
        ("deep/../deep/model", first / "deep" / "model"),
        (str(second / "model"), second / "model"),
        ("../second/model", second / "model"),
        ("inner link", second / "model"),
        (".", first),
    ):
        folder = find_folder(name, policy)
        assert folder.path == place
        assert folder.within == place
    with pytest.raises(UnknownCheckpointError):
        find_folder(str(first / "gone"), policy)


def test_names_that_the_system_refuses(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    policy = LoadPolicy(roots=(tmp_path,))
    for name in ("loop", "y" * 400, "loop/a/b"):
        with pytest.raises((UnknownCheckpointError, CheckpointNotAllowedError)):
            find_folder(name, policy)


def test_the_hub_must_be_allowed(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("nothing may leave the machine")

    monkeypatch.setattr(socket.socket, "connect", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    with pytest.raises(CheckpointNotAllowedError, match="hub is switched off"):
        find_folder("owner/name", LoadPolicy())


def test_a_local_folder_comes_before_the_hub(tmp_path: Path) -> None:
    (tmp_path / "owner" / "name").mkdir(parents=True)
    policy = LoadPolicy(roots=(tmp_path,), allow_hub=True)
    assert find_folder("owner/name", policy).path == tmp_path / "owner" / "name"


@pytest.mark.parametrize(
    "name", ["../assets/alpha", "alpha/.", ".", "", "a\0b", "x" * 900, "notes"]
)
def test_one_bundled_checkpoint_is_a_folder_of_this_very_name(shipped: Path, name: str) -> None:
    assert bundled_checkpoint(name) is None


def test_one_bundled_checkpoint_is_that_of_the_catalogue(shipped: Path) -> None:
    assert (bundled_checkpoint("alpha"), bundled_checkpoint("beta")) == bundled()
    assert bundled_checkpoint("foreign") is None
    assert bundled()[0].heads == {Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE}
