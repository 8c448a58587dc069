"""The document: a table over all kernels, and what the checks beside it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config import EntryGeneration
from tests.entry_revalidation.compare import Measured, differences, hardware_for
from tests.regression.kernel_test import KernelTest

COMMAND = "python -m tests.entry_revalidation OUT=docs/entry_revalidation.md"


@dataclass(frozen=True)
class Row:
    """One kernel in its generations."""

    test: KernelTest
    runs: list[Measured]

    @property
    def differences(self) -> list[str]:
        return differences(self.test, self.runs)


@dataclass(frozen=True)
class Weakness:
    """The kernel that keeps no saved register, in one generation: whether it was right, and why not."""

    entry: EntryGeneration
    passed: bool
    reason: str

    @property
    def as_known(self) -> bool:
        """Right where the kernel is found anew for each block, wrong where s11 must survive."""
        return self.passed == (self.entry is not EntryGeneration.S11)


@dataclass(frozen=True)
class Compressed:
    """The window of one generation when everything else is compressed code."""

    entry: EntryGeneration
    compressed: bool  # the image really holds compressed code
    window: int  # instructions
    full_size: bool
    same: bool  # as without compressed code

    @property
    def good(self) -> bool:
        return self.compressed and self.full_size and self.same


def document(size: str, rows: Sequence[Row], weaknesses: Sequence[Weakness], compressed: Sequence[Compressed]) -> str:
    """The whole text in Markdown."""
    problems = [text for row in rows for text in row.differences]
    legacy = sum(row.test.legacy for row in rows)
    lines = [
        "# Re-validation of the entry generations",
        "",
        f"Made by `{COMMAND}`. Each kernel of `tests/kernels` runs at its {size} size on the golden model, step by "
        "step, in the entry generations `cta_entry` (20-byte window, kernel in CSR CTA_ENTRY), `s11` (16 bytes, kernel "
        "in register s11) and `direct` (12 bytes, `jal kernel_main`); programs of the legacy library run in their own. "
        "A kernel agrees if in all of them its results are right by its own host program, each warp of each block was "
        "called exactly once, the same warps were called, the warp instructions outside of prologue and window are the "
        "same in number, and the linked window holds 4-byte instructions alone.",
        "",
        f"{len(rows)} kernels, {legacy} of them with the legacy library: "
        + (f"{len(problems)} differences." if problems else "all agree."),
        "",
        *(f"- {problem}" for problem in problems),
        *([""] if problems else []),
        "| kernel | blocks | warps called | reused | warp slots filled | kernel instructions | prologue (20/16/12) "
        "| window (20/16/12) | agrees |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_line(row) for row in rows),
        "",
        "*reused*: warps that began at the window because they had run a block before; *warp slots filled*: blocks of "
        "all launches over what the processor holds at once. Kernels with fewer than three of the latter have a "
        "geometry that is fixed by what they test:",
        "",
        *(
            f"- `{row.test.name}`: {row.test.minimum.fixed}"
            for row in rows
            if row.test.minimum and row.test.minimum.fixed
        ),
        "",
        "The number of instructions depends on where and in which order warps run, because lanes try again until they "
        "succeed or branch on what belongs to the hart, in: "
        + (", ".join(f"`{kernel}` of `{row.test.name}`" for row in rows for kernel in row.test.counts_vary) or "none")
        + ". Their counts may differ between generations; everything else must agree, launch by launch.",
        "",
        "## A kernel that keeps no saved register",
        "",
        "`tests/kernels/clobber_saved` returns with s0 to s11 destroyed, which the convention of kernels allows. "
        "Blocks enough that every warp is used again:",
        "",
        "| generation | outcome | |",
        "|---|---|---|",
        *(
            f"| {item.entry.value} | {'right' if item.passed else 'wrong'} | "
            f"{'as it has to be' if item.as_known and item.passed else item.reason} |"
            for item in weaknesses
        ),
        "",
        "That s11 must survive is the known weakness of its generation and the reason for CTA_ENTRY.",
        "",
        "## The window among compressed code",
        "",
        "Start-up code and a kernel assembled and compiled with the extension C, which the driver never does:",
        "",
        "| generation | compressed code in the image | window | 4-byte instructions alone | same as without C |",
        "|---|---|---|---|---|",
        *(
            f"| {item.entry.value} | {_yes(item.compressed)} | {item.window} instructions | {_yes(item.full_size)} | "
            f"{_yes(item.same)} |"
            for item in compressed
        ),
    ]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    first, hardware = row.runs[0], hardware_for(row.test)
    split = first.split
    blocks = sum(kernel.ctas for kernel in first.result.kernels)
    cells = [f"`{row.test.name}`", f"{blocks:,}"]
    if row.test.legacy:
        cells += ["–", "–", "–", f"{split.kernel.total():,}", "–", "–"]
    else:
        counts = [run.split.kernel.total() for run in row.runs]
        cells += [
            f"{split.called.total():,}",
            " / ".join(sorted({f"{run.split.reused:,}" for run in row.runs})),
            f"{split.called.total() / (hardware.total_cores * hardware.num_warps):.1f}",
            " / ".join(f"{count:,}" for count in (counts if len(set(counts)) > 1 else counts[:1])),
            " / ".join(f"{run.split.prologue:,}" for run in row.runs),
            " / ".join(f"{run.split.in_window:,}" for run in row.runs),
        ]
    return "| " + " | ".join([*cells, "no" if row.differences else "yes"]) + " |"


def _yes(value: bool) -> str:
    return "yes" if value else "**no**"
