"""Client of Tilescope's worker: what GPU kernels do and cost, with or without a GPU."""

from .errors import TilescopeError, TimeLimitExceeded, UnreadableFile, WorkerLost, WorkerNotFound, WrongArgument
from .records import ConflictLine, OpenedPoint, Point, Record, TracedPoint
from .requests import measure, trace
from .requests import open as open
from .sessions import Session, read_session
from .worker import VERSION as __version__
from .worker import close

# Without `open`, so that `from tilescope import *` leaves Python's alone.
__all__ = ["ConflictLine", "OpenedPoint", "Point", "Record", "Session", "TilescopeError", "TimeLimitExceeded", "TracedPoint",
           "UnreadableFile", "WorkerLost", "WorkerNotFound", "WrongArgument", "__version__", "close", "measure", "read_session",
           "trace"]
