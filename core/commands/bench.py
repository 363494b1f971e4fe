"""``bench``: how long a forward pass takes that keeps every pattern, against Hugging Face's."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from core.commands.texts import rows


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "bench",
        allow_abbrev=False,
        help="time a forward pass against Hugging Face's",
        description=(
            "Time a forward pass of BERT-base that keeps every attention pattern, against Hugging "
            "Face's eager attention: the median of 20 runs each, in turn."
        ),
    )
    parser.add_argument(
        "--device",
        default="",
        metavar="NAME",
        help="cpu, cuda or mps (default: the CPU, then the GPU)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, not a table")


def run(arguments: argparse.Namespace) -> int:
    """Answer ``{"rows": [{"device", "length", "ours", "theirs", "target", "ratio"}], ...}``."""
    import torch

    from core.bench import bench
    from core.device import pick_device

    cpu, chosen = torch.device("cpu"), pick_device(arguments.device)
    devices = [chosen] if arguments.device or chosen == cpu else [cpu, chosen]
    timings = [timing for device in devices for timing in bench(device)]
    if arguments.json:
        answer = {
            "rows": [asdict(timing) | {"ratio": timing.ratio} for timing in timings],
            "unit": "ms",
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
            "transformers": version("transformers"),
        }
        print(json.dumps(answer))
        return 0
    lines = [("device", "tokens", "ours, ms", "theirs, ms", "ratio", "target")]
    lines += [
        (
            timing.device,
            str(timing.length),
            f"{timing.ours:.2f}",
            f"{timing.theirs:.2f}",
            f"{timing.ratio:.3f}",
            f"{timing.target:.2f}",
        )
        for timing in timings
    ]
    print(rows(lines))
    return 0
