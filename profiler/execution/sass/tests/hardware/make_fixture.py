#!/usr/bin/env python3
"""Turns the output of record.sh into the counts with which the tests compare the interpreter.

    make_fixture.py RECORDED LAUNCHES > h200_machine_code.json

RECORDED is the folder of record.sh's files, LAUNCHES the one that `machine_code_hardware compile` wrote. The outputs are
sampled by `machine_code_hardware sample`.
"""
import itertools
import json
import lzma
import pathlib
import sys

import read_report

BYTES = 16  # of an instruction
COLUMNS = ("executions", "threads", "threads_on")
# Kept for the instructions where it is not 0.
SPARSE = [name for name in read_report.INSTRUCTION_METRICS if name not in COLUMNS]


def runs(values):
    """[value, how many, value, how many ...]"""
    return [number for value, group in itertools.groupby(values) for number in (value, len(list(group)))]


def counts_of(launch, kernel):
    """One launch, with the instructions' places in the code section in place of their addresses."""
    if launch["functions"] != [0]:
        raise SystemExit(f"{kernel}: the launch ran code outside the section of its entry")
    by_instruction = launch["instructions"]
    count = by_instruction["executions"][-1][0] // BYTES + 1
    entry = {}
    for name in COLUMNS:
        # The profiler leaves out an instruction behind the last function, which jumps to itself and is never reached.
        counted = dict(by_instruction[name])
        entry[name] = runs([counted.get(place * BYTES, 0) for place in range(count)])
    for name in SPARSE:
        pairs = [(place // BYTES, value) for place, value in by_instruction.get(name, []) if value]
        if pairs:
            entry[name] = [number for pair in pairs for number in pair]
    entry["totals"] = [launch["totals"][name] for name in read_report.TOTAL_METRICS]
    return entry


def recorded_counts(folder, outputs):
    """{launch: its counts}, of all groups of record.sh."""
    found = {}
    for file in sorted(folder.glob("counters.*.json.xz")):
        prefix = file.name.removeprefix("counters.").removesuffix(".json.xz") + "/"
        launches = [launch for launch in outputs["launches"] if launch["name"].startswith(prefix)]
        counted = json.loads(lzma.open(file).read())
        # The profiler's name of a C++ function is a part of its entry's.
        names = list(zip((launch["entry"] for launch in launches), (launch["kernel"] for launch in counted)))
        if len(launches) != len(counted) or not all(kernel in entry for entry, kernel in names):
            raise SystemExit(f"{prefix}: the counts are not those of the launches; record again")
        for launch, counts in zip(launches, counted):
            found[launch["name"]] = {"code_sha256": launch["code_sha256"]} | counts_of(counts, launch["name"])
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    outputs = json.loads((folder / "outputs.json").read_text())
    counts = recorded_counts(folder, outputs)
    missing = [launch["name"] for launch in outputs["launches"] if launch["name"] not in counts]
    if missing:
        raise SystemExit(f"without counts: {missing}")
    recorded, gpu, profiler = (folder / "machine.txt").read_text().splitlines()
    provenance = {
        "gpu": gpu.split(", ")[0],
        "driver": gpu.split(", ")[1],
        "recorded": recorded,
        "profiler": "Nsight Compute " + profiler.removeprefix("Version "),
        "nvrtc": (pathlib.Path(sys.argv[2]) / "nvrtc.txt").read_text().strip(),
        "how": "record.sh: one launch of each cubin under ncu --clock-control none",
    }
    print("{\n" + f' "provenance": {json.dumps(provenance)},')
    print(f' "instruction_metrics": {json.dumps(read_report.INSTRUCTION_METRICS)},')
    print(f' "total_metrics": {json.dumps(read_report.TOTAL_METRICS)},')
    lines = (f"  {json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in counts.items())
    print(' "launches": {\n' + ",\n".join(lines) + "\n }\n}")


if __name__ == "__main__":
    main()
