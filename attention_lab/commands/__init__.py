"""The commands behind `attn-lab`: each reads its words, calls, and shows one Result. `cli.py` lists them."""
