"""Breaks of the mask that a layer passes on: attention is right, but gets a wrong mask or none."""

from attention_lab.breaks.record import Break, becomes

IN_ENCODER = "x = encoder_layer(x, layer, h, padding_mask(source, pad))"
IN_DECODER = "x = decoder_layer(x, memory, layer, h, decoder_mask(target, pad), padding_mask(source, pad))"
ACROSS = (
    'x = layer_norm(x + multi_head(x, memory, **layer["cross_attention"], h=h, mask=memory_mask), **layer["norm_2"])'
)

MASK_USE = (
    Break(
        name="mask-not-passed",
        part="mask use",
        patches=becomes("heads, _ = attention(query, key, value, mask)", "heads, _ = attention(query, key, value)"),
        why="The parameter has a default, so nothing complains when it is left out.",
        watch="Attention by itself, and the same inside multi-head attention.",
        consequence="Attention and masks are right, and no layer uses them; only decoding with a cache still does.",
        source="D3, masks; huggingface/transformers#48745, facebookresearch/fairseq#1339",
        hints=(
            "Attention by itself hides what it should. Look one level up.",
            "No mask has an effect on a network, but decoding with a cache is right.",
            "Follow the mask from the network down to softmax.",
        ),
        demo="padding",
        up=("future-influence", "target-future", "padding-influence", "encoder-padding", "cache", "cache-pieces"),
        still=("future-mass", "padding-mass", "furthest-ahead"),
    ),
    Break(
        name="gpt-without-mask",
        part="mask use",
        patches=becomes("x = pre_norm_block(x, layer, h, causal_mask(T))", "x = pre_norm_block(x, layer, h)"),
        why="The mask is an option of the block, and the network runs without it.",
        watch="The logits of early tokens, when a late one changes.",
        consequence="A decoder-only network that sees ahead is trained to copy: its loss is low and its text is noise.",
        source="D0, mask or no mask; pytorch/tutorials#2478",
        hints=(
            "Change the last word and look at the first logits.",
            "The decoder-only network reads ahead; the encoder–decoder does not.",
            "What makes a GPT of a BERT?",
        ),
        demo="network",
        up=("future-influence", "cache", "cache-pieces"),
        still=("future-mass", "target-future", "past-influence"),
    ),
    Break(
        name="decoder-without-causal",
        part="mask use",
        patches=becomes(
            IN_DECODER,
            "x = decoder_layer(x, memory, layer, h, padding_mask(target, pad), padding_mask(source, pad))",
        ),
        why="Once a padding mask is given, the causal one is forgotten: there is a mask, after all.",
        watch="The logits of early target tokens, when a late one changes.",
        consequence="The decoder reads the answer in training; when it generates, there is nothing to read.",
        source="D0, causal mask; huggingface/candle#3567",
        hints=(
            "Change the last word of the target and look at the first logits.",
            "The decoder reads ahead, although padding is hidden.",
            "Two things are to be hidden from the decoder.",
        ),
        demo="trace",
        up=("target-future",),
        still=("future-mass", "future-influence", "decoder-mass"),
    ),
    Break(
        name="encoder-without-mask",
        part="mask use",
        patches=becomes(IN_ENCODER, "x = encoder_layer(x, layer, h)"),
        why="An encoder sees everything, it is said; padding is not meant.",
        watch="A short sentence, alone and in a batch with a long one.",
        consequence="What a sentence means depends on how long the others in its batch are.",
        source="D3, three patterns; jamesmullenbach/caml-mimic#13",
        hints=(
            "Embed padding differently and look at real words.",
            "The encoder's output moves with what stands on padding.",
            "All see all: also what is no word?",
        ),
        demo="padding",
        up=("padding-influence", "encoder-padding"),
        still=("padding-mass", "target-future", "encoder-reach"),
        same_as=("padding-from-vectors",),
    ),
    Break(
        name="padding-from-vectors",
        part="mask use",
        patches=becomes(
            IN_ENCODER, "x = encoder_layer(x, layer, h, (x != 0).any(axis=-1)[:, np.newaxis, np.newaxis, :])"
        ),
        why="Padding was a vector of zeros, until positions were added to it.",
        watch="The mask itself: it is True everywhere.",
        consequence="No vector is zero any more, so nothing is hidden: the same as no mask.",
        source="D3, embedding; Kyubyong/transformer#69",
        hints=(
            "Embed padding differently and look at real words.",
            "The encoder has a mask, and it hides nothing.",
            "When is the mask made, and what was added before?",
        ),
        demo="padding",
        up=("padding-influence", "encoder-padding"),
        still=("padding-mass", "target-future", "encoder-reach"),
        same_as=("encoder-without-mask",),
    ),
    Break(
        name="encoder-causal",
        part="mask use",
        patches=becomes(IN_ENCODER, "x = encoder_layer(x, layer, h, decoder_mask(source, pad))"),
        why="The decoder's line is copied, and a causal mask does no visible harm.",
        watch="The first word's encoding, when a later word changes.",
        consequence="The encoder reads like a decoder, each word without what follows: 'it' never hears 'tired'.",
        source="D3, three patterns; sgl-project/sglang#35434",
        hints=(
            "Change the last word of the source and look at the encoding of the first.",
            "Nothing leaks; something is not heard that might be.",
            "Who has to be kept from the future, and who has not?",
        ),
        demo="trace",
        down=("encoder-reach",),
        still=("future-mass", "encoder-padding", "source-influence"),
    ),
    Break(
        name="memory-mask-forgotten",
        part="mask use",
        patches=becomes(
            ACROSS, 'x = layer_norm(x + multi_head(x, memory, **layer["cross_attention"], h=h), **layer["norm_2"])'
        ),
        why="The encoder has hidden the padding already, so it seems to be gone.",
        watch="The logits, when what stands on the source's padding is embedded differently.",
        consequence="The encoder's outputs at padding are vectors like any other, and the decoder listens to them.",
        source="D3, masks; speechbrain/speechbrain#1107, huggingface/transformers#47946",
        hints=(
            "Embed padding differently and look at the logits.",
            "The encoder is right, and padding is heard all the same.",
            "Padding has an output too. Who reads it?",
        ),
        demo="padding",
        up=("padding-influence",),
        still=("encoder-padding", "padding-mass", "target-future"),
    ),
    Break(
        name="memory-mask-of-target",
        part="mask use",
        patches=becomes(
            IN_DECODER,
            "x = decoder_layer(x, memory, layer, h, decoder_mask(target, pad), padding_mask(target, pad))",
        ),
        why="In the decoder, the padding at hand is that of the target.",
        watch="Source and target of different length; equal lengths hide it.",
        consequence="With lengths that differ it stops; with equal ones, the wrong words of the source are hidden.",
        source="D3, masks; Kamichanw/SeekDeeper#3, keras-team/keras-io#1046",
        hints=(
            "Give it a source and a target of different length.",
            "It fails in the decoder, where the source is looked at.",
            "Whose keys are these, and whose padding?",
        ),
        demo="trace",
        lost=("target-future", "padding-influence", "source-influence"),
        still=("encoder-padding", "padding-mass", "future-influence"),
    ),
    Break(
        name="cross-attention-causal",
        part="mask use",
        patches=becomes(
            ACROSS,
            'x = layer_norm(x + multi_head(x, memory, **layer["cross_attention"], h=h, mask=mask), **layer["norm_2"])',
        ),
        why="Two parameters are called nearly the same, and the decoder's own mask is the first.",
        watch="What the first target token hears of the last source word.",
        consequence="With lengths that differ it stops; with equal ones, token i reads only the first i source words.",
        source="D3, three patterns; zhouhaoyi/Informer2020#38",
        hints=(
            "Give it a source and a target of different length, then of equal length.",
            "At equal length, the first target token hears only the beginning of the source.",
            "Is the source part of the future?",
        ),
        demo="trace",
        down=("memory-reach",),
        lost=("target-future", "padding-influence", "source-influence"),
        still=("encoder-padding", "future-mass", "future-influence"),
    ),
)
