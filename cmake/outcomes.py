"""How the scripts of tests and benchmarks say what came of them. run_benchmarks.py has the exit codes of a benchmark."""

import sys


class Missing(Exception):
    """This machine lacks something: nothing is tested or measured, for this reason."""


class Failure(Exception):
    """The expected and the actual state."""


def say(text):
    """Prints for the user; with --json stdout holds one document only."""
    print(text, file=sys.stderr if "--json" in sys.argv else sys.stdout, flush=True)


def run_benchmark(main):
    """Ends the program with what main returns, 3 where something is missing, 1 for a failure."""
    try:
        sys.exit(main())
    except Missing as reason:
        print(f"not measured here: {reason}", file=sys.stderr)
        sys.exit(3)
    except Failure as reason:
        print(f"failed: {reason}", file=sys.stderr)
        sys.exit(1)
