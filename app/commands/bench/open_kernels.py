#!/usr/bin/env python3
"""What `tilescope open FILE` finds out without a word from the user: a row for each file, and how many open.

    open_kernels.py [FILE[:KERNEL] ...] [--list FILE] [--limit SECONDS] [--markdown] [--json]

Without files: those of kernels/foreign. A file opens where there is a point that was executed from its code, which stores to
a buffer, and nothing is accessed out of bounds. "Executed as compiled" in --json has the compiler; seconds are those of the
whole command, whose compilations an earlier run may have left in the cache. Needs no GPU.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "cmake"))
from outcomes import Failure, run_benchmark, say  # noqa: E402

GALLERY = ROOT / "kernels" / "foreign"
POINTS = ("ok", "unchecked")


def opened(program, wanted, limit):
    """The row of a file: what its point says, or why there is none."""
    file, _, kernel = str(wanted).partition(":")
    command = [str(program), "open", file, "--json", "--time-limit", str(limit)]
    if kernel:
        command += ["--entry", kernel]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=2 * limit + 60, check=False)
    except subprocess.TimeoutExpired:
        return {"file": file, "opens": False, "why": f"the command did not end in {2 * limit + 60} s"}
    seconds = time.monotonic() - begin
    if not done.stdout.strip():
        raise Failure(f"{file}: no document: {done.stderr.strip()[-300:]}")
    return {"file": file, "seconds": round(seconds, 2)} | row_of(json.loads(done.stdout))


def row_of(point):
    """The columns of a point, by name."""
    memory, findings = point.get("memory") or {}, point.get("findings") or []
    kinds = sorted({finding["kind"] for finding in findings})
    row = {
        "kernel": kernel_of(point),
        "status": point["status"],
        "compiler": (point.get("provenance") or {}).get("compiler") or "",
        "guesses": len(point.get("guesses") or []),
        "outputs": len(point.get("outputs") or []),
        "offered": next((guess["value"] for guess in point.get("guesses") or [] if guess["what"].endswith(": expected")), ""),
        "conflicts": memory.get("shared_conflicts"),
        "excess_sectors": excess(memory, "global_sectors"),
        "findings": kinds,
        "predicted_us": (point.get("prediction") or {}).get("p50_us"),
    }
    row["opens"] = row["status"] in POINTS and row["outputs"] > 0 and "out_of_bounds" not in kinds
    row["why"] = "" if row["opens"] else why_not(point, row)
    return row


def kernel_of(point):
    names = {kernel["name"]: kernel["demangled"] for kernel in point.get("kernels") or []}
    return names.get(point.get("entry"), point.get("entry") or "").split("(")[0]


def excess(memory, name):
    return memory[name] - memory[name + "_minimum"] if name in memory else None


def why_not(point, row):
    if row["status"] not in POINTS:
        return f"{point['status']}: {first_line(point.get('reason') or point.get('error'))}"
    if "out_of_bounds" in row["findings"]:
        first = next(finding for finding in point["findings"] if finding["kind"] == "out_of_bounds")
        return f"out of bounds: {first_line(first.get('text') or first.get('message'))}"
    return "no buffer is written"


def first_line(text):
    return next((line.strip() for line in str(text or "").splitlines() if line.strip()), "no reason was given")


def show(row, as_markdown):
    cells = [pathlib.Path(row["file"]).name, row.get("kernel", ""), row.get("compiler", ""), row.get("status", ""),
             row.get("guesses", ""), row.get("offered", ""), row.get("conflicts", ""), row.get("excess_sectors", ""),
             ", ".join(row.get("findings", [])) or "none", row.get("seconds", ""), row["why"] or "opens"]
    cells = ["" if cell is None else str(cell) for cell in cells]
    if as_markdown:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    return (f"{cells[0][:30]:30} {cells[1][:30]:30} {cells[2]:6} {cells[3]:10} {cells[4]:>7} {cells[6]:>10} {cells[7]:>10} "
            f"{cells[9]:>6} {cells[8][:26]:26} {cells[10]}")


HEADINGS = {"file": "file", "kernel": "kernel", "compiler": "by", "status": "status", "guesses": "guesses",
            "offered": "offered as a check", "conflicts": "conflicts", "excess_sectors": "excess", "findings": ["findings"],
            "seconds": "s", "why": "result"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--list", type=pathlib.Path, help="a file with one FILE[:KERNEL] a line")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--json", action="store_true")
    build = pathlib.Path(os.environ.get("TILESCOPE_BUILD_DIR", ROOT / "build" / "release"))
    parser.add_argument("--program", type=pathlib.Path, default=build / "bin" / "tilescope")
    options = parser.parse_args()
    files = list(options.files)
    if options.list:
        files += [line.strip() for line in options.list.read_text().splitlines() if line.strip()]
    files = files or sorted(file for file in GALLERY.iterdir() if file.suffix in (".cu", ".ptx"))
    say(show(HEADINGS, options.markdown))
    if options.markdown:
        say("|---" * len(HEADINGS) + "|")
    rows = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda file: opened(options.program, file, options.limit), files):
            rows.append(row)
            say(show(row, options.markdown))
    say(f"{sum(row['opens'] for row in rows)} of {len(rows)} open")
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    run_benchmark(main)
