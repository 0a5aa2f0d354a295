"""Limits and costs on this machine: memory, seconds, and a limit on the time of somebody's code."""
