"""Exceptions, each with a sentence for the user."""


class TilescopeError(RuntimeError):
    """Base of all exceptions of this package."""


class WorkerNotFound(TilescopeError):
    """The program is missing, does not start, or is of another version."""


class WorkerLost(TilescopeError):
    """The worker ended before it answered. The next call starts another one."""


class TimeLimitExceeded(TilescopeError):
    """The worker gave no answer in time."""


class UnreadableFile(TilescopeError):
    """A file is missing, or is not of the expected form."""


class WrongArgument(TilescopeError, ValueError):
    """An argument that the program or this package refuses."""
