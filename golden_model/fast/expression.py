"""Expressions of one function (golden_model/fast/translate.py)."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Callable
from enum import Enum
from types import FunctionType, MethodType
from typing import Any

from golden_model.fast import arithmetic
from golden_model.fast.translate import IMPLICIT, Function, Translation, as_int
from golden_model.fast.values import BOOL, Const, Int, Lanes, Obj, Range, Record, Untranslatable, Value, constant, ctype

_MISSING = object()


class Expressions:
    """Names, and how expressions over them are written in C."""

    def __init__(self, translation: Translation, python: Callable[..., Any], function: Function) -> None:
        self.translation = translation
        self.state = translation.state
        self.python = python
        self.function = function
        self.names: dict[str, Value] = {}
        self.lines: list[str] = []
        self.dirty = False  # state has changed: from here on the function may no longer refuse
        self.ended = False  # the last call never returns
        self.speculative = False  # the innermost loop may run for inactive lanes too
        self._temporaries = 0

    # ------------------------------------------------------------------ entry points

    def expression(self, node: ast.expr, statement: bool = False) -> Value:
        match node:
            case ast.Constant():
                return Const(node.value)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(self.expression(node.value), node.attr)
            case ast.Subscript():
                return self._subscript(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BoolOp() | ast.Compare():
                test = self.test(node)
                return Const(test) if isinstance(test, bool) else test
            case ast.IfExp():
                return self._choice(node)
            case ast.Tuple():
                items = tuple(self.expression(element) for element in node.elts)
                return Record(tuple(str(i) for i in range(len(items))), items)
            case ast.Call():
                return self._call(node, statement)
        raise Untranslatable(f"line {node.lineno}: expression {ast.unparse(node)!r} is not translated")

    def test(self, node: ast.expr) -> bool | Int:
        """A condition: known while translating, or a C expression that is 0 or 1."""
        if isinstance(node, ast.BoolOp):
            return self._bool(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.test(node.operand)
            return not inner if isinstance(inner, bool) else Int(f"(!{inner.text})", BOOL)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        value = self.expression(node)
        if isinstance(value, Const):
            return bool(value.value)
        if isinstance(value, Obj):
            return Int(f"({value.text} != 0)", BOOL)
        return arithmetic.truth(as_int(value))

    # ------------------------------------------------------------------ names, attributes, elements

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        code = self.python.__code__
        closure = self.python.__closure__ or ()
        for name, cell in zip(code.co_freevars, closure, strict=True):
            if name == node.id:
                return Const(cell.cell_contents)
        found = self.python.__globals__.get(node.id, getattr(builtins, node.id, _MISSING))
        if found is _MISSING:
            raise Untranslatable(f"line {node.lineno}: {node.id} may be used before it is assigned")
        return Const(found)

    def _attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Const):
            value = getattr(owner.value, name, _MISSING)
            if value is _MISSING:
                raise Untranslatable(f"{owner.value!r} has no {name}")
            return Const(value)
        if isinstance(owner, Obj):
            return self.state.attribute(owner, name)
        if isinstance(owner, Record) and name in owner.names:
            return owner.items[owner.names.index(name)]
        raise Untranslatable(f"attribute {name} of {type(owner).__name__}")

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, index = self.expression(node.value), self.expression(node.slice)
        if isinstance(owner, Const) and isinstance(index, Const):
            return Const(owner.value[index.value])  # type: ignore[index]
        if isinstance(owner, Record) and isinstance(index, Const) and isinstance(index.value, int):
            return owner.items[index.value]
        if isinstance(owner, Lanes):
            return Int(f"{owner.text}[{as_int(index).text}]", owner.range)
        if isinstance(owner, Obj):
            return self.state.element(owner, as_int(index))
        raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)!r} is no list over the lanes")

    # ------------------------------------------------------------------ operators

    def _binary(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return self._fresh_list(node)
        if (low := self._low_bits(node)) is not None:
            return low
        left, right = self.expression(node.left), self.expression(node.right)
        if isinstance(left, Const) and isinstance(right, Const):
            return Const(_evaluate(ast.BinOp(_hole("a"), node.op, _hole("b")), a=left.value, b=right.value))
        return arithmetic.binary(node.op, as_int(left), as_int(right))

    def _low_bits(self, node: ast.BinOp) -> Value | None:
        """`(a << b) & mask`: computed in 128 bits, since only low bits count."""
        if not (isinstance(node.op, ast.BitAnd) and isinstance(node.left, ast.BinOp)):
            return None
        if not isinstance(node.left.op, ast.LShift):
            return None
        mask = self.expression(node.right)
        if not (isinstance(mask, Const) and isinstance(mask.value, int) and 0 <= mask.value < 1 << 128):
            return None
        left, amount = self.expression(node.left.left), self.expression(node.left.right)
        if isinstance(left, Const) and isinstance(amount, Const):
            return None
        number, by = as_int(left), as_int(amount)
        if by.range.lo < 0 or by.range.hi > 127:
            raise Untranslatable(f"line {node.lineno}: a shift amount may be {by.range.lo} … {by.range.hi}")
        result = Range(0, mask.value)
        left_text = arithmetic.cast(number, ctype(number.range))
        wide = f"(((u128){left_text} << (int)({by.text})) & {constant(mask.value).text})"
        return Int(f"(({ctype(result)}){wide})", result)

    def _fresh_list(self, node: ast.BinOp) -> Value:
        """`[value] * warp.num_lanes`."""
        assert isinstance(node.left, ast.List)
        count = self.expression(node.right)
        if not isinstance(count, Const) or count.value != self.translation.lanes or len(node.left.elts) != 1:
            raise Untranslatable(f"line {node.lineno}: a list must have one element per lane")
        value = self.expression(node.left.elts[0])
        if isinstance(value, Const) and value.value == 0:
            return Lanes("", Range(0, 0), "")
        number = as_int(value)
        name = self._temporary()
        element = ctype(number.range)
        element = "u32" if number.range.lo >= 0 and number.range.hi < 1 << 32 else element
        self.lines.append(f"{element} {name}[LANES]; for (int k = 0; k < LANES; k++) {name}[k] = {number.text};")
        return Lanes(name, number.range, element)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            test = self.test(node)
            return Const(test) if isinstance(test, bool) else test
        value = self.expression(node.operand)
        if isinstance(value, Const):
            return Const(_evaluate(ast.UnaryOp(node.op, _hole("a")), a=value.value))
        if isinstance(node.op, ast.Invert):
            return arithmetic.invert(as_int(value))
        if isinstance(node.op, ast.USub):
            return arithmetic.negate(as_int(value))
        raise Untranslatable(f"line {node.lineno}: operator {type(node.op).__name__} is not translated")

    def _bool(self, node: ast.BoolOp) -> bool | Int:
        absorbing = isinstance(node.op, ast.Or)
        parts: list[str] = []
        for number, operand in enumerate(node.values):
            before = len(self.lines)
            part = self.test(operand)
            if isinstance(part, bool):
                if part is absorbing:
                    if not parts:
                        return absorbing
                    parts.append(str(int(part)))
                    break
                continue
            if number and parts and len(self.lines) != before:
                raise Untranslatable(f"line {node.lineno}: this call cannot stand behind and/or; give it a line")
            parts.append(part.text)
        if not parts:
            return not absorbing
        return Int(f"({(' || ' if absorbing else ' && ').join(parts)})", BOOL)

    def _compare(self, node: ast.Compare) -> bool | Int:
        if len(node.ops) != 1:
            first = ast.Compare(node.left, node.ops[:1], node.comparators[:1])
            rest = ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])
            return self.test(
                ast.copy_location(
                    ast.BoolOp(ast.And(), [ast.copy_location(first, node), ast.copy_location(rest, node)]), node
                )
            )
        operator = node.ops[0]
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        if isinstance(operator, ast.Is | ast.IsNot):
            return self._identity(left, right, isinstance(operator, ast.Is), node)
        if isinstance(operator, ast.In | ast.NotIn):
            found = self.state.contains(left, right)
            if isinstance(found, bool):
                return found == isinstance(operator, ast.In)
            return found if isinstance(operator, ast.In) else Int(f"(!{found.text})", BOOL)
        if isinstance(left, Const) and isinstance(right, Const):
            return bool(_evaluate(ast.Compare(_hole("a"), [operator], [_hole("b")]), a=left.value, b=right.value))
        known = arithmetic.known(operator, as_int(left).range, as_int(right).range)
        return arithmetic.compare(operator, as_int(left), as_int(right)) if known is None else known

    def _identity(self, left: Value, right: Value, wanted: bool, node: ast.Compare) -> bool | Int:
        if isinstance(left, Const) and isinstance(right, Const):
            return (left.value is right.value) == wanted
        if isinstance(right, Const) and right.value is None:
            if isinstance(left, Obj) and left.kind not in IMPLICIT:
                return Int(f"({left.text} {'==' if wanted else '!='} 0)", BOOL)
            return not wanted
        raise Untranslatable(f"line {node.lineno}: {ast.unparse(node)!r}: `is` is translated for None only")

    def _choice(self, node: ast.IfExp) -> Value:
        test = self.test(node.test)
        if isinstance(test, bool):
            return self.expression(node.body if test else node.orelse)
        before = len(self.lines)
        yes, no = as_int(self.expression(node.body)), as_int(self.expression(node.orelse))
        if len(self.lines) != before:
            raise Untranslatable(f"line {node.lineno}: a call in a conditional expression; use if")
        return arithmetic.choose(test, yes, no)

    # ------------------------------------------------------------------ loops

    def loop(self, iterable: ast.expr, name: str) -> tuple[str, Value, bool]:
        """(head of the C loop, value of the loop variable, whether it runs over the active lanes)."""
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range":
            bounds = [as_int(self.expression(argument)) for argument in iterable.args]
            low, high = ([constant(0), *bounds] if len(bounds) == 1 else bounds)[:2]
            head = f"for (int v_{name} = {low.text}; v_{name} < {high.text}; v_{name}++) "
            return head, Int(f"v_{name}", Range(low.range.lo, max(high.range.hi - 1, low.range.lo))), False
        value = self.expression(iterable)
        if isinstance(value, Obj) and value.kind == "lanes":
            last = self.translation.lanes - 1
            return f"for (int v_{name} = 0; v_{name} <= {last}; v_{name}++) ", Int(f"v_{name}", Range(0, last)), True
        if isinstance(value, Obj) and value.kind in self.state.ARRAYS:
            kind, base, count = self.state.ARRAYS[value.kind]
            head = f"for ({self.state.C_TYPE[kind]} *v_{name} = {base}; v_{name} < {base} + {count}; v_{name}++) "
            return head, Obj(kind, f"v_{name}"), False
        raise Untranslatable(f"line {iterable.lineno}: loops run over warp.lanes or range() only")

    def _sum(self, node: ast.GeneratorExp) -> Value:
        """sum(… for i in warp.lanes if …)."""
        generator = node.generators[0]
        if len(node.generators) != 1 or not isinstance(generator.target, ast.Name):
            raise Untranslatable(f"line {node.lineno}: sum() of more than one loop")
        name, total = generator.target.id, self._temporary()
        opening, value, is_lanes = self.loop(generator.iter, name)
        if not is_lanes:
            raise Untranslatable(f"line {node.lineno}: sum() runs over warp.lanes only")
        hidden, self.names[name] = self.names.get(name), value
        tests = [f"w->tmask >> v_{name} & 1"]
        for node_test in generator.ifs:
            test = self.test(node_test)
            tests.append(str(int(test)) if isinstance(test, bool) else test.text)
        item = as_int(self.expression(node.elt))
        if hidden is not None:
            self.names[name] = hidden
        result = Range(min(0, item.range.lo * self.translation.lanes), max(0, item.range.hi * self.translation.lanes))
        condition = " && ".join(f"({test})" for test in tests)
        self.lines.append(f"{ctype(result)} {total} = 0; {opening} if ({condition}) {total} += {item.text};")
        self.speculative = False
        return Int(total, result)

    # ------------------------------------------------------------------ calls

    def _call(self, node: ast.Call, statement: bool) -> Value:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if isinstance(node.func, ast.Attribute):
            owner = self.expression(node.func.value)
            if isinstance(owner, Obj):
                return self._method(owner, method, node, statement)
            if isinstance(owner, Int):
                if method == "bit_count":
                    return arithmetic.bit_count(owner)
                if method == "bit_length":
                    return arithmetic.bit_length(owner)
            callee = self._attribute(owner, method)
        else:
            callee = self.expression(node.func)
        if not isinstance(callee, Const):
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node.func)} cannot be called")
        target = callee.value
        if target is sum and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._sum(node.args[0])
        arguments = [self.expression(argument) for argument in node.args]
        if node.keywords:
            raise Untranslatable(f"line {node.lineno}: keyword arguments are not translated")
        return self._call_python(target, arguments, node, statement)

    def _call_python(self, target: object, arguments: list[Value], node: ast.Call, statement: bool) -> Value:
        if isinstance(target, type) and dataclasses.is_dataclass(target):
            names = tuple(field.name for field in dataclasses.fields(target))
            return Record(names[: len(arguments)], tuple(arguments))
        if all(isinstance(argument, Const) for argument in arguments) and not isinstance(target, type(None)):
            known = [argument.value for argument in arguments if isinstance(argument, Const)]
            if callable(target):
                return Const(target(*known))
        if target in (int, bool):
            value = as_int(arguments[0])
            return arithmetic.truth(value) if target is bool else value
        if target is list and isinstance(arguments[0], Lanes):
            return arguments[0]
        if target is abs:
            return arithmetic.absolute(as_int(arguments[0]))
        if target in (min, max) and len(arguments) == 2:
            left, right = as_int(arguments[0]), as_int(arguments[1])
            less = arithmetic.compare(ast.Lt() if target is min else ast.Gt(), left, right)
            chosen = arithmetic.choose(less, left, right)
            pick = min if target is min else max
            return Int(chosen.text, Range(pick(left.range.lo, right.range.lo), pick(left.range.hi, right.range.hi)))
        if target is len and isinstance(arguments[0], Obj):
            return self.state.length(arguments[0])
        if isinstance(target, MethodType):
            return self._call_function(target.__func__, [Const(target.__self__), *arguments], node, statement)
        if isinstance(target, FunctionType):
            return self._call_function(target, arguments, node, statement)
        raise Untranslatable(f"line {node.lineno}: {ast.unparse(node.func)} is not translated")

    def _method(self, owner: Obj, method: str, node: ast.Call, statement: bool) -> Value:
        if (owner.kind, method) in self.state.REFUSALS:
            self.refuse(node)
            self.ended = True
            return Const(None)
        intrinsic = self.state.INTRINSICS.get((owner.kind, method))
        if intrinsic is None:
            python = self.state.method(owner, method)
            arguments = [self.expression(argument) for argument in node.args]
            if isinstance(python, FunctionType):
                own = [] if owner.kind == "op" else [owner]
                return self._call_function(python, [*own, *arguments], node, statement)
            raise Untranslatable(f"line {node.lineno}: {ast.unparse(node.func)} is not translated")
        arguments = [Const(None) if intrinsic.ignores(i) else self.expression(a) for i, a in enumerate(node.args)]
        result, lines = intrinsic.emit(owner, arguments, self._temporary())
        if intrinsic.may_refuse:
            if self.dirty and not intrinsic.restartable:
                raise Untranslatable(f"line {node.lineno}: {method} may refuse after state has changed")
            self.function.may_bail = True
        self.lines += [line.replace("BAIL", "{ m->bail = 1; return @ZERO@; }") for line in lines]
        if lines:
            self.speculative = False
        if intrinsic.effect:
            self.function.effects = True
            self.dirty = self.dirty or not intrinsic.restartable
        return result

    def refuse(self, node: ast.AST) -> None:
        """The readable tier takes over."""
        if self.dirty:
            raise Untranslatable(f"line {getattr(node, 'lineno', 0)}: reports after state has changed; report first")
        self.function.may_bail = True
        self.speculative = False
        self.lines.append("{ m->bail = 1; return @ZERO@; }")

    def _call_function(
        self, python: Callable[..., Any], arguments: list[Value], node: ast.Call, statement: bool
    ) -> Value:
        callee = self.translation.function(python, arguments)
        self.function.needs.append(callee)
        if callee.may_bail and self.dirty:
            raise Untranslatable(f"line {node.lineno}: {python.__name__} may refuse after state has changed")
        context = {parameter: parameter for parameter in IMPLICIT.values()}
        passed = []
        for argument in arguments:
            if isinstance(argument, Obj) and argument.kind in IMPLICIT:
                context[IMPLICIT[argument.kind]] = argument.text
            elif isinstance(argument, Int | Lanes | Obj):
                passed.append(argument.text)
        call = [*context.values(), *passed]
        returns = callee.returns
        self.function.may_bail |= callee.may_bail
        if callee.effects:
            self.dirty = self.function.effects = True
        pure = not callee.may_bail and not callee.effects
        if isinstance(returns, Lanes):
            name = self._temporary()
            self.lines.append(f"{returns.element} {name}[LANES]; {callee.name}({', '.join([*call, name])});")
            self._check(callee)
            return Lanes(name, returns.range, returns.element)
        text = f"{callee.name}({', '.join(call)})"
        if returns is None:
            self.lines.append(text + ";")
            self._check(callee)
            return Const(None)
        if isinstance(returns, Int) and pure:
            return Int(text, returns.range)
        name = self._temporary()
        self.lines.append(f"{callee.return_type} {name} = {text};")
        self._check(callee)
        if isinstance(returns, Record):
            fields = tuple(Int(f"{name}.f{i}", as_int(item).range) for i, item in enumerate(returns.items))
            return Record(returns.names, fields)
        if isinstance(returns, Obj):
            return Obj(returns.kind, name)
        return Int(name, as_int(returns).range)

    def _check(self, callee: Function) -> None:
        if not callee.effects and not callee.may_bail:
            return
        self.speculative = False
        if callee.may_bail:
            self.lines.append("if (__builtin_expect(m->bail, 0)) return @ZERO@;")

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"


def _hole(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _evaluate(node: ast.expr, **values: object) -> Any:
    """Value of an operator on Python objects."""
    plain = {
        name: value.value if isinstance(value, Enum) and not isinstance(value, int) else value
        for name, value in values.items()
    }
    tree = ast.fix_missing_locations(ast.Expression(node))
    return eval(compile(tree, "<constant>", "eval"), {}, plain)
