"""Where the private leg and the public leg meet: scores in, something you may publish out."""

from discreet.selection.plan import Plan, Settings
from discreet.selection.result import Selection
from discreet.selection.verbs import select, top_k
from discreet.selection.views import PrivateLaw, law, prepare

__all__ = ["Plan", "PrivateLaw", "Selection", "Settings", "law", "prepare", "select", "top_k"]
