"""Walkthroughs: a lesson is a Markdown file, read once, run step by step, and never out of date."""
