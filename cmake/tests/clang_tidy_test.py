#!/usr/bin/env python3
"""clang-tidy over several files at once reports the same as for each alone: every finding once, and no others. A file
that was clean is not read again while nothing has changed that decides its result."""

import functools
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import clang_tidy
import file_batches
import kept_results

PROGRAM = clang_tidy.program_for(pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]))

OPTIONS = ["c++", "-std=c++20", "-Wall", "-Wshadow"]
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
        found = {}
        for name, text in texts.items():
            path = self.folder / f"{name}.cpp"
            path.write_text(text)
            found[str(path)] = {"directory": str(self.folder), "options": OPTIONS}
        return found

    def names(self, files):
        return [pathlib.Path(file).stem for file in files]


class Batches(Files):
    def batches(self, entries):
        return [self.names(files) for files in file_batches.make_batches(entries)]

    def test_files_with_the_same_options_are_together(self):
        entries = self.entries(a="int a;\n", b="int b;\n", c="int c;\n")
        self.assertEqual(sorted(self.batches(entries)[0]), ["a", "b", "c"])
        entries[str(self.folder / "b.cpp")]["options"] = ["c++", "-DOTHER"]
        self.assertEqual([sorted(batch) for batch in self.batches(entries)], [["a", "c"], ["b"]])

    def test_files_with_options_that_fit_are_together(self):
        entries = self.entries(a="int a;\n", b="int b;\n", c="int c;\n")
        a, b, c = entries
        entries[a]["options"] = ["c++", "-O3", "-DX=1", "-I/x"]
        entries[b]["options"] = ["c++", "-O2", "-DY", "-isystem", "/y"]
        entries[c]["options"] = ["c++", "-O2", "-DX=2"]
        self.assertEqual([sorted(batch) for batch in self.batches(entries)], [["a", "b"], ["c"]])
        options = file_batches.entry_of(entries, [a, b])["options"]
        self.assertEqual(sorted(options), sorted(["c++", "-DX=1", "-DY", "-I/x", "-isystem", "/y"]))
        self.assertEqual(file_batches.entry_of(entries, [a])["options"], entries[a]["options"])

    def test_names_that_two_files_define_get_a_number(self):
        text = '#include "a/length.hpp"\n' + CLEAN % "f" + "int x(X a) { return a.length + N::length + length(2); }\n"
        numbered = file_batches.numbered(text + "int y = tilescope::length(3);\n", {"length"}, 7)
        self.assertIn('#include "a/length.hpp"', numbered)
        self.assertIn("int length_7(int size)", numbered)
        self.assertIn("return a.length + N::length + length_7(2);", numbered)
        self.assertIn("int y = tilescope::length_7(3);", numbered)

    def test_own_names_get_a_number_unless_members_have_them_and_no_earlier_file_does(self):
        own = ("namespace {\nclass Row {};\nint width();\nint depth();\nvoid PrintTo(Row row, std::ostream* out);\n"
               "Row operator+(Row, Row);\n}  // namespace\nint y = x.depth;\n")
        entries = self.entries(a=CLEAN % "f", b=own, c="int x = sizeof(Row) + width();\n", d=own)
        text = file_batches.Batch(list(entries)).text
        for expected in ("int length_0(", "class Row_1 {", "int width_1();", "int depth();", "sizeof(Row) + width()",
                         "class Row_3 {", "int depth_3();"):
            self.assertEqual(text.count(expected), 1, expected)
        self.assertEqual(text.count("void PrintTo(Row_"), 2)
        self.assertEqual(text.count("operator+"), 2)

    def test_two_programs_are_together(self):
        text = file_batches.without_main("int x;\nint main() {\n  x = 1;\n}\nBENCHMARK_MAIN();\n", 3)
        self.assertEqual(text, "int x;\nint main_3() {\n  x = 1;\nreturn 0; }\n\n")

    def test_nothing_follows_a_using_declaration_that_its_file_does_not_use(self):
        mentions = UNUSED_USING + "int y = sizeof(a::X) + w.X + w->X;  // X\nauto z = \"X\";\n"
        for batch in self.batches(self.entries(a=UNUSED_USING, b="int b;\n", c=mentions, d="int d;\n")):
            self.assertNotIn("a", batch[:-1])
            self.assertNotIn("c", batch[:-1])

    def test_files_that_use_their_using_declarations_are_together(self):
        uses = UNUSED_USING + "X x() { return {}; }\n"
        self.assertEqual(len(self.batches(self.entries(a=uses, b="int b;\n", c=uses.replace("x()", "z()")))), 1)

    def test_no_batch_is_larger_than_it_may_be(self):
        limit = file_batches.MAX_FILES_PER_BATCH
        texts = {f"file_{i}": f"int x{i};\n" for i in range(2 * limit + 5)}
        with mock.patch("os.cpu_count", return_value=1):
            batches = self.batches(self.entries(**texts))
        self.assertEqual(sorted(map(len, batches)), [5, limit, limit])

    def test_batches_are_smaller_where_there_are_many_cores(self):
        for cores, size in [(2, 80), (20, 50), (1000, 20)]:
            with mock.patch("os.cpu_count", return_value=cores):
                self.assertEqual(file_batches.files_per_batch(1000), size)


class Reports(Files):
    """Which files are read alone, for a program that reports lines of texts."""

    def read(self, entry, name, text):
        """A program that finds every line with the word "bad" in it."""
        source = pathlib.Path(name).read_text() if text is None else text
        self.reads.append((pathlib.Path(name).stem, source.count("\nint ")))
        return "".join(f"{name}:{line}:1: error: {words}\n" for line, words in enumerate(source.splitlines(), 1)
                       if "bad" in words and "batch" not in words)

    def findings(self, **texts):
        self.reads, self.clean = [], []
        with mock.patch("os.cpu_count", return_value=1):
            return file_batches.findings_of(self.entries(**texts), self.read, self.clean.extend)

    def test_the_files_that_a_batch_names_are_read_alone_and_the_others_again(self):
        found = self.findings(**{f"f{i}": "\nint bad;\n" if i == 4 else "\nint x;\n" for i in range(9)})
        self.assertEqual(self.reads, [("batch_of_files", 9), ("f4", 1), ("batch_of_files", 8)])
        self.assertIn("f4.cpp:2:1: error", found)
        self.assertEqual(len(self.clean), 8)

    def test_halves_are_read_where_most_files_are_named(self):
        self.findings(**{f"f{i}": "\nint bad;\n" for i in range(4)})
        self.assertEqual([count for _, count in self.reads], [4, 2, 1, 1, 2, 1, 1])
        self.assertEqual(self.clean, [])


@unittest.skipUnless(PROGRAM.exists(), "./tilescope lint has not downloaded clang-tidy")
class Findings(Files):
    read = staticmethod(functools.partial(clang_tidy.clang_tidy, PROGRAM))

    def lint(self, **texts):
        return file_batches.findings_of(self.entries(**texts), self.read)

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

    def test_a_finding_in_a_header_is_reported_where_the_header_is(self):
        (self.folder / "base").mkdir()
        header = self.folder / "base" / "half.hpp"
        header.write_text("#pragma once\n\n" + "inline " + DIVISION % "half")
        include = f'#include "{header}"\n'
        said = self.lint(a=include + "double f() { return half(1, 2); }\n", b="int b;\n", c=DIVISION % "g")
        self.assertEqual(said.count("base/half.hpp:3:"), 1, said)
        self.assertEqual(said.count("c.cpp:1:"), 1, said)

    def lint_at_once(self, *texts):
        """Findings, and how often something was read."""
        reads = []

        def read(*words):
            reads.append(words)
            return self.read(*words)

        named = {f"file_{number}": text for number, text in enumerate(texts)}
        return file_batches.findings_of(self.entries(**named), read), len(reads)

    def test_a_name_that_would_hide_one_of_a_header_has_nothing_read_twice(self):
        header = self.folder / "length.hpp"
        header.write_text("#pragma once\nnamespace tilescope {\ninline int length(long size) { return size > 0; }\n}\n")
        uses = f'#include "{header}"\nnamespace tilescope {{\nnamespace {{\nint own%d() {{ return length(1L); }}\n' \
               "}  // namespace\nint used%d() { return own%d(); }\n}\n"
        hides = "namespace tilescope {\n" + CLEAN.replace("int size", "const char* size").replace("size + 1", "*size") \
            .replace("length(1)", 'length("")') + "}\n"
        self.assertEqual(self.lint_at_once(uses % (1, 1, 1), hides % "f", uses % (2, 2, 2), hides % "g"), ("", 1))

    def test_many_variables_with_the_name_of_one_in_another_file_have_nothing_read_twice(self):
        constants = "".join(f"const int size_{number} = 1;\n" for number in range(30))
        uses = "".join(f"int g{number}() {{ return size_{number} + x.size_{number}; }}\n" for number in range(30))
        members = "struct X {\n" + "".join(f"int size_{number};\n" for number in range(30)) + "} x;\n"
        shadows = "".join(f"int f{number}(int size_{number}) {{ return size_{number}; }}\n" for number in range(30))
        defines = f"{members}namespace {{\n{constants}}}  // namespace\n{uses}"
        self.assertEqual(self.lint_at_once(shadows, defines), ("", 1))

    def test_a_using_declaration_is_judged_in_its_own_file(self):
        entries = self.entries(a=UNUSED_USING, b=USES_IT)
        files = file_batches.make_batches(entries)[0]
        self.assertEqual(len(files), 2)
        self.assertIn("misc-unused-using-decls", file_batches.findings_of(entries, self.read))


class Kept(Files):
    """Results of a repository in a scratch folder, with headers a.hpp -> b.hpp."""

    def setUp(self):
        super().setUp()
        warm = mock.patch.dict(os.environ, {"TILESCOPE_COLD": ""})  # also in a cold run of CI
        warm.start()
        self.addCleanup(warm.stop)
        self.root = self.folder / "clone"
        self.make_repository(self.root)

    def make_repository(self, root):
        (root / "third_party").mkdir(parents=True)
        (root / "third_party" / "requirements.txt").write_text("library==1\n")
        (root / "part").mkdir()
        (root / "part" / "a.hpp").write_text('#pragma once\n#include "part/b.hpp"\n')
        (root / "part" / "b.hpp").write_text("#pragma once\n")
        (root / "part" / "uses.cpp").write_text('#include "part/a.hpp"\n#include "third/party.hpp"\n')
        (root / "part" / "alone.cpp").write_text("int alone;\n")

    def results(self, root=None, texts=("configuration",), **environment):
        root = root or self.root
        entry = {"directory": str(root), "options": ["c++", f"-I{root}", f"-DB={root}/build"]}
        entries = {str(root / "part" / name): entry for name in ("uses.cpp", "alone.cpp")}
        with mock.patch.dict(os.environ, environment):
            kept = kept_results.KeptResults(entries, texts, {root / "build": "BUILD"}, root, self.folder / "kept")
            self.read_again = self.names(kept.files_to_read())
            kept.keep(kept.files_to_read())
        return kept

    def expect_reads(self, *names, **how):
        self.results(**how)
        self.assertEqual(self.read_again, list(names))

    def test_an_unchanged_file_is_not_read_again(self):
        self.expect_reads("uses", "alone")
        self.expect_reads()
        self.assertEqual(self.results().summary(), "2 of 2 files unchanged since they were found clean")

    def test_a_changed_file_is_read_again(self):
        self.results()
        (self.root / "part" / "alone.cpp").write_text("int other;\n")
        self.expect_reads("alone")

    def test_a_changed_header_makes_every_file_that_reaches_it_be_read_again(self):
        self.results()
        (self.root / "part" / "b.hpp").write_text("#pragma once\nint b();\n")
        self.expect_reads("uses")

    def test_a_new_header_counts_where_it_is_included(self):
        self.results()
        (self.root / "part" / "new.hpp").write_text("#pragma once\n")
        self.expect_reads()
        (self.root / "third").mkdir()
        (self.root / "third" / "party.hpp").write_text("#pragma once\n")
        self.expect_reads("uses")

    def test_the_check_and_the_third_party_headers_count(self):
        self.results()
        self.expect_reads("uses", "alone", texts=("another configuration",))
        (self.root / "third_party" / "requirements.txt").write_text("library==2\n")
        self.expect_reads("uses", "alone")

    def test_options_count(self):
        kept = self.results()
        entries = {file: {**entry, "options": [*entry["options"], "-DX"]} for file, entry in kept.entries.items()}
        other = kept_results.KeptResults(entries, ("configuration",), {}, self.root, self.folder / "kept")
        self.assertEqual(len(other.files_to_read()), 2)

    def test_a_clone_in_another_folder_uses_the_results(self):
        self.results()
        self.make_repository(self.folder / "elsewhere")
        self.expect_reads(root=self.folder / "elsewhere")

    def test_a_cold_run_neither_reads_nor_writes(self):
        self.expect_reads("uses", "alone", TILESCOPE_COLD="1")
        self.expect_reads("uses", "alone")
        before = (self.folder / "kept" / "clean_files.jsonl").read_text()
        self.expect_reads("uses", "alone", TILESCOPE_COLD="1")
        self.assertEqual((self.folder / "kept" / "clean_files.jsonl").read_text(), before)

    def test_a_file_that_changes_while_it_is_read_is_not_kept(self):
        with mock.patch.object(kept_results.KeptResults, "keep"):
            kept = self.results()
        (self.root / "part" / "alone.cpp").write_text("int changed;\n")
        kept.keep(kept.files_to_read())
        self.expect_reads("alone")

    def test_a_damaged_file_is_ignored_with_a_message_and_replaced(self):
        self.results()
        path = self.folder / "kept" / "clean_files.jsonl"
        for damage in ("{", "[1]\n", '{"key": 1}\n', "\xff", '{"key": "a", "used": null}\n'):
            path.write_bytes(damage.encode("latin-1"))
            with mock.patch("sys.stderr") as stderr:
                self.expect_reads("uses", "alone")
            self.assertIn("cannot be read", "".join(call.args[0] for call in stderr.write.call_args_list))
            self.expect_reads()

    def test_results_that_nobody_uses_are_dropped(self):
        folder = self.folder / "kept"
        kept_results.ResultFile(folder, today=100).add(["old", "used"])
        kept_results.ResultFile(folder, today=120).add(["used"])
        kept_results.ResultFile(folder, today=140).add(["new"])
        self.assertEqual(kept_results.ResultFile(folder).read(), {"used": 120, "new": 140})
        with mock.patch.object(kept_results, "MAX_RESULTS", 1):
            kept_results.ResultFile(folder, today=140).add([])
        self.assertEqual(kept_results.ResultFile(folder).read(), {"new": 140})

    def test_two_runs_keep_the_results_of_both(self):
        first, second = (kept_results.ResultFile(self.folder / "kept") for _ in range(2))
        first.add(["a"])
        second.add(["b"])
        self.assertEqual(set(first.read()), {"a", "b"})


@unittest.skipUnless(PROGRAM.exists(), "./tilescope lint has not downloaded clang-tidy")
class KeptFindings(Files):
    def test_only_clean_files_are_kept(self):
        entries = self.entries(a=CLEAN % "f", b=DIVISION % "g")
        for expected in (["a", "b"], ["b"]):
            with mock.patch.dict(os.environ, {"TILESCOPE_COLD": ""}):
                kept = kept_results.KeptResults(entries, [], {}, self.folder, self.folder / "kept")
                self.assertEqual(self.names(kept.files_to_read()), expected)
                read = functools.partial(clang_tidy.clang_tidy, PROGRAM)
                findings = file_batches.findings_of(kept.files_to_read(), read, kept.keep)
            self.assertIn("b.cpp:1:", findings)


if __name__ == "__main__":
    unittest.main()
