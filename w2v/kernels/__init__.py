"""Compiled inner loops, the only place with numba: numpy arrays in, numpy arrays changed in place."""
