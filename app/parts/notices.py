"""Errors as people read them: what happened, and what to do about it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath

import streamlit as st

from app import downloads
from app.i18n import N_, _
from app.lab import errors as lab
from core import errors
from core.analysis import alignment_steps, written_numbers
from core.engine import errors as engine
from core.hugging_face import errors as checkpoints
from core.parity import errors as parity
from core.tasks import errors as tasks
from core.tokenisation import errors as tokenisation

LONGEST_FACT = 120
LONGEST_REASON = 400  # a sentence of ours, which names what would be supported

# For each kind of error: its sentence and the way out, with the error's attributes as blanks.
# An error without an entry is shown by its own English sentence.
SENTENCES: dict[type[errors.HeadlightError], tuple[str, str]] = {
    errors.SequenceTooLongError: (
        N_("The text has {tokens} tokens, but this model reads at most {limit}."),
        N_("Shorten the text."),
    ),
    errors.MissingHeadError: (
        N_("This model was not made to predict that: it has no head for it."),
        N_("Choose another model."),
    ),
    errors.NothingCapturedError: (
        N_("This model has no hook point {sites}, where the numbers of this page are read."),
        N_("Choose another model."),
    ),
    tokenisation.EmptyTextError: (
        N_("There is no text yet."),
        N_("Type a sentence."),
    ),
    tokenisation.TextTooLongError: (
        N_("The text has {characters} characters, but at most {limit} are read."),
        N_("Shorten the text."),
    ),
    tokenisation.TokenizerFileError: (
        N_("“{path}” cannot be read as a tokenizer."),
        N_("Copy or download the model again."),
    ),
    tasks.NoSuchWordError: (
        N_("The text has no word number {word}."),
        N_("Choose one of its {words} words."),
    ),
    tasks.NoSuchTokenError: (
        N_("The text has no token number {token}."),
        N_("Choose one of its {tokens} tokens."),
    ),
    tasks.NoSuchMaskError: (
        N_("The mask you look at has no partner: that text has too few masks ({masks})."),
        N_("Hide as many words in both."),
    ),
    tasks.NoMaskError: (
        N_("No word is hidden."),
        N_("Choose a word to hide, or write {mask_token} in the text."),
    ),
    tasks.BlankSizeError: (
        N_("{words} words are asked for, and at most {limit} can be filled."),
        N_("Choose another size for a blank, or fewer free ones."),
    ),
    tasks.TooManyBlanksError: (
        N_("The text has {blanks} blanks, and this model has sentinels for {limit}."),
        N_("Take some away."),
    ),
    tokenisation.MissingTokenError: (
        N_("This model’s vocabulary lacks a token that is needed here ({role})."),
        N_("Choose another model."),
    ),
    tasks.TooManyAblationsError: (
        N_(
            "The {heads} heads of this model are turned off one by one over at most {most} tokens;"
            " the text has {tokens}."
        ),
        N_("Shorten the text."),
    ),
    tasks.TooManyWeightsError: (
        N_("These texts would give {weights} attention weights, but at most {limit} are kept."),
        N_("Shorten the text."),
    ),
    tasks.NoAttentionError: (
        N_("This model attends to nothing."),
        N_("Choose another model."),
    ),
    tasks.NotReadError: (
        N_("This model cannot use everything that you gave it ({what})."),
        N_("Choose another model."),
    ),
    tasks.OrderError: (
        N_("The order names {position}, which is no token or was named before."),
        N_("Name each of the {tokens} tokens at most once, counted from 0."),
    ),
    tasks.ThresholdOutOfRangeError: (
        N_("A threshold is a probability, not {threshold}."),
        N_("Choose one from 0 to 1."),
    ),
    tasks.NothingInCommonError: (
        N_("The two texts have no word in common."),
        N_("Write the original of the same sentence."),
    ),
    tasks.NothingToReplaceError: (
        N_("The text has no token that could be replaced."),
        N_("Type a sentence."),
    ),
    tasks.OtherVocabularyError: (
        N_("“{name}” cuts texts into other pieces than the generator."),
        N_("Choose two models that were trained together."),
    ),
    errors.MissingPairError: (
        N_("This model judges two texts, and there is only one."),
        N_("Type a second text."),
    ),
    tasks.TooManyWordsError: (
        N_("The text has {words} words and punctuation marks; at most {limit} are put in order."),
        N_("Shorten the text."),
    ),
    tasks.NoTaskError: (
        N_("This model learnt no task that fits."),
        N_("Choose another model, or give it one text, two, or several answers."),
    ),
    tasks.CandidatesOutOfRangeError: (
        N_("{answers} answers cannot be ranked."),
        N_("Give 2 to {limit}."),
    ),
    tasks.WordsDifferError: (
        N_(
            "The texts part at “{first}” and “{second}” ({left} and {right} words),"
            " so no cell on one side has its partner on the other."
        ),
        N_("Write two texts of as many words, at least half of them the same."),
    ),
    tasks.TranslationsDifferError: (
        N_(
            "The two have written texts that part at “{first}” and “{second}” ({left} and {right}"
            " words), so no row on one side has its partner on the other."
        ),
        N_("Choose another kind of attention, or a text for which they write as many words."),
    ),
    tasks.NothingToCompareError: (
        N_(
            "These models have no kind of attention in common: one looks within the text, the"
            " other from its translation to the text."
        ),
        N_("Choose another model."),
    ),
    written_numbers.NotANumberError: (
        N_("“{word}” is no number from −{limit} to {limit}."),
        N_("Put spaces between numbers, and semicolons between rows."),
    ),
    written_numbers.UnevenRowsError: (
        N_("The rows have different lengths: {lengths}."),
        N_("Give each as many numbers."),
    ),
    written_numbers.TooManyNumbersError: (
        N_("{rows} rows of {columns} numbers are too many to be worked out here."),
        N_("Give at most {limit} rows of {limit}."),
    ),
    alignment_steps.MatrixShapeError: (
        N_("{name} is {found} here."),
        N_("These vectors need {wanted} numbers, rows first."),
    ),
    tasks.NotOneStackError: (
        N_("This model reads one text and writes another: it has no single picture of a text."),
        N_("Choose another model."),
    ),
    tasks.NoObjectiveError: (
        N_("What this model ({system}) learns from is not drawn here."),
        N_("Choose a model of BERT’s family."),
    ),
    tasks.NoSpanError: (
        N_("The words {first} to {last} are no span of at most {limit} tokens up to word {word}."),
        N_("Choose a shorter span."),
    ),
    parity.NoReferenceError: (
        N_("Hugging Face has no such model ({system}), so there is nothing to compare with."),
        N_("Our own tests check its numbers against its formulas."),
    ),
    tasks.EpochsOutOfRangeError: (
        N_("{epochs} epochs cannot be shown."),
        N_("Choose 1 to {limit}."),
    ),
    engine.QueueFullError: (
        N_("Too many people are asking at once: {waiting} requests are waiting."),
        N_("Try again in a moment."),
    ),
    lab.LabFullError: (
        N_("Too many runs are waiting in the lab already: {waiting}."),
        N_("Try again in a minute."),
    ),
    lab.TooManyRunsError: (
        N_("One picture holds at most {limit} runs, not {wanted}."),
        N_("Compare fewer."),
    ),
    checkpoints.UnknownCheckpointError: (
        N_("There is no model called “{name}”."),
        N_("These come with Headlight: {available}."),
    ),
    checkpoints.OfflineError: (
        N_("The model hub cannot be reached, so “{name}” cannot be fetched."),
        N_("These come with Headlight: {available}."),
    ),
    checkpoints.CheckpointNotAllowedError: (
        N_("“{name}” may not be opened here."),
        N_("Headlight opens its own models, and those in the folder that HEADLIGHT_MODELS names."),
    ),
    checkpoints.NotACheckpointError: (
        N_("The folder “{folder}” holds no model: {missing} is missing."),
        N_("Choose a folder in Hugging Face layout."),
    ),
    checkpoints.AdapterError: (
        N_("The folder “{folder}” holds an adapter, not a model."),
        N_("Merge it into its model, and open what that saves."),
    ),
    checkpoints.SubfolderError: (
        N_("The folder “{folder}” has no config.json, but its folder “{within}” has."),
        N_("Open that one."),
    ),
    checkpoints.NotAFolderError: (
        N_("“{path}” is a file."),
        N_("Name the folder it lies in."),
    ),
    checkpoints.SeveralFilesError: (
        N_("The folder “{folder}” has no model.safetensors, but several other files: {files}."),
        N_("Keep one of them."),
    ),
    checkpoints.PickleRefusedError: (
        N_("“{file}” is a pickle, which can run code when it is opened, so it is not read."),
        N_("Convert the model to safetensors."),
    ),
    checkpoints.MissingShardError: (
        N_("A part of the model is missing: “{file}”."),
        N_("Copy or download the model again."),
    ),
    checkpoints.DamagedFileError: (
        N_("The file “{file}” is damaged."),
        N_("Copy or download the model again."),
    ),
    checkpoints.TooLargeError: (
        N_("This model is too large to be opened here."),
        N_("Choose a smaller one."),
    ),
    checkpoints.NotFetchedError: (
        N_("“{name}” is on the model hub and has not been fetched."),
        N_("Open it on the page “Bring your own”."),
    ),
    checkpoints.SettingError: (
        N_("The setting “{setting}” in config.json is none that Headlight can follow."),
        N_("Check the file, or choose another model."),
    ),
    checkpoints.NumberTypeError: (
        N_("The weight “{key}” in “{file}” is stored as {found}, which Headlight does not read."),
        N_("Save the model as float16, bfloat16, float32 or float64."),
    ),
    checkpoints.NotFiniteError: (
        N_("The weight “{key}” in “{file}” holds infinities or values that are no numbers."),
        N_("Choose a model with finite weights."),
    ),
    checkpoints.ForeignPrefixError: (
        N_("The names of all weights begin with “{prefix}”, which does not belong to them."),
        N_("Save the model itself, without what is wrapped around it."),
    ),
    checkpoints.NoRowError: (
        N_("The model has only {rows} rows of tokens, none for “{piece}”, number {number}."),
        N_("Leave that word out, or choose another model."),
    ),
    checkpoints.UnknownKeyError: (
        N_("The files hold weights for which this kind of model has no place: {keys}."),
        N_("Choose a model whose layers have no further parts."),
    ),
    checkpoints.MissingKeyError: (
        N_("The files lack weights that config.json promises: {keys}."),
        N_("Copy or download the model again."),
    ),
    checkpoints.KeyConflictError: (
        N_("The weights “{first}” and “{second}” contradict each other."),
        N_("Copy or download the model again."),
    ),
    checkpoints.ShapeMismatchError: (
        N_("The weight “{key}” has the shape {found}, but config.json implies {expected}."),
        N_("Check whether both files belong to the same model."),
    ),
    checkpoints.VocabularyMismatchError: (
        N_("The tokenizer has {tokenizer} tokens, but the model only {model} rows for them."),
        N_("Check whether both files belong to the same model."),
    ),
    tokenisation.TokenizerRefusedError: (
        N_("The tokenizer in “{file}” cannot be followed exactly: {reason}."),
        N_("Save the model with another tokenizer, or choose another model."),
    ),
    tokenisation.DamagedPieceFileError: (
        N_("The file “spiece.model” is damaged, or no SentencePiece file: {problem}."),
        N_("Copy or download the model again."),
    ),
    tokenisation.CharacterMapError: (
        N_("The tokenizer’s table of characters is damaged."),
        N_("Copy or download the model again."),
    ),
    downloads.HubBusyError: (
        N_("“{name}” is being fetched, and one model comes at a time."),
        N_("Try again in a moment."),
    ),
    checkpoints.ForeignFamilyError: (
        N_("This is a model of the family “{found}”, which Headlight does not have."),
        N_("It opens these: {known}."),
    ),
}


def sentence(error: errors.HeadlightError) -> str:
    """The reader's sentence for an error; the most special class with an entry decides."""
    for kind in type(error).__mro__:
        if kind in SENTENCES:
            happened, remedy = SENTENCES[kind]
            facts = {name: _in_words(name, fact) for name, fact in vars(error).items()}
            return f"{_(happened).format(**facts)} {_(remedy).format(**facts)}"
    happened = str(error)
    return happened[:1].upper() + happened[1:].rstrip(".") + "."


def show_error(error: errors.HeadlightError) -> None:
    """Show what went wrong in the place where the result would have stood."""
    st.error(without_markup(sentence(error)))


@contextmanager
def notices(way_out: Callable[[errors.HeadlightError], None] | None = None) -> Iterator[None]:
    """Show any error a person can cause, raised in the block, and go on after it.

    Args:
        way_out: called after an error is shown, to offer a button that leads on.
    """
    try:
        yield
    except errors.HeadlightError as error:
        show_error(error)
        if way_out is not None:
            way_out(error)


def _in_words(name: str, fact: object) -> str:
    if isinstance(fact, list | tuple):
        return ", ".join(map(str, fact)) or "–"
    words = fact.name if isinstance(fact, PurePath) else str(fact)
    most = LONGEST_REASON if name in ("reason", "problem") else LONGEST_FACT
    return words if len(words) <= most else f"{words[:most]}…"


def without_markup(text: str) -> str:
    """The text with its punctuation escaped: Streamlit would read Markdown, pictures included."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split()))
