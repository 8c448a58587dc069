"""Steps the golden model along the records of a design and explains the first difference."""
