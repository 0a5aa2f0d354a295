"""Training on the very source that was broken: gradients, Adam, tasks, decoding, and the run that joins them."""
