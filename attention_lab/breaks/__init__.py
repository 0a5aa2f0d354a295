"""The catalogue of breaks, in the order in which one reads the model."""

from attention_lab.breaks.block import BLOCK
from attention_lab.breaks.cache import CACHE
from attention_lab.breaks.dropout import DROPOUT
from attention_lab.breaks.embedding import EMBEDDING
from attention_lab.breaks.harmless import HARMLESS
from attention_lab.breaks.heads import HEADS
from attention_lab.breaks.loss import LOSS
from attention_lab.breaks.mask_shape import MASK_SHAPE
from attention_lab.breaks.mask_step import MASK_STEP
from attention_lab.breaks.mask_use import MASK_USE
from attention_lab.breaks.mask_value import MASK_VALUE
from attention_lab.breaks.norm import NORM
from attention_lab.breaks.padding import PADDING_MASK
from attention_lab.breaks.positions import POSITIONS
from attention_lab.breaks.projections import PROJECTIONS
from attention_lab.breaks.rope import ROPE
from attention_lab.breaks.scale import SCALE
from attention_lab.breaks.softmax_axis import SOFTMAX_AXIS
from attention_lab.breaks.softmax_number import SOFTMAX_NUMBER

BREAKS = (
    *SCALE,
    *SOFTMAX_AXIS,
    *SOFTMAX_NUMBER,
    *MASK_VALUE,
    *MASK_STEP,
    *MASK_SHAPE,
    *PADDING_MASK,
    *MASK_USE,
    *POSITIONS,
    *ROPE,
    *EMBEDDING,
    *HEADS,
    *PROJECTIONS,
    *NORM,
    *BLOCK,
    *DROPOUT,
    *LOSS,
    *CACHE,
    *HARMLESS,
)
