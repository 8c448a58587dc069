"""Operators on integers of known range, as C expressions of a type that holds operands and result."""

from __future__ import annotations

import ast
from collections.abc import Callable

from golden_model.fast.values import BOOL, Int, Range, Untranslatable, constant, ctype, width

_C_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_MAX_SHIFT = 127


def cast(value: Int, name: str) -> str:
    """C expression of the value in another type."""
    return f"({name})({value.text})"


def _wrap(template: str, result: Range, left: Int, right: Int) -> Int:
    name = ctype(result.join(left.range).join(right.range))
    return Int(template.format(cast(left, name), cast(right, name)), result)


def _extremes(left: Range, right: Range, operation: Callable[[int, int], int]) -> Range:
    corners = [operation(a, b) for a in (left.lo, left.hi) for b in (right.lo, right.hi)]
    return Range(min(corners), max(corners))


def _bitwise(left: Range, right: Range) -> Range:
    top = (1 << max(left.bits, right.bits)) - 1
    return Range(0 if left.lo >= 0 and right.lo >= 0 else -top - 1, top)


def _add(left: Int, right: Int) -> Int:
    return _wrap("({} + {})", _extremes(left.range, right.range, lambda a, b: a + b), left, right)


def _sub(left: Int, right: Int) -> Int:
    result = Range(left.range.lo - right.range.hi, left.range.hi - right.range.lo)
    return _wrap("({} - {})", result, left, right)


def _mul(left: Int, right: Int) -> Int:
    return _wrap("({} * {})", _extremes(left.range, right.range, lambda a, b: a * b), left, right)


def _and(left: Int, right: Int) -> Int:
    positive = [side.range.hi for side in (left, right) if side.range.lo >= 0]
    result = Range(0, min(positive)) if positive else _bitwise(left.range, right.range)
    return _wrap("({} & {})", result, left, right)


def _or(left: Int, right: Int) -> Int:
    return _wrap("({} | {})", _bitwise(left.range, right.range), left, right)


def _xor(left: Int, right: Int) -> Int:
    return _wrap("({} ^ {})", _bitwise(left.range, right.range), left, right)


def _quotient(left: Int, right: Int, remainder: bool) -> Int:
    if left.range.lo < 0 or right.range.lo < 0:
        raise Untranslatable("// and % are translated for operands that cannot be negative only; use abs()")
    result = Range(0, min(left.range.hi, max(right.range.hi - 1, 0)) if remainder else left.range.hi)
    name = ctype(left.range.join(right.range))
    a, b, sign = cast(left, name), cast(right, name), "%" if remainder else "/"
    guarded = f"({a} {sign} {b})" if right.range.lo > 0 else f"({b} ? {a} {sign} {b} : 0)"
    return Int(guarded, result)


def _shift_amount(right: Int) -> None:
    if right.range.lo < 0:
        raise Untranslatable(f"a shift amount may be negative ({right.range.lo})")


def _left(left: Int, right: Int) -> Int:
    _shift_amount(right)
    if right.range.hi > _MAX_SHIFT:
        raise Untranslatable(f"a shift amount may be {right.range.hi}")
    result = _extremes(left.range, right.range, lambda a, b: a << b)
    name = ctype(result.join(left.range))
    return Int(f"({cast(left, name)} << {cast(right, 'int')})", result)


def _right(left: Int, right: Int) -> Int:
    _shift_amount(right)
    result = _extremes(left.range, Range(right.range.lo, min(right.range.hi, 256)), lambda a, b: a >> b)
    name = ctype(left.range)
    a, b = cast(left, name), cast(right, "int")
    if right.range.hi >= width(name):
        return Int(f"({cast(right, ctype(right.range))} >= {width(name)} ? ({a} < 0 ? -1 : 0) : {a} >> {b})", result)
    return Int(f"({a} >> {b})", result)


_BINARY: dict[type[ast.operator], Callable[[Int, Int], Int]] = {
    ast.Add: _add,
    ast.Sub: _sub,
    ast.Mult: _mul,
    ast.BitAnd: _and,
    ast.BitOr: _or,
    ast.BitXor: _xor,
    ast.LShift: _left,
    ast.RShift: _right,
    ast.FloorDiv: lambda left, right: _quotient(left, right, remainder=False),
    ast.Mod: lambda left, right: _quotient(left, right, remainder=True),
}


def binary(operator: ast.operator, left: Int, right: Int) -> Int:
    """`left operator right`. Raises Untranslatable for other operators, and results that fit no type."""
    function = _BINARY.get(type(operator))
    if function is None:
        raise Untranslatable(f"operator {type(operator).__name__} is not translated")
    return function(left, right)


def compare(operator: ast.cmpop, left: Int, right: Int) -> Int:
    """A comparison; 0 or 1."""
    sign = _C_COMPARE.get(type(operator))
    if sign is None:
        raise Untranslatable(f"comparison {type(operator).__name__} is not translated")
    name = ctype(left.range.join(right.range))
    return Int(f"({cast(left, name)} {sign} {cast(right, name)})", BOOL)


def known(operator: ast.cmpop, left: Range, right: Range) -> bool | None:
    """The result of a comparison if the ranges decide it."""
    match operator:
        case ast.Lt() if left.hi < right.lo:
            return True
        case ast.Lt() if left.lo >= right.hi:
            return False
        case ast.GtE() if left.lo >= right.hi:
            return True
        case ast.GtE() if left.hi < right.lo:
            return False
        case ast.Gt() if left.lo > right.hi:
            return True
        case ast.Gt() if left.hi <= right.lo:
            return False
        case ast.LtE() if left.hi <= right.lo:
            return True
        case ast.LtE() if left.lo > right.hi:
            return False
        case ast.Eq() if left.hi < right.lo or right.hi < left.lo:
            return False
        case ast.NotEq() if left.hi < right.lo or right.hi < left.lo:
            return True
    return None


def invert(value: Int) -> Int:
    """`~value`."""
    result = Range(~value.range.hi, ~value.range.lo)
    return Int(f"(~{cast(value, ctype(result.join(value.range)))})", result)


def negate(value: Int) -> Int:
    """`-value`."""
    return _sub(constant(0), value)


def truth(value: Int) -> Int:
    """1 if the value is not 0."""
    return value if value.range in (BOOL, Range(0, 0), Range(1, 1)) else Int(f"({value.text} != 0)", BOOL)


def absolute(value: Int) -> Int:
    """`abs(value)`."""
    hi = max(abs(value.range.lo), abs(value.range.hi))
    name = ctype(value.range.join(Range(0, hi)))
    return Int(f"({cast(value, name)} < 0 ? -{cast(value, name)} : {cast(value, name)})", Range(0, hi))


def bit_length(value: Int) -> Int:
    """int.bit_length of a value that cannot be negative."""
    if value.range.lo < 0:
        raise Untranslatable("bit_length of a value that may be negative")
    helper = "bit_length128" if value.range.hi.bit_length() > 64 else "bit_length64"
    return Int(f"{helper}({value.text})", Range(value.range.lo.bit_length(), value.range.hi.bit_length()))


def bit_count(value: Int) -> Int:
    """`value.bit_count()`."""
    if value.range.lo < 0 or value.range.hi.bit_length() > 64:
        raise Untranslatable("bit_count of a value that may be negative or wider than 64 bits")
    return Int(f"__builtin_popcountll({value.text})", Range(0, value.range.hi.bit_length()))


def choose(test: Int, yes: Int, no: Int) -> Int:
    """`yes if test else no`."""
    result = yes.range.join(no.range)
    name = ctype(result)
    return Int(f"({test.text} ? {cast(yes, name)} : {cast(no, name)})", result)
