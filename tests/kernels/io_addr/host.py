"""Host program of io_addr."""

import numpy as np

from tests.regression.host import Minimum, Session, Sizes, kernel_test, u32

IO_BASE = 0x40
WORDS = 16


@kernel_test(sizes=Sizes(16, 128, 1024), minimum=Minimum())
def io_addr(t: Session) -> None:
    """Loads through addresses that alternate between ordinary memory and the I/O window at 0x40."""
    table = (np.arange(WORDS) ** 2).astype(np.int32)
    window = t.device.reserve(IO_BASE, table.nbytes, "table in the I/O window")
    t.device.write(window, table)
    plain = t.input(table, "table")
    index = np.arange(t.size)
    base = np.where(index % 2, IO_BASE, plain.address)
    addresses = t.input((base + 4 * (index % WORDS)).astype(np.uint64), "addresses")
    dst = t.output(np.int32, t.size)
    t.launch("io_addr", [u32(t.size), addresses, dst], threads=t.size, expect={dst: table[index % WORDS]})
