"""What a function might compute: the healthy model's, every break's, and that of every declared pair of breaks.

A patch changes one or two functions. Only these are compiled, in a copy of the model: that takes a hundredth of the
time in which all models would be loaded, and a function meets only those breaks that can reach it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from attention_lab.breaks import BREAKS
from attention_lab.breaks.pairs import PAIRS
from attention_lab.errors import BadPatch
from attention_lab.source_text import reachable
from attention_lab.variants import (
    Model,
    Patch,
    healthy,
    model_calls,
    model_functions,
    model_source,
    module_copy,
    patched,
)


@cache
def reached(name: str) -> frozenset[str]:
    """The model's functions that one of them calls, directly or through others, and itself."""
    return reachable(name, model_calls()) | {name}


@dataclass(frozen=True)
class Reference:
    """One thing that a function may compute: the model with these breaks; with none of them it is the healthy model.

    `order` is the distance from healthy: 0 healthy, 1 harmless, 2 one fault, 3 a fault in a harmless spelling,
    4 two faults. `same` are the breaks that are known to compute the same numbers. `design` says in words what other
    networks have in the place of the paper's; `only` names the cut without which an interface is not of that design.
    """

    names: tuple[str, ...]
    faults: tuple[str, ...]
    patches: tuple[Patch, ...]
    order: int
    same: tuple[str, ...] = ()
    design: str = ""
    only: str = ""

    @cached_property
    def text(self) -> str:
        """The patched source. Raises BadPatch unless the patches fit together."""
        text = model_source()
        for patch in self.patches:
            text = patched(text, patch)
        return text

    @cached_property
    def changed(self) -> dict[str, str]:
        """The functions that the patches change: their new text. Raises BadPatch unless the patches fit together."""
        texts = dict(model_functions())
        for patch in self.patches:
            holding = [name for name, text in texts.items() if patch.old in text]
            if len(holding) != 1:
                raise BadPatch(f"{patch.old!r} stands in {len(holding)} functions.", "A patch must name one line.")
            texts[holding[0]] = patched(texts[holding[0]], patch)
        return {name: text for name, text in texts.items() if model_functions()[name] != text}

    @cached_property
    def fits(self) -> bool:
        """True unless one patch takes away the text that another one needs."""
        try:
            return bool(self.changed)
        except BadPatch:
            return False

    @cached_property
    def model(self) -> Model:
        """The model with these functions."""
        if not self.patches:
            return healthy()
        model = module_copy(healthy())
        exec(compile("\n".join(self.changed.values()), "<model>", "exec"), vars(model))  # noqa: S102 (our own text)
        return model


HEALTHY = Reference((), (), (), 0)
MASKED = "scores = np.where(checked(mask), scores, -np.inf)  # mask"
SCALED_BIAS = Reference(("biased, scaled",), (), (Patch(MASKED, "scores = scores + mask / query.shape[-1] ** 0.5"),), 1)
BIASED = Reference(("biased",), (), (Patch(MASKED, "scores = scores + mask  # mask"),), 1)  # a mask of any numbers
OTHER_NUMBERS = ("positions-in-halves", "positions-from-1", "rope-in-halves", "softmax-eps")  # harmless, not equal


NORMALISED = "exponentials / exponentials.sum(axis=-1, keepdims=True)"
FAULT_CONSTANTS = (  # faults of the catalogue with other numbers that people write
    ("softmax-one-total", Patch(NORMALISED, "exponentials / exponentials.sum()")),
    ("exponent-doubled", Patch("2 * (column // 2) / d_model", "4 * (column // 2) / d_model")),
    ("mask-minus-ten", Patch("scores, -np.inf)  # mask", "scores, -100)  # mask")),
    ("mask-minus-ten", Patch("scores, -np.inf)  # mask", "scores, -1)  # mask")),
    ("mask-minus-1e4", Patch("scores, -np.inf)  # mask", "scores, -1e3)  # mask")),
    ("mask-minus-1e4", Patch("scores, -np.inf)  # mask", "scores, -1e5)  # mask")),
    (
        "softmax-no-shift",
        Patch(
            "np.exp(logits - logits.max(axis=-1, keepdims=True))",
            "np.exp(logits - logits.mean(axis=-1, keepdims=True))",
        ),
    ),
    ("base-1000", Patch("base=10000.0):  # -> (T", "base=100.0):  # -> (T")),
)


CAUSAL_FAULTS = (  # faults of the mask in attention that is always causal, and what stands in the mask's place
    ("diagonal-excluded", "np.tril(mask, -1)"),
    ("one-step-ahead", "np.tri(len(mask), k=1, dtype=bool)"),
    ("mask-flip", "mask.T"),
    ("causal-inverted", "~mask"),
)


RELU = "hidden = np.maximum(x @ w_in + b_in, 0)"
ACTIVATIONS = (  # no fault, where other networks have them
    ("GELU", "hidden * (1 + np.tanh((2 / np.pi) ** 0.5 * (hidden + 0.044715 * hidden**3))) / 2"),
    ("GELU", "hidden * (1 + np.vectorize(__import__('math').erf)(hidden / 2**0.5).astype(hidden.dtype)) / 2"),
    ("SiLU", "hidden / (1 + np.exp(-hidden))"),
)
RMS = "no mean taken away and no bias (RMSNorm)"


AFTER = """x = layer_norm(x + multi_head(x, x, **layer["attention"], h=h, mask=mask), **layer["norm_1"])
    x = layer_norm(x + multi_head(x, memory, **layer["cross_attention"], h=h, mask=memory_mask), **layer["norm_2"])
    return layer_norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_3"])"""
BEFORE = """normed = layer_norm(x, **layer["norm_1"])
x = x + multi_head(normed, normed, **layer["attention"], h=h, mask=mask)
normed = layer_norm(x, **layer["norm_2"])
x = x + multi_head(normed, memory, **layer["cross_attention"], h=h, mask=memory_mask)
return x + feed_forward(layer_norm(x, **layer["norm_3"]), **layer["feed_forward"])"""
LAYERS = ("encoder_layer", "decoder_layer", "pre_norm_block")


def alternative_designs() -> Iterator[Reference]:
    """What later networks have in the place of the paper's."""
    for place, (name, line) in enumerate(ACTIVATIONS):
        patch = Patch(RELU, f"hidden = x @ w_in + b_in\nhidden = {line}")
        yield Reference((f"design {place}",), (), (patch,), 1, design=f"{name} in the place of ReLU")
    patch = Patch("centred = x - x.mean(axis=-1, keepdims=True)", "centred = x")
    yield Reference(("design rms",), (), (patch,), 1, design=RMS, only="no bias")
    yield Reference(("design pre-norm",), (), (Patch(AFTER, BEFORE),), 1, design="the norms in front, not behind")


def fault_variants() -> Iterator[Reference]:
    """Faults of the catalogue with other numbers, and those of masks within attention that is always causal."""
    for place, (name, patch) in enumerate(FAULT_CONSTANTS):
        yield Reference((name, f"kin {place}"), (name,), (patch,), 2)
    for name, mask in CAUSAL_FAULTS:
        for fill in ("-np.inf", "-1e9"):
            patch = Patch(MASKED, f"scores = np.where({mask}, scores, {fill})  # mask")
            yield Reference((name, f"causal {fill}"), (name,), (patch,), 2, only="causal")


@cache
def single() -> tuple[Reference, ...]:
    """The model with one break, for every break; the harmless ones first."""
    found = [
        Reference((one.name,), () if one.harmless else (one.name,), one.patches, 2 - one.harmless, one.same_as)
        for one in BREAKS
    ]
    return tuple(sorted(found, key=lambda one: one.order))


def in_spelling(fault: Reference, spelling: Reference) -> Reference:
    """A fault in a harmless spelling, or in another design."""
    return Reference((*fault.names, *spelling.names), fault.faults, (*spelling.patches, *fault.patches), 3)


def faults_in_spellings() -> Iterator[Reference]:
    """Each fault in each harmless spelling of the same functions; a fault elsewhere is seen in its own function."""
    for spelling in single():
        if spelling.names[0] in OTHER_NUMBERS:
            for fault in single():
                alike = fault.faults and fault.changed.keys() == spelling.changed.keys()
                if alike and fault.names[0] != "integer-table" and in_spelling(fault, spelling).fits:
                    yield in_spelling(fault, spelling)


def catalogue() -> Iterator[Reference]:
    """Every reference, the likeliest first: healthy, harmless, one fault, one in a harmless spelling, two faults."""
    yield HEALTHY
    yield from alternative_designs()
    yield from single()
    yield from fault_variants()
    yield from faults_in_spellings()
    for pair in PAIRS:
        yield Reference(pair.names, pair.names, pair.patches, 4)


def faults_in_designs(known: tuple[Reference, ...]) -> Iterator[Reference]:
    """Each fault in a layer of another design, where the two fit together."""
    faults = [reference for reference in known if reference.faults and reference.order in (2, 4)]
    for design in known:
        if design.design:
            yield from (both for fault in faults if (both := in_spelling(fault, design)).fits)


@cache
def references(role: str) -> tuple[Reference, ...]:
    """All that a function of this role might compute: what changes none of the functions it calls is left out."""
    within = reached(role)
    known = tuple(one for one in catalogue() if one.order == 0 or within & one.changed.keys())
    return (*known, *faults_in_designs(known)) if role in LAYERS else known
