"""Against the real transformers: its files load here, our files load there, nothing is lost."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints import Checkpoint, save_checkpoint
from core.config import Head
from core.models.architectures.bert import BERT
from core.tokenisation import Tokenizer

pytestmark = pytest.mark.parity

CLASSES = {
    "BertForPreTraining": (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
    "BertForMaskedLM": (Head.MASKED_LANGUAGE,),
    "BertForNextSentencePrediction": (Head.NEXT_SENTENCE,),
    "BertModel": (),
}

MakeReference = Callable[..., Any]
SaveReference = Callable[[Any], Path]
Load = Callable[..., Checkpoint]


def inputs(checkpoint: Checkpoint) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    rows = checkpoint.config.embedding.vocabulary
    ids = torch.randint(rows, (2, 70), generator=generator)
    segments = torch.randint(2, ids.shape, generator=generator)
    keep = torch.arange(70) < torch.tensor([[70], [41]])
    return ids, segments, keep


@torch.no_grad()
def assert_same_results(reference: Any, checkpoint: Checkpoint) -> None:
    ids, segments, keep = inputs(checkpoint)
    theirs = reference(
        ids, token_type_ids=segments, attention_mask=keep.long(), output_hidden_states=True
    )
    ours = checkpoint.model(ids, segments, keep)
    hidden = theirs.hidden_states[-1]
    torch.testing.assert_close(ours.hidden[keep], hidden[keep], atol=1e-5, rtol=1e-5)
    tokens = theirs.get("prediction_logits")
    pairs = theirs.get("seq_relationship_logits")
    if tokens is None and pairs is None and "logits" in theirs:
        tokens, pairs = (None, theirs.logits) if theirs.logits.ndim == 2 else (theirs.logits, None)
    for our_logits, their_logits in ((ours.logits, tokens), (ours.pair_logits, pairs)):
        assert (our_logits is None) == (their_logits is None)
        if their_logits is not None:
            if their_logits.ndim == 3:
                our_logits, their_logits = our_logits[keep], their_logits[keep]
            torch.testing.assert_close(our_logits, their_logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("class_name", CLASSES)
def test_there_and_back(
    class_name: str,
    make_reference: MakeReference,
    save_reference: SaveReference,
    load: Load,
    tmp_path: Path,
) -> None:
    reference = make_reference(class_name)
    checkpoint = load(save_reference(reference))
    assert checkpoint.config.heads == CLASSES[class_name]
    assert not checkpoint.model.training
    assert_same_results(reference, checkpoint)

    folder = tmp_path / "exported"
    save_checkpoint(
        checkpoint.model,
        checkpoint.config,
        checkpoint.tokenizer,
        folder,
        dtype=torch.float32,
        shard_bytes=12_000,
    )
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    again, report = type(reference).from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    assert not any(report.values()), report
    assert (
        type(again).__name__ == json.loads((folder / "config.json").read_text())["architectures"][0]
    )
    before, after = reference.state_dict(), again.state_dict()
    assert before.keys() == after.keys()
    for key, tensor in before.items():
        assert torch.equal(tensor, after[key]), key
    assert load(folder).config == checkpoint.config


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_act": "gelu_new"},
        {"hidden_act": "relu"},
        {"layer_norm_eps": 0.1},
        {"type_vocab_size": 3},
        {"num_attention_heads": 12},
        {"num_hidden_layers": 5, "intermediate_size": 7},
    ],
    ids=str,
)
def test_every_kind_of_configuration(
    changes: dict[str, Any],
    make_reference: MakeReference,
    save_reference: SaveReference,
    load: Load,
) -> None:
    reference = make_reference("BertForPreTraining", **changes)
    assert_same_results(reference, load(save_reference(reference)))


def rewrite(folder: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def test_every_key_is_used_once_or_dropped_by_name(
    make_reference: MakeReference, save_reference: SaveReference, load: Load
) -> None:
    reference = make_reference("BertForPreTraining")
    state = reference.state_dict()  # with the repeated keys that files leave out
    state["bert.embeddings.position_ids"] = torch.arange(72)[None]
    found = BERT.keys({}).assign(state)
    used = [source.key for source in found.sources.values()]
    assert sorted([*used, *found.aliases, *found.dropped]) == sorted(state)
    assert found.dropped == ("bert.embeddings.position_ids",)
    assert found.aliases == {
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    }
    folder = save_reference(reference)
    rewrite(folder, lambda _: {key: tensor.clone() for key, tensor in state.items()})
    checkpoint = load(folder)
    assert found.sources.keys() == checkpoint.model.state_dict().keys()
    assert_same_results(reference, checkpoint)


def test_files_of_old_and_of_bare_models(
    make_reference: MakeReference, save_reference: SaveReference, load: Load
) -> None:
    def age(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        endings = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        aged = {"embeddings.position_ids": torch.arange(72)[None]}
        for key, tensor in tensors.items():
            for new, old in endings.items():
                key = key.replace(new, old)
            aged[key] = tensor
        return aged

    reference = make_reference("BertModel")
    folder = save_reference(reference)
    rewrite(folder, age)
    assert "embeddings.LayerNorm.gamma" in load_file(folder / "model.safetensors")
    assert_same_results(reference, load(folder))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_become_float32(
    dtype: torch.dtype, make_reference: MakeReference, save_reference: SaveReference, load: Load
) -> None:
    reference = make_reference("BertForPreTraining")
    folder = save_reference(reference.to(dtype))
    checkpoint = load(folder)
    assert {tensor.dtype for tensor in checkpoint.model.state_dict().values()} == {torch.float32}
    assert_same_results(reference.float(), checkpoint)


def test_no_parameter_is_ignored(
    make_reference: MakeReference, save_reference: SaveReference, load: Load
) -> None:
    checkpoint = load(save_reference(make_reference("BertForPreTraining")))
    ids, segments, _ = inputs(checkpoint)
    ids[0, : checkpoint.config.embedding.vocabulary] = 3

    @torch.no_grad()
    def results() -> Tensor:
        out = checkpoint.model(ids, segments)
        return torch.cat([out.hidden.flatten(), out.logits.flatten(), out.pair_logits.flatten()])

    before = results()
    generator = torch.Generator().manual_seed(2)
    for name, parameter in checkpoint.model.named_parameters():
        kept = parameter.detach().clone()
        with torch.no_grad():
            parameter.add_(torch.randn(parameter.shape, generator=generator))
        if name.endswith("attention.key_projection.bias"):
            # Adds the same to all scores of a query, which the softmax takes away again.
            torch.testing.assert_close(results(), before, atol=1e-3, rtol=1e-3)
        else:
            assert not torch.allclose(results(), before, atol=1e-3), name
        with torch.no_grad():
            parameter.copy_(kept)


def test_the_tokenizer_opens_there(tiny_checkpoint_folder: Path, word_pieces: Tokenizer) -> None:
    import transformers

    theirs = transformers.AutoTokenizer.from_pretrained(tiny_checkpoint_folder)
    encoded = theirs("The cat sat [MASK] the mat.", "Paris, un café!")
    ours = word_pieces.encode("The cat sat [MASK] the mat.", "Paris, un café!")
    assert tuple(encoded["input_ids"]) == ours.ids
    assert tuple(encoded["token_type_ids"]) == ours.segments
    assert theirs.model_max_length == 320
    for theirs_id, ours_id in (
        (theirs.mask_token_id, word_pieces.mask_id),
        (theirs.pad_token_id, word_pieces.pad_id),
        (theirs.cls_token_id, word_pieces.cls_id),
        (theirs.sep_token_id, word_pieces.sep_id),
        (theirs.unk_token_id, word_pieces.unknown_id),
    ):
        assert theirs_id == ours_id
