"""Errors of the `.vxbin` tool; every rule of docs/reference/vortex.md §7.4 has a class of its own."""

from __future__ import annotations


class VxbinError(ValueError):
    """Base of all errors of this package; the text is a sentence for people."""


class VxbinFileError(VxbinError):
    """A file cannot be read or written."""


class VxbinBuildError(VxbinError):
    """An ELF file from which no `.vxbin` can be made."""


class VxbinFormatError(VxbinError):
    """A `.vxbin` that the strict loader refuses.

    Attributes:
        offset: position in the file, in bytes, of the value that breaks the rule.
        value: that value (a number, or bytes for names).
    """

    def __init__(self, sentence: str, *, offset: int, value: int | bytes) -> None:
        shown = f"{value:#x}" if isinstance(value, int) else repr(value)
        super().__init__(f"{sentence} (file offset {offset:#x}, value {shown})")
        self.offset = offset
        self.value = value


class TruncatedHeaderError(VxbinFormatError):
    """Rule 1: the file is shorter than the 16 bytes of its header."""


class EmptyRangeError(VxbinFormatError):
    """Rule 2: max_vma is not above min_vma."""


class RangeOverflowError(VxbinFormatError):
    """Rule 2: the image or the reserved range ends outside the address space."""


class BelowUserBaseError(VxbinFormatError):
    """Rule 3: the range begins below USER_BASE (0x10000), where the I/O window lies."""


class OverlapsStacksError(VxbinFormatError):
    """Rule 3: the range overlaps the stacks of the configured harts."""


class OverlapsLmemError(VxbinFormatError):
    """Rule 3: the range overlaps the local memory aperture."""


class OverlapsPageTablesError(VxbinFormatError):
    """Rule 3: the range overlaps the page tables (virtual memory only)."""


class EmptyImageError(VxbinFormatError):
    """Rule 4: there is no image byte, so there is no code."""


class ImageTooLargeError(VxbinFormatError):
    """Rule 4: the image is larger than the range that the header reserves."""


class FooterTruncatedError(VxbinFormatError):
    """Rule 5: the magic is present in a file too short for header and footer."""


class FooterCountError(VxbinFormatError):
    """Rule 5: the number of entries does not fit in the file."""


class NameOutsideBlobError(VxbinFormatError):
    """Rule 5: a name reaches beyond the bytes that can be the name blob."""


class EmptyNameError(VxbinFormatError):
    """Rule 6: a name of no bytes."""


class NameNotUtf8Error(VxbinFormatError):
    """Rule 6: a name that is not UTF-8."""


class NameWithNulError(VxbinFormatError):
    """Rule 6: a name with an embedded NUL."""


class DuplicateNameError(VxbinFormatError):
    """Rule 6: two entries of one name."""


class PadNotZeroError(VxbinFormatError):
    """Rule 6: the padding of an entry is not zero."""


class PcOutsideImageError(VxbinFormatError):
    """Rule 7: a kernel's address lies outside the image."""


class PcMisalignedError(VxbinFormatError):
    """Rule 7: a kernel's address is not the address of an instruction."""
