"""docs/verification/golden_mutation.md: score by file, survivors with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import Work

_HEAD = """# Mutation score of the golden model

`{command}` (`make mutation-golden` takes all mutants) puts one small fault at a time into a definition: an operator, a
comparison, a constant, a condition, a dropped statement. Then it runs the tests of the readable tier that call the
function. *Unreached*: the function runs at import only, or no test calls it. *Invalid*: the fault cannot be put in.
Score: noticed of those that are neither equivalent, unreached nor invalid.

| file | mutants | noticed | equivalent | survived | unreached | invalid | score |
|---|---|---|---|---|---|---|---|"""
_NOTICED = {"killed", "timeout"}


def write_report(
    path: Path,
    work: Sequence[Work],
    results: Mapping[str, Mapping[str, object]],
    seed: int,
    sample: int,
) -> Iterator[str]:
    """Write the page; yields the summary."""
    rows, survivors, equivalent = [], [], []
    total: Counter[str] = Counter()
    for name in dict.fromkeys(mutant.path for mutant, _ in work):
        counted: Counter[str] = Counter()
        for mutant in (m for m, _ in work if m.path == name and m.key in results):
            outcome = str(results[mutant.key]["outcome"])
            if outcome == "survived" and mutant.key in EQUIVALENT:
                outcome = "equivalent"
                equivalent.append(f"- `{mutant.path}:{mutant.line}` {mutant.what}: {EQUIVALENT[mutant.key]}")
            elif outcome == "survived":
                survivors.append(f"- `{mutant.path}:{mutant.line}` `{mutant.function}`: {mutant.what}")
            counted[outcome] += 1
        total += counted
        rows.append(_row(f"`{name.removeprefix('golden_model/')}`", counted))
    command = f"python -m tests.mutation --sample {sample} --seed {seed}"
    lines = [
        *_HEAD.format(command=command).splitlines(),
        *rows,
        _row("**all**", total),
        *("", "## Survivors", "", *(survivors or ["None."])),
        *("", "## Equivalent", "", *(equivalent or ["None."]), ""),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    yield _row("all", total)
    yield f"{path}: {len(survivors)} survivors"


def _row(name: str, counted: Counter[str]) -> str:
    noticed = sum(counted[outcome] for outcome in _NOTICED)
    judged = noticed + counted["survived"]
    score = f"{100 * noticed / judged:.1f} %" if judged else "–"
    columns = [
        sum(counted.values()),
        noticed,
        *(counted[o] for o in ("equivalent", "survived", "unreached", "invalid")),
    ]
    return f"| {name} | {' | '.join(map(str, columns))} | {score} |"
