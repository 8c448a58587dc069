"""Device side of a test: sources of its folder to the images that its host program loads."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from config import EntryGeneration, RunConfig
from sw.kernel.vxcc import Artifacts, VxccError, compile_kernel
from tests.regression.catalogue import KERNELS_FOLDER
from tests.regression.errors import RunError
from tests.regression.images import Images, KernelImage
from tests.regression.kernel_test import KernelTest
from tests.regression.typed_json import write_text

_LONGEST_NAME = 100  # of a kernel in the name of a file
_SUFFIXES = {".cpp", ".c", ".S"}
GENERATED = Path(__file__).parents[2] / "build" / "generated"


def compile_images(test: KernelTest, config: RunConfig) -> Images:
    """Compile (or find in the cache) the images of `test`: one with all kernels, or one a kernel for `direct`.

    Raises:
        RunError: a tool is missing or the sources do not compile, with the compiler's own words.
    """
    sources = sorted(path for path in (KERNELS_FOLDER / test.name).iterdir() if path.suffix in _SUFFIXES)
    sources += _generated_sources(test, config)
    try:
        if test.legacy:
            program = compile_kernel(sources, hardware=config.hardware)
            return Images((KernelImage(test.name, program.vxbin, "main"),))
        if config.entry is EntryGeneration.DIRECT:
            built = [
                compile_kernel(sources, hardware=config.hardware, entry=config.entry, kernel=name)
                for name in test.kernels
            ]
            return Images(
                tuple(KernelImage(name, item.vxbin, "main") for name, item in zip(test.kernels, built, strict=True))
            )
        artifacts = compile_kernel(sources, hardware=config.hardware, entry=config.entry)
    except VxccError as error:
        raise RunError(str(error)) from error
    return Images(tuple(KernelImage(name, artifacts.vxbin, name) for name in _exported(test, artifacts)))


def _generated_sources(test: KernelTest, config: RunConfig) -> list[Path]:
    """Write generated sources to a folder named by their content, so that equal texts are compiled once."""
    if test.generate is None:
        return []
    texts = test.generate(config)
    digest = hashlib.sha256("\0".join(f"{name}\0{text}" for name, text in sorted(texts.items())).encode()).hexdigest()
    folder = GENERATED / test.name / digest[:16]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in sorted(texts)]


def _exported(test: KernelTest, artifacts: Artifacts) -> tuple[str, ...]:
    missing = [name for name in test.kernels if name not in artifacts.kernels]
    if missing:
        raise RunError(
            f"the sources in tests/kernels/{test.name} do not define {', '.join(missing)}; "
            f"they define {', '.join(artifacts.kernels)}"
        )
    return test.kernels


def copy_images(images: Images, test: str, folder: Path) -> Images:
    """Copy images (and their ELF files, for symbols and lines) beside the results, so that those explain themselves."""
    copies: dict[Path, Path] = {}
    for number, image in enumerate(images.kernels):
        if image.path not in copies:
            kernel = image.kernel if len(image.kernel) <= _LONGEST_NAME else str(number)
            name = test if images.shared else f"{test}_{kernel}"
            copies[image.path] = folder / f"{name}.vxbin"
            shutil.copyfile(image.path, copies[image.path])
            elf = image.path.with_suffix(".elf")
            if elf.exists():
                shutil.copyfile(elf, copies[image.path].with_suffix(".elf"))
    return Images(tuple(KernelImage(image.kernel, copies[image.path], image.exported) for image in images.kernels))
