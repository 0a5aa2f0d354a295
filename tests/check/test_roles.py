"""Roles, and the inputs on which functions are compared: they tell every fault from right code, and from others."""

from __future__ import annotations

import numpy as np
import pytest
from check.faults import BY_NAME, Fault, faults

from attention_lab.breaks.pairs import PAIRS
from attention_lab.check.inputs import OTHER, SMALL
from attention_lab.check.match import writes
from attention_lab.check.outcomes import Failed, Outcome, apart, computed
from attention_lab.check.references import HEALTHY, Reference, references, single
from attention_lab.check.restrictions import WEIGHT_OF
from attention_lab.check.roles import ROLES, Role, meant
from attention_lab.variants import healthy, load, model_functions

FAULTS = [one for one in faults() if not one.harmless]


def outcomes(one: Reference, role: Role) -> list[Outcome]:
    """What a reference computes on all inputs of a role."""
    return [computed(one, role, probe.arguments) for probe in role.probes(np.random.default_rng(3))]


def reference(fault: Fault) -> Reference:
    return next(one for one in references(fault.home) if one.names == fault.names)


def wider(one: Outcome, other: Outcome) -> bool:
    """Whether floats of another width come back."""
    if isinstance(one, Failed) or isinstance(other, Failed):
        return False
    return any(one[name].dtype != other[name].dtype for name in one.keys() & other.keys())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_the_healthy_model_takes_every_input_but_a_row_that_sees_nothing(role: Role):
    for probe, outcome in zip(role.probes(np.random.default_rng(3)), outcomes(HEALTHY, role), strict=True):
        assert isinstance(outcome, Failed) == (probe.edge == "a row that may see nothing"), probe.name


def test_every_role_is_a_function_of_the_model_with_its_parameters():
    for role in ROLES:
        code = getattr(healthy(), role.name).__code__
        others = role.parameters.keys() - set(code.co_varnames[: code.co_argcount])
        assert others <= WEIGHT_OF.keys(), role.name  # the biases of projections, which only others have


def test_sizes_hide_nothing():
    for sizes in (SMALL, OTHER):
        lengths = (sizes.B, sizes.h, sizes.Tq, sizes.Tk, sizes.d_k, sizes.d_v, sizes.d_model)
        assert len(set(lengths)) == len(lengths)


@pytest.mark.sample(20)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: "+".join(fault.names))
def test_every_fault_differs_from_the_healthy_model_on_some_input(fault: Fault):
    role, one = BY_NAME[fault.home], reference(fault)
    pairs = list(zip(outcomes(one, role), outcomes(HEALTHY, role), strict=True))
    differs = any(apart(ours, right) > 1e-6 or wider(ours, right) for ours, right in pairs)
    assert differs or writes(one, role, role.probes(np.random.default_rng(3))[0].arguments)


INSIDE_A_NETWORK = [  # told apart only where more than one function is at work: two calls, or split and merge
    ("decode_next", "cache-changed-in-place", "cache-not-reset"),
    ("decoder_layer", "queries-from-source", "cross-attention-exchanged"),
]


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_no_two_faults_of_one_function_are_the_same_on_all_inputs_unless_declared(role: Role):
    own = [one for one in references(role.name) if one.order == 2 and len(one.names) == 1 and home(one) == role.name]
    first = role.probes(np.random.default_rng(3))[0].arguments
    seen = {one.names[0]: (outcomes(one, role), writes(one, role, first)) for one in own}
    undeclared = []
    for place, one in enumerate(own):
        for other in own[place + 1 :]:
            (ours, written), (theirs, written_there) = seen[one.names[0]], seen[other.names[0]]
            same = all(apart(a, b) < 1e-9 and not wider(a, b) for a, b in zip(ours, theirs, strict=True))
            if same and written == written_there and other.names[0] not in one.same:
                undeclared.append((role.name, one.names[0], other.names[0]))
    assert undeclared == [it for it in INSIDE_A_NETWORK if it[0] == role.name]


def home(one: Reference) -> str:
    """The role in which a single fault is seen."""
    return next(it.home for it in FAULTS if it.names == one.names)


def test_only_the_changed_functions_are_executed_and_they_compute_what_the_whole_file_does():
    logits = np.random.default_rng(0).standard_normal((4, 6))
    for one in single():
        whole = load(*one.patches)
        assert one.changed.keys() <= model_functions().keys()
        with np.errstate(all="ignore"):
            try:
                expected = whole.attention(*(logits.copy() for _ in range(3)))[0]
            except ValueError:
                continue
            assert np.array_equal(
                one.model.attention(*(logits.copy() for _ in range(3)))[0], expected, equal_nan=True
            ), one.names
    assert healthy().softmax is HEALTHY.model.softmax  # nothing of it has leaked into the model itself


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(pair.names))
def test_a_declared_pair_is_two_faults_that_fit_together_and_differ_from_each_alone(pair):
    fault = next(one for one in faults() if one.names == pair.names)
    role = BY_NAME[fault.home]
    both = outcomes(reference(fault), role)
    assert pair.why.strip()
    for one in pair.breaks:
        assert not one.harmless
        alone = outcomes(next(it for it in single() if it.names == (one.name,)), role)
        assert any(apart(a, b) > 1e-6 for a, b in zip(both, alone, strict=True)), one.name


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("softmax", "softmax"),
        ("my_softmax_v2", "softmax"),
        ("ScaledDotProductAttention", "attention"),
        ("MultiHeadAttention", "multi_head"),
        ("create_look_ahead_mask", "causal_mask"),
        ("get_positional_encoding", "sinusoidal_positions"),
        ("LayerNorm", "layer_norm"),
        ("PositionwiseFeedForward", "feed_forward"),
        ("apply_rotary_emb", "rope"),
    ],
)
def test_what_people_call_it(name: str, role: str):
    assert role in [one.name for one in meant(name)]


def test_a_name_that_says_nothing_means_nothing():
    assert meant("helper") == meant("f") == ()
