"""Includes point down only: no floor includes one above it, and no libraries include each other in a circle."""

import collections
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# The floors that each one may include besides itself.
BELOW = {
    "base": set(),
    "kernels": set(),
    "sessions": {"base"},
    "profiler": {"base", "kernels", "sessions"},
    "app": {"base", "kernels", "profiler", "sessions"},
}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LIBRARY = re.compile(r"^ *tilescope_library\(", re.MULTILINE)


def program_files():
    """The C++ files of the program, which a test or a benchmark may include from anywhere."""
    for floor in BELOW:
        for file in sorted((SOURCE / floor).rglob("*.[hc]pp")):
            if not {"tests", "bench"} & set(file.relative_to(SOURCE).parts):
                yield file


def includes():
    """(including file, included file), both from the repository's root."""
    for file in program_files():
        for name in INCLUDE.findall(file.read_text()):
            if (SOURCE / name).is_file():
                yield file.relative_to(SOURCE), pathlib.Path(name)


def library_of(file):
    """The nearest folder above a file whose CMake list declares a library."""
    for folder in file.parents:
        cmake_list = SOURCE / folder / "CMakeLists.txt"
        if cmake_list.is_file() and LIBRARY.search(cmake_list.read_text()):
            return str(folder)
    return str(file.parent)


def circle_in(arrows):
    """A list of names that lead back to the first one, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for target in sorted(arrows.get(name, ())):
            if found := visit(target):
                return found
        path.pop()
        done.add(name)
        return None

    for name in sorted(arrows):
        if found := visit(name):
            return found
    return None


class Includes(unittest.TestCase):
    def test_point_down(self):
        count, upward = 0, []
        for file, included in includes():
            count += 1
            floor, target = file.parts[0], included.parts[0]
            if target != floor and target not in BELOW[floor]:
                upward.append(f"{file} includes {included}")
        self.assertEqual(upward, [])
        self.assertGreater(count, 2000)

    def test_no_libraries_include_each_other_in_a_circle(self):
        arrows, examples = collections.defaultdict(set), {}
        for file, included in includes():
            pair = library_of(file), library_of(included)
            if pair[0] != pair[1]:
                arrows[pair[0]].add(pair[1])
                examples.setdefault(pair, f"{file} includes {included}")
        circle = circle_in(arrows)
        self.assertIsNone(circle, [examples[pair] for pair in zip(circle or [], (circle or [])[1:])])
        self.assertGreater(len(arrows), 20)

    def test_a_circle_is_found(self):
        self.assertIsNone(circle_in({"a": {"b", "c"}, "b": {"c"}}))
        self.assertEqual(circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])


if __name__ == "__main__":
    unittest.main()
