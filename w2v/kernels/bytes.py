"""Sixty-four bytes of text at a time: where the separators are, as the bits of one number."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["BLOCK", "first_bit", "marks_of"]

BLOCK = 64  # bytes that one call of `marks_of` looks at

_BYTES = ir.VectorType(ir.IntType(8), BLOCK)
_SEPARATORS = b" \t\n\r"  # the space, which bounds the controls, comes first


@intrinsic
def marks_of(typing_context, text, index):
    """Return (separators, controls) of the bytes from `index` of a C-contiguous uint8 array: uint64, bit i for byte i.

    Separators are space, tab, newline and carriage return; controls the other bytes below a space. Sixty-four bytes
    must be readable.
    """
    if not (isinstance(text, types.Array) and text.dtype == types.uint8 and isinstance(index, types.Integer)):
        return None

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), _BYTES.as_pointer())
        block = builder.load(pointer, align=1)
        every = [ir.Constant(_BYTES, [byte] * BLOCK) for byte in _SEPARATORS]
        found = builder.icmp_unsigned("==", block, every[0])
        for byte in every[1:]:
            found = builder.or_(found, builder.icmp_unsigned("==", block, byte))
        low = builder.icmp_unsigned("<", block, every[0])
        low = builder.and_(low, builder.not_(found))
        number = ir.IntType(BLOCK)
        pair = [builder.bitcast(bits, number) for bits in (found, low)]
        return context.make_tuple(builder, signature.return_type, pair)

    return types.UniTuple(types.uint64, 2)(text, types.intp), generate


@intrinsic
def first_bit(typing_context, number):
    """Return the index of the lowest bit set in a uint64 that is not zero."""
    if number != types.uint64:
        return None

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(number), generate
