"""Check anybody's attention code: run it in a process of its own, and name what is wrong by what it computes."""
