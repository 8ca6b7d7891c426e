#!/usr/bin/env python3
"""A sweep of flash_scalar without a GPU, from an empty cache: points a second when the next points are compiled ahead on
all cores, and when each is compiled as it is asked for, alternating.

By default 48 configurations; --whole, or TILESCOPE_BENCH_WHOLE_SWEEP=1, takes all 1,152 of the parameters that change
what is counted. The device is one of the table, so that a GPU that is present is not used.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "cmake"))
from outcomes import Failure, Missing, run_benchmark, say  # noqa: E402

SOME = ["BLOCK_M=16,32,64,128", "BLOCK_N", "SMEM_LAYOUT"]
WHOLE = ["BLOCK_M", "BLOCK_N", "NUM_WARPS", "VEC_WIDTH", "SMEM_LAYOUT"]
DEVICE = "L4"


def sweep(program, vary, ahead):
    """(points, seconds) of one sweep by a worker of its own: from the start of the program to its end."""
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=f"{folder}/cache", XDG_DATA_HOME=f"{folder}/data")
        environment.pop("TILESCOPE_WORKER", None)
        command = [str(program), "sweep", "flash_scalar", "--device", DEVICE, "--json"]
        for parameter in vary:
            command += ["--vary", parameter]
        if not ahead:
            command += ["--compile-ahead", "0"]
        start = time.monotonic()
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        seconds = time.monotonic() - start
    if not done.stdout:
        raise Failure(done.stderr.strip()[-500:])
    points = json.loads(done.stdout)["points"]
    statuses = {point["status"] for point in points}
    if "unsupported" in statuses:
        raise Missing(points[0]["reason"])
    if statuses != {"ok"} or any(point["memory"] is None for point in points):
        raise Failure(f"not every point was checked and counted: {sorted(statuses)}")
    if any(point["device"]["present"] for point in points):
        raise Missing(f"an {DEVICE} is present here, and would be timed")
    return points, seconds


def comparable(point):
    """All of a point that does not depend on when it was made."""
    for key in ("time_utc", "compile_ms", "binary_from_cache"):
        point["provenance"].pop(key)
    point["compiler_log"] = re.sub(r"Compile time = [0-9.]+ ms", "", point["compiler_log"])
    return point


def measure(options):
    rates = {True: [], False: []}
    reference = None
    for repeat in range(options.repeat):
        # With and without, then without and with: what the machine does besides meets both.
        for ahead in (False, True) if repeat % 2 == 0 else (True, False):
            points, seconds = sweep(options.program, WHOLE if options.whole else SOME, ahead)
            rates[ahead].append(len(points) / seconds)
            say(f"{len(points)} points in {seconds:.1f} s{', compiled ahead' if ahead else ''}")
            points = [comparable(point) for point in points]
            if reference is not None and points != reference:
                raise Failure("the points differ: what is compiled ahead must not change them")
            reference = points
    count = len(reference)
    alone, ahead = statistics.median(rates[False]), statistics.median(rates[True])
    return [{"name": f"sweep of {count} points, each compiled when asked for", "value": alone, "unit": "points/s"},
            {"name": f"sweep of {count} points, compiled ahead", "value": ahead, "unit": "points/s"},
            {"name": "compiled ahead against not", "value": ahead / alone, "unit": "x"},
            {"name": "cores", "value": len(os.sched_getaffinity(0)), "unit": ""}]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    build = pathlib.Path(os.environ.get("TILESCOPE_BUILD_DIR", ROOT / "build" / "release"))
    parser.add_argument("--program", type=pathlib.Path, default=build / "bin" / "tilescope")
    parser.add_argument("--repeat", type=int, default=2, help="sweeps of each kind")
    parser.add_argument("--whole", action="store_true",
                        default=os.environ.get("TILESCOPE_BENCH_WHOLE_SWEEP", "") not in ("", "0"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure(options)
    for result in results:
        say(f"{result['name']:<58} {result['value']:>9.2f} {result['unit']}")
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    run_benchmark(main)
