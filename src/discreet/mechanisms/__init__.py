"""Each mechanism is a frozen record: ``promise`` and ``calibrate`` beside each other, and how it draws."""

from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.noisy_max import NoisyMax, NoisyMaxWithGap
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.top_k import Peel
from discreet.mechanisms.weighted import Unequal, Weighted

__all__ = ["Exponential", "Mechanism", "NoisyMax", "NoisyMaxWithGap", "Peel", "PermuteAndFlip", "Unequal", "Weighted"]
