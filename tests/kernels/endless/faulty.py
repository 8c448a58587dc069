"""Host program of endless."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("endless",), size=4)
def endless(t: Session) -> None:
    """A kernel that never returns; the launch must end all the same."""
    dst = t.output(np.int32, t.size, "dst")
    t.launch("endless", [dst], threads=t.size, expect={dst: np.zeros(t.size, np.int32)})
