"""Eight float32 in one value: loads, stores and fused multiply-adds that stay in vector registers.

LLVM vectorises a plain loop only after it has checked that none of the rows overlap, for every call of a small tile;
that costs more than the tile. Code written with these values needs no such check and keeps sums in registers. LLVM
lowers the type to whatever the processor has (one AVX register, two NEON registers, ...).
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

__all__ = ["LANES", "add", "add_lanes", "load", "multiply_add", "prefetch", "splat", "store", "zeros"]

LANES = 8
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_ALIGNMENT = 4  # rows need not be aligned


class _Float32x8(types.Type):
    """The type of a vector value inside kernels."""

    def __init__(self) -> None:
        super().__init__(name="float32x8")


float32x8 = _Float32x8()


@register_model(_Float32x8)
class _Float32x8Model(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, _VECTOR)


def _is_row(array):
    return isinstance(array, types.Array) and array.dtype == types.float32 and array.layout == "C"


def _address(context, builder, signature, arguments):
    """Return the pointer to eight floats at flat index arguments[1] of a C-contiguous array."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    pointer = builder.gep(array.data, [arguments[1]])
    return builder.bitcast(pointer, _VECTOR.as_pointer())


@intrinsic
def load(typing_context, array, index):
    """Return the eight floats from flat index `index` of a C-contiguous float32 array."""
    if not (_is_row(array) and isinstance(index, types.Integer)):
        return None

    def generate(context, builder, signature, arguments):
        return builder.load(_address(context, builder, signature, arguments), align=_ALIGNMENT)

    return float32x8(array, types.intp), generate


@intrinsic
def store(typing_context, array, index, value):
    """Write eight floats to flat index `index` of a C-contiguous float32 array."""
    if not (_is_row(array) and isinstance(index, types.Integer) and value == float32x8):
        return None

    def generate(context, builder, signature, arguments):
        builder.store(arguments[2], _address(context, builder, signature, arguments), align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.none(array, types.intp, float32x8), generate


@intrinsic
def splat(typing_context, number):
    """Return eight copies of a float32."""
    if number != types.float32:
        return None

    def generate(context, builder, signature, arguments):
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = builder.insert_element(undefined, arguments[0], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(first, undefined, mask)

    return float32x8(types.float32), generate


@intrinsic
def zeros(typing_context):
    """Return eight zeros."""

    def generate(context, builder, signature, arguments):
        return ir.Constant(_VECTOR, [0.0] * LANES)

    return float32x8(), generate


@intrinsic
def add(typing_context, a, b):
    """Return a + b, lane by lane."""
    if not (a == b == float32x8):
        return None

    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return float32x8(float32x8, float32x8), generate


@intrinsic
def multiply_add(typing_context, a, b, c):
    """Return a * b + c, lane by lane, fused where the processor can."""
    if not (a == b == c == float32x8):
        return None

    def generate(context, builder, signature, arguments):
        name = f"llvm.fmuladd.v{LANES}f32"
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), name)
        return builder.call(function, arguments)

    return float32x8(float32x8, float32x8, float32x8), generate


@intrinsic
def add_lanes(typing_context, value):
    """Return the sum of the eight lanes as float32, in the order of a tree."""
    if value != float32x8:
        return None

    def generate(context, builder, signature, arguments):
        total = arguments[0]
        width = LANES
        while width > 1:
            width //= 2
            index = ir.VectorType(ir.IntType(32), width)
            halves = [
                builder.shuffle_vector(total, total, ir.Constant(index, list(range(start, start + width))))
                for start in (0, width)
            ]
            total = builder.fadd(*halves)
        return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

    return types.float32(float32x8), generate


@intrinsic
def prefetch(typing_context, array, index):
    """Ask for the cache line at flat index `index` of a C-contiguous array, into the second-level cache."""
    if not (isinstance(array, types.Array) and array.layout == "C" and isinstance(index, types.Integer)):
        return None

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function = builder.module.globals.get("llvm.prefetch")
        if function is None:
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            function = ir.Function(builder.module, kind, "llvm.prefetch")
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [address, number(0), number(2), number(1)])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate
