"""The vital signs: what a healthy transformer looks like in numbers, in the order in which one looks.

Each is a small pure measurement of what a model computes, never of how it is written.
"""

from attention_lab.vitals.attention import ATTENTION
from attention_lab.vitals.block import BLOCK
from attention_lab.vitals.heads import HEADS
from attention_lab.vitals.masks import MASKS
from attention_lab.vitals.positions import POSITIONS
from attention_lab.vitals.training import TRAINING

VITALS = (*ATTENTION, *MASKS, *HEADS, *POSITIONS, *BLOCK, *TRAINING)
