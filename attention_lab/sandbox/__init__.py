"""The walled process in which a learner's code runs, from both of its sides."""
