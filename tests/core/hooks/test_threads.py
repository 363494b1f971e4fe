"""People share one model in one process: each gets their own records and nobody else's."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import torch
from torch import Tensor

from core.hooks import ablate_heads, capture, intervene
from core.models.architectures.bert import Bert

PATTERN = "encoder.layers.*.attention.pattern"
HIDDEN = "encoder.layers.*.feed_forward.hidden"
REPETITIONS = 60


def test_threads_that_share_a_model_get_exactly_their_own_records(bert: Bert) -> None:
    generator = torch.Generator().manual_seed(11)
    readers = {
        PATTERN: torch.randint(0, 40, (1, 5), generator=generator),
        HIDDEN: torch.randint(0, 40, (1, 9), generator=generator),
    }
    together = Barrier(len(readers) + 2)

    def records(site: str, ids: Tensor) -> list[tuple[str, Tensor]]:
        with capture([site]) as trace:
            bert(ids)
        return [(record.site.name, record.value) for record in trace.records]

    expected = {site: records(site, ids) for site, ids in readers.items()}
    plain = bert(readers[PATTERN]).logits
    with intervene(*ablate_heads([(0, 0), (1, 1)])):
        changed = bert(readers[PATTERN]).logits

    def read(site: str) -> None:
        together.wait(timeout=60)
        for _ in range(REPETITIONS):
            found = records(site, readers[site])
            assert [name for name, _ in found] == [name for name, _ in expected[site]]
            for (_, value), (_, wanted) in zip(found, expected[site], strict=True):
                torch.testing.assert_close(value, wanted)

    def ablate() -> None:
        together.wait(timeout=60)
        for _ in range(REPETITIONS):
            with intervene(*ablate_heads([(0, 0), (1, 1)])):
                torch.testing.assert_close(bert(readers[PATTERN]).logits, changed)

    def just_run() -> None:
        together.wait(timeout=60)
        for _ in range(REPETITIONS):
            torch.testing.assert_close(bert(readers[PATTERN]).logits, plain)

    assert not torch.allclose(plain, changed)
    with ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(read, PATTERN),
            pool.submit(read, HIDDEN),
            pool.submit(ablate),
            pool.submit(just_run),
        ]
        for job in jobs:
            job.result(timeout=120)


def test_a_capture_does_not_reach_into_another_thread(bert: Bert, ids: Tensor) -> None:
    with ThreadPoolExecutor(max_workers=1) as pool, capture(["embedding.sum"]) as trace:
        pool.submit(bert, ids).result(timeout=60)
        assert trace.records == []
        bert(ids)
    assert len(trace.records) == 1
