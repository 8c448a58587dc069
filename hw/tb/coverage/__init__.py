"""Coverage collected from the records of a run."""
