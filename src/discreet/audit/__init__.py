"""Prove or refute a promise: every pair of neighbours of a small world, with certified arithmetic."""

from discreet.audit.report import Audit, Worst
from discreet.audit.walk import audit

__all__ = ["Audit", "Worst", "audit"]
