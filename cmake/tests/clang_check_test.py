#!/usr/bin/env python3
"""Which files the check with another compiler reads, how it compiles them and what it reports."""

import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import clang_check
import file_batches

COMPILER = "clang++-19"


class Repository(unittest.TestCase):
    """A repository in a scratch folder, with one commit per call of commit()."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        patched = mock.patch.object(clang_check, "ROOT", self.root)
        patched.start()
        self.addCleanup(patched.stop)
        self.git("init", "-q")

    def git(self, *words, **environment):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True,
                              env={**os.environ, **environment}).stdout.strip()

    def commit(self, when, **texts):
        for name, text in texts.items():
            (self.root / name.replace("_", ".")).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a", GIT_COMMITTER_DATE=when)
        return self.git("rev-parse", "HEAD")

    def first_commit(self, since=""):
        with mock.patch.dict(os.environ, {"TILESCOPE_SINCE": since}):
            return clang_check.first_commit_to_compare()


class ChangedFiles(Repository):
    def test_the_commit_of_the_day_before_counts(self):
        first = self.commit("2026-03-01T12:00:00+01:00", a_cpp="1")
        self.assertIsNone(self.first_commit())
        second = self.commit("2026-03-02T08:00:00+01:00", a_cpp="2")
        self.assertIsNone(self.first_commit())
        self.commit("2026-03-03T07:00:00+01:00", a_cpp="3")
        self.assertEqual(self.first_commit(), first)
        self.commit("2026-03-03T09:00:00+01:00", a_cpp="4")
        self.assertEqual(self.first_commit(), second)

    def test_another_commit_can_be_chosen(self):
        first = self.commit("2026-03-01T12:00:00Z", a_cpp="1")
        self.commit("2026-03-01T13:00:00Z", a_cpp="2")
        self.assertEqual(self.first_commit("HEAD~1"), first)
        with self.assertRaisesRegex(SystemExit, "TILESCOPE_SINCE is 'unknown'"):
            self.first_commit("unknown")

    def changed(self, since):
        entries = {str(path): {} for path in sorted(self.root.glob("*.cpp"))}
        return [pathlib.Path(file).name for file in clang_check.changed_entries(entries, since)]

    def test_changed_files_are_read_and_for_headers_the_files_that_show_them(self):
        texts = {"a_cpp": '#include "b.hpp"\n#include "a.hpp"\n', "b_cpp": '#include "b.hpp"\n',
                 "c_cpp": '#include "c.hpp"\n#include "b.hpp"\n#include "d.hpp"\n', "e_cpp": '#include "d.hpp"\n'}
        texts |= {f"{name}_hpp": "\n" for name in "abcd"}
        since = self.commit("2026-03-01T12:00:00Z", **texts)
        self.assertEqual(self.changed(since), [])
        self.commit("2026-03-01T13:00:00Z", b_cpp="int b;\n")
        self.assertEqual(self.changed(since), ["b.cpp"])
        (self.root / "d.hpp").write_text("int d;\n")
        self.assertEqual(self.changed(since), ["b.cpp", "e.cpp"])
        (self.root / "a.hpp").write_text("int a;\n")
        self.assertEqual(self.changed(since), ["a.cpp", "b.cpp", "e.cpp"])
        (self.root / "e.cpp").unlink()
        self.assertEqual(self.changed(since), ["a.cpp", "b.cpp", "c.cpp"])


class Options(unittest.TestCase):
    GCC = ["/usr/bin/c++", "-DX", "-I/root", "-isystem", "/y", "-O2", "-fno-math-errno", "-Wno-restrict", "-std=c++20",
           "-fdelayed-template-parsing", "-Wno-delayed-template-parsing-in-cxx20"]
    KEPT = ["-DX", "-I/root", "-isystem", "/y", "-std=c++20", *clang_check.WARNINGS]

    def test_options_of_gcc_are_left_out(self):
        self.assertEqual(clang_check.options_for("g++-14", self.GCC), ["g++-14", *self.KEPT])

    def test_clang_delays_the_parsing_of_templates_where_it_must(self):
        self.assertEqual(clang_check.options_for("clang++-19", self.GCC),
                         ["clang++-19", *self.KEPT, *clang_check.CLANG_OPTIONS, *self.GCC[-2:]])


class Compilers(unittest.TestCase):
    def findings(self, compiler, *texts):
        with tempfile.TemporaryDirectory() as folder:
            entries = {}
            for number, text in enumerate(texts):
                path = pathlib.Path(folder, f"file_{number}.cpp")
                path.write_text(text)
                options = clang_check.options_for(compiler, ["c++", "-std=c++20"])
                entries[str(path)] = {"directory": folder, "options": options}
            return file_batches.findings_of(entries, clang_check.compile_text)

    def test_a_warning_is_reported_once(self):
        for compiler in ("g++", COMPILER):
            if not shutil.which(compiler):
                continue
            with self.subTest(compiler):
                one = "namespace {\nint one() { return 1; }\n}  // namespace\n"
                clean = [f"{one}int f{i}() {{ return one(); }}\n" for i in range(4)]
                self.assertEqual(self.findings(compiler, *clean), "")
                found = self.findings(compiler, *clean, "int f(long x) { return x; }\n")
                self.assertEqual(found.count("error:"), 1, found)
                self.assertIn("file_4.cpp:1:", found)

    def test_a_compiler_that_is_not_installed_is_said_to_be_so(self):
        output = io.StringIO()
        with mock.patch("sys.argv", ["clang_check.py", "--compiler", "no-such-compiler", "."]), redirect_stdout(output):
            self.assertEqual(clang_check.main(), 3)
        self.assertIn("no-such-compiler is not installed", output.getvalue())


if __name__ == "__main__":
    unittest.main()
