"""Attention weights of a real model, from a file: what each head does, and what is wrong with it."""
