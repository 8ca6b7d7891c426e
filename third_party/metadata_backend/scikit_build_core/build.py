"""Dear ImGui Bundle's build backend, replaced by package_metadata.py."""

from package_metadata import prepare_metadata_for_build_wheel  # noqa: F401
