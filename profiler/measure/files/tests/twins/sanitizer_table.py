#!/usr/bin/env python3
"""Runs every twin under the four tools of compute-sanitizer, and compares their reports with the table in twins.json.

    sanitizer_table.py --to FOLDER            # on a machine with a GPU, nvcc and compute-sanitizer
    sanitizer_table.py --to FOLDER --dry-run  # compiles and writes the launches, and prints the commands

FOLDER gets the cubins, the launches, a log of each start, table.json, table.txt, and record.json: the machine, and the kernels
with what the tools reported and how the launch ended, which is kept here as sm_90_reports.json.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = {
    "racecheck": ["--racecheck-report", "all"],
    "memcheck": ["--padding", "256"],
    "initcheck": [],
    "synccheck": [],
}
SIDES = ("faulty", "clean")
# [s] A kernel that waits for ever has to end.
TIME_LIMIT = 20
# The first line of a report; those below it are indented.
HEADLINE = re.compile(r"^========= (\S.*)$", re.MULTILINE)
# Headlines of no report: errors that the driver returned are in the launch's own answer.
OTHER_HEADLINES = ("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "Program hit", "Target application")


def read_twins(only=None):
    """The rows of the table whose names contain `only`."""
    twins = json.loads((HERE / "twins.json").read_text(encoding="utf-8"))["twins"]
    return [twin for twin in twins if not only or only in twin["name"]]


def launch_of(twin, side):
    return twin["launch"] | (twin.get("clean_launch", {}) if side == "clean" else {})


def compile_twin(twin, folder, architecture):
    """The cubin of a twin, and the launch file of each side beside it."""
    name = twin["name"]
    for side in SIDES:
        (folder / f"{name}_{side}.json").write_text(json.dumps(launch_of(twin, side)), encoding="utf-8")
    cubin = folder / f"{name}.cubin"
    command = ["nvcc", f"-arch={architecture}", "-std=c++17", "-lineinfo", "-cubin", str(HERE / f"{name}.cu"), "-o", str(cubin)]
    subprocess.run(command, check=True, capture_output=True)
    return cubin


def command_of(twin, side, tool, folder):
    """The launch of one kernel; `tool` "none" for one without compute-sanitizer."""
    entry = f"{twin['name']}_{side}"
    start = [sys.executable, str(HERE / "launch_twin.py"), str(folder / f"{twin['name']}.cubin"), entry,
             str(folder / f"{entry}.json")]
    if tool == "none":
        return start
    return ["compute-sanitizer", "--tool", tool, "--print-limit", "20", *TOOLS[tool], *start]


def read_log(text, timed_out=False):
    """What a tool says in its log: number of reports, the first one, lines of the twin, and how the launch ended."""
    ended = re.search(r"^launch: (.*)$", text, re.MULTILINE)
    reports = [line for line in HEADLINE.findall(text) if not line.startswith(OTHER_HEADLINES)]
    return {
        "reports": len(reports),
        "first": reports[0] if reports else "",
        "lines": sorted({int(line) for line in re.findall(r"\.cu:(\d+)", text)}) if reports else [],
        "launch": "timed out" if timed_out else ended.group(1) if ended else "no answer",
    }


def run(command, log):
    """Runs a command in a process group of its own, which ends with the time limit."""
    with open(log, "w", encoding="utf-8") as file:
        with subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                process.wait(TIME_LIMIT)
                timed_out = False
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                timed_out = True
    return read_log(log.read_text(encoding="utf-8", errors="replace"), timed_out)


def row_of(twin, side, results):
    """One kernel's row: what Tilescope finds, what the tools report, and whether they agree."""
    found = {form: twin[form] if side == "faulty" else "" for form in ("ptx", "machine_code")}
    reported = [tool for tool in TOOLS if results[tool]["reports"]]
    refused = results["none"]["launch"] != "ok"
    ours, theirs = any(found.values()), bool(reported) or refused
    verdict = "agree" if ours == theirs else "Tilescope alone" if ours else "compute-sanitizer alone"
    return {"kernel": f"{twin['name']}_{side}", "family": twin["family"], **found, "launch": results["none"]["launch"],
            "reported_by": reported, "verdict": verdict, "tools": results}


def text_of(rows):
    lines = [f"{'kernel':34} {'PTX':20} {'machine code':20} {'racecheck':10} {'memcheck':10} {'initcheck':10} {'synccheck':10} "
             f"{'launch without a tool':34} verdict"]
    for row in rows:
        cells = [",".join(map(str, row["tools"][tool]["lines"])) or "yes" if tool in row["reported_by"] else
                 "timed out" if row["tools"][tool]["launch"] == "timed out" else "-" for tool in TOOLS]
        lines.append(f"{row['kernel']:34} {row['ptx'] or '-':20} {row['machine_code'] or '-':20} "
                     + " ".join(f"{cell:10}" for cell in cells) + f" {row['launch']:34} {row['verdict']}")
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in sorted({r["verdict"] for r in rows})}
    return "\n".join(lines) + f"\n{len(rows)} kernels: " + ", ".join(f"{n} {v}" for v, n in count.items()) + "\n"


def last_line(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().splitlines()[-1]


def machine():
    """Where the tools ran."""
    gpu, driver = last_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split(", ")
    return {"gpu": gpu, "driver": driver, "nvcc": last_line("nvcc", "--version"),
            "compute_sanitizer": last_line("compute-sanitizer", "--version"),
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}


def record_of(rows, where):
    """What is kept of a run, one line for each kernel."""
    lines = []
    for row in rows:
        kept = {"launch": row["launch"]} | {tool: row["tools"][tool]["lines"] for tool in row["reported_by"]}
        lines.append(f'  {json.dumps(row["kernel"])}: {json.dumps(kept)}')
    return f'{{"machine": {json.dumps(where)},\n "kernels": {{\n' + ",\n".join(lines) + "\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--only", help="twins whose name contains this")
    parser.add_argument("--architecture", default="native", help="of nvcc: native, sm_89 ...")
    parser.add_argument("--jobs", type=int, default=8)
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    twins = read_twins(given.only)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda twin: compile_twin(twin, given.to, given.architecture), twins))
        starts = [(twin, side, tool) for twin in twins for side in SIDES for tool in ("none", *TOOLS)]
        if given.dry_run:
            for start in starts:
                print(*command_of(*start, given.to))
            return
        logs = [given.to / f"{twin['name']}_{side}.{tool}.txt" for twin, side, tool in starts]
        results = list(pool.map(lambda start, log: run(command_of(*start, given.to), log), starts, logs))
    by_start = {(twin["name"], side, tool): result for (twin, side, tool), result in zip(starts, results)}
    rows = [row_of(twin, side, {tool: by_start[twin["name"], side, tool] for tool in ("none", *TOOLS)})
            for twin in twins for side in SIDES]
    (given.to / "table.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    (given.to / "record.json").write_text(record_of(rows, machine()), encoding="utf-8")
    (given.to / "table.txt").write_text(text_of(rows), encoding="utf-8")
    print(text_of(rows), end="")


if __name__ == "__main__":
    main()
