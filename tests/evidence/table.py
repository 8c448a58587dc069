"""The tables of docs/debugging_evidence.md, from the rows that runs left in results/evidence."""

from __future__ import annotations

from pathlib import Path

from hw.tb.build.spec import REPO
from tests.evidence.campaign import RESULTS, Row
from tests.evidence.random_faults import RANDOM
from tests.regression.errors import RunError
from tests.regression.typed_json import TypedJsonError, read_json, write_text

DOCUMENT = REPO / "docs" / "debugging_evidence.md"
WANTED, GOAL = 12, 9  # random faults that fail, and how many of these must be named right
# In the order and words of the issue that asks for them.
TWELVE = {
    "wrong_alu_lane": "ALU lane",
    "wrong_mask_after_join": "mask after JOIN",
    "barrier_completes_early": "barrier phase",
    "scoreboard_hole": "scoreboard hole",
    "cache_fill_mixed_up": "cache fill mixed up",
    "lmem_conflict_lost": "LMEM bank conflict lost",
    "swapped_reads": "AXI id swapped",
    "cta_slot_leak": "CTA slot leak",
    "thread_index": "thread index",
    "fp_rounding": "FP rounding",
    "busy_forgets_writes": "`busy` early",
    "arbiter_deadlock": "deadlock in an arbiter",
}
_COLUMNS = "reported first | probable class | named right | second run | window | FST, MB | run + evidence, s"


def write_tables() -> None:
    """Put both tables between their marks in the document. Raises RunError: a row or a mark is missing."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for mark, table in (("named", named_table()), ("random", random_table())):
        begin, end = f"<!-- {mark}: made by `python -m tests.evidence table` -->\n", f"<!-- end of {mark} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise RunError(f"{DOCUMENT}: the marks of the table '{mark}' are missing")
        text = text[: text.index(begin) + len(begin)] + table + text[text.index(end) :]
    write_text(DOCUMENT, text)


def named_table() -> str:
    """The twelve; one that was not run since results were cleared says so."""
    lines = [f"| fault | how it is put in | {_COLUMNS} |", "|---" * 9 + "|"]
    for name, title in TWELVE.items():
        row = _row(name)
        lines.append(f"| {title} | `{name}`: " + (shown(row) if row else "not run |" + " |" * 7))
    return "\n".join(lines) + "\n"


def random_table() -> str:
    """Those that failed, then those that nothing noticed."""
    lines = [f"| fault | change | {_COLUMNS} |", "|---" * 9 + "|"]
    silent: list[str] = []
    for fault in RANDOM:
        row = _row(fault.name)
        if row is None:
            lines.append(f"| {fault.name} | not run |" + " |" * 7)
        elif row.noticed:
            lines.append(f"| {fault.name} | {shown(row)}")
        else:
            silent.append(f"* {fault.name}: {_shown(row.says)}")
    return "\n".join([*lines, "", "Not noticed by the test:", "", *silent]) + "\n"


def shown(row: Row) -> str:
    """Cells of one row behind its name."""
    verdict = "yes" if not row.missing else f"**no**: {'; '.join(f'no `{_shown(text)}`' for text in row.missing)}"
    verdict = verdict.replace("no `no match of ", "nothing fits `")
    same = "same" if row.same else "not shown"
    return (
        f"{_shown(row.says)} | {_shown(row.found)} | {row.probable} | {verdict} | {same} | "
        f"{'holds it' if row.inside else '**misses it**'} | {row.megabytes:.1f} | "
        f"{row.run_seconds:.1f} + {row.seconds:.1f} |"
    )


def _shown(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _row(name: str) -> Row | None:
    path: Path = RESULTS / f"{name}.json"
    if not path.exists():
        return None
    try:
        return read_json(path, Row)
    except TypedJsonError as error:
        raise RunError(f"{path}: {error}; run it again: python -m tests.evidence {name}") from error
