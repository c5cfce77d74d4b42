"""Operations on vectors and tiles of numbers, against numpy."""

import numba
import numpy as np
import pytest
import reference

from w2v.kernels.amx import has_amx, tile_load, tile_multiply, tile_store, tile_zero, tiles_begin, tiles_end
from w2v.kernels.simd import load, narrow, pack, store, transpose, where_between

needs_amx = pytest.mark.skipif(not has_amx(), reason="needs tile registers")


def rows(n, m, seed=0):
    return np.random.default_rng(seed).normal(size=(n, m)).astype(np.float32)


def halves(array):
    """The bfloat16 numbers in a float32 array's bits, in the order of the memory."""
    return (array.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def test_bfloat16_of_two_vectors():
    @numba.njit
    def both(a, b, packed, narrowed):
        store(packed, 0, pack(load(a, 0, 16), load(b, 0, 16)))
        store(narrowed, 0, narrow(load(a, 0, 16), load(b, 0, 16)))

    a, b = rows(2, 16)
    a[:6] = 0.0, -0.0, 1 + 2**-8, -1 - 2**-8, 1 + 2**-8 - 2**-20, 1e-30
    packed, narrowed = np.empty((2, 16), np.float32)
    both(a, b, packed, narrowed)
    x, y = (reference.bfloat16(v).astype(np.float32) for v in (a, b))
    assert x[2:5].tolist() == [1 + 2**-7, -1 - 2**-7, 1.0]  # halves go away from zero
    np.testing.assert_array_equal(halves(packed), np.stack([x, y], axis=1).ravel())
    np.testing.assert_array_equal(halves(narrowed), np.concatenate([x, y]))


def test_transpose_from_rows_apart():
    @numba.njit
    def turn(target, source):
        transpose(target, 3, source, 7, 21)

    source, target = np.arange(400, dtype=np.float32), np.full(262, -1, np.float32)
    turn(target, source)
    expected = np.lib.stride_tricks.as_strided(source[7:], (16, 16), (21 * 4, 4))
    np.testing.assert_array_equal(target[3:259].reshape(16, 16), expected.T)
    assert (target[[0, 1, 2, 259, 260, 261]] == -1).all()


@pytest.mark.parametrize("left_out", [-3, 0, 5, 15, 16])
def test_where_between(left_out):
    @numba.njit
    def choose(out, values, low, high, place, left_out):
        store(out, 0, where_between(load(values, 0, 16), low, high, 2, place, left_out, np.float32(40.0)))

    rng = np.random.default_rng(1)
    low, high = rng.integers(0, 8, 18).astype(np.int32), rng.integers(4, 12, 18).astype(np.int32)
    values, out = rows(2, 16)
    for place in range(13):
        choose(out, values, low, high, place, left_out)
        inside = (low[2:] <= place) & (place <= high[2:]) & (np.arange(16) != left_out)
        np.testing.assert_array_equal(out, np.where(inside, values, np.float32(40)))


@needs_amx
def test_product_of_tiles():
    @numba.njit
    def product(a, b, start, out):
        tiles_begin()
        tile_zero(3)
        tile_load(0, start, 0, 16)
        tile_load(1, a, 0, a.shape[1])
        tile_load(2, b, 5, 20)
        tile_multiply(0, 1, 2)
        tile_multiply(3, 1, 2)
        tile_store(0, out, 2, 24)
        tile_store(3, out, 400, 16)
        tiles_end()

    factors, others, start = rows(16, 32, 1), rows(32, 16, 2), rows(16, 16, 3)
    x, y = reference.bfloat16(factors), reference.bfloat16(others)
    upper = (np.stack([x, x], axis=2).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)[:, :, 0]
    a = np.ascontiguousarray(upper).view(np.float32)
    words = (y.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    b = np.zeros(5 + 16 * 20, np.float32)
    b[5:].reshape(16, 20)[:, :16] = np.stack([words[0::2], words[1::2]], axis=2).reshape(16, 32).view(np.float32)
    out = np.full(700, -1, np.float32)
    product(a, b, start, out)
    np.testing.assert_allclose(out[2 : 2 + 16 * 24].reshape(16, 24)[:, :16], start + x @ y, atol=1e-5)
    np.testing.assert_allclose(out[400:656].reshape(16, 16), x @ y, atol=1e-5)
    assert (out[:2] == -1).all()
