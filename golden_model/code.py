"""What the warps execute: loaded images, decoded instructions by PC, and where the dispatch calls are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from config import EntryGeneration, HardwareConfig
from golden_model.isa.decode import Decoded, Decoder
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges
from golden_model.window import is_dispatch_call, is_window, stub_target


class Image(Protocol):
    """A loadable kernel image, as `sw.kernel.vxbin.load` returns it."""

    @property
    def min_vma(self) -> int: ...
    @property
    def max_vma(self) -> int: ...
    @property
    def image(self) -> bytes: ...
    @property
    def kernels(self) -> dict[str, int]: ...


class Code:
    """Instruction side of memory. `by_pc` is the fast path: it holds only PCs inside a loaded image."""

    def __init__(self, config: HardwareConfig, memory: Memory) -> None:
        self.by_pc: dict[int, Decoded] = {}
        self.dispatch_calls: set[int] = set()
        self.images = AddressRanges()  # bytes with file content; .bss is not code
        self.generation = EntryGeneration.CTA_ENTRY
        self.extents: dict[int, int] = {}  # image start -> end, with .bss
        self._kernels: dict[int, set[int]] = {}  # image start -> exported PCs
        self._memory = memory
        self._decoder = Decoder(config)
        self._address_mask = (1 << config.xlen) - 1
        self._windows: dict[int, bool] = {}  # answers of is_window since the last change
        self.on_forget: Callable[[], None] | None = None
        memory.on_code_write = self.forget

    # ------------------------------------------------------------------ images

    def load(self, image: Image) -> None:
        """Put an image into memory, zero-fill up to max_vma, and make it executable. Replaces what it overlaps."""
        self._memory.write(image.min_vma, image.image)
        end = image.min_vma + len(image.image)
        if image.max_vma > end:
            self._memory.fill(end, image.max_vma - end)
        self.declare(image)

    def declare(self, image: Image) -> None:
        """Make an image executable that is in memory already."""
        self.images.add(image.min_vma, len(image.image))
        self._kernels = {start: pcs for start, pcs in self._kernels.items() if start in dict(self.images)}
        self._kernels[image.min_vma] = set(image.kernels.values())
        self.extents = {start: end for start, end in self.extents.items() if start in self._kernels}
        self.extents[image.min_vma] = max(image.min_vma + len(image.image), image.max_vma)
        self.forget()

    def unload(self, min_vma: int) -> None:
        """The image that begins at `min_vma` is no longer executable; its bytes stay."""
        self.images.remove(min_vma)
        self._kernels.pop(min_vma, None)
        self.extents.pop(min_vma, None)
        self.forget()

    @property
    def exported(self) -> set[int]:
        """PCs of all kernels of all loaded images."""
        return set().union(*self._kernels.values())

    # ------------------------------------------------------------------ instructions

    def forget(self) -> None:
        """Drop decoded instructions: code or entry generation changed."""
        self.by_pc.clear()
        self.dispatch_calls.clear()
        self._windows.clear()
        if self.on_forget is not None:
            self.on_forget()

    def fetch(self, pc: int) -> tuple[int, Decoded | None]:
        """(word, decoded instruction or None if it is illegal) at `pc`, which must lie in memory."""
        word = self._memory.fetch(pc)
        decoded = self._decoder.decode(word)
        if decoded is not None and pc in self.images:
            self.by_pc[pc] = decoded
            if is_dispatch_call(self._word, pc, self.generation):
                self.dispatch_calls.add(pc)
        return word, decoded

    def decoded(self, word: int) -> Decoded | None:
        """What an instruction word means in this configuration; None if it is illegal."""
        return self._decoder.decode(word)

    def is_window(self, start: int) -> bool:
        """Whether a dispatch window of the running generation begins at `start`."""
        known = self._windows.get(start)
        if known is None:
            known = self._windows[start] = is_window(self._word, start, self.generation)
        return known

    def rightful_call(self, startup: int, entry: int) -> int | None:
        """The one address that a dispatch window may call in a launch of (startup, entry); None if there are others."""
        if self.generation is EntryGeneration.DIRECT:
            return None
        target = entry
        if self.generation is EntryGeneration.S11:
            stub = stub_target(self._word, startup, self._address_mask)
            if stub is None:
                return None
            target = stub
        return None if self.wrong_call(target, startup, entry) else target

    def wrong_call(self, target: int, startup: int, entry: int) -> str:
        """Why a dispatch window may not call `target` in a launch of (startup, entry); empty if it may."""
        if self.generation is EntryGeneration.DIRECT:
            return "" if target in self.images else f"calls {target:#x}, which is in no loaded image"
        exported = self.exported
        if self.generation is EntryGeneration.S11:
            expected = stub_target(self._word, startup, self._address_mask)
            if expected is None:
                return f"the launched address {startup:#x} holds no stub `lla s11, <kernel>; j __vx_cta_entry`"
            if target != expected:
                return f"calls {target:#x}, but the launched stub at {startup:#x} selects {expected:#x}"
            return ""
        if exported and target not in exported:
            return f"calls {target:#x}, which is no exported kernel"
        return "" if target == entry else f"calls {target:#x}, but the kernel of this launch is {entry:#x}"

    def _word(self, addr: int) -> int:
        return self._memory.load(addr & self._address_mask & ~3, 4)[0]
