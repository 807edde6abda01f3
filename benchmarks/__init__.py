"""How fast discreet is, as ratios measured side by side: ``python -m benchmarks``."""
