"""`python -m tests.nightly run --tier smoke`; `make nightly` calls it."""

import sys

from tests.nightly.cli import main

sys.exit(main(sys.argv[1:]))
