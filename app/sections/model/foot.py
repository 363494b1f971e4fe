"""Below everything: a link, and how to read the page."""

from app.i18n import _
from app.parts.foot import foot


def draw_foot() -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read())


def _how_to_read() -> str:
    return _(
        "- **A model is a folder** in the layout of Hugging Face: `config.json`, weights as"
        " safetensors, and a tokenizer as `tokenizer.json`, `spiece.model`, `vocab.json`"
        " with `merges.txt`, or `vocab.txt`.\n"
        "- **Nothing in it is run.** Pickles are refused, and so is what does not fit"
        " together: sizes are compared before any weight is read.\n"
        "- **A head is found** where the files have its tensors, or where it needs none of"
        " its own because it scores words with the table of tokens.\n"
        "- **Parameters** are the numbers that were learnt. A table that is used twice, or"
        " a layer that serves several times, counts once.\n"
        "- **The revision** is a hash of everything that decides an answer: the same files"
        " have the same one on every machine.\n"
        "- **A model stays with you.** The lists of the other pages offer it under its name"
        " in this session only; a link carries its name, and opens where the host allows"
        " the same folder."
    )
