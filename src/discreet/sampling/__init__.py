"""Exact draws that know nothing of privacy: floats propose, integers decide."""
