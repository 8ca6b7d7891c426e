"""Comes before an installed setuptools, which a folder without this file would not."""
