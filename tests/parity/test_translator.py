"""A translator of ours as transformers opens it: the same pieces are read, the same are written."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from core.checkpoints import LoadPolicy, load_checkpoint, save_checkpoint
from core.models.architectures.transformer import transformer_config
from core.models.registry import build
from core.tasks import translate
from core.tokenisation.languages import language_token
from core.tokenisation.training import TRANSLATION_FRAME, VocabularyKind, train_tokenizer

pytestmark = pytest.mark.parity

TEXTS = (
    "The cat sat there. The dogs sat on the old mat, and the ship went to sea.",
    "Die Katze saß dort. Die Hunde saßen auf der alten Matte, und das Schiff fuhr zur See.",
    "Le chat était là. Les chiens étaient assis, et le bateau partit en mer.",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tokenizer = train_tokenizer(
        VocabularyKind.UNIGRAM,
        TEXTS * 9,
        110,
        frame=TRANSLATION_FRAME,
        digits_apart=True,
        punctuation_apart=True,
        further=tuple(map(language_token, ("de", "fr"))),
    )
    start = tokenizer.pad_id
    config = transformer_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=2,
        heads=2,
        width=16,
        feed_forward=32,
        max_positions=64,
        start_id=start,
        padding_id=start,
        initial_deviation=0.3,
    )
    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("translator")
    save_checkpoint(build(config).eval(), config, tokenizer, folder)
    return folder


@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize("beams", [1, 4])
def test_transformers_writes_the_same_translation(folder: Path, language: str, beams: int) -> None:
    ours = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))
    reader = AutoTokenizer.from_pretrained(folder)
    theirs = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    assert theirs.config.eos_token_id == ours.tokenizer.sep_id
    for text in ("The cat sat on the ship.", "Old dogs, and the sea"):
        read = reader(f"{language_token(language)} {text}", return_tensors="pt")
        mine = translate(ours, text, language=language, beams=beams)
        assert tuple(reader.convert_ids_to_tokens(read.input_ids[0])) == mine.source
        written = theirs.generate(
            **read,
            num_beams=beams,
            do_sample=False,
            max_new_tokens=2 * len(mine.source) + 10,
            forced_eos_token_id=None,
        )
        assert written[0, 1:].tolist() == list(mine.beams[0].pieces)
        decoded = reader.decode(written[0], skip_special_tokens=True)
        assert isinstance(decoded, str)
        assert decoded.strip() == mine.text
