#!/usr/bin/env python3
"""clang-tidy over several files at once reports the same as for each alone: every finding once, and no others."""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import clang_tidy

CLEAN = "namespace {\nint length(int size) { return size + 1; }\n}  // namespace\nint %s() { return length(1); }\n"
DIVISION = "double %s(int a, int b) { return a / b; }\n"
UNUSED_FUNCTION = "namespace {\nint %s() { return 1; }\n}  // namespace\n"
UNUSED_USING = "namespace a {\nstruct X {};\n}\nusing a::X;\n"
USES_IT = "namespace a {\nstruct X {};\n}\nint uses_it() {\n  using namespace a;\n  return sizeof(X);\n}\n"


class Files(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def entries(self, **texts):
        """A build of these files, with its compile_commands.json."""
        options = ["c++", "-std=c++20", "-Wall", "-Werror"]
        found = {}
        for name, text in texts.items():
            path = self.folder / f"{name}.cpp"
            path.write_text(text)
            found[str(path)] = {"directory": str(self.folder), "options": options}
        (self.folder / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(self.folder), "file": file, "arguments": [*options, "-c", file]} for file in found]))
        return found

    def names(self, files):
        return [pathlib.Path(file).stem for file in files]


class Batches(Files):
    def batches(self, entries):
        return [self.names(files) for files in clang_tidy.make_batches(entries)]

    def test_files_with_the_same_options_are_together(self):
        entries = self.entries(a="int a;\n", b="int b;\n", c="int c;\n")
        self.assertEqual(sorted(self.batches(entries)[0]), ["a", "b", "c"])
        entries[str(self.folder / "b.cpp")]["options"] = ["c++", "-DOTHER"]
        self.assertEqual([sorted(batch) for batch in self.batches(entries)], [["a", "c"], ["b"]])

    def test_files_that_define_one_name_are_apart(self):
        self.assertEqual(self.batches(self.entries(a=CLEAN % "f", b=CLEAN % "g")), [["a"], ["b"]])

    def test_nothing_follows_a_using_declaration(self):
        for batch in self.batches(self.entries(a=UNUSED_USING, b="int b;\n", c=UNUSED_USING, d="int d;\n")):
            self.assertNotIn("a", batch[:-1])
            self.assertNotIn("c", batch[:-1])

    def test_no_batch_is_larger_than_it_may_be(self):
        texts = {f"file_{i}": f"int x{i};\n" for i in range(25)}
        batches = self.batches(self.entries(**texts))
        self.assertEqual(sorted(map(len, batches)), [5, 10, 10])


@unittest.skipUnless(shutil.which("clang-tidy-14"), "clang-tidy-14 is not installed")
class Findings(Files):
    def lint(self, **texts):
        entries = self.entries(**texts)
        return clang_tidy.lint(entries, list(entries))

    def test_files_without_a_finding_say_nothing(self):
        self.assertEqual(self.lint(a=CLEAN % "f", b="int b;\n"), "")

    def test_a_name_that_two_files_use_is_none(self):
        self.assertEqual(self.lint(a=CLEAN % "f", b=CLEAN % "g"), "")

    def test_findings_are_those_of_each_file(self):
        texts = {"a": CLEAN % "f", "b": DIVISION % "g", "c": UNUSED_FUNCTION % "h", "d": DIVISION % "i"}
        said = self.lint(**texts)
        for name, check in {"b": "integer-division", "c": "unused-function", "d": "integer-division"}.items():
            self.assertEqual(said.count(f"{name}.cpp:"), 1, said)
            self.assertIn(check, next(line for line in said.splitlines() if f"{name}.cpp:" in line))
        self.assertNotIn("a.cpp", said)

    def test_a_using_declaration_is_judged_in_its_own_file(self):
        entries = self.entries(a=UNUSED_USING, b=USES_IT)
        files = clang_tidy.make_batches(entries)[0]
        self.assertEqual(len(files), 2)
        self.assertIn("misc-unused-using-decls", clang_tidy.lint(entries, files))


if __name__ == "__main__":
    unittest.main()
