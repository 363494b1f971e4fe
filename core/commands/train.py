"""``train``: train a model and export it as a checkpoint."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.bounds import BOUNDS, require
from core.commands.files import named_files
from core.commands.numbers import seed
from core.commands.texts import load
from core.errors import ConfigError

if TYPE_CHECKING:
    import torch

    from core.checkpoints import Checkpoint
    from core.models.recipe import Sizes
    from core.training.loop import StepEvent
    from core.training.plan import Pretraining
    from core.training.schedules import Schedule

OBJECTIVES = {
    "mlm": "masked words and next sentences (BERT); --system roberta: masked words alone",
    "sop": "masked words and sentence order (ALBERT)",
    "structbert": "masked words, shuffled words, three orders of sentences",
    "spanbert": "masked spans, and their words from their boundaries",
    "rtd": "replaced tokens, beside a generator (ELECTRA)",
    "distill": "a teacher's answers, states and masked words (DistilBERT)",
    "permutation": "words in random order (XLNet)",
    "clm": "the next word (GPT)",
    "span-corruption": "spans cut out of a text (T5)",
    "blanks": "the same, and blanks of known sizes (our T5)",
    "translation": "pairs of texts, a tab between the two (Transformer, seq2seq)",
    "multitask": "labelled tasks, each with a head (MT-DNN); --task, and --data or not",
}
PRESETS = ("tiny", "mini", "small", "medium", "base")
SCHEDULES = ("constant", "linear", "inverse-root", "cosine")
OPTIMISERS = ("adam", "adamw", "radam", "adafactor", "relative-adamw", "muon")


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser(
        "train",
        help="train a model; events go to a JSON-lines file",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=(
            "Train a model and export it as a checkpoint. On several GPUs:\n"
            "torchrun --nproc-per-node N -m -- core train OBJECTIVE ...\n\n"
            + "\n".join(f"  {name:<16} {says}" for name, says in OBJECTIVES.items())
        ),
    )
    parser.add_argument("objective", choices=tuple(OBJECTIVES), metavar="OBJECTIVE")
    _add_model(parser.add_argument_group("model: --start, --body or --tokenizer, and sizes"))
    _add_run(parser)
    _add_steps(parser.add_argument_group("steps"))


def _add_model(group: Any) -> None:
    group.add_argument("--start", help="checkpoint to start from")
    group.add_argument("--tokenizer", type=Path, help="tokenizer.json of a fresh model")
    group.add_argument("--system", help="of a fresh model, where several learn the objective")
    group.add_argument(
        "--body",
        help="checkpoint whose tokenizer, sizes and weights a fresh model of another system gets;"
        " distill: the teacher, every second layer, unless said otherwise",
    )
    group.add_argument(
        "--preset", choices=PRESETS, help="sizes of a fresh model (default: mini; the body's)"
    )
    for name in ("layers", "width", "heads", "feed-forward", "positions"):
        group.add_argument(f"--{name}", type=int, help="instead of the preset's")
    group.add_argument(
        "--generator-share", type=int, default=4, help="rtd: one of so many heads (default: 4)"
    )
    group.add_argument(
        "--generator-alone",
        action="store_true",
        help="rtd: only the generator learns, and the tables stay as they are",
    )
    group.add_argument(
        "--generator-heat",
        dest="generator_temperature",
        type=float,
        default=1.0,
        help="rtd: samples are drawn at temperatures from 1 to this (default: 1)",
    )
    group.add_argument("--generator", help="rtd: checkpoint of one that has learnt already")
    group.add_argument(
        "--strangers",
        dest="from_elsewhere",
        action="store_true",
        help="sop: half of what is out of order is from another text, to begin with",
    )
    group.add_argument("--teacher", help="distill: checkpoint to learn from")
    group.add_argument("--dropout", type=float, default=0.0)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", "--corpus", dest="corpus", default=[], nargs="+", type=Path, help="text files"
    )
    parser.add_argument(
        "--pairs",
        action="append",
        default=[],
        metavar="LANGUAGE=FILE",
        help="translation, instead of --data: English, a tab, and that language, once or more;"
        " pairs that evaluate measures with are left out",
    )
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME:KIND:FILE",
        help="multitask: a task, once or more; a line of its file has, with tabs between,"
        " single: text, class; pair: text, text, class; similarity: text, text, score;"
        " ranking: query, right answer, other answers",
    )
    parser.add_argument(
        "--words-share",
        type=float,
        default=0.25,
        help="multitask with --data: share of the mini-batches that hide words (default: 0.25)",
    )
    parser.add_argument("--run", required=True, type=Path, help="folder of the run's state")
    parser.add_argument("--out", required=True, type=Path, help="folder of the checkpoint")
    parser.add_argument("--generator-out", type=Path, help="rtd: folder of the generator's")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int, help="length of the run in steps (repeatable)")
    length.add_argument("--seconds", type=float, help="length in seconds of training")
    parser.add_argument("--stop-after", type=float, help="save and stop after so many seconds")
    parser.add_argument("--save-every", type=float, default=300.0, help="seconds")
    parser.add_argument("--save-steps", type=int, help="save as often as this, too")
    parser.add_argument("--average", type=int, default=1, help="export the mean of so many savings")
    parser.add_argument("--resume", action="store_true", help="go on from the state in --run")
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--report-every", type=int, default=50, help="steps between events")
    parser.add_argument("--device", default="", help="cpu, cuda or mps (default: the best)")
    parser.add_argument(
        "--dtype",
        choices=("float32", "bfloat16"),
        help="bfloat16 where that is safe (default: on a GPU bfloat16, but for seq2seq)",
    )
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        help="train with torch.compile (default: on a GPU, but for seq2seq and XLNet)",
    )


def _add_steps(group: Any) -> None:
    group.add_argument(
        "--rate",
        "--lr",
        dest="rate",
        type=float,
        help="peak learning rate (default: 5e-4; inverse-root: that of Vaswani et al. 2017)",
    )
    group.add_argument("--schedule", choices=SCHEDULES, default="linear")
    group.add_argument("--warm-up", type=float, default=0.03, help="share of the run")
    group.add_argument("--warm-up-steps", type=int, help="instead, with --steps")
    group.add_argument("--cycles", type=int, default=1, help="cosine: half waves")
    group.add_argument(
        "--growth", type=int, default=1, help="cosine: how many times as long as the one before"
    )
    group.add_argument("--optimiser", choices=OPTIMISERS, default="adamw")
    group.add_argument("--weight-decay", type=float, default=0.01)
    group.add_argument("--clip", type=float, default=1.0, help="largest gradient norm")
    group.add_argument("--batch-tokens", type=int, default=131_072, help="in each process")
    group.add_argument("--length", type=int, help="tokens of a text, where it is open")
    group.add_argument("--accumulate", type=int, default=1, help="batches a step")


def run(arguments: argparse.Namespace) -> int:
    """Train; the last line on the standard output is the last event."""
    from core.training.processes import joined, processes

    given = {name: number for name, number in vars(arguments).items() if name in BOUNDS}
    require(**given, peak_rate=arguments.rate)  # before anything is read or built
    with joined(arguments.device) as device:
        _train(arguments, device, writes=processes().first)
    return 0


def _train(arguments: argparse.Namespace, device: torch.device, *, writes: bool) -> None:
    from core.training.pretrain import pretrain

    teacher = None
    if arguments.teacher is not None:
        teacher = load(arguments.teacher, device=str(device))
    start = _start(arguments, device, teacher, says=writes)
    plan = _plan(arguments, device, start, teacher)
    line, mode = "", "a" if arguments.resume else "w"
    with closing(pretrain(start, plan)) as events:
        for event in events:
            if not writes:
                continue
            line = json.dumps(event.as_json())
            with (arguments.run / "events.jsonl").open(mode, encoding="utf-8") as file:
                file.write(line + "\n")
            mode = "a"
            print(_summary(event), file=sys.stderr)
    if line:  # a run that is over has no more events
        print(line)


def _summary(event: StepEvent) -> str:
    losses = "  ".join(f"{name} {value:.3f}" for name, value in event.losses.items())
    speed = event.tokens / max(event.seconds, 1e-9)
    return (
        f"step {event.step}  {losses}  rate {event.rate:.2e}"
        f"  norm {event.gradient_norm:.2f}  {event.progress:.1%}  {speed:,.0f} tokens/s"
    )


def _plan(
    arguments: argparse.Namespace,
    device: torch.device,
    start: Checkpoint,
    teacher: Checkpoint | None,
) -> Pretraining:
    from core.objectives.labelled_files import TaskFile
    from core.training.loop import LoopSettings
    from core.training.optimisers import Method
    from core.training.plan import Pretraining
    from core.training.recipes import RECIPES

    schedule = _schedule(arguments)
    generator = None
    if arguments.generator is not None:
        generator = load(arguments.generator, device=str(device))
    # A recurrent model takes many small steps: compiling takes minutes, bfloat16 saves nothing.
    fast = device.type == "cuda" and start.config.recurrent is None
    compiled = fast and RECIPES[arguments.objective].compiled
    return Pretraining(
        corpus=arguments.corpus,
        folder=arguments.run,
        out=arguments.out,
        steps=arguments.steps,
        seconds=arguments.seconds,
        stop_after=arguments.stop_after,
        save_every=arguments.save_every,
        save_steps=arguments.save_steps,
        resume=arguments.resume,
        objective=arguments.objective,
        teacher=teacher,
        pairs=named_files(arguments.pairs),
        tasks=tuple(map(TaskFile.parse, arguments.task)),
        words_share=arguments.words_share,
        length=arguments.length,
        batch_tokens=arguments.batch_tokens,
        dropout=arguments.dropout,
        weight_decay=arguments.weight_decay,
        method=Method(arguments.optimiser),
        average=arguments.average,
        generator_share=arguments.generator_share,
        generator=generator,
        generator_alone=arguments.generator_alone,
        generator_temperature=arguments.generator_temperature,
        from_elsewhere=arguments.from_elsewhere,
        generator_out=arguments.generator_out,
        seed=arguments.seed,
        settings=LoopSettings(
            peak_rate=_peak(arguments, schedule, start),
            schedule=schedule,
            clip=arguments.clip,
            accumulate=arguments.accumulate,
            report_every=arguments.report_every,
            compiled=compiled if arguments.compile is None else arguments.compile,
            half=fast if arguments.dtype is None else arguments.dtype == "bfloat16",
        ),
    )


def _schedule(arguments: argparse.Namespace) -> Schedule:
    from core.training.schedules import Schedule, Shape

    warm_up = arguments.warm_up
    if arguments.warm_up_steps is not None:
        if arguments.steps is None:
            raise ConfigError("--warm-up-steps goes with --steps; else say --warm-up")
        warm_up = arguments.warm_up_steps / arguments.steps
    shape, growth = Shape(arguments.schedule), arguments.growth
    return Schedule(shape, warm_up, arguments.cycles, growth=growth)


def _peak(arguments: argparse.Namespace, schedule: Schedule, start: Checkpoint) -> float:
    from core.training.schedules import Shape, transformer_peak

    if arguments.rate is not None:
        return float(arguments.rate)
    if schedule.shape is not Shape.INVERSE_ROOT or arguments.steps is None:
        return 5e-4
    steps = max(1, round(schedule.warm_up * arguments.steps))
    return transformer_peak(start.config.embedding.layer_width, steps)


def _start(
    arguments: argparse.Namespace, device: torch.device, teacher: Checkpoint | None, *, says: bool
) -> Checkpoint:
    from core.training.bodies import body_sizes, from_body
    from core.training.fresh import PRESETS, fresh_start
    from core.training.recipes import RECIPES, recipe_of

    recipe = RECIPES[arguments.objective]
    if arguments.system is not None and arguments.start is not None:
        raise ConfigError("--system is for a fresh model; one to --start from has its own")
    systems = (recipe.system, *recipe.variants)
    if arguments.system not in (None, *systems):
        raise ConfigError(
            f"{arguments.objective} is learnt by {', '.join(systems)}, not by {arguments.system}"
        )
    recipe = recipe_of(arguments.objective, arguments.system)
    begins = (arguments.start, arguments.body, arguments.tokenizer)
    body = teacher if begins == (None, None, None) else None
    if body is None and begins.count(None) != 2:
        raise ConfigError("a model begins with --start, or --body, or fresh with --tokenizer")
    if arguments.start is not None:
        return load(arguments.start, device=str(device))
    if arguments.tokenizer is not None:
        sizes = _sizes(arguments, PRESETS[arguments.preset or "mini"])
        return fresh_start(recipe.fresh, arguments.tokenizer, sizes, device, arguments.seed)
    body = body or load(arguments.body, device=str(device))
    sizes = body_sizes(body.config, recipe)
    if arguments.preset is not None:
        sizes = PRESETS[arguments.preset]
    start, copied = from_body(recipe, body, _sizes(arguments, sizes), arguments.seed)
    if says:
        print(f"from {body.name}: {copied}", file=sys.stderr)
    return start


def _sizes(arguments: argparse.Namespace, sizes: Sizes) -> Sizes:
    from dataclasses import replace

    names = ("layers", "width", "heads", "feed_forward", "positions")
    given = {name: getattr(arguments, name) for name in names}
    return replace(sizes, **{name: number for name, number in given.items() if number is not None})
