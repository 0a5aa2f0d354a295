"""Options that many commands and demos have."""

from __future__ import annotations

from typing import Annotated

from attention_lab.options.param import Param

Seed = Annotated[int, Param("seed of the random numbers: the same seed, the same output", at_least=0)]
Text = Annotated[str, Param("a sentence of your own; words are split at spaces")]
