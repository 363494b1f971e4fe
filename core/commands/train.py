"""``train``: pre-train a model and export it as a checkpoint."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from core.commands.numbers import seed
from core.commands.texts import load


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("train", help="train a model; events go to a JSON-lines file")
    parser.add_argument("objective", choices=["mlm"], help="mlm: masked words, next sentences")
    parser.add_argument("--start", required=True, help="checkpoint to start from")
    parser.add_argument("--corpus", required=True, nargs="+", type=Path, help="text files")
    parser.add_argument("--run", required=True, type=Path, help="folder of the run's state")
    parser.add_argument("--out", required=True, type=Path, help="folder of the checkpoint")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="length of the run in steps (repeatable)")
    length.add_argument("--seconds", type=float, help="length in seconds of training")
    parser.add_argument("--stop-after", type=float, help="save and stop after so many seconds")
    parser.add_argument("--save-every", type=float, default=300.0, help="seconds")
    parser.add_argument("--resume", action="store_true", help="go on from the state in --run")
    parser.add_argument("--rate", type=float, default=5e-4, help="peak learning rate")
    parser.add_argument("--warm-up", type=float, default=0.03, help="share of the run")
    parser.add_argument("--batch-tokens", type=int, default=131_072)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--clip", type=float, default=1.0, help="largest gradient norm")
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--report-every", type=int, default=50, help="steps between events")
    parser.add_argument(
        "--no-compile", action="store_true", help="on a GPU, train without torch.compile"
    )


def run(arguments: argparse.Namespace) -> int:
    """Train; the last line on the standard output is the last event."""
    from core.device import pick_device
    from core.training.loop import LoopSettings
    from core.training.pretrain import Pretraining, pretrain_bert
    from core.training.schedules import Schedule

    on_gpu = pick_device().type == "cuda"
    plan = Pretraining(
        corpus=arguments.corpus,
        folder=arguments.run,
        out=arguments.out,
        steps=arguments.steps,
        seconds=arguments.seconds,
        stop_after=arguments.stop_after,
        save_every=arguments.save_every,
        resume=arguments.resume,
        batch_tokens=arguments.batch_tokens,
        dropout=arguments.dropout,
        weight_decay=arguments.weight_decay,
        seed=arguments.seed,
        settings=LoopSettings(
            peak_rate=arguments.rate,
            schedule=Schedule(warm_up=arguments.warm_up),
            clip=arguments.clip,
            report_every=arguments.report_every,
            compiled=on_gpu and not arguments.no_compile,
            half=on_gpu,
        ),
    )
    line, mode = "", "a" if arguments.resume else "w"
    with closing(pretrain_bert(load(arguments.start), plan)) as events:
        for event in events:
            line = json.dumps(event.as_json())
            with (arguments.run / "events.jsonl").open(mode, encoding="utf-8") as file:
                file.write(line + "\n")
            mode = "a"
            losses = "  ".join(f"{name} {value:.3f}" for name, value in event.losses.items())
            speed = event.tokens / max(event.seconds, 1e-9)
            print(
                f"step {event.step}  {losses}  rate {event.rate:.2e}"
                f"  norm {event.gradient_norm:.2f}  {event.progress:.1%}  {speed:,.0f} tokens/s",
                file=sys.stderr,
            )
    if line:  # a run that is over has no more events
        print(line)
    return 0
