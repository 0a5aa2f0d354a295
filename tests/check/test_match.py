"""Every fault in strangers' spellings is named, and right code in any spelling is not called wrong."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from check.inprocess import InProcess
from check.spellings import BY_NAME, SPELLINGS, Fault, Spelling, faults, fits, shown, wrapped

from attention_lab.breaks import BREAKS
from attention_lab.check.match import Finding
from attention_lab.check.survey import Asked, Benches, survey

TWINS = {one.name: {one.name, *one.same_as} for one in BREAKS}
EACH = 2  # spellings of every fault here; `benchmarks/check.py` tries all


@cache
def benches() -> Benches:
    """The inputs, and what the references compute on them, for all tests of this process."""
    return Benches(5)


def judged(text: str, **asked: str) -> tuple[Finding, ...]:
    with np.errstate(all="ignore"):
        return survey(InProcess(text), 5, Asked(**asked), benches()).findings


def named(findings: tuple[Finding, ...]) -> set[str]:
    return {name for one in findings for name in (*one.breaks, *one.otherwise)}


def spellings_of(place: int, fault: Fault) -> list[Spelling]:
    """A few of those that make sense for a fault, other ones for each."""
    fitting = [one for one in SPELLINGS if fits(one, BY_NAME[fault.home])]
    return [fitting[(place * EACH + step) % len(fitting)] for step in range(EACH)]


CASES = [(fault, one) for place, fault in enumerate(faults()) for one in spellings_of(place, fault)]


@pytest.mark.parametrize(
    ("fault", "spelling"), CASES, ids=lambda it: "+".join(it.names) if isinstance(it, Fault) else it.name
)
def test_every_fault_is_named_and_nothing_harmless_is(fault: Fault, spelling: Spelling):
    findings = judged(wrapped(fault, spelling))
    assert findings, "nothing was found"
    visible = () if fault.harmless else shown(fault, spelling)
    if not visible:
        assert not any(one.alarming for one in findings), findings
    for name in visible:
        assert TWINS[name] & named(findings), named(findings)


def test_another_fault_is_not_named():
    fault = next(one for one in faults() if one.names == ("no-scale",))
    assert named(judged(wrapped(fault, SPELLINGS[1]))) == {"no-scale", "scale-integer-half"}


# ---- bodies by hand ----

BODIES = {
    "einsum": """
def attention(q, k, v, mask=None):
    s = np.einsum('...qd,...kd->...qk', q, k) {scale}
    if mask is not None:
        s = {mask}
    return np.einsum('...qk,...kv->...qv', soft(s), v), soft(s)
""",
    "matmul": """
def scaled_dot_product_attention(queries, keys, values, attn_mask=None):
    d = queries.shape[-1]
    q, k, v, mask = queries, keys, values, attn_mask
    s = np.matmul(q, np.swapaxes(k, -1, -2)) {scale}
    if mask is not None:
        s = {mask}
    w = soft(s)
    return np.matmul(w, v)
""",
    "prescaled": """
def attn(Q, K, V, mask=None):
    q, k, v = Q {scale_query}, K, V
    s = q @ k.swapaxes(-1, -2)
    if mask is not None:
        s = {mask}
    return soft(s) @ v
""",
    "loops": """
def attend(Q, K, V, mask=None):
    T, d = Q.shape
    out = np.zeros((T, V.shape[1]))
    for i in range(T):
        q, k = Q[i : i + 1], K
        s = np.array([[float(np.dot(q[0], k[j])) for j in range(len(k))]]) {scale}
        if mask is not None:
            m, mask_row = mask, mask[i : i + 1]
            s = {mask_row}
        out[i] = soft(s) @ V
    return out
""",
    "class": """
class Attention:
    def __init__(self, dropout=0.1):
        self.p = dropout

    def __call__(self, q, k, v, mask=None):
        s = q @ k.swapaxes(-1, -2) {scale}
        if mask is not None:
            s = {mask}
        self.w = soft(s)
        return self.w @ v, self.w
""",
}
SCALES = {
    "right": "/ np.sqrt(q.shape[-1]).astype(q.dtype)",
    "half power": "* q.shape[-1] ** -0.5",
    "no-scale": "",
    "scale-by-d-k": "/ q.shape[-1]",
    "scale-by-length": "/ k.shape[-2] ** 0.5",
    "scale-multiplied": "* q.shape[-1] ** 0.5",
}
SOFTMAX = {
    "right": "e = np.exp(s - s.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)",
    "softmax-no-shift": "e = np.exp(s); return e / e.sum(-1, keepdims=True)",
    "softmax-one-total": "e = np.exp(s - s.max()); return e / e.sum()",
    "softmax-over-queries": "e = np.exp(s - s.max(-2, keepdims=True)); return e / e.sum(-2, keepdims=True)",
}
MASKS = {
    "right": "np.where(mask, s, -np.inf)",
    "minus 1e9": "np.where(mask, s, -1e9)",
    "added": "s + np.where(mask, 0.0, -1e9)",
    "mask-zero": "np.where(mask, s, 0)",
    "mask-minus-ten": "np.where(mask, s, -10.0)",
    "mask-ignored": "s",
}
RIGHT = {"right", "half power", "minus 1e9", "added"}


def body(form: str, scale: str, softmax: str, mask: str) -> str:
    """A file with one public function."""
    text = BODIES[form].replace("{scale_query}", SCALES[scale].replace("q.", "Q.").replace("k.", "K."))
    text = text.replace("{scale}", SCALES[scale]).replace("{mask_row}", MASKS[mask].replace("mask", "mask_row"))
    text = text.replace("{mask}", MASKS[mask])
    return f"import numpy as np\n\ndef _soft(s):\n    {SOFTMAX[softmax]}\n{text.replace('soft(', '_soft(')}"


@pytest.mark.parametrize("form", BODIES)
@pytest.mark.parametrize(
    ("scale", "softmax", "mask"),
    [
        *((scale, "right", "right") for scale in SCALES),
        *(("right", softmax, "minus 1e9") for softmax in SOFTMAX if softmax != "right"),
        *(("half power", "right", mask) for mask in MASKS if mask != "right"),
        ("no-scale", "right", "mask-zero"),
        ("no-scale", "softmax-over-queries", "right"),
    ],
)
def test_bodies_written_by_hand(form: str, scale: str, softmax: str, mask: str):
    if form == "loops" and softmax in ("softmax-over-queries", "softmax-one-total"):
        pytest.skip("a loop over queries has one row at a time")
    findings = judged(body(form, scale, softmax, mask))
    wrong = {scale, softmax, mask} - RIGHT
    assert len(findings) == 1
    assert findings[0].alarming == bool(wrong), findings
    for name in wrong:
        assert TWINS[name] & named(findings), named(findings)


# ---- never called wrong ----

HARMLESS = {
    "half of the scale on each": "def attention(q, k, v):\n    r = q.shape[-1] ** 0.25\n    return _soft((q / r) @ np.swapaxes(k / r, -1, -2)) @ v",
    "masked after softmax, shared out again": "def attention(q, k, v, mask=None):\n    w = _soft(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)\n    if mask is not None:\n        w = w * mask\n        w = w / w.sum(-1, keepdims=True)\n    return w @ v",
    "[sin | cos]": "def positional_encoding(n, d):\n    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)\n    return np.concatenate([np.sin(a), np.cos(a)[:, : d // 2]], -1)",
    "exp and log": "def positional_encoding(n, d):\n    i = np.arange(d) // 2 * 2\n    a = np.arange(n)[:, None] * np.exp(-i * np.log(10000.0) / d)\n    return np.where(np.arange(d) % 2 == 0, np.sin(a), np.cos(a))",
    "from 1": "def positional_encoding(n, d):\n    a = np.arange(1, n + 1)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)\n    return np.where(np.arange(d) % 2 == 0, np.sin(a), np.cos(a))",
    "half-split RoPE": "def rope(x, positions):\n    d = x.shape[-1]\n    a = positions[:, None] / 10000 ** (np.arange(0, d, 2) / d)\n    a = np.concatenate([a, a], -1)\n    one, two = x[..., : d // 2], x[..., d // 2 :]\n    turned = np.concatenate([-two, one], -1)\n    return (x * np.cos(a) + turned * np.sin(a)).astype(x.dtype)",
    "triu(1), True is hidden": "def causal_mask(n):\n    return np.triu(np.ones((n, n), dtype=bool), 1)",
    "0 and -inf": "def causal_mask(n):\n    return np.triu(np.full((n, n), -np.inf), 1)",
    "a small epsilon": "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / (e.sum(-1, keepdims=True) + 4e-8)",
    "weights first": "def attention(q, k, v):\n    w = _soft(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)\n    return w, w @ v",
    "feature-major": "def attention(Q, K, V):\n    w = _soft(Q.T @ K / len(Q) ** 0.5)\n    return V @ w.T",
    "reciprocal root": "def layer_norm(x, gamma, beta, eps=1e-6):\n    return (x - x.mean(-1, keepdims=True)) * (x.var(-1, keepdims=True) + eps) ** -0.5 * gamma + beta",
    "a single head": "class SelfAttention:\n    def __init__(self, d_model):\n        self.d = d_model\n        self.W_q = self.W_k = self.W_v = np.eye(d_model)\n\n    def forward(self, x):\n        q, k, v = x @ self.W_q, x @ self.W_k, x @ self.W_v\n        return _soft(q @ np.swapaxes(k, -1, -2) / self.d ** 0.5) @ v",
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_right_is_never_called_wrong(name: str):
    text = "import numpy as np\n\ndef _soft(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n\n"
    findings = judged(f"{text}\n{HARMLESS[name]}\n")
    assert len(findings) == 1
    assert not findings[0].alarming, findings


# ---- conventions ----

BLOCKING = "import numpy as np\ndef causal_mask(n):\n    return np.triu(np.ones((n, n), dtype=bool), 1)\n"
ALLOWING = """
def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
"""


def test_a_mask_that_says_what_is_hidden_is_right_alone_and_wrong_beside_a_function_that_reads_it_the_other_way():
    alone = judged(BLOCKING)[0]
    assert not alone.alarming
    assert alone.otherwise == ("causal-inverted",)
    assert any("hidden" in told for told in alone.plan.assumed)
    beside = judged(BLOCKING + ALLOWING)
    assert [one.breaks for one in beside if one.alarming] == [("causal-inverted",)]
    both_hidden = judged(BLOCKING + ALLOWING.replace("np.where(mask, s, -np.inf)", "np.where(mask, -np.inf, s)"))
    assert not any(one.alarming for one in both_hidden)


def test_what_is_said_of_masks_and_layouts_is_taken_for_granted():
    assert judged(BLOCKING, mask="allowed")[0].breaks == ("causal-inverted",)
    assert judged(BLOCKING, mask="blocked")[0].verdict == "right"
    text = HARMLESS["feature-major"]
    soft = "import numpy as np\ndef _soft(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"
    assert judged(soft + text, layout="(d, T)")[0].verdict == "right"
    assert judged(soft + text, layout="(…, T, d)")[0].alarming


# ---- where weights are ----

HEADS = """
    heads = []
    for i in range(n):
        s = slice(i * (d // n), (i + 1) * (d // n))
        w = q[..., s] @ np.swapaxes(k[..., s], -1, -2) / {scale} ** 0.5
        e = np.exp(w - w.max(-1, keepdims=True))
        heads.append(e / e.sum(-1, keepdims=True) @ v[..., s])
    return np.concatenate(heads, -1)"""
HOLDING = {
    "arguments": "def multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads):\n    n, d = num_heads, x.shape[-1]\n    q, k, v = x @ W_q, x @ W_k, x @ W_v{heads} @ W_o",
    "from the left": "def multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads):\n    n, d = num_heads, x.shape[-1]\n    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T{heads} @ W_o.T",
    "a dictionary": "def multi_head_attention(x, params, num_heads):\n    n, d = num_heads, x.shape[-1]\n    q, k, v = x @ params['wq'], x @ params['wk'], x @ params['wv']{heads} @ params['wo']",
    "a tuple": "def multi_head_attention(x, weights, num_heads):\n    n, d = num_heads, x.shape[-1]\n    a, b, c, o = weights\n    q, k, v = x @ a, x @ b, x @ c{heads} @ o",
    "names of the file": "n, d = 1, 8\nW_q, W_k, W_v = np.random.randn(3, d, d)\ndef self_attention(x):\n    q, k, v = x @ W_q, x @ W_k, x @ W_v{heads}",
    "attributes": "class MultiHead:\n  def __init__(self, d_model, num_heads):\n    self.n, self.d = num_heads, d_model\n    self.wq, self.wk, self.wv, self.wo = np.random.randn(4, d_model, d_model)\n  def forward(self, x):\n    n, d = self.n, self.d\n    q, k, v = x @ self.wq, x @ self.wk, x @ self.wv{heads} @ self.wo",
    "packed": "class MultiHead:\n  def __init__(self, d_model, n_heads):\n    self.n, self.d = n_heads, d_model\n    self.qkv = np.random.randn(d_model, 3 * d_model)\n    self.out_proj = np.random.randn(d_model, d_model)\n    self.bias = np.zeros(d_model)\n  def __call__(self, x):\n    n, d = self.n, self.d\n    q, k, v = np.split(x @ self.qkv, 3, axis=-1){heads} @ self.out_proj + self.bias",
}  # fmt: skip


@pytest.mark.parametrize("holder", HOLDING)
@pytest.mark.parametrize(
    ("scale", "fault"), [("q[..., s].shape[-1]", ""), ("d", "scale-by-d-model"), ("1", "no-scale")]
)
def test_heads_whose_weights_are_anywhere(holder: str, scale: str, fault: str):
    if holder == "names of the file" and fault == "scale-by-d-model":
        pytest.skip("with one head the two are the same")
    text = "import numpy as np\n" + HOLDING[holder].replace("{heads}", HEADS.replace("{scale}", scale)) + "\n"
    findings = judged(text)
    assert [one.role.name for one in findings] == ["multi_head"]
    assert findings[0].alarming == bool(fault), findings
    assert not fault or fault in named(findings)
