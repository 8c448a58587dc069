"""Host program of basic; it also copies between host and device without a kernel."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(32, 256, 4096),
    needs=(Need.SIMT,),
    legacy=True,
    minimum=Minimum(fixed="one block a core: the legacy library starts warps itself"),
)
def basic(t: Session) -> None:
    """Each core copies its N words; the host's own copies come back as they went."""
    words = t.device.config.hardware.total_cores * t.size
    src = t.random(np.int32, words)
    source, dst = t.input(src, "src"), t.output(np.int32, words)
    t.check("host copy", bool((t.read(source, src.dtype) == src).all()), f"{words} words to the device and back")
    args: list[Argument] = [u32(t.size), source, dst]
    t.launch_legacy("basic", args, expect={dst: src})
