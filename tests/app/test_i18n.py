"""Translation works, and nothing a reader sees goes past it."""

import ast
import contextvars
import struct
import threading
from pathlib import Path

import pytest

from app import i18n

ROOT = Path(__file__).resolve().parent.parent.parent
READ_BY_PEOPLE = {
    "button", "caption", "checkbox", "download_button", "error", "expander", "header", "info",
    "markdown", "metric", "multiselect", "number_input", "page_link", "pills", "popover", "radio",
    "segmented_control", "selectbox", "select_slider", "slider", "spinner", "status", "subheader",
    "success", "text", "text_area", "text_input", "title", "toast", "toggle", "warning", "write",
}  # fmt: skip
READ_BY_PEOPLE_AS_KEYWORD = {"label", "help", "placeholder", "title", "caption", "body", "text"}

RUSSIAN = {
    "": "Content-Type: text/plain; charset=UTF-8\n"
    "Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : "
    "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n",
    "Start": "Начало",
    "{count} head\0{count} heads": "{count} голова\0{count} головы\0{count} голов",
}


def compile_catalogue(messages):
    """The bytes of a .mo file: sorted originals, then their translations."""
    pairs = sorted((key.encode(), text.encode()) for key, text in messages.items())
    table_length = 8 * len(pairs)
    position = 28 + 2 * table_length
    tables, strings = [b"", b""], b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<II", len(pair[column]), position + len(strings))
            strings += pair[column] + b"\0"
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + table_length, 0, position)
    return header + tables[0] + tables[1] + strings


@pytest.fixture
def russian(tmp_path, monkeypatch):
    folder = tmp_path / "ru" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "headlight.mo").write_bytes(compile_catalogue(RUSSIAN))
    monkeypatch.setattr(i18n, "LOCALE_FOLDER", tmp_path)
    i18n._translations.cache_clear()
    yield
    i18n._translations.cache_clear()


def in_language(language, call):
    def run():
        i18n.use_language(language)
        return call()

    return contextvars.Context().run(run)


def test_a_string_is_translated(russian):
    assert in_language("ru", lambda: i18n._("Start")) == "Начало"


def test_a_string_without_translation_stays_english(russian):
    assert in_language("ru", lambda: i18n._("Two models")) == "Two models"


@pytest.mark.parametrize(("count", "form"), [(1, "голова"), (3, "головы"), (12, "голов")])
def test_plural_forms_are_those_of_the_language(russian, count, form):
    said = in_language("ru", lambda: i18n.ngettext("{count} head", "{count} heads", count))
    assert said == "{count} " + form


def test_two_readers_in_two_threads_have_two_languages(russian):
    both_have_chosen, heard = threading.Barrier(2), {}

    def read(language):
        i18n.use_language(language)
        both_have_chosen.wait(timeout=10)
        heard[language] = i18n._("Start")

    threads = [threading.Thread(target=read, args=[language]) for language in ("ru", "en")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {"ru": "Начало", "en": "Start"}


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (["ru", "en"], "ru"),
        ([None, "ru-RU"], "ru"),
        (["", "RU_ru"], "ru"),
        (["xx", "ru"], "ru"),
        (["../../etc", None], "en"),
        ([], "en"),
    ],
)
def test_the_first_wanted_language_that_exists_is_chosen(russian, wanted, chosen):
    assert i18n.choose_language(wanted) == chosen


def untranslated(name):
    """Literal texts given to a Streamlit call that shows them."""
    for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"), name)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        shown = [
            keyword.value for keyword in node.keywords if keyword.arg in READ_BY_PEOPLE_AS_KEYWORD
        ]
        if node.func.attr in READ_BY_PEOPLE:
            shown += node.args[:1]
        elif not ast.unparse(node.func).startswith("st."):
            continue
        for argument in shown:
            literals = [argument] if isinstance(argument, ast.Constant) else []
            if isinstance(argument, ast.JoinedStr):
                literals = [part for part in argument.values if isinstance(part, ast.Constant)]
            for literal in literals:
                if isinstance(literal.value, str) and has_words(literal.value):
                    yield f"{name}:{node.lineno}: {literal.value!r}"


def has_words(text):
    """Whether a text says something; an icon or a colour mark does not."""
    marks = (":material/", ":primary[", ":gray[", ":orange[")
    for mark in marks:
        text = text.replace(mark, "")
    return any(character.isalpha() for character in text)


def test_the_search_finds_what_it_should(tmp_path):
    script = tmp_path / "page.py"
    script.write_text(
        'st.title("Hello")\nst.title(_("Hello"))\ncolumn.caption(f"Layer {layer}")\n'
        'st.text_input(_("Text"), help="More")\nst.caption("· 12")\n'
        'st.caption(f":primary[{name}]")\n'
    )
    assert [line.rsplit(": ")[-1] for line in untranslated(script)] == [
        "'Hello'",
        "'Layer '",
        "'More'",
    ]


def shown_files():
    paths = [*(ROOT / "app").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def test_every_string_goes_through_translation():
    assert [found for name in shown_files() for found in untranslated(name)] == []


def test_no_translated_string_is_filled_in_first():
    """`_(f"...")` looks up a text that no catalogue can hold."""
    wrong = [
        f"{name}:{node.lineno}"
        for name in shown_files()
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"_", "N_", "ngettext"}
        and any(isinstance(argument, ast.JoinedStr) for argument in node.args)
    ]
    assert wrong == []
