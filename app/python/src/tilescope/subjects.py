"""Files for a request: their bytes, or the path alone of those that are too long to be sent. The limits are those of
profiler/service/requests/file_subject.hpp."""

import base64
import json
import os
import pathlib
import stat
from typing import Any, Dict, Iterator, List, Optional, Union

from .errors import UnreadableFile

StrPath = Union[str, "os.PathLike[str]"]
SENT_FILE_LIMIT = 16 << 20  # [B]
SENT_ARRAYS_LIMIT = 8 << 20  # [B]
FILE_LIMIT = 256 << 20  # [B]


def read_file(path: StrPath, limit: int = FILE_LIMIT) -> bytes:
    """The bytes of a regular file. Raises UnreadableFile."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(f"cannot read '{os.fspath(path)}': it is not a regular file")
        if status.st_size > limit:
            raise UnreadableFile(f"cannot read '{os.fspath(path)}': it has more than {limit >> 20} MiB")
        return pathlib.Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"cannot read '{os.fspath(path)}': {getattr(error, 'strerror', None) or error}") from None


def sent(path: StrPath, contents: Optional[bytes], limit: int = SENT_FILE_LIMIT) -> Dict[str, Any]:
    """A file of a request. Longer contents than `limit` must lie under the path."""
    file: Dict[str, Any] = {"path": os.path.abspath(path)}
    if contents is not None and len(contents) <= limit:
        file["contents"] = base64.b64encode(contents).decode()
    return file


class SentArrays:
    """The .npy files of a launch. They are sent as long as they are short together; others lie in a folder."""

    def __init__(self, folder: StrPath) -> None:
        self._folder = folder
        self._left = SENT_ARRAYS_LIMIT
        self.files: List[Dict[str, Any]] = []

    def add(self, name: str, contents: bytes) -> None:
        path = os.path.join(self._folder, name)
        is_short = len(contents) <= self._left
        if is_short:
            self._left -= len(contents)
        else:
            pathlib.Path(path).write_bytes(contents)
        self.files.append({"name": name, "file": sent(path, contents if is_short else None)})


def array_names(launch: Any) -> Iterator[str]:
    """The .npy files that a launch names."""
    if isinstance(launch, dict):
        for key, value in launch.items():
            if key in ("values", "npy", "expected") and isinstance(value, str) and value.endswith(".npy"):
                yield value
            else:
                yield from array_names(value)
    elif isinstance(launch, list):
        for value in launch:
            yield from array_names(value)


def launch_of(path: StrPath) -> Dict[str, Any]:
    """The members "launch" and "arrays" of a request, for a launch file. Raises UnreadableFile."""
    text = read_file(path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"cannot read '{os.fspath(path)}': it is not JSON: {error}") from None
    arrays = []
    left = SENT_ARRAYS_LIMIT
    for name in dict.fromkeys(array_names(document)):
        array = os.path.join(os.path.dirname(os.path.abspath(path)), name)
        contents = read_file(array)
        arrays.append({"name": name, "file": sent(array, contents, left)})
        left -= len(contents) if len(contents) <= left else 0
    return {"launch": sent(path, text), "arrays": arrays}
