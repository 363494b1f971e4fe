"""What makes ELECTRA other than BERT, each shown to be noticed."""

from dataclasses import replace
from typing import Any

import pytest
from torch import nn

from core.config import Activation
from core.parity import comparison_of
from tests.parity.quirks import approximate_gelu, assert_shows, other_placement

pytestmark = pytest.mark.parity

DISCRIMINATOR, GENERATOR = comparison_of("electra"), comparison_of("electra-generator")
RELU = replace(DISCRIMINATOR, settings={**DISCRIMINATOR.settings, "hidden_act": "relu"})


def norm_after_projection(model: Any) -> None:
    model.embedding.norm = nn.Identity()
    model.embedding.projection = nn.Sequential(model.embedding.projection, nn.LayerNorm(48))


@pytest.mark.parametrize("comparison", [DISCRIMINATOR, GENERATOR], ids=lambda one: one.name)
def test_the_norm_is_as_wide_as_the_embedding_and_the_projection_follows(comparison: Any) -> None:
    assert comparison.pair()[0].embedding.norm.normalized_shape == (24,)
    assert_shows(comparison, norm_after_projection, "embeddings")
    assert_shows(comparison, other_placement, "first attention")


def generators_head_like_its_layers(model: Any) -> None:
    assert model.encoder.layers[0].feed_forward.activation.activation is Activation.RELU
    model.masked_language.activation.activation = Activation.RELU


def generators_head_approximate(model: Any) -> None:
    model.masked_language.activation.activation = Activation.GELU_TANH


@pytest.mark.parametrize("broken", [generators_head_like_its_layers, generators_head_approximate])
def test_the_generators_head_is_exact_gelu_whatever_its_layers_use(broken: Any) -> None:
    assert_shows(GENERATOR, broken, "token logits")


def discriminators_head_always_gelu(model: Any) -> None:
    model.replaced_token.activation.activation = Activation.GELU


def test_the_discriminators_head_follows_its_layers() -> None:
    assert_shows(RELU, discriminators_head_always_gelu, "replaced logits")
    assert_shows(DISCRIMINATOR, approximate_gelu, "first block")


def positive_for_originals(model: Any) -> None:
    for tensor in (model.replaced_token.output.weight, model.replaced_token.output.bias):
        tensor.data = -tensor.data


def test_a_positive_score_means_replaced() -> None:
    assert_shows(DISCRIMINATOR, positive_for_originals, "replaced logits")
