"""Folders of OPUS-MT: two SentencePiece files and a table of ids, beside transformers."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

from core.checkpoints import (
    Checkpoint,
    DamagedFileError,
    LoadPolicy,
    NotACheckpointError,
    SettingError,
    load_checkpoint,
)
from core.parity import differences
from core.parity.comparisons.text_to_text import TRANSFORMER
from core.parity.reference import open_reference, randomise
from core.tasks import attend, translate
from core.tasks.watch_translation import watch_translation
from core.tokenisation import TokenizerRefusedError
from core.tokenisation.languages import languages_of
from tests.tiny_checkpoints.vocabularies import SENTENCES

pytestmark = pytest.mark.parity

GERMAN = (
    "Der Hund schläft im Garten, und meine Schwester wohnt in einem kleinen Haus.",
    "Die Katze saß auf der Matte; morgen will sie über die Straße gehen.",
    "Wir fahren im Frühling mit dem alten Boot zum Leuchtturm.",
)
TEXTS = (
    "The cat sat on the old boat.",
    "She   likes apples, and my dog is cute!",
    "Ünïcödé ﬁne ½ × 日本 🙂",
    "the",
    "Zebra quiz: xylophone & jazz",
    "a </s> b <pad> <unk>",
)


def pieces_of(sentences: tuple[str, ...], path: Path, **options: Any) -> list[str]:
    generator = random.Random(3)  # noqa: S311 - no secret
    words = " ".join(sentences).split()
    lines = [" ".join(generator.choices(words, k=8)) for _ in range(300)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*sentences, *lines]),
        model_prefix=str(path.with_suffix("")),
        vocab_size=110,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(number) for number in range(model.get_piece_size())][3:]


def write_opus(folder: Path, *, languages: tuple[str, ...] = (), **options: Any) -> Path:
    """As the conversion of OPUS-MT writes them; every seventh piece is not in the table."""
    folder.mkdir()
    source = pieces_of(SENTENCES, folder / "source.spm", **options)
    target = pieces_of(GERMAN, folder / "target.spm", **options)
    kept = [piece for at, piece in enumerate(sorted({*source, *target})) if at % 7]
    random.Random(5).shuffle(kept)  # noqa: S311
    names = ["</s>", "<unk>", *kept[:40], *languages, *kept[40:], "<pad>"]
    vocabulary = {name: number for number, name in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    said = {"source_lang": "en", "target_lang": "de", "tokenizer_class": "MarianTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    padding = len(names) - 1
    config = MarianConfig(
        vocab_size=len(names),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=128,
        activation_function="swish",
        scale_embedding=True,
        pad_token_id=padding,
        decoder_start_token_id=padding,
        eos_token_id=0,
        forced_eos_token_id=0,
    )
    model = MarianMTModel(config)
    randomise(model, seed=5, spread=0.9)
    with torch.no_grad():
        model.final_logits_bias.uniform_(-1, 1)
    model.save_pretrained(folder)
    changed = json.loads((folder / "config.json").read_text())
    changed |= {
        "normalize_before": False,
        "normalize_embedding": False,
        "static_position_embeddings": True,
        "add_final_layer_norm": False,
        "bad_words_ids": [[padding]],
        "num_beams": 6,
    }
    (folder / "config.json").write_text(json.dumps(changed))
    return folder


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder.parent,)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_opus(tmp_path_factory.mktemp("opus") / "en-de")


@pytest.fixture(scope="module")
def theirs(folder: Path) -> Any:
    return MarianTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def ours(folder: Path) -> Checkpoint:
    return opened(folder)


def test_both_sides_are_cut_as_by_sentencepiece_and_numbered_by_the_table(
    ours: Checkpoint, theirs: Any
) -> None:
    unknown = 0
    for text in (*TEXTS[:-1], *SENTENCES, *GERMAN):
        assert list(ours.tokenizer.encode(text).ids) == theirs(text).input_ids, text
        written = ours.tokenizer.of_target.encode(text)
        assert list(written.ids) == theirs(text_target=text).input_ids, text
        unknown += written.ids.count(1)
        assert ours.tokenizer.ids_of(text) == ours.tokenizer.encode(text).ids[:-1]
    assert unknown > 20  # pieces that the table lacks are there
    assert ours.tokenizer.encode(GERMAN[0]).ids != ours.tokenizer.of_target.encode(GERMAN[0]).ids
    typed = ours.tokenizer.encode(TEXTS[-1]).ids  # special tokens are read as characters
    assert (typed.count(0), ours.tokenizer.pad_id in typed) == (1, False)


def test_every_part_agrees(ours: Checkpoint, folder: Path) -> None:
    reference = open_reference("MarianMTModel", folder)
    batch = TRANSFORMER.batch(ours.config.embedding.vocabulary, 40)
    found = differences(TRANSFORMER, ours.model, reference, batch)
    assert {part.name: off for part, off in found.items() if off > part.tolerance} == {}


@pytest.mark.parametrize("beams", [1, 4])
def test_the_translations_are_those_of_transformers(
    ours: Checkpoint, theirs: Any, folder: Path, beams: int
) -> None:
    model = MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
    for text in TEXTS[:3]:
        mine = translate(ours, text, beams=beams)
        read = theirs(text, return_tensors="pt")
        written = model.generate(
            **read,
            num_beams=beams,
            do_sample=False,
            max_new_tokens=min(2 * len(mine.source) + 10, 127),
            forced_eos_token_id=None,
            bad_words_ids=[[ours.tokenizer.pad_id]],
        )
        assert written[0, 1:].tolist() == list(mine.beams[0].pieces)
        assert theirs.decode(written[0], skip_special_tokens=True).strip() == mine.text
        assert len(mine.text) > 10


def test_the_pages_of_translators_show_it(ours: Checkpoint, theirs: Any) -> None:
    found = attend(ours, TEXTS[0], target=GERMAN[1])
    assert found.target is not None
    ids = theirs(text_target=GERMAN[1]).input_ids
    assert list(found.target.ids) == [ours.tokenizer.pad_id, *ids[:-1]]
    assert [one.name for one in found.maps] == ["encoder", "decoder", "cross"]
    watched = watch_translation(ours, TEXTS[0], beams=2)
    assert watched.text == translate(ours, TEXTS[0], beams=2).text
    written = attend(ours, TEXTS[0]).target
    assert written is not None
    assert ours.tokenizer.pad_id not in written.ids[1:]


def test_a_language_is_a_token_in_front(tmp_path: Path) -> None:
    folder = write_opus(tmp_path / "en-mul", languages=(">>deu<<", ">>fra<<"))
    ours, theirs = opened(folder), MarianTokenizer.from_pretrained(folder)
    assert set(languages_of(ours.tokenizer)) == {"deu", "fra"}
    mine = translate(ours, TEXTS[0], language="fra", beams=1)
    ids = theirs(f">>fra<< {TEXTS[0]}").input_ids
    assert mine.source == tuple(theirs.convert_ids_to_tokens(ids))


def test_merged_pairs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerRefusedError, match=r"source\.spm or target\.spm.*merges pairs"):
        opened(write_opus(tmp_path / "bpe", model_type="bpe"))


def without(folder: Path, name: str) -> None:
    (folder / name).unlink()


def changed(folder: Path, name: str, **changes: Any) -> None:
    path = folder / name
    table = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({key: one for key, one in table.items() if one is not None}))


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda at: without(at, "target.spm"), NotACheckpointError, "target.spm"),
        (lambda at: without(at, "vocab.json"), NotACheckpointError, "vocab.json"),
        (lambda at: changed(at, "vocab.json", **{"<pad>": None}), DamagedFileError, "<pad>"),
        (lambda at: changed(at, "vocab.json", **{"</s>": 999}), DamagedFileError, "gaps"),
        (
            lambda at: changed(at, "tokenizer_config.json", separate_vocabs=True),
            TokenizerRefusedError,
            "target_vocab.json.*a vocabulary of its own",
        ),
        (
            lambda at: changed(at, "config.json", share_encoder_decoder_embeddings=False),
            SettingError,
            "share_encoder_decoder_embeddings",
        ),
        (
            lambda at: changed(at, "config.json", decoder_attention_heads=2),
            SettingError,
            "decoder_attention_heads",
        ),
    ],
)
def test_what_cannot_be_followed_is_named(
    change: Any, error: Any, said: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "it"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    change(copy)
    with pytest.raises(error, match=said):
        opened(copy)
