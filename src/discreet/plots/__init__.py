"""Pictures of what releases cost, one by one and together, as figures of matplotlib, which is an extra.

Numbers in a picture are those of the accounting, written to three digits, rounded towards privacy. Each function
returns a figure of its own: no window opens, and no two figures share anything. ``save`` writes a figure to a file.
"""

from discreet.plots.canvas import save
from discreet.plots.pictures import epsilon_against_times, profile_of, queries_bought

__all__ = ["epsilon_against_times", "profile_of", "queries_bought", "save"]
