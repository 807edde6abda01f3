"""Outputs that are no list of candidates: each domain fits private data to a law that ``discreet.draw`` draws from."""

from discreet.domains.best_point import BestPoint
from discreet.domains.bounded_laplace import BoundedLaplace, ClampedLaplace
from discreet.domains.joint_quantiles import JointQuantiles
from discreet.domains.lattice import BoxLaplace, LatticeLaplace
from discreet.domains.least_loss import LeastLoss
from discreet.domains.location import Location
from discreet.domains.prices import ContinuousPrice
from discreet.domains.quantiles import ApproximateQuantiles
from discreet.domains.top_k import JointTopK
from discreet.domains.unbounded import UnboundedQuantile

__all__ = [
    "ApproximateQuantiles",
    "BestPoint",
    "BoundedLaplace",
    "BoxLaplace",
    "ClampedLaplace",
    "ContinuousPrice",
    "JointQuantiles",
    "JointTopK",
    "LatticeLaplace",
    "LeastLoss",
    "Location",
    "UnboundedQuantile",
]
