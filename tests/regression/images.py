"""Which `.vxbin` holds which kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tests.regression.errors import RunError


@dataclass(frozen=True)
class KernelImage:
    """One kernel of a test: the file that holds it and the name under which that file exports it."""

    kernel: str
    path: Path
    exported: str


@dataclass(frozen=True)
class Images:
    """All kernels of a test. With one shared file, kernels differ by name; the `direct` generation has a file each."""

    kernels: tuple[KernelImage, ...]

    @property
    def shared(self) -> bool:
        """Whether names select kernels inside one file, so that checks of names mean something."""
        return len({image.path for image in self.kernels}) == 1 and all(
            image.exported == image.kernel for image in self.kernels
        )

    def of(self, kernel: str) -> KernelImage:
        """Raises RunError for a kernel that the test did not declare."""
        for image in self.kernels:
            if image.kernel == kernel:
                return image
        raise RunError(f"the host program asks for kernel {kernel!r}, which the test does not declare")

    def relocated(self, path: Path) -> Images:
        """The same kernels read from another file, such as an altered copy."""
        return Images(tuple(replace(image, path=path) for image in self.kernels))
