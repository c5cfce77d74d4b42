"""Compiled inner loops, the only place with numba: numpy arrays in, numpy arrays changed in place."""

from w2v.kernels._jit import compilations

__all__ = ["compilations"]
