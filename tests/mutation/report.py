"""docs/verification/golden_mutation.md: score by file, survivors, equivalents with their arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import Work

_HEAD = """# Mutation score of the golden model

`python -m tests.mutation --seed {seed}` (`make mutation-golden`) puts one small fault at a time into a definition
(`tests/mutation/targets.py`; `golden_model/fast`, which is generated from them or drives what is, is not mutated): an
operator, a comparison, a constant, a condition, a dropped statement. Then it runs the tests of the readable tier that
execute the line; for what runs at import, all of them on a fresh import. *Unreached*: no test executes the line;
counts as survived. *Equivalent*: changes no behaviour, with the argument below; not run. Score: noticed of those that
are not equivalent.

Judged: {judged} of {all} mutants, a random sample of each file in proportion to its mutants.{margin}
Tests have been written for what survived in earlier samples, and earlier samples are part of this one.
Equivalent: {equivalent} of the judged.

| file | mutants | judged | noticed | equivalent | survived | unreached | score |
|---|---|---|---|---|---|---|---|"""
_NOTICED = {"killed", "timeout"}


def write_report(
    path: Path, work: Sequence[Work], results: Mapping[str, str], seed: int, note: str = ""
) -> Iterator[str]:
    """Write the page from the outcomes by key; yields the summary."""
    rows, survivors, equivalent = [], [], []
    total: Counter[str] = Counter()
    for name in sorted({mutant.path for mutant, _ in work}):
        counted: Counter[str] = Counter()
        for mutant in sorted((m for m, _ in work if m.path == name), key=lambda m: m.index):
            counted["all"] += 1
            if mutant.key not in results:
                continue
            outcome = results[mutant.key]
            place = f"- `{mutant.path.removeprefix('golden_model/')}:{mutant.line}`"
            if outcome not in _NOTICED and mutant.key in EQUIVALENT:
                outcome = "equivalent"
                equivalent.append(f"{place} {mutant.what}: {EQUIVALENT[mutant.key]}")
            elif outcome not in _NOTICED:
                survivors.append(f"{place} `{mutant.function}`: {mutant.what}")
            counted[outcome] += 1
            counted["judged"] += 1
        total += counted
        rows.append(_row(f"`{name.removeprefix('golden_model/')}`", counted))
    head = _HEAD.format(
        seed=seed, judged=f"{total['judged']:,}", all=f"{total['all']:,}", margin=_margin(total),
        equivalent=f"{100 * total['equivalent'] / max(total['judged'], 1):.1f} %",
    )  # fmt: skip
    lines = [
        *head.splitlines()[:-3],
        *([note] if note else []),
        *head.splitlines()[-3:],
        *rows,
        _row("**all**", total),
        *("", "## Survivors", "", *(survivors or ["None."])),
        *("", "## Equivalent", "", *(equivalent or ["None."]), ""),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    yield _row("all", total)
    yield f"{path}: {len(survivors)} survivors"


def _score(counted: Counter[str]) -> tuple[int, int]:
    """Noticed, and of how many."""
    noticed = sum(counted[outcome] for outcome in _NOTICED)
    return noticed, counted["judged"] - counted["equivalent"]


def _margin(total: Counter[str]) -> str:
    """What the score of all mutants may be, as far as the sample decides: Wilson's interval, of which 95 % hold."""
    noticed, of = _score(total)
    if not of or total["judged"] == total["all"]:
        return ""
    share, z = noticed / of, 1.96
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5 / (1 + z * z / of)
    return f" Score of all, as far as the sample decides: {100 * (middle - half):.1f} to {100 * (middle + half):.1f} %."


def _row(name: str, counted: Counter[str]) -> str:
    noticed, of = _score(counted)
    score = f"{100 * noticed / of:.1f} %" if of else "–"
    columns = [
        counted["all"],
        counted["judged"],
        noticed,
        *(counted[o] for o in ("equivalent", "survived", "unreached")),
    ]
    return f"| {name} | {' | '.join(f'{column:,}' for column in columns)} | {score} |"
