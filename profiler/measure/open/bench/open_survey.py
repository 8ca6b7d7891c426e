#!/usr/bin/env python3
"""Open kernel files one after the other with `tilescope open`, and print a table of what each showed.

    open_survey.py [--json FILE] [--time-limit SECONDS] [--list LIST.txt] FILE...

LIST.txt has a path a line, relative to its own folder; a path may be followed by options of `tilescope open`. A file counts as opened when it has a point from machine code, its outputs
were written and nothing is out of bounds. Needs TILESCOPE, the program, or `tilescope` on PATH.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--list", type=pathlib.Path, help="more files, a line each, with their options")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows here, too")
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS")
    return parser.parse_args()


def listed(path):
    """The files of a list with their options."""
    calls = []
    for line in path.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words:
            calls.append((str(path.parent / words[0]), words[1:]))
    return calls


def open_file(program, file, options, limit):
    """The document of one file, and the seconds that it took."""
    command = [program, "open", file, "--json", "--time-limit", str(limit), *options]
    begin = time.monotonic()
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit + 90, check=False)
    except subprocess.TimeoutExpired:
        return {"status": "timed_out", "reason": "no answer"}, time.monotonic() - begin
    seconds = time.monotonic() - begin
    try:
        return json.loads(result.stdout), seconds
    except json.JSONDecodeError:
        return {"status": "crashed", "reason": result.stderr[-300:]}, seconds


def compiled_by(document):
    for note in document.get("notes", []):
        if note.startswith("Compiled with "):
            return note.split()[2]
    return ""


def is_opened(document):
    memory = document.get("memory") or {}
    found = [finding["kind"] for finding in document.get("findings", [])]
    writes = any(site["operation"].startswith(("st.global", "atom", "red")) for site in memory.get("sites", []))
    return document["status"] in ("ok", "unchecked") and writes and "out_of_bounds" not in found


def row_of(file, document, seconds):
    memory = document.get("memory") or {}
    return {"file": pathlib.Path(file).name, "opened": is_opened(document), "compiled_by": compiled_by(document),
            "kernels": len(document.get("kernels", [])), "kernel": document.get("entry", ""),
            "status": document["status"], "reason": document.get("reason", ""),
            "guesses": len(document.get("guesses", [])), "conflicts": memory.get("shared_conflicts"),
            "findings": [finding["kind"] for finding in document.get("findings", [])],
            "predicted_us": (document.get("prediction") or {}).get("p50_us"), "seconds": round(seconds, 2)}


def text_of(row):
    reason = "" if row["opened"] else row["reason"].replace("\n", " ")[:160]
    found = ", ".join(sorted(set(row["findings"])))
    return (f"{'opened' if row['opened'] else 'NOT':6} {row['seconds']:6.1f} s  {row['file'][:44]:44} {row['compiled_by']:5} "
            f"{row['status']:11} {row['guesses']:3} guesses  conflicts {row['conflicts'] or 0:>10}  {found}  {reason}")


def main():
    arguments = parse_arguments()
    calls = [(file, []) for file in arguments.files]
    if arguments.list:
        calls += listed(arguments.list)
    program = os.environ.get("TILESCOPE", "tilescope")
    rows = []
    for file, options in calls:
        document, seconds = open_file(program, file, options, arguments.time_limit)
        rows.append(row_of(file, document, seconds))
        print(text_of(rows[-1]), flush=True)
    print(f"{sum(row['opened'] for row in rows)} of {len(rows)} opened")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
