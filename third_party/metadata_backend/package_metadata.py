"""Replaces the build backend of a source package that is only needed as a file.

pip hands over a source package only after it has prepared its metadata, and to prepare it fetches the package's build
requirements, unpinned. Found on PYTHONPATH (with --no-build-isolation) instead of the real backend, this copies the
metadata in the package: nothing else is fetched, and no code of the package runs.
"""

import email
import pathlib


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    fields = email.message_from_string(text)
    folder = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    target = pathlib.Path(metadata_directory) / folder
    target.mkdir()
    (target / "METADATA").write_text(text, encoding="utf-8")
    return folder
