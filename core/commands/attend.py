"""``attend``: what every head of every layer looks at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.commands.numbers import seed
from core.commands.texts import Answer, add_text_options, answer_texts, rows, texts_of
from core.errors import ConfigError

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.tasks import AttendResult
    from core.tokenisation import Encoding

    Order = tuple[int, ...] | Literal["random"]


def add_parser(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "attend",
        allow_abbrev=False,
        help="record every attention pattern",
        description="Record what every head of every layer looks at, in a model of any system.",
    )
    add_text_options(parser)
    parser.add_argument(
        "--target",
        metavar="TEXT",
        help="what the decoder beside an encoder reads; without it, the model writes it itself",
    )
    parser.add_argument(
        "--to", dest="language", metavar="LANGUAGE", help="into which one it writes: de, fr"
    )
    parser.add_argument(
        "--order",
        type=_order,
        metavar="N,N,...",
        help="XLNet: numbers of the tokens in the order in which they are read, others last;"
        " or random",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of a random order")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="an .npz file for --text; for --file a folder, line 7 becomes 00007.npz in it",
    )


def _order(text: str) -> Order:
    if text == "random":
        return "random"
    numbers = text.split(",")
    if all(number.isascii() and number.isdecimal() and len(number) < 10 for number in numbers):
        return tuple(map(int, numbers))
    raise argparse.ArgumentTypeError(f"an order is numbers such as 0,3,1,2, or random, not {text}")


def run(arguments: argparse.Namespace) -> int:
    """Answer the tokens and the shapes of all patterns; write the arrays where asked."""
    from core.tasks import attend

    def answer(checkpoint: Checkpoint, text: str, line: int | None) -> Answer:
        result = attend(
            checkpoint,
            text,
            arguments.pair,
            cut=arguments.cut,
            target=arguments.target,
            language=arguments.language,
            order=arguments.order,
            seed=arguments.seed,
        )
        answer = answer_of(result)
        if arguments.out is not None:
            path = arguments.out if line is None else arguments.out / f"{line:05}.npz"
            write_trace(path, result)
            answer["out"] = str(path)
        return answer

    if arguments.file is not None and arguments.target is not None:
        raise ConfigError("--target goes with --text, not with --file")
    if arguments.out is not None and arguments.file is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
    return answer_texts(arguments, answer, table)


def answer_of(result: AttendResult) -> Answer:
    """What is said about a result in JSON."""
    encoding, target = result.encoding, result.target
    layers, heads = result.patterns.shape[:2]
    answer = texts_of(encoding.texts) | {
        "tokens": encoding.tokens,
        "offsets": encoding.offsets,
        "segments": encoding.segments,
        "cut": encoding.cut,
        "layers": layers,
        "heads": heads,
        "device": result.device,
        "seconds": round(result.seconds, 6),
        "maps": {
            one.name: {
                "shape": one.patterns.shape,
                "masked_rows": one.masked_rows.nonzero()[0].tolist(),
            }
            for one in result.maps
        },
    }
    if target is not None:
        answer["target"] = {
            "text": target.texts[0],
            "tokens": target.tokens,
            "offsets": target.offsets,
            "cut": target.cut,
            "written": result.written,
            "ended": result.ended,
        }
    if result.order is not None:
        answer["order"] = result.order
    return answer


def write_trace(path: Path, result: AttendResult) -> None:
    """Write one pass as an uncompressed ``.npz`` that loads without pickle.

    Arrays: ``texts``; per token ``tokens``, ``ids``, ``offsets`` ``[token, 2]`` (characters),
    ``segments``, ``words`` (-1 for none), ``special``; the same of a decoder's text beside an
    encoder with ``target.`` before their names; ``order``, where there is one. Of a model with one
    kind of attention ``patterns`` ``[layer, head, query, key]``, ``masked`` ``[query, key]`` and,
    with a table, ``positions`` ``[token, width]``; of others, as well as of T5's ``bias``
    ``[head, query, key]``, one a kind: ``patterns.encoder``, ``patterns.cross``. All numbers are
    float32.
    """
    import numpy as np

    arrays = _columns(result.encoding, "")
    if result.target is not None:
        arrays |= _columns(result.target, "target.")
    if result.order is not None:
        arrays["order"] = np.array(result.order, dtype=np.int32)
    for one in result.maps:
        alone = result.target is None and len(result.maps) == 1
        kind = "" if alone else f".{one.name}"
        arrays[f"patterns{kind}"] = one.patterns
        arrays[f"masked{kind}"] = one.masked
        if one.bias is not None:
            arrays[f"bias{kind}"] = one.bias
        if one.positions is not None and one.name != "cross":  # the decoder's again
            arrays[f"positions{kind}"] = one.positions
    with path.open("wb") as file:  # as named: numpy would add a suffix to a bare path
        np.savez(file, **arrays)


def _columns(encoding: Encoding, prefix: str) -> dict[str, Any]:
    import numpy as np

    words = [-1 if word is None else word for word in encoding.words]
    columns = {
        "texts": np.array(encoding.texts),
        "tokens": np.array(encoding.tokens),
        "ids": np.array(encoding.ids, dtype=np.int32),
        "offsets": np.array(encoding.offsets, dtype=np.int32),
        "segments": np.array(encoding.segments, dtype=np.int32),
        "words": np.array(words, dtype=np.int32),
        "special": np.array(encoding.special),
    }
    return {prefix + name: column for name, column in columns.items()}


def table(answer: Answer) -> str:
    """One line a token, then the shapes of the patterns."""
    tokens = zip(answer["tokens"], answer["offsets"], answer["segments"], strict=True)
    lines = [
        (str(number), token, f"{start}-{end}", str(segment))
        for number, (token, (start, end), segment) in enumerate(tokens)
    ]
    parts = [rows([("", "token", "characters", "text"), *lines])]
    if "target" in answer:
        target = answer["target"]
        spelt = zip(target["tokens"], target["offsets"], strict=True)
        read = [(str(n), token, f"{start}-{end}") for n, (token, (start, end)) in enumerate(spelt)]
        heading = "written" if target["written"] else "target"
        parts.append(rows([("", heading, "characters"), *read]))
    summary = (
        f"{len(lines)} tokens, {answer['layers']} layers of {answer['heads']} heads,"
        f" {1000 * answer['seconds']:.1f} ms on {answer['device']}"
    )
    if answer["cut"]:
        summary += f"; {answer['cut']} tokens were cut off"
    parts.append(summary)
    parts.append(rows([_shape(name, one) for name, one in answer["maps"].items()]))
    if "out" in answer:
        parts.append(f"written to {answer['out']}")
    return "\n\n".join(parts)


def _shape(name: str, one: Answer) -> tuple[str, ...]:
    layers, heads, queries, keys = one["shape"]
    blind = one["masked_rows"]
    note = f"tokens that see nothing: {', '.join(map(str, blind))}" if blind else ""
    return name, f"{layers} x {heads} maps", f"{queries} queries x {keys} keys", note
