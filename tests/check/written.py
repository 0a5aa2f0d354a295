"""The text of a fault in a spelling: the model's functions, hidden, and one that anybody may call."""

from __future__ import annotations

import re
from textwrap import indent

from check.faults import BY_NAME, Fault
from check.helpers import IMPORTS, called_by
from check.rewriting import rewritten
from check.spellings import (
    LAID_OUT,
    Spelling,
    given,
    may_be_left_out,
    parameter,
    public,
    spelled,
    takes,
    title,
    weights_of,
)

from attention_lab.check.roles import Role
from attention_lab.source_text import function_texts
from attention_lab.variants import model_source

TURNS = {"d-T": "np.swapaxes({0}, -1, -2)", "T-B-d": "np.swapaxes({0}, 0, 1)", "B-T-h-d": "np.swapaxes({0}, 1, 2)"}
READ = {"blocked": "~{0}", "ones": "({0} > 0.5)", "additive": "({0} > -1)"}  # theirs as ours
WRITTEN = {"blocked": "~{0}", "ones": "{0}.astype(int)", "additive": "np.where({0}, 0.0, -np.inf)"}
SEVERAL = ("attention", "teacher_forcing", "cached_multi_head", "decode_next")  # roles that return two things
FORMS = {
    "first": "result[0]",
    "weights first": "result[::-1]",
    "dict": ("{{'output': result}}", "{{'output': result[0], 'more': result[1]}}"),
    "named": ("_Result(result)", "_Result(*result)"),
    "more": ("(result, ({0},))",) * 2,
}


def tokens_of(role: Role) -> list[str]:
    """The arguments with axes in front, the first of them first."""
    return [name for name in role.parameters if name in role.tokens] or [next(iter(role.parameters))]


def one_by_one(role: Role, spelling: Spelling, names: dict[str, str], calling: str) -> list[str]:
    """The lines that call the model for every sample by itself."""
    tokens = [names[one] for one in tokens_of(role)]
    call = f"_{spelling.each}(lambda {{0}}: {calling}, [{{0}}], 2)"
    plain = f"result = {call.format(', '.join(tokens))}"
    if "mask" not in names:
        return [plain]
    mask = names["mask"]
    front = f"np.broadcast_to({mask}, (*{tokens[0]}.shape[:-2], {'1, ' if 'h' in names else ''}*{mask}.shape[-2:]))"
    return [
        f"if {mask} is None:\n    {plain}",
        f"else:\n    {mask} = {front}\n    result = {call.format(', '.join([*tokens, mask]))}",
    ]


def lines_in(role: Role, spelling: Spelling, names: dict[str, str]) -> list[str]:
    """The lines that make the model's arguments of what an interface is given."""
    lines, tokens = [], [names[one] for one in tokens_of(role)]
    left_out = [names[one] for one in may_be_left_out(role, spelling)]
    if spelling.cast:
        change = {"lists": "_from_lists", "float32": "_narrow"}[spelling.cast]
        lines += [f"{one} = {change}({one})" for one in names.values()]
    if spelling.leads and role.name in LAID_OUT:
        dims = tuple(lead + 2 for lead in spelling.leads)
        lines.append(f"if np.ndim({tokens[0]}) not in {dims}:\n    raise ValueError('axes')")
    if spelling.tokens:
        lines += [f"{one} = {TURNS[spelling.tokens].format(one)}" for one in tokens]
    if spelling.mask in READ:
        masks = [names[one] for one in ("mask", "memory_mask") if one in names]
        lines += [f"{one} = None if {one} is None else {READ[spelling.mask].format(one)}" for one in masks]
    if spelling.weights == "turned":
        lines += [f"{names[one]} = {names[one]}.T" for one in weights_of(role) if one.startswith("w_")]
    if spelling.holder == "annotated":
        lines = [f"assert {one} is not None, '{one} is missing'" for one in names.values() if one not in left_out]
    return lines


def lines_out(role: Role, spelling: Spelling, names: dict[str, str]) -> list[str]:
    """The lines that turn the model's result into what an interface returns."""
    lines = []
    if spelling.tokens:
        form, two = TURNS[spelling.tokens], role.name in SEVERAL
        lines.append(
            f"result = ({form.format('result[0]')}, result[1])" if two else f"result = {form.format('result')}"
        )
    if role.makes_mask and spelling.mask:
        lines.append(f"result = {WRITTEN[spelling.mask].format('result')}")
    if spelling.form:
        form = FORMS[spelling.form]
        form = form if isinstance(form, str) else form[role.name in SEVERAL].format(next(iter(names.values())))
        lines.append(f"result = {form}")
    if spelling.cast:
        lines.append(f"result = {'_to_lists' if spelling.cast == 'lists' else '_narrow'}(result)")
    return lines


def work(role: Role, spelling: Spelling, names: dict[str, str], places: dict[str, str]) -> list[str]:
    """The lines of the function; `places` says where else each argument of the model is found."""
    known = {name: places.get(name, names.get(name, "")) for name in takes(role)}
    passed = ", ".join(f"{name}={place}" for name, place in known.items() if place)
    passed += ", rng=np.random.default_rng()" if role.name == "dropout" else ""
    call = f"_{role.name}({passed})"
    called = one_by_one(role, spelling, names, call) if spelling.each else [f"result = {call}"]
    if spelling.holder == "generator":
        several = "yield from result" if role.name in SEVERAL else "yield result"
        called = [f"def _parts():\n    result = {call}\n    {several}"]
        called.append("result = tuple(_parts())" if role.name in SEVERAL else "result = next(_parts())")
    return [*lines_in(role, spelling, names), *called, *lines_out(role, spelling, names), "return result"]


def head_of(role: Role, spelling: Spelling, names: dict[str, str]) -> list[str]:
    """The parameters, as they stand in the first line of the function."""
    left_out = may_be_left_out(role, spelling)
    needed = [names[one] for one in names if one not in left_out]
    optional = [f"{names[one]}={'1e-5' if one == 'eps' else 'None'}" for one in names if one in left_out]
    if spelling.holder == "annotated":
        needed = [f"{one}: np.ndarray" for one in needed]
        optional = [one.replace("=", ": np.ndarray | None = ") for one in optional]
    if spelling.holder == "defaults":
        more = {"verbose": "False", "name": "None", "dtype": "None"}
        optional += [f"{one}={value}" for one, value in more.items() if one not in names.values()]
    if spelling.weights in ("bag", "tuple"):
        needed.insert(
            len([one for one in role.tokens if one in names]), "params" if spelling.weights == "bag" else "weights"
        )
    if spelling.order in ("tuple", "dict"):
        needed = ["everything"]
    if spelling.order == "back":
        needed = needed[::-1]
    return (["*"] if spelling.order == "key" else []) + needed + optional


def unpacked(role: Role, spelling: Spelling, names: dict[str, str]) -> list[str]:
    """The lines that take arguments out of a tuple or a dictionary."""
    needed = [names[one] for one in names if one not in may_be_left_out(role, spelling)]
    if spelling.order == "tuple":
        return [f"{', '.join(needed)} = everything"]
    if spelling.order == "dict":
        return [f"{one} = everything['{one}']" for one in needed]
    return []


def found_in(role: Role, spelling: Spelling) -> dict[str, str]:
    """Where the weights of the model are found that no parameter takes."""
    called = {name: parameter(role, name, spelling, place) for place, name in enumerate(takes(role))}
    held = [one for one in takes(role) if one not in given(role, spelling) and one not in ("pad", "eps", "mask")]
    ways = {"bag": "params['{0}']", "tuple": "weights[{1}]", "held": "self.{0}", "fields": "self.{0}"}
    if spelling.weights not in ways:
        return {}
    return {name: ways[spelling.weights].format(called[name], place) for place, name in enumerate(held)}


def standing(role: Role, spelling: Spelling, head: list[str], lines: list[str]) -> str:
    """The function where it stands: in the file, in a class, behind a decorator."""
    name, kind, holder = public(role, spelling), title(role, spelling), spelling.holder
    taken, text = ", ".join(head), indent("\n".join(lines), "    ") + "\n"
    own = f"self, {taken}"

    def inside(first: str, within: str = text) -> str:
        return indent(f"def {first}:\n{within}", "    ")

    if holder == "class":
        return f"class {kind}:\n    @staticmethod\n{inside(f'forward({taken})')}"
    if holder == "classmethod":
        return f"class {kind}:\n    base = 10000\n\n    @classmethod\n{inside(f'apply(cls, {taken})')}"
    if holder == "callable" and spelling.weights == "fields":
        fields = "".join(f"    {place.removeprefix('self.')}: object\n" for place in found_in(role, spelling).values())
        return f"@_dataclass\nclass {kind}:\n{fields}\n{inside(f'__call__({own})')}"
    if holder == "callable":
        return f"class {kind}:\n{inside(f'__call__({own})')}"
    if holder == "forward" and spelling.weights == "held":
        return f"class {kind}:\n{indent(held_weights(role, spelling), '    ')}\n{inside(f'forward({own})')}"
    if holder == "forward":
        made = "def __init__(self, dropout=0.1):\n    self.dropout = dropout\n"
        return f"class {kind}:\n{indent(made, '    ')}\n{inside(f'forward({own})')}"
    if holder == "child":
        base = "class _Base:\n    def __call__(self, *args, **kwargs):\n        return self.forward(*args, **kwargs)\n"
        return f"{base}\n\nclass {kind}(_Base):\n{inside(f'forward({own})')}"
    if holder == "instance":
        return f"class _{kind}:\n{inside(f'__call__({own})')}\n\n{name} = _{kind}()\n"
    if holder == "lambda":
        passed = ", ".join(one.partition("=")[0] for one in head)
        return f"def _work({taken}):\n{text}\n\n{name} = lambda {taken}: _work({passed})\n"
    if holder == "partial":
        return f"def _work(_unused, {taken}):\n{text}\n\n{name} = _functools.partial(_work, 0)\n"
    if holder == "factory":
        made = f"def make_{name}(base=10000):\n{inside(f'{name}({taken})')}\n    return {name}\n"
        return f"{made}\n\n{name} = make_{name}()\n"
    if holder == "decorated":
        return f"@_noted\ndef {name}({taken}):\n{text}"
    if holder == "annotated":
        return f'def {name}({taken}) -> object:\n    """What it says."""\n{text}'
    if holder == "script":
        return f"print('start')\n\n\ndef {name}({taken}):\n    print('at work')\n{text}\n\n{SCRIPT}"
    return f"def {name}({taken}):\n{text}"


SCRIPT = """
for _row in np.random.rand(3, 4):
    print(" ".join("#" * int(9 * _number) for _number in _row))
assert undefined_until_somebody_fills_it_in, "a line that fails"
"""


def held_weights(role: Role, spelling: Spelling) -> str:
    """A constructor that makes random weights."""
    called = {name: place.removeprefix("self.") for name, place in found_in(role, spelling).items()}
    shapes = {
        "multi_head": dict.fromkeys(weights_of(role), "d_model, d_model"),
        "layer_norm": dict.fromkeys(weights_of(role), "d_model"),
        "feed_forward": {"w_in": "d_model, d_ff", "b_in": "d_ff", "w_out": "d_ff, d_model", "b_out": "d_model"},
    }[role.name]
    sizes = {"multi_head": "d_model, num_heads", "layer_norm": "d_model", "feed_forward": "d_model, d_ff"}[role.name]
    lines = [f"self.{called[one]} = np.random.randn({shape})" for one, shape in shapes.items()]
    lines += [f"self.{called['h']} = num_heads"] if "h" in called else []
    return f"def __init__(self, {sizes}):\n" + "".join(f"    {line}\n" for line in lines)


def wrapped(fault: Fault, spelling: Spelling) -> str:
    """A file in which only what is spelled has a public name."""
    role = BY_NAME[fault.home]
    functions = rewritten(fault.text, role.name, spelling.body)
    ours = "|".join(function_texts(model_source()))
    hidden = "\n\n\n".join(re.sub(rf"\b(?<!\.)({ours})(?=\(| = lambda)", r"_\1", one) for one in functions)
    names = spelled(role, spelling)
    lines = [*unpacked(role, spelling, names), *work(role, spelling, names, found_in(role, spelling))]
    if spelling.holder == "nested":
        lines, hidden = [*hidden.split("\n"), *lines], ""
    fields = ["output", "more"] if role.name in SEVERAL else ["output"]
    named = f"_Result = _namedtuple('_Result', {fields})\n"
    parts = [named if spelling.form == "named" else "", hidden]
    parts.append(standing(role, spelling, head_of(role, spelling, names), lines))
    own = "\n\n".join(filter(None, parts))
    return "\n\n".join(filter(None, [IMPORTS, called_by(own), own]))
