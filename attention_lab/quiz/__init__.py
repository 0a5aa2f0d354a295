"""A quiz of unnamed faults: how it is drawn, and what its answers score."""
