"""`python -m hw.tb.debug`: see cli.py."""

import sys

from hw.tb.debug.cli import main

sys.exit(main(sys.argv[1:]))
