#!/usr/bin/env python3
"""Whether the change that `measure --try` names first is a gain, as a GPU measured it.

The table first_tries_h100.csv has a row for each configuration: what was measured for it and, where a change was named,
with that change; where none was, with the fastest of all changes that were tried. The bench asks again which change the
program names now. A change other than the recorded one was not measured, and counts neither way. Needs no GPU, and takes
minutes: some 500 points are compiled, interpreted and predicted.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "cmake"))
from outcomes import Failure, Missing, run_benchmark, say  # noqa: E402

TABLE = pathlib.Path(__file__).with_name("first_tries_h100.csv")
DEVICE = "H100"
NOTABLE = 0.98  # of the latency: what gains less is not named


def rows_of(table):
    with open(table, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def named_change(program, row):
    """NAME=VALUE of the first change that is named, "" if none is."""
    command = [str(program), "measure", row["kernel"], "--shape", row["shape"].replace("x", ","), "--device", DEVICE,
               "--try", "--json"]
    for setting in row["parameters"].split():
        command += ["--set", setting]
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    environment.pop("TILESCOPE_WORKER", None)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        raise Failure(done.stderr.strip()[-500:])
    point = json.loads(done.stdout)
    if point["status"] == "unsupported":
        raise Missing(point["reason"])
    if point["status"] != "ok":
        raise Failure(f"{row['kernel']} {row['parameters']}: {point['reason']}")
    tried = [each for each in point["tries"] if each["status"] == "ok" and not each["same_code"]]
    best = min(tried, key=lambda each: each["p50_us"], default=None)
    if best is None or best["p50_us"] >= NOTABLE * point["prediction"]["p50_us"]:
        return ""
    return f"{best['parameter']}={best['value']}"


def verdict(row, change):
    gain = float(row["measured_us"]) / float(row["measured_with_us"])
    if change != row["change"]:
        return "another change, without a measurement"
    if change:
        return "gain" if gain > 1 else "no gain"
    return "none named, none there" if gain * NOTABLE < 1 else "none named, but there is one"


def measure(options):
    rows = rows_of(TABLE)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        changes = list(pool.map(lambda row: named_change(options.program, row), rows))
    counts = {}
    for row, change in zip(rows, changes):
        found = verdict(row, change)
        counts[found] = counts.get(found, 0) + 1
        say(f"{row['kernel']:<13} {row['shape']:<14} {change or 'no change':<24} {float(row['measured_us']):>8.1f} us, "
            f"with {row['change'] or 'the best change'} {float(row['measured_with_us']):.1f} us: {found}")
    return [{"name": name, "value": count, "unit": "configurations"} for name, count in sorted(counts.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    build = pathlib.Path(os.environ.get("TILESCOPE_BUILD_DIR", ROOT / "build" / "release"))
    parser.add_argument("--program", type=pathlib.Path, default=build / "bin" / "tilescope")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure(options)
    for result in results:
        say(f"{result['name']:<40} {result['value']:>4} {result['unit']}")
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    run_benchmark(main)
