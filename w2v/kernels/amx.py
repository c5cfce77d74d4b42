"""The tile registers of Intel's AMX: products of small matrices of bfloat16, with sums in float32.

There are eight registers of 16 rows of 64 bytes. One instruction adds to 16 x 16 sums the products of 16 rows of 32
factors with 32 rows of 16, which is what a whole row of vector instructions does. Tiles keep their bits over calls and
belong to the thread; a kernel begins and ends with `tiles_begin` and `tiles_end`.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from w2v.kernels.simd import compiles_for

__all__ = [
    "DEEP",
    "SIDE",
    "has_amx",
    "tile_load",
    "tile_multiply",
    "tile_store",
    "tile_zero",
    "tiles_begin",
    "tiles_end",
]

SIDE = 16
"""Rows of a tile, and the words or sums in one of its rows."""
DEEP = 2 * SIDE
"""Factors that one multiplication takes of a row."""
_TILES, _BYTES = 8, 4 * SIDE
_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA = 158, 0x1023, 18  # Linux, x86-64: arch_prctl(2), ARCH_REQ_XCOMP_PERM


@functools.cache
def has_amx() -> bool:
    """Whether kernels may use tile registers: the processor has them, and the system allows this process to."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    if not all(compiles_for(feature) for feature in ("avx512f", "avx512bw", "amx-tile", "amx-bf16")):
        return False
    try:
        request = ctypes.CDLL(None).syscall
    except (OSError, TypeError, AttributeError):  # no C library to ask
        return False
    request.restype = ctypes.c_long
    request.argtypes = [ctypes.c_long] * 3
    return bool(request(_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA) == 0)


def _call(builder, name, *arguments):
    """Call one of LLVM's intrinsic functions that returns nothing."""
    name = f"llvm.x86.{name}"
    function = builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
        function = ir.Function(builder.module, kind, name)
    builder.call(function, arguments)


def _number(tile):
    return ir.Constant(ir.IntType(8), tile.literal_value)


def _are_tiles(*tiles):
    return all(isinstance(t, types.IntegerLiteral) and 0 <= t.literal_value < _TILES for t in tiles)


@intrinsic
def tiles_begin(typing_context):
    """Make all tile registers of this thread 16 rows of 64 bytes, and zero."""

    def generate(context, builder, signature, arguments):
        setting = bytearray(64)
        setting[0] = 1  # the only palette there is
        for t in range(_TILES):
            setting[16 + 2 * t : 18 + 2 * t] = _BYTES.to_bytes(2, "little")
            setting[48 + t] = SIDE
        kind = ir.ArrayType(ir.IntType(8), 64)
        value = cgutils.global_constant(builder, "tile_setting", ir.Constant(kind, setting))
        _call(builder, "ldtilecfg", builder.bitcast(value, ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic
def tiles_end(typing_context):
    """Give the tile registers back."""

    def generate(context, builder, signature, arguments):
        _call(builder, "tilerelease")
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic(prefer_literal=True)
def tile_zero(typing_context, tile):
    """Set a tile to zero."""
    if not _are_tiles(tile):
        return None

    def generate(context, builder, signature, arguments):
        _call(builder, "tilezero", _number(tile))
        return context.get_dummy_value()

    return types.none(tile), generate


def _mover(name):
    """Return what moves a tile to or from an array."""

    def move(typing_context, tile, array, index, step):
        floats = isinstance(array, types.Array) and array.dtype == types.float32 and array.layout == "C"
        if not (_are_tiles(tile) and floats and isinstance(index, types.Integer) and isinstance(step, types.Integer)):
            return None

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
            address = builder.bitcast(builder.gep(data, [arguments[2]]), ir.IntType(8).as_pointer())
            bytes_apart = builder.mul(arguments[3], ir.Constant(ir.IntType(64), 4))
            _call(builder, name, _number(tile), address, bytes_apart)
            return context.get_dummy_value()

        return types.none(tile, array, types.int64, types.int64), generate

    return move


@intrinsic(prefer_literal=True)
def tile_load(typing_context, tile, array, index, step):
    """Read 16 rows of 64 bytes, `step` floats apart, from flat index `index` of a C-contiguous float32 array."""
    return _mover("tileloadd64")(typing_context, tile, array, index, step)


@intrinsic(prefer_literal=True)
def tile_store(typing_context, tile, array, index, step):
    """Write 16 rows of 64 bytes, `step` floats apart, from flat index `index` of a C-contiguous float32 array on."""
    return _mover("tilestored64")(typing_context, tile, array, index, step)


@intrinsic(prefer_literal=True)
def tile_multiply(typing_context, tile, a, b):
    """Add a b to a tile of 16 x 16 float32: a has rows of 32 bfloat16, b 16 rows of pairs (of rows 2i and 2i + 1)."""
    if not _are_tiles(tile, a, b):
        return None

    def generate(context, builder, signature, arguments):
        _call(builder, "tdpbf16ps", _number(tile), _number(a), _number(b))
        return context.get_dummy_value()

    return types.none(tile, a, b), generate
