"""Every verb refuses numbers that make no sense, in one line that names the bounds."""

import re

import pytest

from core.__main__ import BAD_INPUT, main

TRAIN = ["train", "mlm", "--tokenizer", "t.json", "--data", "d.txt", "--run", "r", "--out", "o"]
RUN = [*TRAIN, "--steps", "9"]
TOKENIZER = ["tokenizer", "bpe", "--frame", "gpt", "--data", "d.txt", "--out", "t.json"]
SIZED = [*TOKENIZER, "--vocabulary", "300"]
WHOLE = ("-1", "99999999999999999999", "0")
REAL = ("-1", "nan", "inf", "-inf", "1e300")
TINY = (*REAL, "1e-40", "5e-324")
WRITING: dict[str, tuple[str, ...]] = {
    "--temperature": TINY,
    "--top-k": WHOLE,
    "--top-p": (*TINY, "0"),
}
VERBS: list[tuple[list[str], dict[str, tuple[str, ...]]]] = [
    (["continue", "--text", "a"], WRITING),
    (["spans", "--text", "a ___"], WRITING),
    (
        ["evaluate", "gpt"],
        {"--windows": WHOLE, "--judged": WHOLE[:2], "--length": WHOLE, "--context": WHOLE},
    ),
    (["experiments", "all"], {"--seeds": WHOLE, "--jobs": WHOLE, "--steps": WHOLE}),
    (["label", "order", "--data", "d.txt", "--out", "o.txt"], {"--examples": WHOLE}),
    (["prune", "--checkpoint", "c", "--corpus", "d", "--out", "o"], {"--vocabulary": WHOLE}),
    (TOKENIZER, {"--vocabulary": WHOLE}),
    (SIZED, {"--sentinels": WHOLE[:2], "--alphabet": WHOLE, "--limit-mb": (*TINY, "0")}),
    (TRAIN, {"--steps": WHOLE, "--seconds": (*TINY, "0")}),
    (
        RUN,
        dict.fromkeys(("--rate", "--words-share"), (*TINY, "0"))
        | dict.fromkeys(
            (
                "--dropout",
                "--warm-up",
                "--weight-decay",
                "--save-every",
                "--stop-after",
                "--generator-heat",
            ),
            REAL,
        )
        | dict.fromkeys(
            (
                "--accumulate",
                "--average",
                "--batch-tokens",
                "--cycles",
                "--feed-forward",
                "--generator-share",
                "--growth",
                "--heads",
                "--layers",
                "--length",
                "--positions",
                "--report-every",
                "--save-steps",
                "--width",
            ),
            WHOLE,
        )
        | {"--clip": ("-1", "0", "nan", "1e-40"), "--warm-up-steps": WHOLE[:2]},
    ),
]

REFUSAL = r"error: .* must be ((0 or )?from \S+ to \S+|at least \S+), not \S+\n"


@pytest.mark.parametrize(("verb", "numbers"), VERBS, ids=[verb[0] for verb, _ in VERBS])
def test_odd_numbers_are_refused_with_their_bounds(
    verb: list[str], numbers: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    for option, values in numbers.items():
        for value in values:
            assert main([*verb, f"{option}={value}"]) == BAD_INPUT, (option, value)
            said = capsys.readouterr().err
            assert re.fullmatch(REFUSAL, said), said
