"""Grade a class: many files, each in a process of its own, one row each, in the form that a gradebook reads."""
