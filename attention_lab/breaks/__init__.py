"""The catalogue of breaks, in the order in which one reads the model."""

from attention_lab.breaks.scale import SCALE

BREAKS = (*SCALE,)
