"""What the divergence pass costs: warp instructions against no instrumentation and against instrumentation by hand."""
