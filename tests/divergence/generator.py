"""Random C++ functions of one thread: all control flow there is, always ending, never undefined.

Everything is unsigned 32-bit arithmetic, literals too; shifts and indices are masked, divisors are odd, loops and
recursion have a bound of their own. Only whole conditions of statements have side effects, behind `&&` or `||`, so that
their order is defined. A program is a pure function of (thread, uniform value, input array): the host's compiler gives
the expected result.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

INPUT_WORDS = 64
_VARIABLES = 4
_BINARY = ("+", "-", "*", "^", "&", "|")
_COMPARE = ("<", ">", "<=", ">=", "==", "!=")


@dataclass
class _Scope:
    """What may be named at this place."""

    depth: int
    loops: int = 0  # enclosing loops that break and continue refer to
    counters: list[str] = field(default_factory=list)


class Program:
    """The text of one program; equal seeds and sizes give equal texts.

    Args:
        name: prefix of all its functions.
        seed: where it comes from.
        size: statements at the top level; shrinking lowers it.
    """

    def __init__(self, name: str, seed: int, size: int = 7) -> None:
        self.name = name
        self.seed = seed
        self._random = random.Random(f"divergence-{seed}")
        self._labels = 0
        self._helpers = [f"{name}_help{index}" for index in range(2)]
        self._inside_helper = False
        helpers = "".join(self._helper(function) for function in self._helpers)
        body = self._block(_Scope(depth=3), size)
        self.text = (
            f"{helpers}{self._recursive()}"
            f"static u32 (*const {name}_table[2])(u32, u32, const u32 *) = {{{', '.join(self._helpers)}}};\n"
            f"static u32 {name}(u32 t, u32 n, const u32 *data) {{\n{self._prologue()}{body}"
            f"  return {self._mix()};\n}}\n"
        )

    # ------------------------------------------------------------------ functions

    def _prologue(self) -> str:
        names = ", ".join(f"v{index} = data[(t + {index}) & {INPUT_WORDS - 1}]" for index in range(_VARIABLES))
        return f"  u32 {names};\n  u32 arr[8] = {{t, n, v0, v1, 3, 5, 7, 11}};\n"

    def _mix(self) -> str:
        return " + ".join([*(f"{2 * index + 1} * v{index}" for index in range(_VARIABLES)), "arr[v0 & 7]"])

    def _helper(self, name: str) -> str:
        self._inside_helper = True
        body = self._block(_Scope(depth=2), 3)
        self._inside_helper = False
        return (
            f"NOINLINE static u32 {name}(u32 t, u32 n, const u32 *data) {{\n{self._prologue()}{body}"
            f"  return {self._mix()};\n}}\n"
        )

    def _recursive(self) -> str:
        step = self._random.choice(("depth - 1", "depth >> 1"))
        return (
            f"NOINLINE static u32 {self.name}_rec(u32 depth, u32 x) {{\n"
            f"  if (depth == 0) return x;\n  if (x & {self._random.choice((1, 2, 4))}) x = x * 3 + 1;\n"
            f"  return x ^ {self.name}_rec({step}, x + depth);\n}}\n"
        )

    # ------------------------------------------------------------------ statements

    def _block(self, scope: _Scope, count: int) -> str:
        return "".join(self._statement(scope) for _ in range(count))

    def _inner(self, scope: _Scope, *, loop: bool = False, counter: str = "") -> str:
        inner = _Scope(scope.depth - 1, scope.loops + loop, [*scope.counters, *([counter] if counter else [])])
        return self._block(inner, self._random.randint(1, 3))

    def _statement(self, scope: _Scope) -> str:
        simple: list[Callable[[_Scope], str]] = [self._assign, self._assign, self._array, self._leave]
        if not self._inside_helper:
            simple += [self._call]
        nested: list[Callable[[_Scope], str]] = [self._if, self._if, self._for, self._while, self._do, self._switch]
        nested += [self._irreducible]
        use_nested = scope.depth > 0 and self._random.random() < 0.6
        return self._random.choice(nested if use_nested else simple)(scope)

    def _assign(self, scope: _Scope) -> str:
        return f"  {self._variable()} {self._random.choice(('=', '+=', '^='))} {self._value(scope, 2)};\n"

    def _array(self, scope: _Scope) -> str:
        return f"  arr[{self._value(scope, 1)} & 7] = {self._value(scope, 1)};\n"

    def _leave(self, scope: _Scope) -> str:
        ways = ["return " + self._value(scope, 1)]
        ways += ["break", "continue"] * (2 if scope.loops else 0)
        return f"  if ({self._condition(scope)}) {self._random.choice(ways)};\n"

    def _call(self, scope: _Scope) -> str:
        first, second = self._value(scope, 1), self._value(scope, 1)
        call = self._random.choice(
            (
                f"{self._helpers[0]}({first}, {second}, data)",
                f"{self._helpers[1]}({first}, n, data)",
                f"{self.name}_table[n & 1]({first}, {second}, data)",
                f"{self.name}_rec({first} & 3, {second})",
            )
        )
        return f"  {self._variable()} = {call};\n"

    def _if(self, scope: _Scope) -> str:
        other = f" else {{\n{self._inner(scope)}  }}" if self._random.random() < 0.5 else ""
        return f"  if ({self._condition(scope)}) {{\n{self._inner(scope)}  }}{other}\n"

    def _for(self, scope: _Scope) -> str:
        name = self._fresh("i")
        start = self._random.choice(("0", "0", f"({self._value(scope, 1)}) & 1"))
        bound = self._random.choice((f"(({self._value(scope, 1)}) & 3)", "(n & 3)", "3"))
        body = self._inner(scope, loop=True, counter=name)
        return f"  for (u32 {name} = {start}; {name} < {bound}; ++{name}) {{\n{body}  }}\n"

    def _while(self, scope: _Scope) -> str:
        name = self._fresh("w")
        body = self._inner(scope, loop=True, counter=name)
        extra = self._random.choice(("", f" && {self._condition(scope)}"))
        # Counts first, so that `continue` cannot make it endless.
        return (
            f"  u32 {name} = ({self._value(scope, 1)}) & 3;\n  while ({name} != 0{extra}) {{\n  --{name};\n{body}  }}\n"
        )

    def _do(self, scope: _Scope) -> str:
        name = self._fresh("d")
        body = self._inner(scope, loop=True, counter=name)
        return f"  u32 {name} = 0;\n  do {{\n{body}  }} while (++{name} < 4 && {self._condition(scope)});\n"

    def _switch(self, scope: _Scope) -> str:
        cases = []
        for value in self._random.sample(range(6), self._random.randint(2, 5)):
            end = "  break;\n" if self._random.random() < 0.6 else "  [[fallthrough]];\n"
            # `break` would leave the switch, `continue` the loop around it: both are wanted.
            cases.append(f"  case {value}: {{\n{self._inner(scope)}  }}\n{end}")
        cases.append(f"  default: {self._variable()} += 1;\n")
        return f"  switch (({self._value(scope, 1)}) % 6) {{\n{''.join(cases)}  }}\n"

    def _irreducible(self, scope: _Scope) -> str:
        fuel, one, two, out = (self._fresh(stem) for stem in ("f", "La", "Lb", "Lc"))
        first, second = self._variable(), self._variable()
        return (
            f"  {{ u32 {fuel} = 3;\n  if ({self._condition(scope)}) goto {two};\n"
            f"  {one}: {first} ^= {self._value(scope, 1)};\n  if ({fuel} == 0) goto {out};\n  --{fuel};\n"
            f"  {two}: {second} += {self._value(scope, 1)};\n  if ({self._condition(scope)}) goto {one};\n"
            f"  if ({fuel} == 0) goto {out};\n  --{fuel};\n  if ({self._condition(scope)}) goto {two};\n"
            f"  {out}: {first} += 1; }}\n"
        )

    # ------------------------------------------------------------------ expressions

    def _fresh(self, stem: str) -> str:
        self._labels += 1
        return f"{stem}{self._labels}"

    def _variable(self) -> str:
        return f"v{self._random.randrange(_VARIABLES)}"

    def _leaf(self, scope: _Scope) -> str:
        leaves = [self._variable(), self._variable(), "t", "n", f"{self._random.randrange(16)}u", *scope.counters]
        return self._random.choice(leaves)

    def _value(self, scope: _Scope, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.25:
            return self._leaf(scope)
        a, b = self._value(scope, depth - 1), self._value(scope, depth - 1)
        kind = self._random.randrange(9)
        if kind == 0:
            return f"data[({a}) & {INPUT_WORDS - 1}]"
        if kind == 1:
            return f"arr[({a}) & 7]"
        if kind == 2:
            return f"(({a}) {self._random.choice(('<<', '>>'))} (({b}) & 31))"
        if kind == 3:
            return f"(({a}) {self._random.choice(('/', '%'))} (({b}) | 1))"
        if kind == 4:
            return f"(({self._test(scope)}) ? ({a}) : ({b}))"
        return f"(({a}) {self._random.choice(_BINARY)} ({b}))"

    def _test(self, scope: _Scope) -> str:
        """A truth value without side effects."""
        if self._random.randrange(4) == 0:
            return f"(({self._value(scope, 1)}) & {self._random.choice((1, 2, 3))}u) != 0"
        return f"({self._value(scope, 1)}) {self._random.choice(_COMPARE)} ({self._value(scope, 1)})"

    def _condition(self, scope: _Scope) -> str:
        """What a statement decides on; one in four changes a variable on the way."""
        test = f"({self._test(scope)})"
        if self._random.randrange(4) == 0:
            return f"({test} {self._random.choice(('&&', '||'))} (({self._variable()} += 1) & 2))"
        return test
