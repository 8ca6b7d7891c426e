#!/usr/bin/env python3
"""No two types of a namespace share a name: the linker would pick either, and no compiler reports it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMESPACE = re.compile(r"^namespace ?([\w:]*) ?\{")
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+(?:::\w+)*)(?: final)?(?: : [^;]*)? \{")


def definitions(file):
    """The qualified names of the types that a file defines at the level of a named namespace."""
    space = None
    for line in file.read_text().splitlines():
        if entered := NAMESPACE.match(line):
            name = entered.group(1)
            # An unnamed namespace is only visible in its file.
            space = None if not name else name if name.startswith("tilescope") else f"{space}::{name}"
        elif line.startswith("}  // namespace tilescope"):
            space = None
        elif line == "}  // namespace":
            space = "tilescope"
        elif space and (defined := TYPE.match(line)):
            yield f"{space}::{defined.group(1)}"


def main():
    seen, clashes, files = {}, [], 0
    for folder in ("app", "base", "kernels", "profiler", "sessions"):
        for file in sorted((ROOT / folder).rglob("*.[hc]pp")):
            files += 1
            for name in definitions(file):
                if name in seen and seen[name] != file and not ("tests" in file.parts and "tests" in seen[name].parts):
                    clashes.append(f"{name}: {seen[name].relative_to(ROOT)} and {file.relative_to(ROOT)}")
                seen.setdefault(name, file)
    print("\n".join(clashes) or f"{len(seen)} types in {files} files, each defined once")
    sys.exit(1 if clashes or len(seen) < 100 else 0)


if __name__ == "__main__":
    main()
