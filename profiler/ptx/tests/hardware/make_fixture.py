#!/usr/bin/env python3
"""Turns what record.sh left into the fixture that the tests compare the interpreter with.

    make_fixture.py RECORDED PROGRAM_VERSION_TEXT > h200_counters.json

RECORDED is the folder of record.sh's files. The outputs are sampled by `interpreter_hardware sample`.
"""
import csv
import io
import json
import pathlib
import re
import sys
import tarfile

# What the tests read, in the order of a row.
METRICS = [
    "smsp__inst_executed",
    "smsp__sass_inst_executed_op_shared_ld",
    "smsp__sass_inst_executed_op_shared_st",
    "smsp__inst_executed_op_ldsm",
]


def counters(text, names):
    """{case: {metric: value}} of ncu's raw pages, each behind a line with the start of its cases' names."""
    found = {}
    for group in re.split(r"^# ", text, flags=re.M)[1:]:
        prefix, _, page = group.partition("\n")
        lines = [line for line in page.splitlines() if line.startswith('"')]
        if not lines:
            continue
        header, _units, *rows = csv.reader(io.StringIO("\n".join(lines)))
        cases = [name for name in names if name.startswith(prefix)]
        if len(rows) != len(cases):
            print(f"{prefix}: {len(rows)} launches for {len(cases)} cases; left out", file=sys.stderr)
            continue
        for case, row in zip(cases, rows):
            values = dict(zip(header, row))
            if values["Kernel Name"].split("(")[0] != names[case]:
                raise SystemExit(f"{case}: the counters are of {values['Kernel Name']}")
            found[case] = {
                key.removesuffix(".sum"): int(float(value.replace(",", "")))
                for key, value in values.items()
                if re.match(r"\w+__\w+(\.sum)?$|memory_", key) and value not in ("", "n/a")
            }
    return found


def sanitizer(archive):
    """{kernel: {"fault" or "repaired": {tool: {"reports": n, "first": text}}}}"""
    kernels = {}
    for member in archive.getmembers():
        match = re.fullmatch(r"sanitizer/(\w+)\.(fault|repaired)\.(\w+)\.txt", member.name)
        if not match:
            continue
        name, kind, tool = match.groups()
        text = archive.extractfile(member).read().decode(errors="replace")
        lines = [line.removeprefix("=========").strip() for line in text.splitlines() if line.startswith("=========")]
        summary = next((line for line in lines if "SUMMARY" in line), "")
        count = re.search(r"(\d+) (?:error|hazard)", summary)
        reports = [line for line in lines if re.search(r"Error:|Warning:|Invalid|Uninit|Barrier error|Divergent|Misaligned", line)]
        kernels.setdefault(name, {}).setdefault(kind, {})[tool] = {
            "reports": int(count.group(1)) if count else None,
            "first": re.sub(r"/\S*/(\w+\.cu)", r"\1", reports[0]) if reports else "",
        }
    return kernels


def main():
    folder = pathlib.Path(sys.argv[1])
    outputs = json.loads((folder / "outputs.json").read_text())
    names = {case["name"]: case["entry"] for case in outputs["cases"]}
    found = counters((folder / "counters.csv").read_text(), names)
    with tarfile.open(folder / "sanitizer.tar.gz") as archive:
        reports = sanitizer(archive)
    json.dump({"found": found, "sanitizer": reports}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
