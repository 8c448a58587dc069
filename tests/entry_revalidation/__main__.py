"""`python -m tests.entry_revalidation [SIZE=smoke|default] [TESTS=name,name] [OUT=file.md]`: the whole re-validation.

Exit code 1 if anything does not agree. At the default size it takes some ten minutes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from config import EntryGeneration, RunConfig
from tests.entry_revalidation.compare import GENERATIONS, hardware_for, measure
from tests.entry_revalidation.report import Compressed, Row, Weakness, document
from tests.entry_revalidation.static import find_window, has_compressed_code, link_compressed
from tests.regression.catalogue import KERNELS_FOLDER, find_test, known_tests
from tests.regression.cli import split_knobs
from tests.regression.compile import compile_images
from tests.regression.errors import RunError
from tests.regression.typed_json import write_text

EXAMPLE = "sgemm_i"  # whose window is linked among compressed code
CLOBBERING = "clobber_saved"


def kernel_row(name: str, size: int = 0) -> Row:
    """One kernel in all generations, or in its own if it is of the legacy library."""
    test = find_test(name)
    entries = GENERATIONS[:1] if test.legacy else GENERATIONS
    return Row(test, [measure(name, entry, size) for entry in entries])


def weakness(entry: EntryGeneration) -> Weakness:
    """The kernel that keeps no saved register, in one generation."""
    result = measure(CLOBBERING, entry).result
    return Weakness(entry, result.passed, "" if result.passed else result.failures[0].message)


def compressed(entry: EntryGeneration, folder: Path) -> Compressed:
    """The window of one generation among compressed code, against that of the driver."""
    test = find_test(EXAMPLE)
    hardware = hardware_for(test)
    images = compile_images(test, RunConfig(test=EXAMPLE, hardware=hardware, entry=entry))
    plain = find_window(images.kernels[0].path.with_suffix(".elf"), entry)
    elf = link_compressed(KERNELS_FOLDER / EXAMPLE / "kernel.cpp", entry, folder, hardware)
    window = find_window(elf, entry)
    call = (plain.call - plain.start) // 4
    same = all(
        ours == theirs or (entry is EntryGeneration.DIRECT and index == call)  # the distance to the kernel differs
        for index, (ours, theirs) in enumerate(zip(plain.words, window.words, strict=True))
    )
    return Compressed(entry, has_compressed_code(elf), len(window.words), window.full_size, same)


def main(arguments: list[str]) -> int:
    """Run everything, print what differs, write the document."""
    knobs = split_knobs(arguments)
    if knobs.get("SIZE", "default") not in ("smoke", "default"):
        raise RunError(f"SIZE={knobs['SIZE']}: must be smoke or default")
    names = knobs["TESTS"].split(",") if knobs.get("TESTS") else known_tests()
    rows = []
    for name in names:
        size = find_test(name).sizes.smoke if knobs.get("SIZE") == "smoke" else 0
        rows.append(kernel_row(name, size))
        print(f"{name}: {'; '.join(rows[-1].differences) or 'agrees'}", flush=True)
    weaknesses = [weakness(entry) for entry in GENERATIONS]
    with tempfile.TemporaryDirectory() as folder:
        windows = []
        for entry in GENERATIONS:
            place = Path(folder) / entry.value
            place.mkdir()
            windows.append(compressed(entry, place))
    text = document(knobs.get("SIZE", "default"), rows, weaknesses, windows)
    if out := knobs.get("OUT"):
        write_text(Path(out), text)
    wrong = sum(bool(row.differences) for row in rows)
    wrong += sum(not item.as_known for item in weaknesses) + sum(not item.good for item in windows)
    print(f"{len(rows)} kernels, {wrong} things do not agree" if wrong else f"{len(rows)} kernels, all agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
