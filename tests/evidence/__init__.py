"""A campaign: does the first screen of a failure name its cause? (tests/evidence/README.md)"""
