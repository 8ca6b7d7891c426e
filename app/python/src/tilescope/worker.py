"""The worker process of this Python process, and its requests: JSON-RPC 2.0, one message a line, as
profiler/service/worker/protocol.hpp describes it."""

import atexit
import collections
import contextlib
import io
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading
import time
from typing import IO, Any, Callable, Deque, Dict, Optional

from .errors import TilescopeError, TimeLimitExceeded, WorkerLost, WorkerNotFound, WrongArgument

PROTOCOL_VERSION = 4
VERSION = "0.1.0"
START_LIMIT_S = 60.0
CANCEL_GRACE_S = 5.0
# The longest message that the worker reads. [B]
LINE_LIMIT = 64 << 20
INVALID_PARAMS = -32602

Message = Dict[str, Any]
Part = Callable[[Any], None]


def find_program() -> str:
    """The program `tilescope`: the variable TILESCOPE_PROGRAM, else the build of the repository that this package lies in,
    else PATH. Raises WorkerNotFound."""
    named = os.environ.get("TILESCOPE_PROGRAM")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise WorkerNotFound(f"TILESCOPE_PROGRAM is '{named}', which is not a program: set it to the program tilescope, "
                                 "or unset it")
        return os.path.abspath(named)
    here = pathlib.Path(__file__).resolve()
    if here.parent.parts[-4:] == ("app", "python", "src", "tilescope"):
        built = here.parents[4] / "build" / os.environ.get("TILESCOPE_PRESET", "release") / "bin" / "tilescope"
        if os.access(built, os.X_OK):
            return str(built)
    found = shutil.which("tilescope")
    if found is None:
        raise WorkerNotFound("the program tilescope was not found: build it with ./tilescope, then set TILESCOPE_PROGRAM to "
                             "build/release/bin/tilescope or add its folder to PATH")
    return os.path.abspath(found)


class Worker:
    """A process `tilescope worker`. Its input ends with this process, which ends the worker."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.owner = os.getpid()
        self.usable = True
        self._last_id = 0
        self._is_sending = False
        self._messages: "queue.Queue[Optional[bytes]]" = queue.Queue()
        self._stderr: Deque[str] = collections.deque(maxlen=5)
        try:
            # A session of its own: Ctrl-C in a terminal reaches this process alone, which cancels the request.
            # Its pipes have no buffers, so that a forked process has nothing to flush into them.
            self._process = subprocess.Popen([program, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, bufsize=0, start_new_session=True)
        except OSError as error:
            raise WorkerNotFound(f"'{program}' cannot be started: {error.strerror}") from None
        self._readers = [threading.Thread(target=self._read_stdout, daemon=True),
                         threading.Thread(target=self._read_stderr, daemon=True)]
        for reader in self._readers:
            reader.start()
        try:
            self._greet()
        except BaseException:
            self.kill()
            raise

    def ask(self, method: str, params: Message, time_limit_s: float, part: Optional[Part] = None) -> Message:
        """The result of a request. A KeyboardInterrupt and the time limit cancel the request, and end a worker that does not
        obey within some seconds."""
        self._last_id += 1
        request = self._last_id
        line = (json.dumps({"jsonrpc": "2.0", "id": request, "method": method, "params": params}) + "\n").encode()
        if len(line) > LINE_LIMIT:
            raise WrongArgument(f"the request has {len(line) >> 20} MiB, at most {LINE_LIMIT >> 20} MiB can be sent")
        try:
            self._send(line)
            message = self._answer_to(request, time.monotonic() + time_limit_s, part)
        except BaseException:
            # Otherwise its answer would meet the next request.
            self._cancel(request)
            raise
        if message is None:
            self._cancel(request)
            raise TimeLimitExceeded(f"'{method}' was not answered within {time_limit_s:g} s")
        if "error" in message:
            raise self._refusal(message["error"])
        result = message.get("result")
        if not isinstance(result, dict):
            raise TilescopeError(f"the worker's answer to '{method}' cannot be read")
        return result

    def close(self) -> None:
        """The end of its input ends the worker within two seconds; it is killed after three."""
        self.usable = False
        self._close(self._process.stdin)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(3)
        self.kill()

    def kill(self) -> None:
        """Ends the worker and what it has started."""
        self.usable = False
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except OSError:
                self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            self._close(stream)

    def abandon(self) -> None:
        """After a fork, in the child: the worker belongs to the parent, and must not see its input stay open."""
        self.usable = False
        self._close(self._process.stdin)

    @staticmethod
    def _close(stream: Optional[IO[bytes]]) -> None:
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()

    def _greet(self) -> None:
        try:
            hello = self.ask("hello", {"version": VERSION, "protocol": PROTOCOL_VERSION}, START_LIMIT_S)
        except WorkerLost as error:
            raise WorkerNotFound(f"'{self.program} worker' does not start: {error}") from None
        if hello.get("protocol") != PROTOCOL_VERSION:
            raise WorkerNotFound(
                f"'{self.program}' has version {hello.get('version')} with protocol {hello.get('protocol')}, and this package "
                f"has version {VERSION} with protocol {PROTOCOL_VERSION}: install the package of the program's version")

    def _answer_to(self, request: int, end: float, part: Optional[Part] = None) -> Optional[Message]:
        """None where the time is over."""
        while True:
            try:
                line = self._messages.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return None
            if line is None:
                raise self._lost()
            try:
                message = json.loads(line)
                given = message.get("params")
                params = given if isinstance(given, dict) else {}
            except (ValueError, AttributeError, RecursionError):
                raise TilescopeError(f"the worker wrote what is not a message: {line[:160]!r}") from None
            if message.get("method") == "leaving":
                self.usable = False
            elif "method" not in message and message.get("id") == request:
                return message  # type: ignore[no-any-return]
            elif params.get("id") == request and message.get("method") == "part" and part is not None:
                part(params.get("part"))

    def _cancel(self, request: int) -> None:
        if not self.usable or self._is_sending or self._process.poll() is not None:
            return self.kill()
        try:
            self._send((json.dumps({"jsonrpc": "2.0", "method": "cancel", "params": {"id": request}}) + "\n").encode())
            if self._answer_to(request, time.monotonic() + CANCEL_GRACE_S) is None:
                self.kill()
        except KeyboardInterrupt:
            self.kill()
            raise
        except TilescopeError:
            self.kill()
        return None

    def _send(self, line: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        self._is_sending = True
        try:
            left = memoryview(line)
            while left:
                left = left[stdin.write(left):]
        except (OSError, ValueError):
            raise self._lost() from None
        self._is_sending = False

    def _lost(self) -> WorkerLost:
        self.usable = False
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._readers[1].join(1)
        code = self._process.returncode
        if code is None:
            how = "It closed its output."
        elif code < 0:
            how = f"It was ended by signal {-code} ({signal.strsignal(-code)})."
        else:
            how = f"It ended with exit code {code}."
        words = " ".join(self._stderr).strip()
        return WorkerLost(f"the worker was lost. {how}" + (f" It last wrote: {words}" if words else ""))

    @staticmethod
    def _refusal(error: Any) -> TilescopeError:
        sentence = str(error.get("message", "the worker refused the request")) if isinstance(error, dict) else str(error)
        is_argument = isinstance(error, dict) and error.get("code") == INVALID_PARAMS
        return WrongArgument(sentence) if is_argument else TilescopeError(sentence)

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        try:
            with io.BufferedReader(self._process.stdout) as lines:  # type: ignore[type-var]
                for line in lines:
                    self._messages.put(line)
        except (OSError, ValueError):
            pass
        self._messages.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        try:
            with io.BufferedReader(self._process.stderr) as lines:  # type: ignore[type-var]
                for line in lines:
                    self._stderr.append(line.decode(errors="replace").strip())
        except (OSError, ValueError):
            pass


_lock = threading.RLock()
_worker: Optional[Worker] = None


def ask(method: str, params: Message, time_limit_s: float, part: Optional[Part] = None) -> Message:
    """Asks this process's worker, which is started where there is none. Calls of several threads wait for each other."""
    global _worker
    with _lock:
        if _worker is not None and not (_worker.usable and _worker.owner == os.getpid()):
            close()
        if _worker is None:
            _worker = Worker(find_program())
        return _worker.ask(method, params, time_limit_s, part)


def close() -> None:
    """Ends the worker. The next call starts another one."""
    global _worker
    with _lock:
        worker, _worker = _worker, None
        if worker is not None and worker.owner == os.getpid():
            worker.close()


def _after_fork() -> None:
    global _worker, _lock
    _lock = threading.RLock()
    worker, _worker = _worker, None
    if worker is not None:
        worker.abandon()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

