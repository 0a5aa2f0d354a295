"""For whoever extends the package: `python -m attention_lab.dev`. No part of `attn-lab`."""
