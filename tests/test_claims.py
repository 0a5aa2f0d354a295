"""The ledger of claims: nothing forgotten, nothing typed in, and a broken model turns verdicts."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import attention_lab.claims.ledger as ledgers
from attention_lab.breaks import BREAKS
from attention_lab.claims.claims import CLAIMS, Claim, Evidence, Experiment, claim, see
from attention_lab.claims.documents import DOCUMENTS
from attention_lab.claims.ledger import (
    VERDICTS,
    ExperimentRun,
    experiments_of,
    judge_claim,
    ledger,
    ledger_entry,
    run_experiment,
    verdict_name,
)
from attention_lab.cli import main
from attention_lab.demo import options_of, silent
from attention_lab.demo.registry import OURS, find
from attention_lab.demos import consequences
from attention_lab.demos.consequences import NARROW, WIDE, Trial
from attention_lab.result import Result, Statement
from attention_lab.show.html import result_page
from attention_lab.show.jsonview import SCHEMA, to_json
from attention_lab.show.plain import plain_text
from attention_lab.show.terminal import make_console, print_result
from attention_lab.train.networks import NetworkSizes
from attention_lab.variants import Model, Patch, healthy, load

SMALLER = {  # time is not what is tested here, nor what is learned in it
    "cost": {"n": (64, 128)},
    "flash": {"n": (64, 128)},
    "pronoun": {"seeds": 1, "steps": 5},
    "depth": {"steps": 5},
    "consequences": {"steps": 5},
}
Verdicts = dict[str, str]


def statements_of(result: Result) -> list[Statement]:
    return [part for part in result.parts if isinstance(part, Statement)]


def verdicts_of(result: Result) -> Verdicts:
    return {one.name: verdict_name(one) for one in statements_of(result)}


@cache
def statements_made(demo: str, options: tuple[tuple[str, Any], ...] = ()) -> dict[str, Statement]:
    """What a demo states of the healthy model, by name; with fewer steps or lengths where it takes long."""
    experiment = Experiment(demo, tuple(SMALLER.get(demo, {}).items()) or options)
    return run_experiment(experiment, healthy(), silent, ()).statements


def broken(name: str) -> Model:
    return load(*next(one.patches for one in BREAKS if one.name == name), label=name)


@pytest.fixture(scope="module")
def whole(shared_training) -> Result:
    """The ledger of the healthy model, as `attn-lab claims` has it."""
    with shared_training():
        return ledger(healthy())


@pytest.fixture
def some(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The ledger of the claims of these names only, on a model."""

    def run(model: Model, *names: str) -> Result:
        monkeypatch.setattr(ledgers, "CLAIMS", tuple(one for one in CLAIMS if one.name in names))
        return ledger(model)

    return run


# ---- the records ----


def test_there_are_many_claims_of_every_document_under_names_of_their_own():
    assert len(CLAIMS) >= 45
    assert len({one.name for one in CLAIMS}) == len(CLAIMS)
    for document in DOCUMENTS:
        assert [one for one in CLAIMS if document.name in one.documents], document.name
    assert {name for one in CLAIMS for name in one.documents} == {document.name for document in DOCUMENTS}


def test_claims_stand_in_the_order_of_the_documents():
    order = [document.name for document in DOCUMENTS]
    firsts = [order.index(one.documents[0]) for one in CLAIMS]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("one", CLAIMS, ids=lambda one: one.name)
def test_a_claim_has_evidence_that_can_be_run(one: Claim):
    assert one.evidence
    for evidence in one.evidence:
        known = {option.name for option in options_of(find(evidence.experiment.demo).run)}
        assert set(dict(evidence.experiment.options)) <= known
    if len(one.evidence) > 1:  # then it is not said by any one statement, nor is it clear which one is meant
        assert one.sentence
        assert all(evidence.when for evidence in one.evidence)


@pytest.mark.slow
def test_all_evidence_exists_and_no_statement_of_a_document_is_forgotten(whole: Result):
    """Of demos that take long, those statements count that the ledger's own runs make."""
    cited = {(evidence.experiment.demo, evidence.statement): one for one in CLAIMS for evidence in one.evidence}
    for name in OURS:
        made = statements_made(name)
        forgotten = {one.name for one in made.values() if one.source and (name, one.name) not in cited}
        assert not forgotten, f"demos/{name}.py: give each of these a line in attention_lab/claims/claims.py"
    assert not [one.name for one in statements_of(whole) if "Not measured" in one.measured]


@pytest.mark.slow
def test_a_claim_names_the_documents_of_the_statement_whose_words_it_takes():
    for experiment in experiments_of(one for one in CLAIMS if not one.sentence):
        made = statements_made(experiment.demo, experiment.options)
        for one in CLAIMS:
            if one.evidence[0].experiment != experiment or one.sentence:
                continue
            statement = made.get(one.evidence[0].statement)
            if statement is not None:  # one on times needs more lengths than are run here
                assert {source.split()[0] for source in statement.source.split(", ")} == set(one.documents), one.name


# ---- the verdict ----


def made_up(*holds: bool | None, source: str = "D0") -> Statement:
    """What the ledger says of a claim whose statements came to this; they are named case 0, case 1 …"""
    experiment = Experiment("made-up")
    statements = {
        f"s{i}": Statement(f"s{i}", "All is well.", f"Seen {i}.", is_so, 0.5, source) for i, is_so in enumerate(holds)
    }
    evidence = tuple(
        Evidence(experiment, name, f"case {i}" if len(holds) > 1 else "") for i, name in enumerate(statements)
    )
    return ledger_entry(Claim("c", ("D0",), evidence), {experiment: ExperimentRun(statements, "attn-lab demo made-up")})


@pytest.mark.parametrize(
    ("holds", "source", "kind", "when"),
    [
        ((True,), "D0", 0, ""),
        ((True, True), "D0", 0, ""),
        ((True, False), "D0", 1, "case 0"),
        ((False, True, True), "D0", 1, "case 1 and case 2"),
        ((False,), "D0", 2, ""),
        ((False, False), "D0", 2, ""),
        ((None,), "paper, D0", 3, ""),
        ((None, True), "paper", 0, ""),
        ((None,), "D0", 2, ""),  # a document's own that this model gave no occasion to measure
    ],
)
def test_a_verdict_is_computed_from_what_the_statements_came_to(
    holds: tuple[bool | None, ...], source: str, kind: int, when: str
):
    one = made_up(*holds, source=source)
    assert (verdict_name(one), one.when) == (VERDICTS[kind], when)


def test_a_claim_of_one_statement_has_its_words_its_number_and_the_command():
    one = made_up(True)
    assert (one.claim, one.measured, one.value) == ("All is well.", "Seen 0.", 0.5)
    assert (one.source, one.commands) == ("D0", ("attn-lab demo made-up",))


def test_a_claim_of_several_says_what_was_seen_when():
    one = made_up(True, False)
    assert one.measured == "When case 0: Seen 0.\nWhen case 1: Seen 1."
    assert one.value is None


def test_what_nobody_measured_is_quoted_only_if_nothing_else_was_measured():
    assert judge_claim([(None, "a"), (None, "b")]) == (None, "")
    assert judge_claim([(None, "a"), (True, "b"), (False, "c")]) == (False, "b")


# ---- what it comes to ----


def test_what_the_documents_overstate_is_said_so(whole: Result):
    found = {one.name: one for one in statements_of(whole)}
    for name, when in (
        ("takes-everything", "d_k is 512"),
        ("scale-decides", "d_k is 128"),
        ("std-of-1", "it is averaged over many draws"),
        ("positions-alone-tell", "no key is masked"),
        ("own-slice", "what is sliced are queries, keys and values"),
        ("rnn-forgets", "the recurrent weights shrink what they hand on"),
        ("gradient-dead", "d_k is 16384"),
        ("printed-sizes", "its numbers are float32"),
        ("rope-decays", "query and key are alike and distances are averaged"),
    ):
        assert (found[name].holds, found[name].when) == (False, when)
    for name in ("only-projections", "reaches-65-million"):
        assert verdict_name(found[name]) == "does not hold"
    for name in ("base-model", "translates"):
        assert found[name].holds is None
    assert found["takes-everything"].commands[1] == "attn-lab demo saturation --d-k 512 --keys 10 --queries 500"


def test_most_claims_hold_and_all_four_verdicts_occur(whole: Result):
    found = list(verdicts_of(whole).values())
    assert set(found) == set(VERDICTS)
    assert found.count("holds") > len(found) / 2


def test_every_view_shows_conditions_and_commands(whole: Result):
    jsonschema.Draft202012Validator(SCHEMA).validate(to_json(whole))
    text = plain_text(whole)
    assert "Holds when d_k is 512 (D0, D4): Without ÷ √d_k one weight takes everything" in text
    assert "Command: attn-lab demo lookup" in text


@pytest.mark.parametrize(("width", "encoding"), [(80, "utf-8"), (40, "ascii")])
def test_on_a_terminal_conditions_and_commands_fit_and_can_be_pasted(whole: Result, width: int, encoding: str):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_result(whole, make_console(stream, width))
    stream.seek(0)
    text = stream.read()
    assert max(map(len, text.splitlines())) <= width
    assert f"{'≈' if encoding == 'utf-8' else '~'} holds when d_k is 512 (D0, D4):" in text
    pasted = " ".join(text.replace("\\\n", " ").split())
    assert "attn-lab demo saturation --d-k 512 --keys 10 --queries 500" in pasted


def test_a_page_marks_what_holds_in_part(whole: Result):
    assert '<div class="statement partly"><p><strong class="verdict">Holds when</strong> d_k is 512' in result_page(
        whole
    )


def test_without_the_scale_claims_about_it_turn(some: Callable[..., Result]):
    names = ("takes-everything", "std-of-1", "one-winner", "too-large", "one-has-the-say")
    without = verdicts_of(some(broken("no-scale"), *names))
    assert set(without) == set(names)
    assert set(without.values()) == {"does not hold"}


def test_a_zero_for_a_mask_turns_claims_about_masks(some: Callable[..., Result]):
    names = ("future-zero", "mask-hides", "decoder-no-future", "sentence-no-future", "causal-rows-sum")
    zero = verdicts_of(some(broken("mask-zero"), *names))
    assert zero.pop("causal-rows-sum") == "holds"
    assert set(zero.values()) == {"does not hold"}


KEY = "key = split_heads(source @ w_key, h)"
CAUSAL = "causal_mask(ids.shape[-1]) & padding_mask(ids, pad)"
OWN_MASK = CAUSAL.replace("causal_mask(ids.shape[-1])", "np.tril(np.ones((ids.shape[-1],) * 2, dtype=bool))")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault", "sizes", "patch"),
    [
        ("scale-decides", "no-scale", WIDE, Patch(KEY, f"{KEY} / (x.shape[-1] / h) ** 0.5")),
        ("flipped-mask-looks-learned", "mask-flip", NARROW, Patch(CAUSAL, OWN_MASK)),
    ],
)
def test_claims_about_training_turn_where_the_line_can_be_spared(
    some: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    fault: str,
    sizes: NetworkSizes,
    patch: Patch,
):
    """Keys are divided already, or the decoder has a mask of its own: then the fault does no harm."""
    monkeypatch.setattr(consequences, "TRIALS", (Trial("", sizes), Trial(fault, sizes), Trial("", NARROW)))
    (one,) = statements_of(some(load(patch), name))
    assert verdict_name(one) == "does not hold"
    spared = re.search(r"writes: 0\.[89]|own: 0\.\d\d and 0\.[89]", one.measured)
    assert spared, one.measured


def test_a_claim_turns_when_all_of_its_cases_come_to_the_same(some: Callable[..., Result]):
    flat = load(label="flat")
    flat.causal_mask = lambda T: healthy().causal_mask(T) | True  # type: ignore[attr-defined]
    assert verdicts_of(some(flat, "positions-alone-tell")) == {"positions-alone-tell": "holds"}


def test_a_model_that_stops_is_told_of_in_the_claims_own_words(some: Callable[..., Result]):
    stops = load(label="stops")

    def softmax(*_: object, **__: object) -> None:
        raise RuntimeError("no softmax today")

    stops.softmax = softmax  # type: ignore[attr-defined]
    one, other = statements_of(some(stops, "always-answers", "soft-dict"))
    assert one.claim == "Every key gets a share of the 100 %, so any query has an answer."
    assert "no softmax today" in one.measured
    assert one.holds is False
    assert other.measured.startswith("When all keys are of one length: Not measured, the model stopped: ")


def test_the_healthy_model_does_not_stop_silently():
    experiment = see("scaling", "one-winner", keys=0).experiment
    with pytest.raises(Exception, match="--keys is 0"):
        run_experiment(experiment, healthy(), silent, ())


def test_each_experiment_is_run_once():
    shared = (claim("D0", "a", see("order", "bag-of-words")), claim("D0", "b", see("order", "mask-tells")))
    assert experiments_of(shared) == (Experiment("order"),)


def test_it_says_what_it_is_doing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ledgers, "CLAIMS", tuple(one for one in CLAIMS if one.name in ("blend", "residual")))
    heard: list[str] = []
    ledger(healthy(), progress=heard.append)
    assert heard == ["lookup", "block"]


# ---- the command ----


@pytest.fixture
def attn_lab(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process: exit code, standard output, standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(words)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


def test_the_command_shows_one_document(attn_lab: Callable[..., tuple[int, str, str]]):
    code, out, err = attn_lab("claims", "--document", "paper", "--json")
    assert (code, err) == (0, "")
    shown = json.loads(out)
    assert shown["command"] == "attn-lab claims --document paper"
    assert {one["name"] for one in shown["statements"]} == {one.name for one in CLAIMS if "paper" in one.documents}
    (row,) = shown["tables"][0]["rows"]
    assert sum(row[1:]) == len(shown["statements"])
    assert all(one["commands"] for one in shown["statements"])


@pytest.mark.slow
def test_the_command_takes_a_broken_model(attn_lab: Callable[..., tuple[int, str, str]]):
    words = ("claims", "--document", "D3", "--break", "mask-zero")
    code, out, _ = attn_lab(*words, "--json")
    shown = json.loads(out)
    assert code == 0
    assert shown["command"] == " ".join(["attn-lab", *words])
    found = {one["name"]: one for one in shown["statements"]}
    assert found["decoder-no-future"]["holds"] is False
    assert found["decoder-no-future"]["commands"] == ["attn-lab demo patterns --break mask-zero"]


@pytest.mark.slow
def test_a_file_of_ones_own_that_fails_is_told_after_the_page(
    attn_lab: Callable[..., tuple[int, str, str]], tmp_path: Path
):
    own = tmp_path / "own.py"
    own.write_text("def layer_norm(x, gain, bias):\n    raise KeyError('gain')\n", encoding="utf-8")
    code, out, err = attn_lab("claims", "--document", "D2", "--with", str(own), "--plain")
    assert code == 1
    assert "Line 2 of" in out
    assert err.startswith("error: ")
    assert "claims could not be measured" in err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--document", "D1"), "There is no document 'D1'. Did you mean"),
        (("--document", "nonsense"), "There is no document 'nonsense'. 'attn-lab demo' lists them all."),
        (("--document", ""), "Argument --document: '' is no name. 'attn-lab claims --help' shows what it takes."),
        (("--document",), "Argument --document: expected one argument."),
        (("--break", "no-scal"), "There is no break 'no-scal'. Did you mean no-scale"),
        (("D4",), "Unrecognized arguments: D4."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_nonsense_gets_one_sentence_and_exit_code_2(
    attn_lab: Callable[..., tuple[int, str, str]], words: tuple[str, ...], what: str
):
    code, out, err = attn_lab("claims", *words)
    assert (code, out) == (2, "")
    assert what in " ".join(err.split())
    code, out, err = attn_lab("claims", *words, "--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["schema"] == "attention-lab/error/1"
