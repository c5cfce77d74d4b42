"""Several float32 in one value: loads, stores and fused multiply-adds that stay in vector registers.

LLVM vectorises a plain loop only after it has checked that none of the rows overlap, for every call of a small tile;
that costs more than the tile. Code written with these values needs no such check and keeps sums in registers. LLVM
lowers a value to whatever registers the processor has; a value wider than a register takes several.
"""

from __future__ import annotations

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES",
    "MANY_REGISTERS",
    "add",
    "compiles_for",
    "load",
    "multiply_add",
    "narrow",
    "pack",
    "prefetch",
    "splat",
    "store",
    "store_sums",
    "transpose",
    "where_between",
    "zeros",
]

_ALIGNMENT = 4  # rows need not be aligned


def compiles_for(feature: str) -> bool:
    """Whether the processor that numba compiles for has a feature, in LLVM's name for it."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:  # the user's choice, as NUMBA_CPU_FEATURES
        return f"+{feature}" in (config.CPU_FEATURES or "").split(",")
    return bool(llvmlite.binding.get_host_cpu_features().get(feature))


MANY_REGISTERS = compiles_for("avx512f")
"""Whether there are 32 vector registers, enough for sixteen sums and what they are made of; else 16, for eight sums."""
LANES = 16 if MANY_REGISTERS else 8
"""Floats in a vector register."""


class _Vector(types.Type):
    """The type, inside kernels, of a value that is `lanes` float32 side by side."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"float32x{lanes}")


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, _llvm_type(fe_type.lanes))


def _llvm_type(lanes):
    return ir.VectorType(ir.FloatType(), lanes)


def _is_floats(array):
    """Whether flat indices into a numba array type are places of float32."""
    return isinstance(array, types.Array) and array.dtype == types.float32 and array.layout == "C"


def _address(context, builder, signature, arguments, lanes):
    """Return the pointer to `lanes` floats at flat index arguments[1] of a C-contiguous array."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    pointer = builder.gep(array.data, [arguments[1]])
    return builder.bitcast(pointer, _llvm_type(lanes).as_pointer())


@intrinsic(prefer_literal=True)
def load(typing_context, array, index, lanes):
    """Return the floats from flat index `index` of a C-contiguous float32 array."""
    if not (_is_floats(array) and isinstance(index, types.Integer) and isinstance(lanes, types.IntegerLiteral)):
        return None
    vector = _Vector(lanes.literal_value)

    def generate(context, builder, signature, arguments):
        return builder.load(_address(context, builder, signature, arguments, vector.lanes), align=_ALIGNMENT)

    return vector(array, types.intp, lanes), generate


@intrinsic
def store(typing_context, array, index, value):
    """Write the floats of a value to flat index `index` of a C-contiguous float32 array."""
    if not (_is_floats(array) and isinstance(index, types.Integer) and isinstance(value, _Vector)):
        return None

    def generate(context, builder, signature, arguments):
        pointer = _address(context, builder, signature, arguments, value.lanes)
        builder.store(arguments[2], pointer, align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.none(array, types.intp, value), generate


@intrinsic(prefer_literal=True)
def splat(typing_context, number, lanes):
    """Return `lanes` copies of a float32."""
    if number != types.float32 or not isinstance(lanes, types.IntegerLiteral):
        return None
    vector = _Vector(lanes.literal_value)

    def generate(context, builder, signature, arguments):
        undefined = ir.Constant(_llvm_type(vector.lanes), ir.Undefined)
        first = builder.insert_element(undefined, arguments[0], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.lanes), [0] * vector.lanes)
        return builder.shuffle_vector(first, undefined, mask)

    return vector(types.float32, lanes), generate


@intrinsic(prefer_literal=True)
def zeros(typing_context, lanes):
    """Return `lanes` zeros."""
    if not isinstance(lanes, types.IntegerLiteral):
        return None
    vector = _Vector(lanes.literal_value)

    def generate(context, builder, signature, arguments):
        return ir.Constant(_llvm_type(vector.lanes), [0.0] * vector.lanes)

    return vector(lanes), generate


@intrinsic
def add(typing_context, a, b):
    """Return a + b, lane by lane."""
    if not (isinstance(a, _Vector) and a == b):
        return None

    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return a(a, b), generate


@intrinsic
def multiply_add(typing_context, a, b, c):
    """Return a * b + c, lane by lane, fused where the processor can."""
    if not (isinstance(a, _Vector) and a == b == c):
        return None

    def generate(context, builder, signature, arguments):
        name = f"llvm.fmuladd.v{a.lanes}f32"
        function = builder.module.globals.get(name)
        if function is None:
            vector = _llvm_type(a.lanes)
            function = ir.Function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
        return builder.call(function, arguments)

    return a(a, a, a), generate


@intrinsic
def where_between(typing_context, value, low, high, index, place, left_out, other):
    """Return the lanes i of a value where low[index + i] <= place <= high[index + i] and i != left_out, else `other`.

    `low` and `high` are C-contiguous int32 arrays.
    """
    ranges = all(isinstance(a, types.Array) and a.dtype == types.int32 and a.layout == "C" for a in (low, high))
    numbers = all(isinstance(n, types.Integer) for n in (index, place, left_out))
    if not (isinstance(value, _Vector) and ranges and numbers and other == types.float32):
        return None
    lanes = value.lanes

    def generate(context, builder, signature, arguments):
        value, low, high, index, place, left_out, other = arguments
        integer = ir.IntType(32)
        integers = ir.VectorType(integer, lanes)
        first = ir.Constant(integer, 0)
        same = ir.Constant(integers, [0] * lanes)

        def everywhere(number):
            undefined = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
            return builder.shuffle_vector(builder.insert_element(undefined, number, first), undefined, same)

        def integers_at(position, array):
            data = context.make_array(signature.args[position])(context, builder, array).data
            pointer = builder.bitcast(builder.gep(data, [index]), integers.as_pointer())
            return builder.load(pointer, align=_ALIGNMENT)

        place, left_out = (everywhere(builder.trunc(number, integer)) for number in (place, left_out))
        inside = builder.icmp_signed("<=", integers_at(1, low), place)
        inside = builder.and_(inside, builder.icmp_signed("<=", place, integers_at(2, high)))
        lane = ir.Constant(integers, list(range(lanes)))
        inside = builder.and_(inside, builder.icmp_signed("!=", lane, left_out))
        return builder.select(inside, value, everywhere(other))

    return value(value, low, high, types.intp, types.intp, types.intp, other), generate


@intrinsic
def store_sums(typing_context, array, index, a, b, c, d):
    """Write the sums of the lanes of a, b, c and d to four places from flat index `index` of a float32 array.

    The four are folded together: each addition halves the lanes that a sum is spread over, until four lanes are left
    with a sum each, in the order a, b, c, d.
    """
    if not (_is_floats(array) and isinstance(index, types.Integer) and isinstance(a, _Vector) and a == b == c == d):
        return None
    lanes = a.lanes

    def generate(context, builder, signature, arguments):
        def fold(x, y, places):
            index = ir.VectorType(ir.IntType(32), len(places[0]))
            return builder.fadd(*[builder.shuffle_vector(x, y, ir.Constant(index, half)) for half in places])

        def alternating(run):
            """In each 2 * run lanes of two vectors, the first halves of both, and the second halves of both."""
            starts = [s for at in range(0, lanes, 2 * run) for s in (at, lanes + at)]
            return [[s + i for s in starts for i in range(first, first + run)] for first in (0, run)]

        a, b, c, d = arguments[2:]
        total = fold(fold(a, b, alternating(1)), fold(c, d, alternating(1)), alternating(2))
        width = lanes
        while width > 4:
            width //= 2
            total = fold(total, total, [list(range(width)), list(range(width, 2 * width))])
        builder.store(total, _address(context, builder, signature, arguments, 4), align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.none(array, types.intp, a, a, a, a), generate


def _bfloat16(builder, value, lanes):
    """Round floats to bfloat16, halves away from zero: their bits, in the high half of each integer."""
    integers = ir.VectorType(ir.IntType(32), lanes)
    return builder.add(builder.bitcast(value, integers), ir.Constant(integers, [0x8000] * lanes))


@intrinsic
def pack(typing_context, a, b):
    """Return, lane by lane, the bits of a rounded to bfloat16 (low half) and of b (high half)."""
    if not (isinstance(a, _Vector) and a == b):
        return None
    lanes = a.lanes

    def generate(context, builder, signature, arguments):
        integers = ir.VectorType(ir.IntType(32), lanes)
        low, high = (_bfloat16(builder, value, lanes) for value in arguments)
        low = builder.lshr(low, ir.Constant(integers, [16] * lanes))
        high = builder.and_(high, ir.Constant(integers, [0xFFFF0000] * lanes))
        return builder.bitcast(builder.or_(low, high), _llvm_type(lanes))

    return a(a, a), generate


@intrinsic
def narrow(typing_context, a, b):
    """Return the bits of the lanes of a, then of b, rounded to bfloat16: two in each lane."""
    if not (isinstance(a, _Vector) and a == b):
        return None
    lanes = a.lanes

    def generate(context, builder, signature, arguments):
        halves = ir.VectorType(ir.IntType(16), 2 * lanes)
        a, b = (builder.bitcast(_bfloat16(builder, value, lanes), halves) for value in arguments)
        odd = ir.Constant(ir.VectorType(ir.IntType(32), 2 * lanes), list(range(1, 4 * lanes, 2)))
        return builder.bitcast(builder.shuffle_vector(a, b, odd), _llvm_type(lanes))

    return a(a, a), generate


@intrinsic
def transpose(typing_context, target, at, source, start, step):
    """Write the transpose of 16 rows of 16 numbers, from flat indices start + i * step, to flat target[at : at + 256].

    Both are C-contiguous float32 arrays; only bits are moved.
    """
    indices = isinstance(at, types.Integer) and isinstance(start, types.Integer) and isinstance(step, types.Integer)
    if not (_is_floats(target) and _is_floats(source) and indices):
        return None

    def generate(context, builder, signature, arguments):
        target, at, source, start, step = arguments
        index = ir.VectorType(ir.IntType(32), 16)

        def addresses(number, array, first, step):
            pointer = context.make_array(signature.args[number])(context, builder, array).data
            for i in range(16):
                place = builder.add(first, builder.mul(step, ir.Constant(step.type, i)))
                yield builder.bitcast(builder.gep(pointer, [place]), _llvm_type(16).as_pointer())

        def pick(x, y, places):
            return builder.shuffle_vector(x, y, ir.Constant(index, places))

        def interleave(x, y, run, half):
            """In each 4 lanes, the first or second halves of x and of y, by turns of `run` lanes."""
            order = {1: [0, 16, 1, 17], 2: [0, 1, 16, 17]}[run]
            return pick(x, y, [4 * lane + 2 * half + i for lane in range(4) for i in order])

        def fours(x, y, first):
            """Every other four lanes of x, then of y."""
            return pick(x, y, [4 * four + i for four in (first, first + 2, first + 4, first + 6) for i in range(4)])

        rows = [builder.load(pointer, align=_ALIGNMENT) for pointer in addresses(2, source, start, step)]
        for run, pairs in ((1, ((0, 1), (2, 3))), (2, ((0, 2), (1, 3)))):
            rows = [
                interleave(rows[four + x], rows[four + y], run, half)
                for four in range(0, 16, 4)
                for x, y in pairs
                for half in (0, 1)
            ]
        columns = [None] * 16
        for j in range(4):
            for odd in (0, 1):
                upper, lower = fours(rows[j], rows[4 + j], odd), fours(rows[8 + j], rows[12 + j], odd)
                columns[4 * odd + j], columns[8 + 4 * odd + j] = fours(upper, lower, 0), fours(upper, lower, 1)
        sixteen = ir.Constant(at.type, 16)
        for column, pointer in zip(columns, addresses(0, target, at, sixteen), strict=True):
            builder.store(column, pointer, align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.none(target, types.intp, source, types.intp, types.intp), generate


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
