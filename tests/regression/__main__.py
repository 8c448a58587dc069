"""`python -m tests.regression run TEST=… SIM=… …`."""

import sys

from tests.regression.cli import main

sys.exit(main(sys.argv[1:]))
