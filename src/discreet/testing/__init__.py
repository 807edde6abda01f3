"""Shipped test tools."""
