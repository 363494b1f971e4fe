"""What a running call tells of itself."""

from core.engine.progress import heard_by, tell_progress


def test_without_a_listener_nothing_happens() -> None:
    tell_progress(1, 2)
    heard: list[tuple[int, int]] = []
    with heard_by(lambda done, wanted: heard.append((done, wanted))):
        tell_progress(2, 2)
    tell_progress(3, 3)
    assert heard == [(2, 2)]
