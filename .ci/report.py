#!/usr/bin/env python3
"""The report of .ci/run: what each part took, against its budget, and the slowest targets and tests.

    report.py part RECORDS STATE NUMBER NAME SECONDS CODE   a part has ended: keep what it took and print a line
    report.py end RECORDS STATE BUILD CLOSING               all have ended: print the report

RECORDS is the folder of this run; NUMBER.log there is what a part printed, NUMBER.ccache what ccache logged, NUMBER.times
what the shell's `times` printed at the part's end and once more after its report. STATE is cold or warm, the column of
.ci/budget. BUILD is the folder of the tests, CLOSING the part whose closing line comes last.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "cmake"))
from run_tests import times  # noqa: E402

CLOSING_LINE = re.compile(r"^\d+ passed, \d+ failed(, \d+ skipped)?$", re.MULTILINE)
UNCHANGED = re.compile(r"([\d,]+) of ([\d,]+) files unchanged")  # kept results of the lint
CACHE_HIT = ("direct_cache_hit", "preprocessed_cache_hit")
SLOWEST = 10


def read_budget(file):
    """{part: {"cold": minutes, "warm": minutes}}"""
    budget = {}
    for line in file.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            cold, warm, name = line.split(maxsplit=2)
            budget[name] = {"cold": int(cold), "warm": int(warm)}
    return budget


def compilations(log):
    """How many of ccache's compilations came from its folder, and how many there were."""
    lines = log.read_text().splitlines() if log.exists() else []
    return sum(line in CACHE_HIT for line in lines), sum(line.startswith("#") for line in lines)


def linted_files(output):
    """How many files the lint did not read again, and how many there are, summed over its compilers."""
    found = [[int(number.replace(",", "")) for number in pair] for pair in UNCHANGED.findall(output)]
    return sum(pair[0] for pair in found), sum(pair[1] for pair in found)


def processor_seconds(times_file):
    """Processes that the shell had started and that had ended by then: its second line, such as 1m2.5s 0m3.1s."""
    spent = times_file.read_text().split()[2:4] if times_file.exists() else []
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in (text.rstrip("s").split("m") for text in spent))


def share_cached(hits, total, kind):
    return f"{100 * hits // total} % of {total} {kind} cached" if total else ""


def duration(seconds):
    return f"{seconds // 60} min {seconds % 60:2} s"


def over_budget(seconds, minutes):
    return f"over its budget of {minutes} min" if minutes is not None and seconds > 60 * minutes else ""


def end_of_part(folder, state, number, name, seconds, code):
    output = folder / f"{number}.log"
    text = output.read_text(errors="replace") if output.exists() else ""
    closing = [match[0] for match in CLOSING_LINE.finditer(text)]
    cached = [share_cached(*compilations(folder / f"{number}.ccache"), "compilations"),
              share_cached(*linted_files(text), "files")]
    budget = read_budget(ROOT / ".ci" / "budget").get(name, {}).get(state)
    processor = round(processor_seconds(folder / f"{number}.times") - processor_seconds(folder / f"{number - 1}.times"))
    record = {"name": name, "seconds": seconds, "code": code, "processor": processor, "budget": budget,
              "closing": closing[-1] if closing else None, "cached": ", ".join(filter(None, cached))}
    with open(folder / "parts.jsonl", "a") as parts:
        print(json.dumps(record), file=parts)
    details = [duration(seconds), f"exit code {code}", f"processor time {duration(processor)}", record["cached"],
               over_budget(seconds, budget)]
    print(f"CI: {name}: {', '.join(filter(None, details))}")


def print_parts(parts):
    print(f"\n{'time':>12}  {'budget':>6}  {'processor':>12}  part")
    for part in parts:
        budget = f"{part['budget']} min" if part["budget"] is not None else ""
        remarks = [part["cached"], over_budget(part["seconds"], part["budget"]),
                   f"EXIT CODE {part['code']}" if part["code"] else ""]
        print(f"{duration(part['seconds']):>12}  {budget:>6}  {duration(part['processor']):>12}  "
              f"{', '.join([part['name'], *filter(None, remarks)])}")


def print_slowest(build):
    """Of the targets and the tests, if there are any."""
    if (build / ".ninja_log").exists():
        print(f"\nThe {SLOWEST} slowest targets, of several compilers at once:", flush=True)
        subprocess.run([sys.executable, ROOT / "cmake" / "build_times.py", build, "--slowest", str(SLOWEST)])
    if (build / "tests.xml").exists():
        print(f"\nThe {SLOWEST} slowest tests:")
        for seconds, name in times(build / "tests.xml")[:SLOWEST]:
            print(f"{seconds:8.1f} s  {name}")


def print_total(parts, state):
    seconds = sum(part["seconds"] for part in parts)
    budgets = [part["budget"] for part in parts]
    budget = None if None in budgets else sum(budgets)
    share = f" of {budget} min" if budget else ""
    processor = f"processor time {duration(sum(part['processor'] for part in parts))}"
    print("\n" + ", ".join(filter(None, [f"CI: {state}: {duration(seconds)}{share}", over_budget(seconds, budget),
                                         processor])))


def end_of_run(folder, state, build, closing_part):
    parts = [json.loads(line) for line in (folder / "parts.jsonl").read_text().splitlines()]
    print_parts(parts)
    print_slowest(build)
    print_total(parts, state)
    for part in parts:
        if part["code"]:
            print(f"CI: failed: {part['name']}")
    closing = next((part["closing"] for part in parts if part["name"] == closing_part), None)
    print(closing or f"{closing_part}: ended without its closing line")


def main():
    parser = argparse.ArgumentParser(description="Report what the parts of .ci/run took.")
    commands = parser.add_subparsers(required=True)
    part = commands.add_parser("part")
    part.set_defaults(command=end_of_part)
    end = commands.add_parser("end")
    end.set_defaults(command=end_of_run)
    for command in (part, end):
        command.add_argument("folder", type=pathlib.Path)
        command.add_argument("state", choices=["cold", "warm"])
    part.add_argument("number", type=int)
    part.add_argument("name")
    part.add_argument("seconds", type=int)
    part.add_argument("code", type=int)
    end.add_argument("build", type=pathlib.Path)
    end.add_argument("closing_part")
    arguments = vars(parser.parse_args())
    arguments.pop("command")(**arguments)


if __name__ == "__main__":
    main()
