#!/usr/bin/env python3
"""clang-tidy over several files at once reports the same as for each alone: every finding once, and no others."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import clang_tidy

PROGRAM = clang_tidy.program_for(pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]))

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
        options = ["c++", "-std=c++20", "-Wall", "-Wshadow", "-Werror"]
        found = {}
        for name, text in texts.items():
            path = self.folder / f"{name}.cpp"
            path.write_text(text)
            found[str(path)] = {"program": PROGRAM, "directory": str(self.folder), "options": options}
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

    def test_nothing_follows_a_using_declaration_that_its_file_does_not_use(self):
        mentions = UNUSED_USING + "int y = sizeof(a::X) + w.X + w->X;  // X\nauto z = \"X\";\n"
        for batch in self.batches(self.entries(a=UNUSED_USING, b="int b;\n", c=mentions, d="int d;\n")):
            self.assertNotIn("a", batch[:-1])
            self.assertNotIn("c", batch[:-1])

    def test_files_that_use_their_using_declarations_are_together(self):
        uses = UNUSED_USING + "X x() { return {}; }\n"
        self.assertEqual(len(self.batches(self.entries(a=uses, b="int b;\n", c=uses.replace("x()", "z()")))), 1)

    def test_no_batch_is_larger_than_it_may_be(self):
        most = clang_tidy.FILES_PER_BATCH
        texts = {f"file_{i}": f"int x{i};\n" for i in range(2 * most + 5)}
        batches = self.batches(self.entries(**texts))
        self.assertEqual(sorted(map(len, batches)), [5, most, most])


@unittest.skipUnless(PROGRAM.exists(), "./tilescope lint has not downloaded clang-tidy")
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

    def test_a_variable_shadows_what_its_own_file_defines_and_nothing_else(self):
        constant = "namespace {\nconst int size = 1;\n}  // namespace\nint %s() { return size; }\n"
        shadow = "int %s(int size) { return size; }\n"
        self.assertEqual(self.lint(a=constant % "f", b=shadow % "g"), "")
        said = self.lint(a=constant % "f", b=shadow % "g", c=constant % "h" + shadow % "i")
        self.assertIn("c.cpp:5:11: error: declaration shadows a variable", said)

    def test_googletest_is_found_behind_a_namespace_with_its_name(self):
        googletest = "namespace testing {\nstruct Test {};\n}\n"
        (self.folder / "gtest.hpp").write_text("#pragma once\n" + googletest)
        include = f'#include "{self.folder}/gtest.hpp"\n'
        entries = self.entries(a=include + "namespace tilescope::testing {}\n",
                               b=include + "namespace tilescope {\nstruct B : testing::Test {};\n}\n")
        files = [str(self.folder / "a.cpp"), str(self.folder / "b.cpp")]
        self.assertEqual(clang_tidy.lint_as_one(entries, files), "")

    def test_a_using_declaration_is_judged_in_its_own_file(self):
        entries = self.entries(a=UNUSED_USING, b=USES_IT)
        files = clang_tidy.make_batches(entries)[0]
        self.assertEqual(len(files), 2)
        self.assertIn("misc-unused-using-decls", clang_tidy.lint(entries, files))


if __name__ == "__main__":
    unittest.main()
