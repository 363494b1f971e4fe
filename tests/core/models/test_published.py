"""Parameters of the published sizes, counted from their shapes."""

import pytest

from core.models.published import count, published_sizes

SIZES = {one.title: one for one in published_sizes()}


def test_bert_large_without_and_albert_large_with_pooler_are_the_lectures_numbers():
    bert = count(SIZES["BERT-large, 30,000 pieces"].config)
    albert = count(SIZES["ALBERT-large"].config)
    assert (bert.body, bert.with_pooler) == (333_557_760, 334_607_360)
    assert (albert.body, albert.with_pooler) == (16_634_368, 17_683_968)
    assert [round(one / 1e6) for one in (bert.body, albert.with_pooler)] == [334, 18]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("BERT-base", 108_891_648),
        ("DistilBERT", 66_362_880),
        ("RoBERTa-base", 124_055_040),
        ("XLNet-base", 116_718_336),
    ],
)
def test_bodies_of_released_models(title, body):
    assert count(SIZES[title].config).body == body


def test_roberta_spends_more_on_pieces_only():
    parts = [
        {(part.side, part.name): part.count for part in count(SIZES[title].config).parts}
        for title in ("BERT-base", "RoBERTa-base")
    ]
    assert parts[1]["embedding", "tokens"] - parts[0]["embedding", "tokens"] == 15_162_624
    assert parts[1]["encoder", "attention"] == parts[0]["encoder", "attention"]


def test_what_is_stated_is_what_is_counted():
    for one in published_sizes():
        if one.pooler is not None:
            found = count(one.config)
            number = found.with_pooler if one.pooler else found.body
            stated = float(one.stated.removesuffix("M"))
            assert number / 1e6 == pytest.approx(stated, rel=0.03), one.title
