"""The fast tier: C generated from the definitions in golden_model/isa, compiled at run time."""
