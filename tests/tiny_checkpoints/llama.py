"""A tiny Llama and a tiny Mistral; vocabularies as Llama 2, Llama 3 and Qwen have them."""

import json
from functools import cache

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

from core.config import ModelConfig
from core.models.architectures.llama import llama_config
from core.rotary_config import Llama3Scaling
from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.vocabularies import SENTENCES, SIZES

# Llama 3 takes up to three digits at once, Qwen one.
_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{digits}|"
    r" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _byte_level(digits: str, specials: list[str]) -> tokenizers.Tokenizer:
    inner = tokenizers.Tokenizer(models.BPE(ignore_merges=True))
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORDS.format(digits=digits)), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    inner.train_from_iterator(SENTENCES * 3, trainer)
    inner.add_special_tokens(specials)
    return inner


def _begins_with(inner: tokenizers.Tokenizer, token: str) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single=f"{token} $A",
        pair=f"{token} $A {token}:1 $B:1",
        special_tokens=[(token, inner.token_to_id(token))],
    )


@cache
def llama3_pieces() -> Tokenizer:
    first = "<|begin_of_text|>"
    inner = _byte_level("{1,3}", [first, "<|end_of_text|>", "<|eot_id|>"])
    inner.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), _begins_with(inner, first)]
    )
    return Tokenizer(inner)


@cache
def qwen_pieces() -> Tokenizer:
    inner = _byte_level("", ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    inner.normalizer = normalizers.NFC()
    inner.post_processor = processors.ByteLevel(trim_offsets=False)
    return Tokenizer(inner)


@cache
def llama2_pieces() -> Tokenizer:
    """SentencePiece's BPE: spaces are characters, and what has no piece falls back to bytes."""
    spaces = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    learnt = tokenizers.Tokenizer(models.BPE())
    learnt.normalizer = spaces
    learnt.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    learnt.train_from_iterator(
        SENTENCES * 3, trainers.BpeTrainer(vocab_size=150, show_progress=False)
    )
    bpe = json.loads(learnt.to_str())["model"]
    specials = ["<unk>", "<s>", "</s>"]
    pieces = [*specials, *(f"<0x{byte:02X}>" for byte in range(256)), *bpe["vocab"]]
    inner = tokenizers.Tokenizer(
        models.BPE(
            {piece: number for number, piece in enumerate(pieces)},
            [tuple(pair) for pair in bpe["merges"]],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    inner.normalizer = spaces
    inner.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    inner.add_special_tokens(specials)
    inner.post_processor = _begins_with(inner, "<s>")
    return Tokenizer(inner)


def _llama(tokenizer: Tokenizer) -> ModelConfig:
    return llama_config(
        vocabulary=tokenizer.vocabulary_size,
        key_value_heads=2,
        max_positions=512,
        scaling=Llama3Scaling(8.0, low=1.0, high=4.0, trained_positions=64),
        **SIZES,
    )


def _mistral(tokenizer: Tokenizer) -> ModelConfig:
    return llama_config(
        vocabulary=tokenizer.vocabulary_size,
        key_value_heads=2,
        max_positions=512,
        window=6,
        system="mistral",
        **SIZES,
    )


CHECKPOINTS = {
    "llama": (llama3_pieces, _llama),
    "mistral": (llama2_pieces, _mistral),
}
