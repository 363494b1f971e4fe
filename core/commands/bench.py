"""``bench``: how fast our models are against Hugging Face's."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from core.commands.texts import rows

if TYPE_CHECKING:
    import torch

WHAT = {
    "forward": "a forward pass of BERT-base that keeps every attention pattern, in milliseconds",
    "train": "training BERT, GPT-2 and T5, in tokens a second; on a GPU compiled, in bfloat16",
    "decode": "64 tokens of T5 and the Transformer, greedily, in milliseconds",
}
_SYSTEMS = ("bert", "gpt", "t5")

Row = dict[str, Any]


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "bench",
        allow_abbrev=False,
        help="time our models against Hugging Face's",
        description=(
            "Time our models against Hugging Face's with the same weights, in turn, and give the "
            "medians. " + " ".join(f"{name}: {what}." for name, what in WHAT.items())
        ),
    )
    parser.add_argument("what", nargs="?", choices=tuple(WHAT), default="forward")
    parser.add_argument(
        "--device",
        default="",
        metavar="NAME",
        help="cpu, cuda or mps (default: the GPU, if there is one; forward and decode: CPU, too)",
    )
    parser.add_argument(
        "--system",
        action="append",
        choices=_SYSTEMS,
        help="train: only this one; may be given several times (default: all)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, not a table")


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"rows": [{"device", ..., "ours", "theirs", "target", "ratio"}], "unit", ...}``."""
    import torch

    from core.device import pick_device

    cpu, chosen = torch.device("cpu"), pick_device(arguments.device)
    alone = arguments.device or chosen == cpu or arguments.what == "train"
    found = [
        row
        for device in ([chosen] if alone else [cpu, chosen])
        for row in _rows(arguments.what, device, arguments.system or _SYSTEMS)
    ]
    if arguments.json:
        answer = {
            "rows": found,
            "unit": "tokens/s" if arguments.what == "train" else "ms",
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
            "transformers": version("transformers"),
        }
        print(json.dumps(answer))
        return 0
    print(rows([tuple(found[0]), *(tuple(map(_shown, row.values())) for row in found)]))
    return 0


def _rows(what: str, device: torch.device, systems: tuple[str, ...]) -> Iterator[Row]:
    from core.bench.decoding import bench_decoding
    from core.bench.forward import bench_forward
    from core.bench.training import CONTESTS, bench_training

    if what == "train":
        contests = [contest for contest in CONTESTS if contest.name in systems]
        for speed in bench_training(device, _say, contests):
            yield asdict(speed) | {"ratio": speed.ratio}
    else:
        for timing in (bench_forward if what == "forward" else bench_decoding)(device):
            yield asdict(timing) | {"ratio": timing.ratio}


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1_000 else f"{value:.3f}"
    return "-" if value is None else str(value)
