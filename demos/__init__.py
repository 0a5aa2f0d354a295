"""The demos, in the order in which a class meets them: each record is a file of the same name beside this one."""

from attention_lab.demo import Demo

DEMOS = (
    Demo(
        "lookup",
        ("D0",),
        "Attention is a dictionary lookup that blends every value instead of returning one.",
        "A dict raises KeyError for a key that it does not hold. What does attention return?",
    ),
    Demo(
        "worked",
        ("D0", "D3"),
        "One query, three keys, by hand: dot products, scale, softmax, blend.",
        "Two of three keys match the query equally well. How is the weight shared out among the three?",
    ),
    Demo(
        "scaling",
        ("D0",),
        "Without ÷ √d_k one weight takes everything as d_k grows.",
        "Random keys: how large is the largest weight at a small d_k, and how large at a large one?",
    ),
    Demo(
        "saturation",
        ("D0", "D3", "D4"),
        "A softmax that is certain passes almost no gradient on.",
        "Scores √d_k times too large: how many keys still have a say, and how much gradient is left?",
    ),
    Demo(
        "order",
        ("D0", "D2", "D3"),
        "Without positions, attention sees a bag of words.",
        "A sentence forwards and backwards: which output vectors differ?",
    ),
    Demo(
        "positions",
        ("D0", "D3"),
        "Sine and cosine give every position a fingerprint that is computed, not learned.",
        "Which is more alike: the codes of positions 3 and 4, or of 3 and 30? Does it depend on where one starts?",
    ),
    Demo(
        "causal",
        ("D0", "D4"),
        "A triangular mask makes the future invisible.",
        "Nobody sees the future: how much weight does the first token give itself?",
    ),
    Demo(
        "masking",
        ("D0", "D3"),
        "Hiding a key takes −∞; a 0 is an ordinary score.",
        "Fill the forbidden scores with 0 instead of −∞: how much weight do the forbidden keys get?",
    ),
    Demo(
        "padding",
        ("D3",),
        "Three masks, their shapes, and the libraries that mean the opposite by True.",
        "A batch of sentences of different length: what shape must the mask have, and along which axis?",
    ),
    Demo(
        "sentence",
        ("D4",),
        "What does a word attend to before any training?",
        "Random weights: which word gets most of another word's attention, and does that mean anything?",
    ),
    Demo(
        "heads",
        ("D0", "D2", "D3"),
        "Eight heads read eight slices; the model gets no wider.",
        "Several narrow heads in place of one as wide as all of them: how many more parameters, how much more work?",
    ),
    Demo(
        "patterns",
        ("D2", "D3"),
        "Self-attention, masked self-attention, cross-attention: one function, three uses.",
        "Source and target differ in length. What shape is each of the three weight matrices?",
    ),
    Demo(
        "block",
        ("D0", "D2", "D3"),
        "Residual, norm, feed-forward: why six of them can stand on each other.",
        "Blocks stacked without residuals: what gets lost on the way, the size of the tokens or what sets them apart?",
    ),
    Demo(
        "dropout",
        ("D3",),
        "Dropout zeroes a few numbers while training, and touches nothing afterwards.",
        "A tenth of the numbers is set to zero. What happens to the rest, so that the mean stays?",
    ),
    Demo(
        "loss",
        ("D3",),
        "The decoder owes the next token, and nobody is graded on padding.",
        "What does a model that repeats each word it reads deserve, and what one that knows nothing?",
    ),
    Demo(
        "recurrence",
        ("D0", "D2"),
        "An RNN hands token 1 through 49 updates; attention reaches it in one step.",
        "After one update for every later token, how much of the first one is left?",
    ),
    Demo(
        "cost",
        ("D4",),
        "Twice the tokens, four times the matrix.",
        "Twice as many tokens: how many times the memory, and how many times the seconds?",
    ),
    Demo(
        "flash",
        ("D4",),
        "The same output, and the n × n matrix is never stored.",
        "Does the same output take the whole n × n matrix in memory? If not, how much less will do?",
    ),
    Demo(
        "parameters",
        ("D2", "D4"),
        "Where the paper's 65 million parameters are, counted one array at a time.",
        "Attention gives the paper its name. What share of the parameters is in it?",
    ),
    Demo(
        "rope",
        ("D4",),
        "Rotate query and key by their position, and only the distance between them counts.",
        "Query at 7 and key at 3, or query at 107 and key at 103: does the score change?",
    ),
    Demo(
        "trace",
        ("D3",),
        "Follow one token through the encoder–decoder, step by step.",
        "Between its embedding and the logits, at how many steps can a token hear from other tokens?",
    ),
    Demo(
        "network",
        ("D2",),
        "The whole forward pass, from ids to logits.",
        "After the last block: has the shape of the activations changed since the embedding?",
    ),
    Demo(
        "generation",
        ("D3", "D4"),
        "One token at a time, each read once: the cache changes the work and nothing else.",
        "The tenth token is about to be chosen. How many tokens must be read again if keys and values were kept?",
    ),
    Demo(
        "training",
        ("D3",),
        "One step of Adam lowers the loss; with enough of them a batch is known by heart.",
        "The decoder owes the target. What does it read meanwhile, and who is graded on padding?",
    ),
    Demo(
        "pronoun",
        ("D4",),
        'What "it" means is learned; whether one can read it off the map is another matter.',
        'A network has learned to name what "it" means. To which word does "it" attend most?',
    ),
    Demo(
        "depth",
        ("D0", "D2"),
        "A deep stack learns with residual and norm, and hardly without.",
        "Take the residuals out of a stack of layers: which of its weights get no gradient any more?",
    ),
    Demo(
        "consequences",
        ("D0", "D2", "D4"),
        "Train it with one line wrong: what it costs, and whether training shows it.",
        "A decoder is trained with the future in view. How well does it do then, and how well when it has to write?",
    ),
)
