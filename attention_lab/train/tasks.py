"""Tasks to train a model on, in one ordered tuple; the task of a language model is made from a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_lab.errors import BadInput, unknown
from attention_lab.train.defaults import DEFAULTS, Defaults
from attention_lab.train.generate import continue_ids, decode_target, greedy_pick, sampling_pick
from attention_lab.train.networks import DECODER_ONLY, ENCODER, ENCODER_DECODER, Batch, Network, NetworkSizes
from attention_lab.train.story import STORY
from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.weights import Weights

PAD, BOS = 0, 1
SPECIAL = ("<pad>", "<bos>", "<eos>")
FIRST = len(SPECIAL)  # the first id that is an answer
SYMBOLS = tuple("ABCDEFGHIJ")
Draw = Callable[[np.random.Generator, int, int], Batch]  # B examples of T tokens


@dataclass(frozen=True)
class Writing:
    """Texts that a model writes by itself: the share that is right, and examples (given, written, wanted)."""

    right: float
    examples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Task:
    """A task. `batch` draws training examples and `kept` those for scores; `says` has a model write.

    `measure` names what `says` counts. The examples of a `fixed` task all have one length.
    """

    name: str
    summary: str
    network: Network
    vocabulary: tuple[str, ...]
    batch: Draw
    kept: Draw
    says: Callable[[Model, Weights, Batch, int], Writing]
    measure: str = "generated accuracy"
    fixed: bool = False

    @property
    def defaults(self) -> Defaults:
        """What the task is trained with where nothing else is asked for."""
        return DEFAULTS[self.name]

    @property
    def sizes(self) -> NetworkSizes:
        """The sizes of the network and its examples where nothing else is asked for."""
        usual = self.defaults
        return NetworkSizes(usual.d_model, usual.heads, usual.layers, usual.size)


def share_right(guesses: Array, labels: Array) -> float:
    """The share of labels, padding aside, that were guessed."""
    real = labels != PAD
    return float((guesses == labels)[real].mean())


# ---- a sequence of symbols, rewritten ----


def symbols_text(ids: Array) -> str:
    """Symbols, with a space between two of them."""
    return " ".join((SPECIAL + SYMBOLS)[number] for number in ids)


def write_target(model: Model, weights: Weights, batch: Batch, h: int) -> Writing:
    """Greedy decoding of the source, compared with the target."""
    wanted = batch.target[:, 1:]
    said = decode_target(model, batch.source, weights, h, wanted.shape[1], BOS, greedy_pick(FIRST))
    rows = zip(batch.source[:3], said, wanted, strict=False)
    return Writing(
        share_right(said, wanted), tuple((symbols_text(a), symbols_text(b), symbols_text(c)) for a, b, c in rows)
    )


def rewriting_task(name: str, summary: str, change: Callable[[Array], Array]) -> Task:
    """A task for the encoder–decoder: the target is BOS and the changed source."""

    def batch(rng: np.random.Generator, B: int, T: int) -> Batch:
        source = rng.integers(FIRST, FIRST + len(SYMBOLS), (B, T))
        return Batch(source, np.concatenate([np.full((B, 1), BOS), change(source)], axis=1))

    return Task(name, summary, ENCODER_DECODER, SPECIAL + SYMBOLS, batch, batch, write_target)


REVERSE = rewriting_task("reverse", "Say a sequence of symbols backwards.", lambda source: source[:, ::-1])
COPY = rewriting_task("copy", "Say a sequence of symbols again.", lambda source: source)
SORT = rewriting_task(
    "sort", "Say a sequence of symbols in alphabetical order.", lambda source: np.sort(source, axis=1)
)


# ---- what "it" means (D4's sentence, and others of its kind) ----

ANIMALS = {"animal", "dog", "horse", "cow", "hen"}
PLACES = {"street", "road", "river", "bridge", "field"}
OF_ANIMALS = {"tired", "hungry", "afraid", "old", "lazy"}
OF_PLACES = {"wide", "busy", "long", "deep", "steep"}
SENTENCE = "the {animal} did not cross the {place} because it was too {word}"
WORDS = (
    *SPECIAL,
    *sorted({*SENTENCE.split(), *ANIMALS, *PLACES, *OF_ANIMALS, *OF_PLACES} - {"{animal}", "{place}", "{word}"}),
)
IT = SENTENCE.split().index("it")


def draw_sentences(rng: np.random.Generator, B: int, _: int = 12) -> Batch:
    """Sentences whose last word says whether "it" is the animal or the place; the target is that noun, at "it"."""
    source, target = [], np.zeros((B, len(SENTENCE.split())), dtype=int)
    for row in range(B):
        animal, place = (str(rng.choice(sorted(nouns))) for nouns in (ANIMALS, PLACES))
        meant, words = ((animal, OF_ANIMALS), (place, OF_PLACES))[int(rng.integers(2))]
        said = SENTENCE.format(animal=animal, place=place, word=rng.choice(sorted(words)))
        source.append([WORDS.index(word) for word in said.split()])
        target[row, IT] = WORDS.index(meant)
    return Batch(np.array(source), target)


def name_nouns(model: Model, weights: Weights, batch: Batch, h: int) -> Writing:
    """The noun that the model names at "it"."""
    logits, labels = ENCODER.logits(model, weights, batch, h)
    said, wanted = logits[:, IT].argmax(axis=-1), labels[:, IT]
    rows = zip(batch.source[:3], said, wanted, strict=False)
    examples = tuple((" ".join(WORDS[word] for word in given), WORDS[a], WORDS[b]) for given, a, b in rows)
    return Writing(share_right(said, wanted), examples)


PRONOUN = Task(
    "pronoun",
    'Name what "it" means: the animal was too tired, or the street too wide.',
    ENCODER,
    WORDS,
    draw_sentences,
    draw_sentences,
    name_nouns,
    "nouns named right",
    fixed=True,
)


# ---- the next character of a text ----

HELD_OUT = 0.1  # of a text, its end, is never trained on
WRITTEN = 80  # characters that are written to be judged


def vocabulary_of(text: str) -> tuple[str, ...]:
    """The characters of a text, each once."""
    return (*SPECIAL, *sorted(set(text)))


def language_task(text: str) -> Task:
    """Learn a text, character by character. Raises BadInput when it is too short to keep an end of it apart."""
    vocabulary = vocabulary_of(text)
    number = {character: place for place, character in enumerate(vocabulary)}
    ids = np.array([number[character] for character in text], dtype=int)
    cut = int(len(ids) * (1 - HELD_OUT))

    def windows(part: Array) -> Draw:
        def draw(rng: np.random.Generator, B: int, T: int) -> Batch:
            if len(part) <= T + 1:
                what = f"The text has {len(text)} characters: too few for windows of T = {T}, with a tenth kept apart."
                raise BadInput(
                    what, f"Give a text of at least {int((T + 2) / HELD_OUT) + 10} characters, or a smaller --size."
                )
            starts = rng.integers(0, len(part) - T, (B, 1))
            target = part[starts + np.arange(T + 1)]
            return Batch(target[:, :0], target)

        return draw

    known = set(text[:cut].split())

    def says(model: Model, weights: Weights, batch: Batch, h: int) -> Writing:
        prompts = batch.target[:8, : batch.target.shape[1] // 2]
        said = continue_ids(model, prompts, weights, h, WRITTEN, sampling_pick(np.random.default_rng(0), FIRST))[
            :, prompts.shape[1] :
        ]
        begun, texts = (["".join(vocabulary[one] for one in row) for row in part] for part in (prompts, said))
        words = [word for line in texts for word in line.split()[1:-1]]  # the first and the last may be cut
        share = sum(word in known for word in words) / len(words) if words else 0.0
        shown = tuple((" ".join(a.split()), " ".join(b.split()), "") for a, b in zip(begun[:3], texts, strict=False))
        return Writing(share, shown)

    summary = "Go on with a text, character by character: the package's own, or one of yours."
    return Task(
        "language",
        summary,
        DECODER_ONLY,
        vocabulary,
        windows(ids[:cut]),
        windows(ids[cut:]),
        says,
        "words written that the text has",
    )


TASKS = (REVERSE, COPY, SORT, PRONOUN, language_task(STORY))


def find_task(name: str, text: str = "") -> Task:
    """The task of this name; a `text` is for the language model. Raises UnknownName with the nearest ones."""
    by_name = {task.name: task for task in TASKS}
    if name not in by_name:
        raise unknown("task", name, by_name, "attn-lab train")
    return language_task(text) if text else by_name[name]
