"""Measure, print and write the table: ``python -m benchmarks [--quick]``."""

import argparse
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import QUICK, Settings, figures, rows
from benchmarks.table import report


def main() -> None:
    """Run the command line."""
    options = _options()
    settings = QUICK if options.quick else Settings()
    if options.sizes:
        settings = replace(settings, sizes=tuple(options.sizes))
    if options.no_peers:
        settings = replace(settings, peers=False)
    text = report(settings, list(rows(settings)), figures(settings))
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Ratios measured side by side.")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds: only to see that it runs")
    parser.add_argument("--sizes", type=_whole, nargs="+", metavar="N", help="numbers of scores, such as 1000 1e6")
    parser.add_argument("--no-peers", action="store_true", help="only ours and the memory pass")
    parser.add_argument("--output", type=Path, help="the Markdown file (default: benchmarks/results.md; none if quick)")
    options = parser.parse_args()
    if options.output is None and not options.quick:
        options.output = Path(__file__).with_name("results.md")
    return options


def _whole(text: str) -> int:
    return int(float(text))


if __name__ == "__main__":
    main()
