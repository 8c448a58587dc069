"""What can be said against an image without running it."""

from golden_model.lint.static import Complaint, lint

__all__ = ["Complaint", "lint"]
