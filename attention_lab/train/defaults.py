"""What each task is trained with where nothing else is asked for. NumPy is not imported: the help reads this, too."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from attention_lab.text import listed


@dataclass(frozen=True)
class Defaults:
    """Settings of a training, named like the options of `attn-lab train`; `size` is T, the tokens of an example."""

    d_model: int = 32
    heads: int = 4
    layers: int = 1
    size: int = 8
    steps: int = 400
    batch: int = 32
    warm_up: int = 40
    rate: float = 3e-3
    dropout: float = 0.0
    seed: int = 0


USUAL = Defaults()
DEFAULTS = {
    "reverse": USUAL,
    "copy": USUAL,
    "sort": USUAL,
    "pronoun": Defaults(heads=1, layers=2, size=12, steps=300),
    "language": Defaults(d_model=64, heads=2, layers=2, size=32, steps=600, batch=16, rate=8e-3),
}


def default_by_task(name: str) -> str:
    """The default of a setting, and of the tasks that have another one: "4; pronoun 1, language 2"."""
    values = {task: asdict(defaults)[name] for task, defaults in DEFAULTS.items()}
    usual = asdict(USUAL)[name]
    others = dict.fromkeys(value for value in values.values() if value != usual)
    tasks = {other: listed(task for task, value in values.items() if value == other) for other in others}
    exceptions = ", ".join(f"{names} {other:g}" for other, names in tasks.items())
    return f"{usual:g}; {exceptions}" if exceptions else f"{usual:g}"
