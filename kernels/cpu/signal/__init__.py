"""Spectra."""
