"""Each person randomises: reports that say little of one person and much of many."""

from discreet.local.channels import Channel
from discreet.local.choice import best_channel
from discreet.local.estimates import Estimate
from discreet.local.kary import Kary
from discreet.local.memo import Memo
from discreet.local.subset import Subset
from discreet.local.survey import Survey
from discreet.local.unary import Unary, rappor_epsilon

__all__ = ["Channel", "Estimate", "Kary", "Memo", "Subset", "Survey", "Unary", "best_channel", "rappor_epsilon"]
