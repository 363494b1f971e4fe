import inspect
import string
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.parts import notices
from core import errors
from core.hugging_face.errors import NotACheckpointError, UnknownCheckpointError
from core.tokenisation import TokenizerRefusedError


def test_a_known_error_has_its_facts_and_a_way_out():
    said = notices.sentence(errors.SequenceTooLongError(tokens=700, limit=512))
    assert said == ("The text has 700 tokens, but this model reads at most 512. Shorten the text.")


def test_a_list_among_the_facts_is_read_out():
    said = notices.sentence(UnknownCheckpointError("brt", ["bert", "gpt"]))
    assert "“brt”" in said
    assert "bert, gpt" in said


def test_a_folder_is_named_without_the_way_to_it():
    said = notices.sentence(NotACheckpointError(Path("/home/ada/model"), "config.json"))
    assert "“model”" in said
    assert "ada" not in said


def test_a_refused_tokenizer_says_why():
    reason = "its tokenizer_class is 'BertJapaneseTokenizer'; " + "followed are: BertTokenizer " * 8
    said = notices.sentence(TokenizerRefusedError("tokenizer_config.json", reason))
    assert "“tokenizer_config.json”" in said
    assert reason in said


def test_a_long_name_is_cut():
    assert len(notices.sentence(UnknownCheckpointError("x" * 100_000, []))) < 300


def test_markup_in_a_name_is_shown_as_typed():
    def script():
        from app.parts.notices import notices
        from core.hugging_face.errors import UnknownCheckpointError

        with notices():
            raise UnknownCheckpointError("![x](http://x.example/y) :red[z] $a$ <b>", ["bert"])

    shown = AppTest.from_function(script).run(timeout=30).error[0].value
    assert r"\!\[x\]\(http\:\/\/x\.example\/y\) \:red\[z\] \$a\$ \<b\>" in shown


def test_an_error_without_an_entry_says_its_own_sentence():
    assert notices.sentence(errors.HeadlightError("the cat sat")) == "The cat sat."


def test_a_special_kind_falls_back_to_the_general_one():
    class StillTooLongError(errors.SequenceTooLongError):
        pass

    assert notices.sentence(StillTooLongError(9, 8)).startswith("The text has 9 tokens")


@pytest.mark.parametrize("kind", notices.SENTENCES, ids=lambda kind: kind.__name__)
def test_blanks_are_attributes_of_the_error(kind):
    sentence = " ".join(notices.SENTENCES[kind])
    blanks = {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
    assert blanks <= set(inspect.signature(kind).parameters)


def test_only_errors_of_people_are_caught():
    with pytest.raises(ZeroDivisionError), notices.notices():
        raise ZeroDivisionError
