#!/usr/bin/env python3
"""Show what a build spends its time on, from the log that ninja keeps.

    build_times.py BUILD [--headers] [--slowest N] [--json]

By target: the seconds of its objects and of its link. With --headers by header: the seconds of all objects that include
it, directly or not, and how many those are; that is the most that a shorter header could save. Several compilers run at
once, so the seconds of all targets are more than what the build took. An object that was compiled several times counts
with its last time; one that came from a cache counts with the time that this took.
"""

import argparse
import json
import pathlib
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass

OBJECT = re.compile(r"(?:^|/)CMakeFiles/([^/]+)\.dir/.*\.(?:o|gch|pch)$")
DEPENDENCIES_OF = re.compile(r"^(\S.*): #deps \d+, deps mtime \d+ \(VALID\)$")
SOURCES = (".c", ".cc", ".cpp", ".cxx")


@dataclass
class Step:
    seconds: float
    outputs: list


def read_steps(build):
    """What ninja ran to make the outputs that exist, each with its last time. A command may have several outputs."""
    last = {}
    for line in (build / ".ninja_log").read_text(errors="replace").splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            start, end, _, output, command = fields
            last[output] = (int(start), int(end), command)
    steps = {}
    for output, (start, end, command) in last.items():
        if (build / output).exists():
            steps.setdefault((start, end, command), Step((end - start) / 1000, [])).outputs.append(output)
    return list(steps.values())


def kind_of(output):
    if output.endswith(".a"):
        return "static library"
    folder = pathlib.PurePath(output).parts[0]
    return {"tests": "test executable", "bench": "benchmark"}.get(folder, "executable")


def name_of(output):
    """The target that an output is linked for: profiler/libcompile.a belongs to compile."""
    path = pathlib.PurePath(output)
    return path.stem.removeprefix("lib") if path.suffix == ".a" else path.name


def times_by_target(steps):
    """Rows of name, kind, seconds and objects, the slowest first. A command that neither compiles nor links for a
    target has a row of its own."""
    rows = {}
    others = []
    for step in steps:
        match = OBJECT.search(step.outputs[0])
        if not match:
            others.append(step)
            continue
        row = rows.setdefault(match[1], {"name": match[1], "kind": "object library", "seconds": 0.0, "objects": 0})
        row["seconds"] += step.seconds
        row["objects"] += 1
    for step in others:
        output = next((output for output in step.outputs if name_of(output) in rows), None)
        row = rows.setdefault(name_of(output) if output else step.outputs[0],
                              {"name": step.outputs[0], "kind": "command", "seconds": 0.0, "objects": 0})
        row["seconds"] += step.seconds
        if output:
            row["kind"] = kind_of(output)
    return sorted(rows.values(), key=lambda row: -row["seconds"])


def read_dependencies(build):
    """{object: the files that it was compiled from}, as the compiler listed them."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    dependencies, files = {}, []
    for line in listed.splitlines():
        if match := DEPENDENCIES_OF.match(line):
            files = dependencies[match[1]] = []
        elif line.startswith("    "):
            files.append(line.strip())
        else:
            files = []
    return dependencies


def times_by_header(build, steps, dependencies):
    """Rows of name, seconds and objects, the slowest first. The sources of an object are not headers, nor the files that
    a unity build includes."""
    seconds, objects = defaultdict(float), defaultdict(int)
    for step in steps:
        read = dependencies.get(step.outputs[0], [])
        for file in {(build / file).resolve() for file in read if not file.endswith(SOURCES)}:
            seconds[file] += step.seconds
            objects[file] += 1
    rows = [{"name": str(file), "seconds": seconds[file], "objects": objects[file]} for file in seconds]
    return sorted(rows, key=lambda row: (-row["seconds"], row["name"]))


def print_table(rows):
    print(f"{'seconds':>8} {'objects':>8}  name")
    for row in rows:
        kind = f" ({row['kind']})" if "kind" in row else ""
        print(f"{row['seconds']:8.1f} {row['objects']:8}  {row['name']}{kind}")


def main():
    parser = argparse.ArgumentParser(description="Show what a build spends its time on.")
    parser.add_argument("build", type=pathlib.Path, help="a folder that ninja built in")
    parser.add_argument("--headers", action="store_true", help="also by header")
    parser.add_argument("--slowest", type=int, metavar="N", help="only the N slowest of each")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not (build / ".ninja_log").exists():
        parser.error(f"{build} has no .ninja_log: nothing was built there")
    steps = read_steps(build)
    tables = {"targets": times_by_target(steps)[:arguments.slowest]}
    if arguments.headers:
        tables["headers"] = times_by_header(build, steps, read_dependencies(build))[:arguments.slowest]
    if arguments.json:
        print(json.dumps(tables, indent=1))
        return
    for table in tables.values():
        print_table(table)


if __name__ == "__main__":
    main()
