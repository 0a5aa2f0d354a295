"""Pronoun: what "it" attends to before and after training, and whether one can read the answer off the map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.errors import BadInput
from attention_lab.result import Matrix, Note, Result, Statement, matrix, table
from attention_lab.text import count, listed
from attention_lab.train.networks import Batch
from attention_lab.train.run import Config, attention_weights, generators, train_model
from attention_lab.train.tasks import ANIMALS, FIRST, IT, OF_ANIMALS, OF_PLACES, PLACES, PRONOUN, SENTENCE, WORDS, Task
from attention_lab.variants import Model, record_calls, source_of
from attention_lab.weights import Weights

Array = NDArray[np.floating]

SIZES, H, T = PRONOUN.sizes, PRONOUN.sizes.heads, PRONOUN.sizes.T
TOLD = (
    ("the animal did not cross the street because it was too tired", "animal"),
    ("the animal did not cross the street because it was too wide", "street"),
)
KEPT = 50  # sentences that no seed is trained on, the two that are shown among them
ENOUGH = 0.95  # right answers, or readable maps, that count as all
EVERY = 50  # steps between two reports


# ---- sentences: all there are, some of them kept apart ----


def sentence_batch(sentences: list[tuple[str, str]]) -> Batch:
    """Ids of (sentence, noun meant); the noun is owed at "it"."""
    source = np.array([[WORDS.index(word) for word in said.split()] for said, _ in sentences])
    target = np.zeros_like(source)
    target[:, IT] = [WORDS.index(meant) for _, meant in sentences]
    return Batch(source, target)


def all_sentences() -> list[tuple[str, str]]:
    """Every sentence of the task with the noun that it means: the documents' two first."""
    found = []
    for animal, place in product(sorted(ANIMALS), sorted(PLACES)):
        for word in sorted(OF_ANIMALS | OF_PLACES):
            meant = animal if word in OF_ANIMALS else place
            found.append((SENTENCE.format(animal=animal, place=place, word=word), meant))
    return [*TOLD, *(one for one in found if one not in TOLD)]


def split_task(rng: np.random.Generator) -> Task:
    """The task `pronoun` with KEPT of its sentences for the scores only, the documents' two first."""
    whole = sentence_batch(all_sentences())
    order = np.concatenate([[0, 1], 2 + rng.permutation(len(whole.source) - 2)])
    apart, learned = (Batch(whole.source[rows], whole.target[rows]) for rows in (order[:KEPT], order[KEPT:]))

    def batch(rng: np.random.Generator, B: int, _: int) -> Batch:
        rows = rng.integers(0, len(learned.source), B)
        return Batch(learned.source[rows], learned.target[rows])

    return replace(PRONOUN, batch=batch, kept=lambda *_: apart)


# ---- what a network makes of the sentences that it never saw ----


@dataclass(frozen=True)
class Reading:
    """Outputs of a network for N sentences: the noun it names (N,), and the last layer's row of "it" (N, T)."""

    meant: NDArray[np.integer]
    named: NDArray[np.integer]
    rows: Array
    source: NDArray[np.integer]

    @property
    def right(self) -> float:
        """Share of sentences whose noun the network names."""
        return float((self.named == self.meant).mean())

    @property
    def most_on(self) -> NDArray[np.integer]:  # (N,)
        """The word that gets the most weight."""
        return np.asarray(self.source[np.arange(len(self.rows)), self.rows.argmax(axis=-1)])

    @property
    def readable(self) -> float:
        """Share of sentences in which the most attended word is the noun meant."""
        return float((self.most_on == self.meant).mean())


def read_off(model: Model, weights: Weights, batch: Batch) -> Reading:
    """Run the network and record its last layer. Raises BadInput if the model returns no attention weights."""
    (logits, _), calls = record_calls(
        model, ("attention",), lambda twin: PRONOUN.network.logits(twin, weights, batch, H)
    )
    seen = attention_weights(calls)
    if not seen or seen[-1].shape != (len(batch.source), H, T, T):
        raise BadInput("The attention of this model returns no weights for each query and key.", "Return them second.")
    named = logits[:, IT, FIRST:].argmax(axis=-1) + FIRST
    return Reading(batch.target[:, IT], named, seen[-1].mean(axis=1)[:, IT], batch.source)


def favourite(one: Reading, sentence: int) -> str:
    """The word that "it" attends to most, and how much: "animal 0.99"."""
    return f"{WORDS[one.most_on[sentence]]} {one.rows[sentence].max():.2f}"


def document_rows(name: str, title: str, one: Reading) -> Matrix:
    """The row of "it" in the documents' two sentences, which differ in their last word."""
    tired, wide = (sentence.split() for sentence, _ in TOLD)
    columns = [a if a == b else f"{a}/{b}" for a, b in zip(tired, wide, strict=True)]
    return matrix(name, title, one.rows[:2], (f"… {tired[-1]}", f"… {wide[-1]}"), columns, row_title="sentence")


def moved_share(one: Reading) -> float:
    """Share of the weight of "it" that moves when the sentence ends in the other word."""
    return float(np.abs(one.rows[0] - one.rows[1]).sum() / 2)


# ---- networks ----


def train_network(model: Model, steps: int, seed: int, progress: Progress) -> tuple[Reading, Reading, str]:
    """Readings of a network before and after training, on held-out sentences; and the model's error or ""."""
    start, _, _, apart = generators(seed)
    task = split_task(apart)
    batch = task.kept(apart, KEPT, T)
    before = read_off(model, PRONOUN.network.start(start, len(WORDS), SIZES), batch)

    def told(step: int, loss: float, accuracy: float) -> None:
        if step % EVERY == 0:
            progress(f"seed {seed}, step {step} of {steps}, loss {loss:.3f}, accuracy {accuracy:.2f}")

    run = train_model(source_of(model), model.__name__, task, Config(SIZES, steps, seed=seed), told)
    if run.stopped is not None:
        raise KeyboardInterrupt
    return before, read_off(model, run.weights, batch), run.refused


def run(
    model: Model,
    *,
    steps: Annotated[int, Param("steps of training, 32 sentences each", at_least=1, at_most=5000)] = 300,
    seeds: Annotated[int, Param("how many networks are trained, each from its own seed", at_least=1, at_most=50)] = 5,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Result:
    """Encoders of two layers, one head and d_model 32 learn which noun "it" means; then their maps are read.

    "The animal did not cross the street because it was too tired", or "too wide": five animals, five places and ten
    last words make 250 sentences. 50 of them, these two included, are kept apart; all figures are measured on those.
    """
    with np.errstate(all="ignore"):  # overflow and NaN are what a fault shows
        networks = [train_network(model, steps, one, progress) for one in range(seed, seed + seeds)]
    before, after, refused = zip(*networks, strict=True)
    guessed, right = (np.array([one.right for one in some]) for some in (before, after))
    readable = np.array([one.readable for one in after])
    good = right >= ENOUGH
    both = sum(bool((one.named == one.meant)[:2].all()) for one in after)
    wanted = sum(int((one.most_on == one.meant)[:2].sum()) for one in after)
    still, moves = (float(np.mean([moved_share(one) for one in some])) for some in (before, after))
    answer_right = f"{good.sum()} of {count(seeds, 'network')} name at least {ENOUGH:.0%} right"

    return Result(
        (
            document_rows("before", f'Seed {seed}, before training: what "it" attends to in the last layer', before[0]),
            document_rows("after", f"Seed {seed}, after {count(steps, 'step')}", after[0]),
            *(Note("refused", reason) for reason in sorted(set(filter(None, refused)))[:1]),
            Statement(
                "learned",
                'Meaning is learned: trained, a network knows what "it" means in sentences it has never seen.',
                f"{answer_right}; on average {right.mean():.2f}, and {guessed.mean():.2f} untrained.",
                holds=bool(good.all()),
                value=float(right.mean()),
                source="D4",
            ),
            Statement(
                "one-word",
                'One word decides: "tired" makes it the animal, "wide" the street.',
                f"{both} of {count(seeds, 'network')} name the right noun in both sentences.",
                holds=both == seeds,
                value=float(both / seeds),
                source="D4",
            ),
            Statement(
                "row-answers",
                'Untrained, the row of "it" hardly cares how the sentence ends; trained, it does.',
                f"With the other ending {still:.2f} of its weight moves elsewhere, and after training {moves:.2f}.",
                holds=still < 0.2 < moves,
                value=moves,
                source="D4",
            ),
            table(
                "networks",
                f'{KEPT} sentences kept from training: how many nouns are named right, and where "it" looks most',
                ("seed", "nouns named right", "looks at, if tired", "looks at, if wide", "looks at the noun meant"),
                (
                    (seed + number, one.right, favourite(one, 0), favourite(one, 1), one.readable)
                    for number, one in enumerate(after)
                ),
            ),
            Statement(
                "readable",
                'A network that answers right has a map to read it off: "it" looks most at the noun that it means.',
                f"{answer_right}, and {(good & (readable >= ENOUGH)).sum()} of these look most at that noun as often: "
                f"the shares are {listed(readable, 2)}. Of the {2 * seeds} maps of the two sentences {wanted} read so.",
                holds=bool(good.any() and (readable[good] >= ENOUGH).all()),
                value=float(readable.mean()),
                source="D4",
            ),
            Note(
                "why",
                "In the last layer a column is no longer a word. The first layer has carried what a word says to other "
                "places, and the answer may be fetched from any of them.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
