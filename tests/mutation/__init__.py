"""Mutation score of the golden model: small faults in its definitions, one at a time, that some test must notice."""
