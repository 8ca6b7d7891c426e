#!/usr/bin/env python3
"""Run ninja and show how far it is, in one line: "Building: 61 of 113, about 2 minutes left".

    build_progress.py BUILD [TARGET ...]

The output of the compilers goes to BUILD/build.log, which is named when something fails or warns; the output of the
command that failed is also shown. Prints nothing when there is nothing to do. Where the output is not a terminal, the line
is printed every 30 seconds. Exit code: ninja's, or 130 after Ctrl+C.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)")
PREPARATION = re.compile(r"Re-(checking|running)")  # ninja does it before it knows whether there is something to do
SECONDS_TO_HEADING = 2  # with nothing to do, ninja ends before
SECONDS_BETWEEN_LINES = 30  # where every line stays, as in the log of a CI system
LINES_SHOWN = 40  # of the output of a command that failed


def time_left(done, total, elapsed):
    """In words. Nothing before 5 seconds: the first commands say too little."""
    if elapsed < 5 or done == total:
        return ""
    minutes = round(elapsed * (total - done) / done / 60)
    if minutes < 1:
        return ", less than a minute left"
    return f", about {minutes} minute{'s' if minutes > 1 else ''} left"


class Progress:
    """A heading, then one line of a terminal that changes, or a line of its own now and then."""

    def __init__(self, name):
        self.name = name
        self.is_terminal = sys.stdout.isatty()
        self.lock = threading.Lock()
        self.has_heading = False
        self.timer = threading.Timer(SECONDS_TO_HEADING, self.show_heading)  # the first command may take a minute
        self.timer.start()
        self.done = 0
        self.start = self.shown = time.monotonic()

    def show_heading(self):
        with self.lock:
            if not self.has_heading:
                print(f"Building {self.name}", flush=True)
            self.has_heading = True

    def finished(self, done, total):
        self.show_heading()
        now = time.monotonic()
        if done < self.done:  # ninja starts again after CMake ran
            self.start = now
        self.done = done
        text = f"Building: {done} of {total}{time_left(done, total, now - self.start)}"
        if self.is_terminal:
            print(f"\r{text}\033[K", end="", flush=True)
        elif now - self.shown >= SECONDS_BETWEEN_LINES:
            print(text, flush=True)
            self.shown = now

    def end(self):
        self.timer.cancel()
        if self.is_terminal and self.done:
            print("\r\033[K", end="", flush=True)


class Output:
    """Ninja's lines: written to the log, their warnings counted, and the lines of the last command that failed kept."""

    def __init__(self, log):
        self.log = log
        self.warnings = 0
        self.failed = []  # "FAILED: ...", the command, its output
        self.since_status = []
        self.is_in_failed = False

    def add(self, line):
        with contextlib.suppress(OSError):  # a full disk also ends the compilers, whose message is shown
            self.log.write(line.encode())
        self.warnings += "warning:" in line
        if line.startswith("FAILED: "):
            self.failed, self.is_in_failed = [], True
        elif STATUS.match(line) or line.startswith("ninja: "):
            self.is_in_failed = False
        if self.is_in_failed:
            self.failed.append(line)
        self.since_status = [] if STATUS.match(line) else self.since_status + [line]

    def explanation(self):
        """What the user reads about a failure. The command, a long line, is only in the log."""
        lines = self.failed[:1] + self.failed[2:] or self.since_status
        shown = lines[:LINES_SHOWN]
        if len(lines) > len(shown):
            shown.append(f"... and {len(lines) - len(shown)} more lines\n")
        return "".join(shown)


class Ninja:
    """A process that ends, and the compilers with it, when this program is asked to end."""

    def __init__(self, build, targets):
        self.process = self.signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.end)
        self.process = subprocess.Popen(["ninja", "-C", build, *targets], env=dict(os.environ, NINJA_STATUS="[%f/%t] "),
                                        text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if self.signal:  # it came before the process
            self.end(self.signal, None)

    def end(self, number, _):
        self.signal = number
        if self.process:
            self.process.send_signal(signal.SIGINT)

    def exit_code(self):
        """Ninja's, 1 if something else ended it, or 128 and the signal that ended this program."""
        code = self.process.wait()
        if self.signal:
            return 128 + self.signal
        return 1 if code < 0 else code


def run(build, targets, output):
    """The exit code."""
    progress = Progress(build.name)
    ninja = Ninja(build, targets)
    for line in ninja.process.stdout:
        output.add(line)
        match = STATUS.match(line)
        if match and not PREPARATION.match(match[3]):
            progress.finished(int(match[1]), int(match[2]))
    code = ninja.exit_code()
    progress.end()
    return code


def main():
    build, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
    path = build / "build.log"
    with open(path, "wb", buffering=0) as log:
        output = Output(log)
        code = run(build, targets, output)
    if code in (0, 130):
        if output.warnings:
            print(f"{output.warnings} warning{'s' if output.warnings > 1 else ''}, in {path}", flush=True)
    else:
        print(f"{output.explanation()}The whole output: {path}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
