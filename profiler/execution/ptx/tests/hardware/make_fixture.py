#!/usr/bin/env python3
"""Turns the output of record.sh into the fixture with which the tests compare the interpreter.

    make_fixture.py RECORDED > h200_counters.json

RECORDED is the folder of record.sh's files. The outputs are sampled by `interpreter_hardware sample`.
"""
import csv
import io
import json
import pathlib
import re
import sys
import tarfile

# The counters that the tests read: a short name, and the profiler's. Counters of smsp__sass count by instruction what
# the instructions request; l1tex's count what the data stage did, including its waits for fills.
ACCESSES = {"ld": "shared_ld", "st": "shared_st", "ldsm": "ldsm", "ldgsts": "ldgsts", "atom": "shared_atom"}
METRICS = {f"{short}_instructions": f"smsp__sass_inst_executed_op_{name}" for short, name in ACCESSES.items()}
METRICS |= {
    f"{short}_wavefronts": f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{short}"
    for short in ("ld", "st", "ldsm", "stsm", "ldgsts", "atom")
}
METRICS |= {
    f"{short}_conflicts": f"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_{short}"
    for short in ("ldsm", "stsm", "ldgsts")
}
METRICS |= {
    "l1tex_ld_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
    "l1tex_st_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st",
    "global_ld_requests": "smsp__sass_inst_executed_op_global_ld",
    "global_st_requests": "smsp__sass_inst_executed_op_global_st",
    "global_ld_sectors": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld",
    "global_st_sectors": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st",
    "global_ldgsts_sectors": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts",
    "warp_instructions": "smsp__inst_executed",
}


def counters(text, names):
    """{case: {short name: value}} from ncu's raw pages, each after a line with the start of its cases' names."""
    found = {}
    for group in re.split(r"^# ", text, flags=re.M)[1:]:
        prefix, _, page = group.partition("\n")
        lines = [line for line in page.splitlines() if line.startswith('"')]
        header, _units, *rows = csv.reader(io.StringIO("\n".join(lines)))
        cases = [name for name in names if name.startswith(prefix)]
        if len(rows) != len(cases):
            raise SystemExit(f"{prefix}: {len(rows)} launches for {len(cases)} cases; record again")
        for case, row in zip(cases, rows):
            values = dict(zip(header, row))
            if values["Kernel Name"].split("(")[0] != names[case]:
                raise SystemExit(f"{case}: the counters are of {values['Kernel Name']}")
            found[case] = [int(values[metric + ".sum"].replace(",", "")) for metric in METRICS.values()]
    return found


def report_of(log):
    """The number of errors that a tool of compute-sanitizer reports, and the lines of the kernel that it names."""
    lines = [line.removeprefix("=========") for line in log.splitlines() if line.startswith("=========")]
    summary = next(line for line in lines if "SUMMARY" in line)
    displayed = int(re.search(r"SUMMARY: (\d+)", summary).group(1))
    named = {int(number) for line in lines for number in re.findall(r"\bin \w+\.cu:(\d+)", line)}
    return {"reports": displayed, "lines": sorted(named)}


def sanitizer(archive):
    """{kernel: {"fault" or "repaired": {tool that reports anything: report}}}; every tool was run on every kernel."""
    kernels = {}
    for member in sorted(archive.getmembers(), key=lambda member: member.name):
        match = re.fullmatch(r"sanitizer/(\w+)\.(fault|repaired)\.(\w+)\.txt", member.name)
        if match:
            name, kind, tool = match.groups()
            report = report_of(archive.extractfile(member).read().decode(errors="replace"))
            found = kernels.setdefault(name, {"fault": {}, "repaired": {}})[kind]
            if report["reports"]:
                found[tool] = report
    return kernels


def table(title, rows):
    """A JSON object with one line a row."""
    body = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    return f'  "{title}": {{\n{body}\n  }}'


def main():
    folder = pathlib.Path(sys.argv[1])
    outputs = json.loads((folder / "outputs.json").read_text())
    names = {case["name"]: case["entry"] for case in outputs["cases"]}
    machine = (folder / "machine.txt").read_text().splitlines()
    gpu, driver = machine[1].split(", ")[:2]
    provenance = {
        "gpu": gpu,
        "driver": driver,
        "recorded": machine[0],
        "profiler": "Nsight Compute " + machine[2].removeprefix("Version "),
        "sanitizer": "compute-sanitizer " + machine[3].removeprefix("Version "),
        "how": "record.sh: the driver compiles each case's PTX (NVRTC 13.0, see the case's arch) for sm_90; one launch a "
        "case under ncu --clock-control none, each fault kernel alone under each tool of compute-sanitizer",
        "not known to the profiler": [line.split()[-1] for line in machine if line.startswith("this profiler has no")],
    }
    with tarfile.open(folder / "sanitizer.tar.gz") as archive:
        reports = sanitizer(archive)
    parts = [
        f'  "provenance": {json.dumps(provenance, indent=2)}'.replace("\n", "\n  "),
        table("metrics", METRICS),
        table("cases", counters((folder / "counters.csv").read_text(), names)),
        table("sanitizer", dict(sorted(reports.items()))),
    ]
    print("{\n" + ",\n".join(parts) + "\n}")


if __name__ == "__main__":
    main()
