"""Programs that write one session at once: what they say is done is in the file, once.

session_writers.py --tilescope PATH [--rounds N] [--window PATH] [--worker COMMAND]

A round starts imports, measurements, a sweep and windows (tests/session_window, which keeps its points as the explorer
does) on one session, and counts what they say. --worker measures with another worker.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

IMPORTS, POINTS_OF_A_FILE, POINTS_OF_A_WINDOW = 3, 4, 5
SHAPE = ["--shape", "1,1,64,64"]


def kernel_tuner_cache(name, points):
    entries = {str(i): {"a": i, "time": 1.0 + i} for i in range(points)}
    return json.dumps({"device_name": "NVIDIA L4", "kernel_name": name, "tune_params_keys": ["a"],
                       "tune_params": {"a": list(range(points))}, "problem_size": "", "objective": "time", "cache": entries})


class Round:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.session = folder / "session.json"
        self.running = []

    def start(self, *words, said):
        """`said`: how many points a document of --json, or the text of another program, says."""
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment())
        self.running.append((process, said))

    def environment(self):
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment["XDG_DATA_HOME"] = str(self.folder / "data")
        if self.arguments.worker:
            environment["TILESCOPE_WORKER"] = self.arguments.worker
        return environment

    def command(self, *words, said):
        self.start(self.arguments.tilescope, *words, "--session", self.session, "--json", said=said)

    def begin(self):
        first = self.folder / "first.json"
        first.write_text(kernel_tuner_cache("first", 1))
        self.command("import", first, *SHAPE, said=lambda text: len(json.loads(text)["points"]))
        return self.end()

    def write_at_once(self):
        if self.arguments.window:
            for name in ("a", "b"):
                self.start(self.arguments.window, self.session, name, POINTS_OF_A_WINDOW, said=int)
        for i in range(IMPORTS):
            file = self.folder / f"{i}.json"
            file.write_text(kernel_tuner_cache(f"kernel_{i}", POINTS_OF_A_FILE))
            self.command("import", file, *SHAPE, said=lambda text: len(json.loads(text)["points"]))
        # One file is imported twice: one of the two says that the session has it already.
        self.command("import", file, *SHAPE, said=lambda text: len(json.loads(text)["points"]))
        for warps in (4, 8):
            self.command("measure", "flash_scalar", "--set", f"NUM_WARPS={warps}", "--seed", 100 + warps, *SHAPE,
                         said=lambda text: 1)
        self.command("sweep", "flash_scalar", "--vary", "BLOCK_M=32,64", "--vary", "NUM_WARPS=4", *SHAPE,
                     said=lambda text: len(json.loads(text)["points"]) - json.loads(text)["reused"])
        return self.end()

    def end(self):
        """How many points the programs said."""
        said = 0
        for process, count in self.running:
            output, errors = process.communicate(timeout=300)
            if process.returncode != 0:
                raise SystemExit(f"{process.args} ended with {process.returncode}: {errors}")
            said += count(output)
        self.running = []
        return said

    def complaint(self, said):
        points = [json.dumps(point, sort_keys=True) for point in json.loads(self.session.read_text())["points"]]
        if len(points) != said:
            return f"{said} points were said, {len(points)} are in the file"
        if len(set(points)) != len(points):
            return f"{len(points) - len(set(points))} points are there twice"
        beside = [file.name for file in self.folder.glob(".session.json*")]
        return f"left behind: {beside}" if beside else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilescope", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--window", default="")
    parser.add_argument("--worker", default="")
    arguments = parser.parse_args()
    points = 0
    for number in range(1, arguments.rounds + 1):
        with tempfile.TemporaryDirectory(prefix="tilescope-writers-") as folder:
            one = Round(arguments, pathlib.Path(folder))
            said = one.begin() + one.write_at_once()
            complaint = one.complaint(said)
        if complaint:
            sys.exit(f"round {number}: {complaint}")
        points += said
    print(f"{arguments.rounds} rounds, {points} points: all of them are in their files, once")


main()
