#!/usr/bin/env python3
"""Which files of a target are compiled as one (CMake's unity build).

    unity_groups.py [--one-instruction-set] < LINES > GROUPS

Reads a line "TARGET:FILE" for each source and writes a line "TARGET:FILE:GROUP" for each source that has a group. The
unnamed namespaces of a group's files have no name in common. A file that Highway includes again for each instruction
set is compiled alone, or with others of its kind where the build has only one.
"""

import pathlib
import sys

from unnamed_namespace import own_names

FILES_PER_GROUP = 16


def main():
    has_one_set = "--one-instruction-set" in sys.argv[1:]
    groups = {}  # target and kind -> [(number of files, names)]
    for line in sys.stdin.read().splitlines():
        target, file = line.split(":", 1)
        text = pathlib.Path(file).read_text()
        is_for_lanes = "hwy/foreach_target.h" in text
        if is_for_lanes and not has_one_set:
            continue
        names = own_names(text)
        of_target = groups.setdefault((target, is_for_lanes), [])
        fitting = (i for i, (count, used) in enumerate(of_target) if count < FILES_PER_GROUP and not names & used)
        index = next(fitting, len(of_target))
        if index == len(of_target):
            of_target.append((0, set()))
        count, used = of_target[index]
        of_target[index] = (count + 1, used | names)
        print(f"{target}:{file}:{'lanes' if is_for_lanes else 'group'}_{index}")


if __name__ == "__main__":
    main()
