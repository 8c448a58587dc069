"""Mutants of a source file: operators, comparisons, constants, conditions, dropped statements."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_SILENT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.AnnAssign)  # texts and declarations are no behaviour
_PRINTED = {"__repr__", "__str__", "describe", "text"}


@dataclass(frozen=True)
class Mutant:
    """One changed place. `function` is the qualified name of what holds it, empty at module level."""

    path: str
    line: int
    column: int
    function: str
    first_line: int  # of the function, decorators included
    what: str  # `a < b` → `a <= b`
    index: int  # in the file's list of mutants
    lines: tuple[int, int]  # first and last of the statement that holds it, without the statements inside

    @property
    def key(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.what}"


Work = tuple[Mutant, Callable[[], ast.Module]]


def mutants(path: Path, root: Path) -> list[Work]:
    """Every mutant of a file, with a function that makes its whole tree."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[Work] = []
    for place, node in _places(tree):
        for replacement in _changes(node):
            name, first, lines = place
            before, after = ast.unparse(node), ast.unparse(replacement)
            what = f"`{_short(before)}` → `{_short(after)}`"
            mutant = Mutant(
                path.relative_to(root).as_posix(), node.lineno, node.col_offset, name, first, what, len(found), lines
            )
            found.append((mutant, partial(_replaced, tree, node, replacement)))
    return found


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else line[:67] + "..."


Place = tuple[str, int, tuple[int, int]]  # function, its first line, lines of the statement


def _places(tree: ast.Module) -> Iterator[tuple[Place, ast.expr | ast.stmt]]:
    """Nodes that may be changed, with the function and the statement that hold each."""

    def visit(node: ast.AST, at: Place) -> Iterator[tuple[Place, ast.expr | ast.stmt]]:
        name = at[0]
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _SILENT) or _is_declaration(child):
                continue
            if isinstance(child, ast.FunctionDef):
                if child.name in _PRINTED:
                    continue
                inner = f"{name}.{child.name}" if name else child.name
                start = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                for statement in child.body:
                    yield from own(statement, (inner, start, at[2]))
                continue
            if isinstance(child, ast.Lambda):
                yield from own(child.body, (f"{name}.<lambda>" if name else "<lambda>", child.lineno, at[2]))
                continue
            if isinstance(child, ast.ClassDef):
                yield from visit(child, (f"{name}.{child.name}" if name else child.name, at[1], _lines(child)))
                continue
            yield from own(child, at)

    def own(node: ast.AST, at: Place) -> Iterator[tuple[Place, ast.expr | ast.stmt]]:
        if isinstance(node, _SILENT) or _is_declaration(node):
            return
        if isinstance(node, ast.stmt):
            at = (*at[:2], _lines(node))
        if isinstance(node, ast.expr | ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield at, node
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from visit(ast.Module([node], []), at)  # type: ignore[list-item]
        else:
            yield from visit(node, at)

    yield from visit(tree, ("", 0, (0, 0)))


def _lines(statement: ast.stmt) -> tuple[int, int]:
    """Of the statement itself, without those inside it."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    end = statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, min(end, body[0].lineno - 1)) if body else end


def _is_declaration(node: ast.AST) -> bool:
    """Imports, docstrings, __slots__, blocks for the type checker."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id.startswith("__")
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    """What one node may be replaced by."""
    match node:
        case ast.BinOp(op=operator) if type(operator) in _OPERATORS and not _is_text(node):
            yield _with(node, op=_OPERATORS[type(operator)]())
        case ast.AugAssign(op=operator):
            if type(operator) in _OPERATORS:
                yield _with(node, op=_OPERATORS[type(operator)]())
            yield ast.copy_location(ast.Pass(), node)
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            for other in _COMPARISONS[type(operator)]:
                yield _with(node, ops=[other()])
        case ast.BoolOp(op=operator):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.copy_location(ast.Constant(not value), node)
        case ast.Constant(value=int() as value):
            yield ast.copy_location(ast.Constant(value + 1), node)
            if value > 1:
                yield ast.copy_location(ast.Constant(value - 1), node)
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.If(test=ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript()):
            yield _with(node, test=ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test))
        case ast.Expr(value=ast.Call()):
            yield ast.copy_location(ast.Pass(), node)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.copy_location(ast.Pass(), node)
        case ast.Continue() | ast.Break():
            yield ast.copy_location(ast.Pass(), node)


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right))


def _with(node: ast.expr | ast.stmt, **fields: object) -> ast.expr | ast.stmt:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


class _Replacer(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """A copy of the path to the changed node; everything else is shared."""
        if node is self.old:
            return self.new
        changed = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(changed, name, [self.generic_visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(changed, name, self.generic_visit(value))
        return changed


def _replaced(tree: ast.Module, old: ast.AST, new: ast.AST) -> ast.Module:
    changed = _Replacer(old, new).generic_visit(tree)
    assert isinstance(changed, ast.Module)
    return ast.fix_missing_locations(changed)
