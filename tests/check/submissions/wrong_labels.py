def make_targets(tokens):
    x = tokens[:, :-1]
    y = tokens[:, :-1]
    return x, y
