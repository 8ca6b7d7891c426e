#!/usr/bin/env python3
"""Run ninja and show how far it is, in one line: "Building: 61 of 113, about 2 minutes left".

    build_progress.py BUILD [TARGET ...]

The output of the compilers goes to BUILD/build.log, which is named when something fails or warns; the output of the
command that failed is also shown. Prints nothing when there is nothing to do. Where the output is no terminal, the line
is printed every 30 seconds. Exit code: ninja's, or 130 after Ctrl+C.
"""

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
    """Ninja's lines: written to the log, their warnings counted, and those of the last command that failed kept."""

    def __init__(self, log):
        self.log = log
        self.warnings = 0
        self.failed = []  # "FAILED: ...", the command, its output
        self.since_status = []
        self.is_in_failed = False

    def add(self, line):
        self.log.write(line)
        self.warnings += "warning:" in line
        if line.startswith("FAILED: "):
            self.failed, self.is_in_failed = [], True
        elif STATUS.match(line) or line.startswith("ninja: "):
            self.is_in_failed = False
        if self.is_in_failed:
            self.failed.append(line)
        self.since_status = [] if STATUS.match(line) else self.since_status + [line]

    def explanation(self):
        """What a person reads about a failure. The command, a long line, is only in the log."""
        lines = self.failed[:1] + self.failed[2:] or self.since_status
        shown = lines[:LINES_SHOWN]
        if len(lines) > len(shown):
            shown.append(f"... and {len(lines) - len(shown)} more lines\n")
        return "".join(shown)


def pass_on_signals(ninja):
    """Ends ninja, and with it the compilers, when this program is asked to end. The list that is returned then has the
    signal."""
    received = []

    def pass_on(number, _):
        received.append(number)
        ninja.send_signal(signal.SIGINT)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    return received


def run(build, targets, output):
    """Ninja's exit code, or 128 and the signal that ended this program."""
    progress = Progress(build.name)
    ninja = subprocess.Popen(["ninja", "-C", build, *targets], env=dict(os.environ, NINJA_STATUS="[%f/%t] "), text=True,
                             errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    received = pass_on_signals(ninja)
    for line in ninja.stdout:
        output.add(line)
        match = STATUS.match(line)
        if match and not PREPARATION.match(match[3]):
            progress.finished(int(match[1]), int(match[2]))
    code = ninja.wait()
    progress.end()
    return 128 + received[0] if received else code


def main():
    build, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
    path = build / "build.log"
    with open(path, "w", buffering=1, errors="replace") as log:
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
