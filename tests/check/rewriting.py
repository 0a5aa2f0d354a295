"""The same function in other words: a Python text is rewritten, and what it computes stays.

Each rewriting changes every function of a text in one way that people have: operators as functions, einsum, loops over
elements, mathematics by `math`, one expression, one step a line. What is called there stands in helpers.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache

from attention_lab.source_text import calls_in, function_texts, functions_in, reachable

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.GtE: "ge",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.Lt: "lt",
}
UFUNCS: dict[type[ast.AST], str] = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
REDUCTIONS = ("max", "sum", "mean", "any", "all")


def calling(name: str, *arguments: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    """A call of a function by its dotted name."""
    return ast.Call(ast.parse(name, mode="eval").body, list(arguments), keywords or [])


def is_numpy(node: ast.AST, name: str = "") -> bool:
    """Whether a node is np.name."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
        and name in ("", node.attr)
    )


def method(node: ast.Call) -> tuple[ast.expr, str] | None:
    """The array and the name of a method that is called; None of a function of np."""
    if isinstance(node.func, ast.Attribute) and not is_numpy(node.func):
        return node.func.value, node.func.attr
    return None


# ---- one rewriting each ----


class AsFunctions(ast.NodeTransformer):
    """operator.truediv(a, b), np.matmul(a, b)."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return calling("np.matmul", node.left, node.right)
        name = OPERATORS.get(type(node.op))
        return calling(f"_operator.{name}", node.left, node.right) if name else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        name = OPERATORS.get(type(node.ops[0]))
        return calling(f"_operator.{name}", node.left, node.comparators[0]) if name else node


class Einsum(ast.NodeTransformer):
    """np.einsum for products and for exchanged axes."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return calling("np.einsum", ast.Constant("...nd,...dm->...nm"), node.left, node.right)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        last = [ast.unparse(one) for one in node.args[1:]]
        if is_numpy(node.func, "swapaxes") and sorted(last) in (["-1", "-2"], ["-2", "-3"]):
            letters = "...ij->...ji" if "-1" in last else "...ijk->...jik"
            return calling("np.einsum", ast.Constant(letters), node.args[0])
        return node


class Loops(ast.NodeTransformer):
    """Products, triangles, rows and sums by loops over elements."""

    NAMES = {"tril": "_tril", "triu": "_triu"}  # noqa: RUF012 (never changed)
    FOLDS = {"sum": "_sum", "max": "_max"}  # noqa: RUF012

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return calling("_product", node.left, node.right) if isinstance(node.op, ast.MatMult) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        found = method(node)
        if found and found[1] in self.FOLDS:
            return calling(self.FOLDS[found[1]], found[0], *node.args, keywords=node.keywords)
        for name, ours in self.NAMES.items():
            if is_numpy(node.func, name):
                return calling(ours, *node.args, keywords=node.keywords)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """x[:, a:b], row by row."""
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2 and isinstance(node.ctx, ast.Load):
            first, second = node.slice.elts
            whole = isinstance(first, ast.Slice) and not first.lower and not first.upper
            if whole and isinstance(second, ast.Slice):
                rows = ast.parse("np.array([row[0] for row in 0])", mode="eval").body
                assert isinstance(rows, ast.Call)
                assert isinstance(rows.args[0], ast.ListComp)
                assert isinstance(rows.args[0].elt, ast.Subscript)
                rows.args[0].elt.slice, rows.args[0].generators[0].iter = second, node.value
                return rows
        return node


class OverRows(ast.NodeTransformer):
    """The functions of np in the place of methods: np.max(x, axis=-1)."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        found = method(node)
        if found and found[1] in REDUCTIONS:
            return calling(f"np.{found[1]}", found[0], *node.args, keywords=node.keywords)
        if found and found[1] == "reshape":
            shape = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
            shape = ast.Tuple([shape], ast.Load()) if isinstance(shape, ast.Starred) else shape
            return calling("np.reshape", found[0], shape)
        return node


class Methods(ast.NodeTransformer):
    """The methods of arrays in the place of functions: x.swapaxes(-1, -2), (a).__matmul__(b), x.clip(0)."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return ast.Call(ast.Attribute(node.left, "__matmul__", ast.Load()), [node.right], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if is_numpy(node.func, "swapaxes"):
            return ast.Call(ast.Attribute(node.args[0], "swapaxes", ast.Load()), node.args[1:], [])
        if is_numpy(node.func, "argwhere"):
            both = ast.Call(ast.Attribute(node.args[0], "nonzero", ast.Load()), [], [])
            return calling("np.transpose", both)
        return node


class AxesByHand(ast.NodeTransformer):
    """np.expand_dims in the place of keepdims and of np.newaxis."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        axis = next((one.value for one in node.keywords if one.arg == "axis"), None)
        if axis is not None and any(one.arg == "keepdims" for one in node.keywords):
            node.keywords = [one for one in node.keywords if one.arg != "keepdims"]
            return calling("np.expand_dims", node, axis)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Tuple):
            return node
        new = [is_numpy(one, "newaxis") for one in node.slice.elts]
        plain = [ast.unparse(one) in (":", "...") for one in node.slice.elts]
        if not any(new) or not all(a or b for a, b in zip(new, plain, strict=True)):
            return node
        dots = "..." in map(ast.unparse, node.slice.elts)
        places = [place - len(new) if dots else place for place, one in enumerate(new) if one]
        return calling("np.expand_dims", node.value, ast.Tuple([ast.Constant(one) for one in places], ast.Load()))


class ByMath(ast.NodeTransformer):
    """Roots and powers of sizes by `math`; sine, cosine, exponentials and logarithms element by element."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return calling("_power", node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        for name in ("exp", "log", "sin", "cos"):
            if is_numpy(node.func, name) and len(node.args) == 1 and not node.keywords:
                return calling("_each", ast.parse(f"_math.{name}", mode="eval").body, node.args[0])
        return node


class Reciprocals(ast.NodeTransformer):
    """a * (1 / b) in the place of a / b, and −(b − a) in that of a − b."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return ast.BinOp(node.left, ast.Mult(), ast.BinOp(ast.Constant(1), ast.Div(), node.right))
        if isinstance(node.op, ast.Sub):
            return ast.UnaryOp(ast.USub(), ast.BinOp(node.right, ast.Sub(), node.left))
        return node


class MadeBefore(ast.NodeTransformer):
    """out= arguments, and np.where by indexing."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = UFUNCS.get(type(node.op))
        if name is None:
            return node
        functions = (ast.parse(f"np.{name}", mode="eval").body, ast.parse(f"_operator.{OPERATORS[type(node.op)]}"))
        assert isinstance(functions[1].body[0], ast.Expr)
        return calling("_into", functions[0], functions[1].body[0].value, node.left, node.right)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return calling("_picked", *node.args) if is_numpy(node.func, "where") and len(node.args) == 3 else node


class OnCopies(ast.NodeTransformer):
    """x += y, of copies."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if type(node.op) not in UFUNCS:
            return node
        name = OPERATORS[type(node.op)]
        words = (ast.parse(f"_operator.{one}", mode="eval").body for one in (f"i{name}", name))
        return calling("_on_copy", *words, node.left, node.right)


class Steps(ast.NodeTransformer):
    """One operation a line, each with a name."""

    def __init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.count = 0

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.flat(node.value)
        return self.taken(node)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        node.value = None if node.value is None else self.named(node.value)
        return self.taken(node)

    def taken(self, node: ast.stmt) -> list[ast.stmt]:
        """The lines before a statement, and it."""
        lines, self.before = [*self.before, node], []
        return lines

    def flat(self, node: ast.expr) -> ast.expr:
        """An operation of names; what may not be evaluated, or is evaluated often, stays as it is."""
        if isinstance(node, ast.BinOp):
            node.left, node.right = self.named(node.left), self.named(node.right)
        elif isinstance(node, ast.Call):
            node.args = [one if isinstance(one, ast.Starred) else self.named(one) for one in node.args]
            if isinstance(node.func, ast.Attribute) and not is_numpy(node.func):
                node.func.value = self.named(node.func.value)
        elif isinstance(node, ast.Tuple):
            node.elts = [one if isinstance(one, ast.Starred) else self.named(one) for one in node.elts]
        return node

    def named(self, node: ast.expr) -> ast.expr:
        """A name for an operation."""
        if not isinstance(node, (ast.BinOp, ast.Call, ast.Tuple)):
            return node
        node = self.flat(node)
        if isinstance(node, ast.Tuple):
            return node
        self.count += 1
        name = f"step_{self.count}"
        self.before.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())


class OneExpression(ast.NodeTransformer):
    """A function as a lambda, its lines as named expressions; one that loops, raises or writes stays as it is."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        try:
            parts = [part for line in node.body for part in self.parts(line)]
        except ValueError:
            return node
        value = ast.Subscript(ast.Tuple(parts, ast.Load()), ast.Constant(len(parts) - 1), ast.Load())
        return ast.Assign([ast.Name(node.name, ast.Store())], ast.Lambda(node.args, value))

    def parts(self, line: ast.stmt) -> Iterator[ast.expr]:
        """One statement as expressions. Raises ValueError where there are none for it."""
        if isinstance(line, ast.Pass):
            return
        if isinstance(line, ast.Return) and line.value is not None:
            yield line.value
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            yield ast.NamedExpr(line.targets[0], line.value)
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Tuple):
            names = [one for one in line.targets[0].elts if isinstance(one, ast.Name)]
            if len(names) < len(line.targets[0].elts):
                raise ValueError("a star")
            yield ast.NamedExpr(ast.Name("several", ast.Store()), line.value)
            for place, one in enumerate(names):
                several = ast.Name("several", ast.Load())
                yield ast.NamedExpr(one, ast.Subscript(several, ast.Constant(place), ast.Load()))
        elif isinstance(line, ast.If) and len(line.body) == 1 and not line.orelse:
            inner = list(self.parts(line.body[0]))
            if len(inner) > 1 or not isinstance(inner[0], ast.NamedExpr):
                raise ValueError("a return in the middle")
            name = inner[0].target.id
            yield ast.NamedExpr(
                ast.Name(name, ast.Store()), ast.IfExp(line.test, inner[0].value, ast.Name(name, ast.Load()))
            )
        else:
            raise ValueError("no expression")


class Renamed(ast.NodeTransformer):
    """Other names for what is worked out on the way: each has a word before it, in another language."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.names: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        parameters = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
        stored = (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        self.names = {one.id for one in stored} - parameters
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(f"{self.word}_{node.id}", node.ctx) if node.id in self.names else node


REWRITINGS: dict[str, Callable[[], ast.NodeTransformer]] = {
    "operators as functions": AsFunctions,
    "einsum": Einsum,
    "loops": Loops,
    "functions for methods": OverRows,
    "methods for functions": Methods,
    "axes by hand": AxesByHand,
    "math": ByMath,
    "reciprocals": Reciprocals,
    "arrays made before": MadeBefore,
    "in place on copies": OnCopies,
    "one step a line": Steps,
    "one expression": OneExpression,
    "nothing": ast.NodeTransformer,
    "German": lambda: Renamed("größe"),
    "French": lambda: Renamed("déjà"),
    "Spanish": lambda: Renamed("tamaño"),
}


@cache
def in_other_words(text: str, name: str) -> str:
    """One function in other words."""
    return ast.unparse(ast.fix_missing_locations(REWRITINGS[name]().visit(ast.parse(text))))


def needed(text: str, name: str) -> list[str]:
    """The functions of a text that one of them calls, directly or through others, and itself, in their order."""
    calls = calls_in(functions_in(ast.parse(text)))
    return [function for function in calls if function in reachable(name, calls) | {name}]


def rewritten(text: str, function: str, name: str) -> list[str]:
    """The functions of a text that one of them needs, each in other words; as they are for no name."""
    wanted = (function_texts(text)[one].rstrip() for one in needed(text, function))
    return [in_other_words(one, name) if name else one for one in wanted]


def rewrites(text: str, function: str, name: str) -> bool:
    """Whether a rewriting finds anything to rewrite in a function and in those that it needs."""
    return rewritten(text, function, name) != rewritten(text, function, "nothing")
