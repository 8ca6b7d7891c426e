#!/usr/bin/env python3
"""Run the benchmarks of a build: Google Benchmark executables, and the scripts */bench/*.py of the repository.

    run_benchmarks.py ROOT BUILD [NAME] [--json]

NAME selects those whose name contains it. A script gets --json if it was given, and the variables TILESCOPE_BUILD_DIR
and TILESCOPE_SOURCE_DIR. With --json stdout is one document, {name: the benchmark's report}; everything else is on
stderr. Exit codes: 0 all ran, 1 one failed, 2 no benchmark of that name. A script that ends with 3 cannot run here and
has printed the reason: that is not a failure, but it is the exit code if it was the only one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys


def find_benchmarks(root, build):
    """{name: command} of all benchmarks, sorted by name."""
    found = {file.name: [str(file)] for file in (build / "bench").glob("*") if file.is_file() and os.access(file, os.X_OK)}
    for folder in ("app", "base", "kernels", "profiler", "sessions"):
        found |= {file.stem: [sys.executable, str(file)] for file in (root / folder).glob("**/bench/*.py")}
    return dict(sorted(found.items()))


def run(command, as_json, environment):
    """(exit code, report); the report is None when it was printed for the user."""
    if not as_json:
        return subprocess.run(command, env=environment).returncode, None
    is_script = command[0] == sys.executable
    flag = "--json" if is_script else "--benchmark_format=json"
    result = subprocess.run([*command, flag], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        return result.returncode, json.loads(result.stdout)
    except json.JSONDecodeError as error:
        print(f"tilescope: {command[-1]} did not print JSON: {error}", file=sys.stderr)
        return result.returncode or 1, None


def main():
    parser = argparse.ArgumentParser(prog="tilescope bench", description="Run the benchmarks.")
    parser.add_argument("root", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("name", nargs="?", default="", help="run those whose name contains this")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    benchmarks = find_benchmarks(arguments.root, arguments.build)
    chosen = {name: command for name, command in benchmarks.items() if arguments.name in name}
    if not chosen:
        reason = f"no benchmark is called '{arguments.name}'. There are: {', '.join(benchmarks) or 'none'}."
        print(f"tilescope: {reason}", file=sys.stderr)
        if arguments.json:
            print(json.dumps({"status": "usage", "reason": reason}))
        return 2
    environment = dict(os.environ, TILESCOPE_BUILD_DIR=str(arguments.build), TILESCOPE_SOURCE_DIR=str(arguments.root),
                       PYTHONDONTWRITEBYTECODE="1")
    reports, failed, absent = {}, [], []
    for name, command in chosen.items():
        print(f"== {name}", file=sys.stderr if arguments.json else sys.stdout, flush=True)
        code, reports[name] = run(command, arguments.json, environment)
        if code == 3:
            absent.append(name)
        elif code != 0:
            failed.append(name)
            print(f"tilescope: the benchmark {name} ended with code {code}", file=sys.stderr)
    if arguments.json:
        json.dump(reports, sys.stdout, indent=2)
        print()
    if failed:
        return 1
    return 3 if absent == list(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
