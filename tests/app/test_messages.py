"""`make messages` gathers what the app shows, and what is translated is what a reader sees."""

import ast
import contextvars
import shutil
import subprocess
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po

from app import i18n

ROOT = Path(__file__).resolve().parent.parent.parent


def make_messages(folder, *arguments):
    subprocess.run(
        ["make", "messages", f"LOCALE={folder}", *arguments], cwd=ROOT, check=True, timeout=120
    )


def marked_strings():
    """Every text that Python code marks for translation."""
    for folder in ("app", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in {"_", "N_", "ngettext"}:
                    first = node.args[0]
                    if isinstance(first, ast.Constant):
                        yield first.value


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_language_is_begun_translated_and_shown(tmp_path, monkeypatch):
    make_messages(tmp_path, "NEW=ru")
    file = tmp_path / "ru" / "LC_MESSAGES" / "headlight.po"
    with file.open("rb") as stream:
        catalogue = read_po(stream, locale="ru")
    gathered = {
        message.id if isinstance(message.id, str) else message.id[0] for message in catalogue
    }
    assert set(marked_strings()) <= gathered

    catalogue["All heads"].string = "Все головы"
    with file.open("wb") as stream:
        write_po(stream, catalogue)
    make_messages(tmp_path)  # what was translated stays

    monkeypatch.setattr(i18n, "LOCALE_FOLDER", tmp_path)
    i18n._translations.cache_clear()

    def shown():
        i18n.use_language("ru")
        return i18n._("All heads"), i18n._("Start")

    assert contextvars.copy_context().run(shown) == ("Все головы", "Start")
    i18n._translations.cache_clear()
