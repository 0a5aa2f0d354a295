"""Every break of the catalogue in other people's spellings: the patched model behind interfaces of every kind.

A spelling is an interface and a body. The interface says what a function is called, in which order it takes what, how
its arrays lie, what its masks say, what it returns and where it stands; the body is the model's in other words
(rewriting.py). What is computed is the model's: meaning.py looks whether that is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from inspect import signature

from check.faults import BY_NAME, Fault
from check.rewriting import rewrites

from attention_lab.check.roles import Role
from attention_lab.variants import healthy


@dataclass(frozen=True)
class Spelling:
    """An interface and a body. `leads` are the axes in front that it takes; the rest is named where it is used."""

    name: str
    names: int = 0  # which synonyms; −1: letters that say nothing
    language: str = ""  # of the parameters, where they are not English
    order: str = ""  # "" as the model, "back" reversed, "key" keyword-only, "tuple" and "dict" all in one
    tokens: str = ""  # "", "d-T", "T-B-d", "B-T-h-d": how arrays lie
    leads: tuple[int, ...] = ()  # of those that the role has; () is all
    each: str = ""  # "loop" and "recursion": over the axes in front, one by one
    mask: str = ""  # "", "blocked", "ones", "additive", "none": what masks say
    weights: str = ""  # "turned", or where they are: "bag", "tuple", "held", "fields"
    form: str = ""  # what comes back: "", "first", "weights first", "dict", "named", "more"
    cast: str = ""  # "", "float32", "lists"
    holder: str = ""  # "", "class", "callable", "forward", …: where the function stands
    public: int = 0  # which of the names that people give such a function; −1: one that says nothing
    body: str = ""  # which rewriting


SPELLINGS = (
    Spelling("as the model"),
    Spelling("other names", names=1, public=1),
    Spelling("yet other names", names=2, public=2),
    Spelling("names that say nothing", names=-1, public=-1),
    Spelling("letters in a known function", names=-1),
    Spelling("in German", language="German", public=-1, body="German"),
    Spelling("in French", language="French", body="French"),
    Spelling("in Spanish", language="Spanish", public=-1, holder="class", body="Spanish"),
    Spelling("in reverse order", order="back", names=1),
    Spelling("by keyword only", order="key", names=1, public=1),
    Spelling("all in one tuple", order="tuple", names=1),
    Spelling("all in one dictionary", order="dict", names=1),
    Spelling("one sentence", leads=(0,), names=2),
    Spelling("a batch", leads=(1,), names=1),
    Spelling("a loop over the batch", each="loop", names=1),
    Spelling("recursion over axes", each="recursion", names=2),
    Spelling("features first", tokens="d-T", leads=(0,), names=1),
    Spelling("batch second", tokens="T-B-d", leads=(1,), names=1),
    Spelling("heads third", tokens="B-T-h-d", leads=(2,), names=1),
    Spelling("weights first", form="weights first", names=1),
    Spelling("output only", form="first", names=2),
    Spelling("a dict", form="dict", names=1),
    Spelling("a named tuple", form="named", names=1, public=1),
    Spelling("with what is kept for later", form="more", names=1),
    Spelling("nested lists", cast="lists", names=1, leads=(1, 0)),
    Spelling("True is hidden", mask="blocked", names=1),
    Spelling("masks of ones", mask="ones", names=2),
    Spelling("masks that are added", mask="additive", names=1),
    Spelling("without a mask", mask="none", names=1),
    Spelling("weights from the left", weights="turned", names=1),
    Spelling("weights in a dictionary", weights="bag", names=1),
    Spelling("weights in a tuple", weights="tuple", names=1),
    Spelling("weights of an instance", weights="held", names=1, holder="forward"),
    Spelling("a dataclass of weights", weights="fields", names=1, holder="callable"),
    Spelling("in float32", cast="float32", names=1),
    Spelling("a static method", holder="class", names=1),
    Spelling("a class method", holder="classmethod", names=2),
    Spelling("an object that is called", holder="callable", names=2),
    Spelling("a class with forward", holder="forward", names=1, body="one step a line"),
    Spelling("a class below another", holder="child", names=1),
    Spelling("an instance in the file", holder="instance", names=1),
    Spelling("a lambda", holder="lambda", names=1, public=1),
    Spelling("a partial", holder="partial", names=1),
    Spelling("a closure from a factory", holder="factory", names=2, public=1),
    Spelling("functions in the function", holder="nested", names=1),
    Spelling("with decorators", holder="decorated", names=2),
    Spelling("annotated, with assertions", holder="annotated", names=1),
    Spelling("more parameters with defaults", holder="defaults", names=1),
    Spelling("a script that prints and plots", holder="script", names=2),
    Spelling("a generator", holder="generator", names=1),
    Spelling("operators as functions", body="operators as functions", names=1),
    Spelling("einsum", body="einsum", names=2),
    Spelling("loops over elements", body="loops", names=1),
    Spelling("functions for methods", body="functions for methods", names=2),
    Spelling("methods for functions", body="methods for functions", names=1),
    Spelling("axes by hand", body="axes by hand", names=2),
    Spelling("by the module math", body="math", names=1),
    Spelling("reciprocals", body="reciprocals", names=2),
    Spelling("out= arguments", body="arrays made before", names=1),
    Spelling("in place on copies", body="in place on copies", names=2),
    Spelling("one step a line", body="one step a line", names=1),
    Spelling("one expression", body="one expression", names=2, holder="lambda"),
)


# ---- where a spelling makes sense ----

LAID_OUT = ("softmax", "attention", "multi_head", "rope", "layer_norm")  # roles of tokens in any layout
APART = ("softmax", "attention", "multi_head", "rope", "layer_norm", "feed_forward")  # of axes that do not meet
HELD = ("multi_head", "layer_norm", "feed_forward")  # roles with weights of their own
BETWEEN = {  # faults by which what stands in different samples meets: no loop over samples has them
    "softmax-over-batch",
    "softmax-over-heads",
    "softmax-one-total",
    "softmax-global-max",
    "softmax-no-keepdims",
    "scale-by-heads",
    "scale-by-batch",
    "mask-tiled",
    "attention-over-batch",
    "norm-over-everything",
    "feed-forward-reshaped",
}
ROUNDED = {  # faults that round, or overflow, in the middle of what a body writes in another way
    ("softmax-half", "loops"),
    ("softmax-half", "reciprocals"),
    ("scores-half", "loops"),
    ("softmax-sum-over-queries", "reciprocals"),
    ("base-exponent-exchanged", "reciprocals"),
}
INTEGERS = ("causal_mask", "padding_mask", "decoder_mask", "teacher_forcing")  # roles without floats


def masked(role: Role) -> bool:
    """Whether a mask goes in or comes out."""
    return bool({"mask", "memory_mask"} & set(role.parameters)) or role.makes_mask


@cache
def takes(role: Role) -> tuple[str, ...]:
    """What the model's own function takes: others may take more."""
    return tuple(name for name in role.parameters if name in signature(getattr(healthy(), role.name)).parameters)


def weights_of(role: Role) -> list[str]:
    """The parameters that are weights."""
    return [name for name in takes(role) if name.startswith(("w_", "b_")) or name in ("gain", "bias")]


def given(role: Role, spelling: Spelling) -> list[str]:
    """The arguments of the model that an interface takes, in the model's order."""
    left_out = {"eps", "rng", "pad"} | ({"mask", "memory_mask"} if spelling.mask == "none" else set())
    held = set(weights_of(role)) if spelling.weights in ("bag", "tuple", "held", "fields") else set()
    held |= {"h"} if spelling.weights in ("held", "fields") else set()
    return [name for name in takes(role) if name not in left_out | held or (name == "eps" and spelling.names == 0)]


@cache
def fits(spelling: Spelling, role: Role) -> bool:
    """Whether an interface makes sense for a role."""
    if (spelling.mask and not masked(role)) or (spelling.mask == "none" and role.makes_mask):
        return False
    if (spelling.tokens or (spelling.leads and not spelling.cast)) and role.name not in LAID_OUT:
        return False
    if spelling.tokens and not role.tokens:
        return False
    if spelling.tokens == "B-T-h-d" and role.name not in ("attention", "rope"):
        return False
    if spelling.each and role.name not in APART:
        return False
    if spelling.form in ("first", "weights first") and role.name != "attention":
        return False
    if spelling.form == "more" and (len(role.parts) > 1 or role.makes_mask):
        return False
    if spelling.weights and role.name not in HELD:
        return False
    if spelling.weights == "turned" and role.name == "layer_norm":
        return False
    if (
        spelling.order in ("tuple", "dict", "back")
        and len([one for one in role.needed if one in given(role, spelling)]) < 2
    ):
        return False
    if role.name == "tiled_attention" and spelling.public < 0:  # without its name it is attention
        return False
    return not (spelling.cast == "float32" and role.name in INTEGERS)


def spells(spelling: Spelling, fault: Fault) -> bool:
    """Whether a fault can be written in a spelling."""
    if not fits(spelling, BY_NAME[fault.home]) or (spelling.each and BETWEEN & set(fault.names)):
        return False
    if any((name, spelling.body) in ROUNDED for name in fault.names):
        return False
    return not spelling.body or rewrites(fault.text, fault.home, spelling.body)


# ---- names ----

WORDS = {  # what a parameter is called in German, French, Spanish
    "logits": ("bewertungen", "notes", "puntajes"),
    "query": ("anfrage", "requête", "consulta"),
    "key": ("schlüssel", "clé", "clave"),
    "value": ("wert", "valeur", "valor"),
    "mask": ("maske", "masque", "máscara"),
    "memory_mask": ("quellmaske", "masque_source", "máscara_fuente"),
    "Tq": ("länge", "longueur", "longitud"),
    "Tk": ("gesamtlänge", "longueur_totale", "longitud_total"),
    "T": ("länge", "longueur", "longitud"),
    "d_model": ("breite", "largeur", "anchura"),
    "ids": ("nummern", "numéros", "números"),
    "x": ("eingabe", "entrée", "entrada"),
    "positions": ("stellen", "places", "posiciones"),
    "table": ("tabelle", "tableau", "tabla"),
    "h": ("köpfe", "têtes", "cabezas"),
    "source": ("quelle", "origine", "fuente"),
    "w_query": ("gewicht_anfrage", "poids_requête", "peso_consulta"),
    "w_key": ("gewicht_schlüssel", "poids_clé", "peso_clave"),
    "w_value": ("gewicht_wert", "poids_valeur", "peso_valor"),
    "w_out": ("gewicht_aus", "poids_sortie", "peso_salida"),
    "w_in": ("gewicht_ein", "poids_entrée", "peso_entrada"),
    "b_in": ("versatz_ein", "biais_entrée", "sesgo_entrada"),
    "b_out": ("versatz_aus", "biais_sortie", "sesgo_salida"),
    "gain": ("verstärkung", "échelle", "ganancia"),
    "bias": ("versatz", "biais", "sesgo"),
    "height": ("höhe", "hauteur", "altura"),
    "width": ("kachelbreite", "largeur_bloc", "ancho"),
    "rate": ("anteil", "taux", "tasa"),
    "training": ("im_training", "entraînement", "entrenando"),
    "layer": ("schicht", "couche", "capa"),
    "memory": ("gedächtnis", "mémoire", "memoria"),
    "weights": ("gewichte", "poids", "pesos"),
    "target": ("ziel", "cible", "objetivo"),
    "labels": ("antworten", "réponses", "etiquetas"),
    "past": ("vergangenheit", "passé", "pasado"),
    "cache": ("speicher", "réserve", "reserva"),
}
LANGUAGES = ("German", "French", "Spanish")
WORD_FOR_WORK = {"German": "rechne", "French": "calcule", "Spanish": "calcula"}


def parameter(role: Role, name: str, spelling: Spelling, place: int) -> str:
    """What the interface calls an argument."""
    if spelling.language:
        return WORDS[name][LANGUAGES.index(spelling.language)] if name in WORDS else name
    if spelling.names < 0:
        return "abcdefgh"[place]
    names = (name, *role.parameters[name])
    taken = {other for others in role.parameters if others != name for other in (others, *role.parameters[others])}
    free = [one for one in names if one not in taken] or [name]
    return free[min(spelling.names, len(free) - 1)]


def spelled(role: Role, spelling: Spelling) -> dict[str, str]:
    """What the interface calls each argument that it takes."""
    return {name: parameter(role, name, spelling, place) for place, name in enumerate(given(role, spelling))}


def public(role: Role, spelling: Spelling) -> str:
    """What the function is called."""
    if spelling.public < 0:
        return WORD_FOR_WORK.get(spelling.language, "f")
    return role.names[min(spelling.public, len(role.names) - 1)]


def title(role: Role, spelling: Spelling) -> str:
    """What the class is called."""
    return "".join(part.capitalize() for part in public(role, spelling).split("_"))


def may_be_left_out(role: Role, spelling: Spelling) -> list[str]:
    """The arguments that have a default."""
    if role.name == "causal_mask":
        return ["Tk"]
    kept = {"gain", "bias", "b_in", "b_out", "positions", "training", "height", "width", "Tk"}
    return [name for name in given(role, spelling) if name in role.optional - kept]
