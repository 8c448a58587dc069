"""Statements of one function (golden_model/fast/translate.py)."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import Any

from golden_model.fast.arithmetic import cast
from golden_model.fast.expression import Expressions
from golden_model.fast.translate import IMPLICIT, Function, Translation, as_int, storage, unify
from golden_model.fast.values import Const, Int, Lanes, Obj, Range, Record, Untranslatable, Value, ctype
from golden_model.step import MemoryAccess

_PASSES = 12
_TWICE = 24  # lines of a loop over the lanes that is worth a copy for full masks


class Body(Expressions):
    """Translation of one function body; the result is put into `function`."""

    def __init__(
        self,
        translation: Translation,
        python: Callable[..., Any],
        tree: ast.FunctionDef,
        arguments: list[Value],
        function: Function,
    ) -> None:
        super().__init__(translation, python, function)
        self.tree = tree
        self.arguments = arguments
        self.ranges: dict[str, Range] = {}  # of variables and array elements, grows from pass to pass
        self.stores = _store_sites(tree)

    def translate(self) -> None:
        """Fill in the function. Raises Untranslatable."""
        for _ in range(_PASSES):
            before = dict(self.ranges)
            self._one_pass()
            if self.ranges == before:
                return
        raise Untranslatable("the range of a variable keeps growing: bound it with a mask")

    def _one_pass(self) -> None:
        self.names = {}
        self.lines = []
        self.declared: dict[str, str] = {}
        self.returned: list[Value] = []
        self.dirty = False
        self.function.needs.clear()
        self.function.may_bail = self.function.effects = False
        parameters = self._parameters()
        self._block(self.tree.body)
        returns = unify(self.returned)
        self.function.returns = returns
        self.function.return_type = kind = _return_type(returns, self.function.name, self.state.C_TYPE)
        head = []
        if isinstance(returns, Record):
            fields = " ".join(f"{ctype(as_int(item).range)} f{i};" for i, item in enumerate(returns.items))
            head.append(f"typedef struct {{ {fields} }} {kind};")
        if isinstance(returns, Lanes):
            parameters.append(f"{returns.element} *out")
        signature = ", ".join(["M *m", "C *c", "W *w", "const Op *op", *parameters])
        head.append(f"static inline {kind} {self.function.name}({signature})")
        lines = [line.replace("@ZERO@", f"({kind}){{0}}" if kind != "void" else "") for line in self.lines]
        if kind != "void":
            lines.append("return @ZERO@;".replace("@ZERO@", f"({kind}){{0}}"))
        self.function.text = "\n".join([*head, "{", *self.declared.values(), *lines, "}"])

    def _parameters(self) -> list[str]:
        names = [argument.arg for argument in self.tree.args.args]
        values = list(self.arguments)
        defaults = self.tree.args.defaults
        for node in defaults[len(defaults) - (len(names) - len(values)) :] if len(values) < len(names) else []:
            values.append(self.expression(node))
        if len(values) != len(names):
            raise Untranslatable(f"takes {len(names)} arguments, is called with {len(values)}")
        parameters = []
        for name, value in zip(names, values, strict=True):
            if isinstance(value, Int):
                parameters.append(f"{ctype(value.range)} p_{name}")
                if name in self.stores:
                    self._assign_name(name, Int(f"p_{name}", value.range))
                else:
                    self.names[name] = Int(f"p_{name}", value.range)
            elif isinstance(value, Lanes):
                parameters.append(f"const {value.element} *p_{name}")
                self.names[name] = Lanes(f"p_{name}", value.range, value.element)
            elif isinstance(value, Obj):
                if value.kind in IMPLICIT:
                    self.names[name] = Obj(value.kind, IMPLICIT[value.kind], value.info)
                else:
                    parameters.append(f"{self.state.C_TYPE[value.kind]} *p_{name}")
                    self.names[name] = Obj(value.kind, f"p_{name}")
            elif name in self.stores:
                self._assign_name(name, value)
            else:
                self.names[name] = value
        return parameters

    # ------------------------------------------------------------------ statements

    def _block(self, statements: list[ast.stmt]) -> bool:
        """Translate statements; True if control never gets past them."""
        if (refusal := self._doomed(statements)) is not None:
            self.refuse(refusal)
            return True
        return any(self._statement(statement) for statement in statements)

    def _doomed(self, statements: list[ast.stmt]) -> ast.stmt | None:
        """The report or fault at which these statements arrive in any case; what is computed before is its text."""
        for node in statements:
            match node:
                case ast.Assign(targets=[ast.Name()]):
                    continue
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name))):
                    value = self.names.get(owner)
                    return node if isinstance(value, Obj) and (value.kind, name) in self.state.REFUSALS else None
            return None
        return None

    def _statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Pass() | ast.Assert() | ast.Expr(value=ast.Constant()):
                return False
            case ast.Expr(value=ast.Call() as call):
                return self._call_statement(call)
            case ast.Return():
                return self._return(node)
            case ast.If():
                return self._if(node)
            case ast.For():
                self._for(node)
                return False
            case ast.While():
                raise Untranslatable("while loops are not translated")
            case ast.Assign():
                return self._assign(node)
            case ast.AnnAssign(value=ast.expr() as value):
                self._store(node.target, self.expression(value))
                return self.ended
            case ast.AugAssign():
                load = ast.copy_location(ast.BinOp(_as_load(node.target), node.op, node.value), node)
                self._store(node.target, self.expression(load))
                return False
        raise Untranslatable(f"line {node.lineno}: statement {type(node).__name__} is not translated")

    def _call_statement(self, call: ast.Call) -> bool:
        self.expression(call, statement=True)
        ended, self.ended = self.ended, False
        return ended

    def _return(self, node: ast.Return) -> bool:
        value: Value = Const(None) if node.value is None else self.expression(node.value)
        if self.ended:
            self.ended = False
            return True
        self.returned.append(value)
        if isinstance(value, Record):
            items = ", ".join(cast(as_int(item), self._field_type(i, item)) for i, item in enumerate(value.items))
            self.lines.append(f"return ({self.function.name}_t){{{items}}};")
        elif isinstance(value, Lanes):
            self.lines.append(f"memcpy(out, {value.text}, sizeof({value.element}) * LANES); return;")
        elif isinstance(value, Obj):
            self.lines.append(f"return {value.text};")
        elif isinstance(value, Const) and value.value is None:
            self.lines.append("return @ZERO@;")
        else:
            self.lines.append(f"return {as_int(value).text};")
        return True

    def _field_type(self, position: int, item: Value) -> str:
        known = self.function.returns
        own = as_int(item).range
        if isinstance(known, Record):
            own = own.join(as_int(known.items[position]).range)
        self._grow(f"return {position}", own)
        return ctype(own)

    def _if(self, node: ast.If) -> bool:
        test = self.test(node.test)
        if isinstance(test, bool):
            return self._block(node.body if test else node.orelse)
        dirty = self.dirty
        self.lines.append(f"if ({test.text}) {{")
        ended_then = self._block(node.body)
        dirty_then, self.dirty = self.dirty and not ended_then, dirty
        self.lines.append("} else {")
        ended_else = self._block(node.orelse)
        self.dirty = dirty_then or (self.dirty and not ended_else)
        self.lines.append("}")
        return ended_then and ended_else

    def _for(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name) or node.orelse:
            raise Untranslatable(f"line {node.lineno}: only `for name in …` without else is translated")
        opening, value, is_lanes = self.loop(node.iter, node.target.id)
        self.names[node.target.id] = value
        before, dirty, self.speculative = len(self.lines), self.dirty, True
        self._block(node.body)
        if self.dirty and not dirty:
            count = len(self.lines)
            self._block(node.body)  # a second time round: may it still refuse after a change of the first?
            del self.lines[count:]
        masked = "" if is_lanes and self.speculative else f"if (w->tmask >> v_{node.target.id} & 1) "
        body = self.lines[before:]
        self.lines.insert(before, opening + (masked if is_lanes else "") + "{")
        self.lines.append("}")
        if masked and is_lanes and len(body) <= _TWICE:  # without the test of each lane where all are active
            self.lines[before:before] = ["if (w->tmask == FULL) {", opening + "{", *body, "} } else"]
        self.speculative = False

    # ------------------------------------------------------------------ assignments

    def _assign(self, node: ast.Assign) -> bool:
        targets = [target for target in node.targets if not self._ignored(target)]
        seen = [
            target.attr
            for target in node.targets
            if target not in targets and isinstance(target, ast.Attribute) and target.attr in self.state.EFFECTS
        ]
        if not targets and not seen:
            return False
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.expression(element) for element in node.value.elts]
            for target, value in zip(targets[0].elts, values, strict=True):
                self._store(target, value)
            return False
        value = self._described(node.value) if seen and not targets else self.expression(node.value)
        if self.ended:
            self.ended = False
            return True
        for name in seen:
            self._seen(name, value)
        for target in reversed(targets):
            self._store(target, value)
        return False

    def _described(self, node: ast.expr) -> Value:
        """Value of an effect; the space of an access is left out, since the follower knows it from the address."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "MemoryAccess":
            names = [field.name for field in dataclasses.fields(MemoryAccess)][: len(node.args)]
            kept = [(name, self.expression(arg)) for name, arg in zip(names, node.args, strict=True) if name != "space"]
            return Record(tuple(name for name, _ in kept), tuple(value for _, value in kept))
        return self.expression(node)

    def _seen(self, name: str, value: Value) -> None:
        """A traced instruction keeps the value of this field of its step."""
        self.speculative = False
        if isinstance(value, Record):
            self.lines.append(f"m->fx.{name} = 1;")
        for field, place in self.state.EFFECTS[name].items():
            item = value
            if field is not None:
                if not isinstance(value, Record):
                    raise Untranslatable(f"step.{name} needs its fields")
                if field not in value.names:
                    continue
                item = value.items[value.names.index(field)]
            if isinstance(item, Lanes):
                self.lines.append(f"for (int k = 0; k < LANES; k++) m->fx.{place}[k] = {item.text}[k];")
                if place == "data":
                    self.lines.append("m->fx.data_given = 1;")
            else:
                self.lines.append(f"m->fx.{place} = {as_int(item).text};")

    def _ignored(self, target: ast.expr) -> bool:
        """Fields of the step that only the readable tier reports."""
        if not isinstance(target, ast.Attribute):
            return False
        owner = self.expression(target.value)
        return isinstance(owner, Obj) and (owner.kind, target.attr) in self.state.IGNORED

    def _store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._assign_name(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, Record) or len(value.items) != len(target.elts):
                raise Untranslatable(f"line {target.lineno}: this cannot be unpacked")
            for element, item in zip(target.elts, value.items, strict=True):
                self._store(element, item)
        elif isinstance(target, ast.Subscript):
            self._store_element(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            place = self.state.assignable(owner, target.attr)
            self._effect(local=isinstance(owner, Obj) and owner.kind == "step")
            self.lines.append(f"{place} = {as_int(value).text};")
        else:
            raise Untranslatable(f"line {target.lineno}: this cannot be assigned")

    def _assign_name(self, name: str, value: Value) -> None:
        if isinstance(value, Int) or (self.stores.get(name, 1) > 1 and isinstance(value, Const)):
            number = as_int(value)
            self._grow(name, number.range)
            variable = Int(f"v_{name}", self.ranges[name])
            self.declared[name] = f"{ctype(variable.range)} v_{name};"
            self.lines.append(f"v_{name} = {number.text};")
            self.speculative = False
            self.names[name] = variable
        elif isinstance(value, Lanes) and value.text == "":  # a fresh array
            self._grow(name, value.range)
            array = Lanes(f"v_{name}", self.ranges[name], storage(Lanes("", self.ranges[name], "")))
            self.declared[name] = f"{array.element} v_{name}[LANES];"
            self.lines.append(f"for (int k = 0; k < LANES; k++) v_{name}[k] = 0;")
            self.names[name] = array
        elif self.stores.get(name, 1) > 1:
            raise Untranslatable(f"{name} is assigned more than once and is no integer")
        else:
            self.names[name] = value

    def _store_element(self, target: ast.Subscript, value: Value) -> None:
        array, index = self.expression(target.value), as_int(self.expression(target.slice))
        number = as_int(value)
        if isinstance(array, Obj):
            self._effect(local=False)
            self.lines.append(f"{self.state.assignable_element(array, index, target)} = {number.text};")
            return
        if not isinstance(array, Lanes) or not isinstance(target.value, ast.Name) or not array.text.startswith("v_"):
            raise Untranslatable(f"line {target.lineno}: only elements of a local list can be assigned")
        self._grow(target.value.id, number.range)
        self.lines.append(f"{array.text}[{index.text}] = ({array.element}){number.text};")

    def _grow(self, name: str, values: Range) -> None:
        known = self.ranges.get(name)
        grown = values if known is None else known.join(values)
        self.ranges[name] = grown

    def _effect(self, local: bool) -> None:
        """State changes; `local` ones (next PC and mask) do not count until the instruction is committed."""
        self.speculative = False
        if not local:
            self.dirty = True
            self.function.effects = True


def _return_type(returns: Value | None, name: str, c_types: dict[str, str]) -> str:
    if returns is None or isinstance(returns, Lanes):
        return "void"
    if isinstance(returns, Record):
        return f"{name}_t"
    if isinstance(returns, Obj):
        return f"{c_types[returns.kind]} *"
    return ctype(as_int(returns).range)


def _as_load(target: ast.expr) -> ast.expr:
    copy = ast.parse(ast.unparse(target), mode="eval").body
    return ast.copy_location(copy, target)


def _store_sites(tree: ast.FunctionDef) -> dict[str, int]:
    """How often each name is assigned; once in a loop that assigns it again counts as more."""
    sites: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            sites[node.id] = sites.get(node.id, 0) + 1
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            sites[node.target.id] = sites.get(node.target.id, 0) + 1
    return sites
