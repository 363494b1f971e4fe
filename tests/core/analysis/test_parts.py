"""Parameters part by part."""

from math import prod

import pytest

from core.analysis.parts import ParameterGroup, parts_of, path_of
from core.checkpoints import LoadPolicy, load_checkpoint
from core.config import Head
from core.tasks.describe import describe
from tests.tiny_checkpoints import CHECKPOINTS, write_all


@pytest.fixture(scope="module")
def open_tiny(tmp_path_factory):
    folder = write_all(tmp_path_factory.mktemp("models"))
    policy = LoadPolicy(roots=(folder,))
    return lambda name: load_checkpoint(str(folder / name), device="cpu", policy=policy)


def test_the_parts_of_bert_by_the_formulas_of_its_configuration():
    checkpoint = load_checkpoint("bert", device="cpu")
    found = {(part.side, part.name): part for part in describe(checkpoint).parts}
    width, vocabulary, inner = 384, 15_000, 1_536
    assert found["embedding", "tokens"].count == vocabulary * width
    assert found["embedding", "positions"].count == 512 * width
    assert found["encoder", "attention"] == ParameterGroup(
        "encoder", "attention", 6 * 4 * (width * width + width), 6
    )
    projections = 2 * width * inner + inner + width
    assert found["encoder", "feed_forward"].count == 6 * projections
    assert found["encoder", "norms"].count == 6 * 2 * 2 * width
    assert found["head", "pooler"].count == width * width + width
    assert found["head", "next_sentence"].count == 2 * width + 2
    head = width * width + width + 2 * width + vocabulary
    assert found["head", "masked_language"].count == head
    assert sum(part.count for part in found.values()) == 16_917_146


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_the_parts_of_every_system_are_all_it_has(open_tiny, name):
    checkpoint = open_tiny(name)
    found = describe(checkpoint)
    assert found.parameters == sum(one.numel() for one in checkpoint.model.parameters())
    assert found.parameters == sum(prod(shape) for _, shape in found.tensors)
    assert len({path_of(tensor) for tensor, _ in found.tensors}) == len(found.tensors)
    if name != "seq2seq":
        assert not [part for part in found.parts if part.name == "other"]
    assert found.sides
    assert found.tokenizer_files == ("tokenizer.json",)
    assert found.stored_as == ("F32",)
    assert found.revision == checkpoint.revision


def test_heads_that_are_there_and_those_that_others_have(open_tiny):
    electra = describe(open_tiny("electra"))
    assert electra.heads == (Head.REPLACED_TOKEN,)
    assert electra.missing == (Head.MASKED_LANGUAGE,)
    generator = describe(open_tiny("electra-generator"))
    assert (generator.heads, generator.missing) == (electra.missing, electra.heads)
    assert describe(open_tiny("mtdnn")).tasks == ("order", "likeness", "words")
    assert describe(open_tiny("t5")).positions is None
    assert describe(open_tiny("llama")).positions == 512
    assert describe(open_tiny("gpt")).byte_level


def test_two_stacks_and_a_shared_layer(open_tiny):
    t5 = describe(open_tiny("t5"))
    assert [(side.name, side.layers, side.heads) for side in t5.sides] == [
        ("encoder", 2, 4),
        ("decoder", 2, 4),
    ]
    albert = describe(open_tiny("albert"))
    assert [(side.layers, side.modules) for side in albert.sides] == [(2, 1)]
    (shared,) = (part for part in albert.parts if part.name == "attention")
    assert shared.modules == 1
    assert albert.sides[0].plan == (0, 0)
    assert [side.heads for side in describe(open_tiny("seq2seq")).sides] == [0, 0]


def test_a_table_that_scores_words_too_is_tied(open_tiny):
    assert [describe(open_tiny(name)).tied for name in ("bert", "gpt", "t5")] == [True] * 3
    assert not describe(open_tiny("electra")).tied  # scores no words
    own = describe(open_tiny("llama"))
    assert own.tied is not any(name == "language.own.weight" for name, _shape in own.tensors)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("embedding.token_table.weight", ("embedding", "tokens", "token_table.weight")),
        (
            "decoder.layers.12.attention_norm.bias",
            ("decoder", "12", "norms", "attention_norm.bias"),
        ),
        ("encoder.final_norm.weight", ("encoder", "norms", "final_norm.weight")),
        ("tasks.order_head.unit.bias", ("head", "order", "order_head.unit.bias")),
        ("query_start", ("embedding", "query_start", "query_start")),
    ],
)
def test_where_a_tensor_stands(name, path):
    assert path_of(name) == path


def test_tensors_of_no_known_name_are_counted_too():
    assert parts_of([("encoder.strange", 3), ("lonely", 2)]) == (
        ParameterGroup("encoder", "other", 3),
        ParameterGroup("head", "lonely", 2),
    )
