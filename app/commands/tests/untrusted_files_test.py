"""Folders and files of others: the home and the cache of the user, entries of the cache, and what a kernel includes."""

import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
TILESCOPE = pathlib.Path(sys.argv.pop(1))
NOBODY = 65534
DECLARATION = """/* tilescope-kernel
{ "name": "included", "role": "rung", "rung": 1, "title": "t", "entry": "k", "dtypes": ["fp16"], "parameters": [],
  "constraints": [], "grid": ["Sq", "Hq", "B"], "threads": "32", "dynamic_shared_bytes": "0", "tiles": [],
  "arguments": [{"type": "attention_problem"}] }
*/
#include "device/head_view.cuh"
%s
extern "C" __global__ void k(AttentionProblem p) {}
"""
SMALL = ("--shape", "1,1,96,64", "--device", "L4")
is_root = os.geteuid() == 0


def downloads():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tilescope/dependencies"


class Untrusted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilescope-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.session = self.folder / "session.json"
        self.cache = self.folder / "cache/tilescope"
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "TILESCOPE_WORKER", "TILESCOPE_ROOT", "HOME")
                            and not name.startswith("XDG_")}

    def run_it(self, *arguments, user=None, **variables):
        program = TILESCOPE if user is None else self.copy_for_everybody()
        return subprocess.run([program, *map(str, arguments)], env=self.environment | variables, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, user=user,
                              extra_groups=None if user is None else [])

    def copy_for_everybody(self):
        """The program and what it reads, where every user may read them: the checkout may be below another user's home."""
        root = self.folder / "root"
        if not root.exists():
            for name in ("kernels", "assets"):
                shutil.copytree(SOURCE / name, root / name)
            shutil.copy(TILESCOPE, root / "tilescope")
            subprocess.run(["chmod", "-R", "a+rX", root], check=True)
        self.environment["TILESCOPE_ROOT"] = str(root)
        return root / "tilescope"

    def check(self, name, **how):
        result = self.run_it("doctor", "--json", **how)
        return next(check for check in json.loads(result.stdout)["checks"] if check["name"] == name)


class Home(Untrusted):
    def test_without_home_it_is_that_of_the_user_database(self):
        home = pwd.getpwuid(os.geteuid()).pw_dir
        if not os.access(home, os.W_OK):
            self.skipTest(f"the home in the user database, {home}, cannot be written")
        for variables in ({}, {"HOME": ""}, {"HOME": "relative"}, {"XDG_CACHE_HOME": "relative"}):
            self.assertTrue(self.check("cache", **variables)["found"].startswith(f"{home}/.cache/tilescope"), variables)

    def test_home_and_the_variables_come_first(self):
        self.assertTrue(self.check("cache", HOME=str(self.folder))["found"].startswith(f"{self.folder}/.cache/tilescope"))
        self.assertTrue(self.check("cache", XDG_CACHE_HOME=str(self.folder / "x"))["found"].startswith(f"{self.folder}/x/"))

    @unittest.skipUnless(is_root, "only root can run as a user without a home")
    def test_without_a_usable_home_a_private_folder_takes_its_place(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        self.folder.chmod(0o755)
        place = shared / f"tilescope-{NOBODY}"
        found = self.check("cache", user=NOBODY, TMPDIR=str(shared))
        self.assertTrue(found["found"].startswith(f"{place}/.cache/tilescope"), found)
        self.assertEqual((place.stat().st_uid, place.stat().st_mode & 0o777), (NOBODY, 0o700))

    @unittest.skipUnless(is_root, "only root can run as another user")
    def test_a_folder_that_another_user_has_prepared_is_not_used(self):
        self.folder.chmod(0o755)
        for prepare in (lambda place: place.mkdir(mode=0o777), lambda place: place.symlink_to(self.folder),
                        lambda place: place.write_text("")):
            with tempfile.TemporaryDirectory(dir=self.folder) as shared:
                os.chmod(shared, 0o1777)
                prepare(pathlib.Path(shared) / f"tilescope-{NOBODY}")
                found = self.check("cache", user=NOBODY, TMPDIR=shared)
                self.assertEqual(found["state"], "warning")
                self.assertIn("Set HOME", found["advice"])


class Cache(Untrusted):
    def with_program(self):
        """A download that notes that it ran."""
        tool = self.cache / "dependencies/nvdisasm/nvdisasm"
        tool.parent.mkdir(parents=True)
        tool.write_text(f"#!/bin/sh\ntouch {self.folder}/ran\necho 'release 13.5, V13.5.37'\n")
        tool.chmod(0o755)
        for folder in (self.cache.parent, self.cache, self.cache / "dependencies", tool.parent):
            folder.chmod(0o755)
        return tool

    def ran(self):
        note = self.folder / "ran"
        note.unlink(missing_ok=True)
        check = self.check("nvdisasm", XDG_CACHE_HOME=str(self.cache.parent), PATH="/usr/bin:/bin")
        return note.exists(), check

    def test_nothing_is_run_from_a_folder_that_others_may_write(self):
        tool = self.with_program()
        self.assertTrue(self.ran()[0], "the caller's own program")
        for place in (tool, tool.parent, self.cache / "dependencies", self.cache):
            for bit in (0o020, 0o002):
                place.chmod(0o755 | bit)
                ran, check = self.ran()
                self.assertFalse(ran, f"{place} {bit:o}")
                self.assertIn(str(place), check["found"] + check["advice"])
                self.assertIn("XDG_CACHE_HOME", check["found"] + check["advice"])
                place.chmod(0o755)
        self.assertTrue(self.ran()[0])

    @unittest.skipUnless(is_root, "only root can give a file to another user")
    def test_nothing_is_run_from_a_folder_of_another_user(self):
        tool = self.with_program()
        for place in (tool, tool.parent, self.cache / "dependencies", self.cache, self.cache.parent):
            os.chown(place, NOBODY, NOBODY)
            ran, check = self.ran()
            self.assertFalse(ran, place)
            self.assertIn(f"{place} belongs to", check["found"] + check["advice"])
            os.chown(place, 0, 0)
        self.assertTrue(self.ran()[0])

    def test_the_downloads_may_be_a_link_to_a_folder_of_ones_own(self):
        self.with_program()
        elsewhere = self.folder / "elsewhere"
        (self.cache / "dependencies").rename(elsewhere)
        (self.cache / "dependencies").symlink_to(elsewhere)
        self.assertTrue(self.ran()[0])
        elsewhere.chmod(0o777)
        self.assertFalse(self.ran()[0])

    def test_the_doctor_says_why_the_cache_is_not_used(self):
        self.cache.mkdir(parents=True)
        self.cache.chmod(0o777)
        check = self.check("cache", XDG_CACHE_HOME=str(self.cache.parent))
        self.assertEqual(check["state"], "warning")
        self.assertIn(f"{self.cache} may be written by every user", check["advice"])

    def measured(self, warps):
        result = self.run_it("measure", "naive", *SMALL, "--set", f"NUM_WARPS={warps}", "--json",
                             XDG_CACHE_HOME=str(self.cache.parent))
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["prediction"]["p50_us"]

    def test_an_entry_that_was_exchanged_for_another_one_is_not_taken(self):
        if not downloads().exists():
            self.skipTest("the downloads are missing")
        self.cache.mkdir(parents=True)
        (self.cache / "dependencies").symlink_to(downloads())
        one, eight = self.measured(1), self.measured(8)
        self.assertNotEqual(one, eight)
        for folder in ("executions", "binaries", "disassemblies", "sources"):
            entries = sorted((self.cache / folder).glob("*"), key=lambda entry: entry.stat().st_mtime_ns)
            self.assertGreater(len(entries), 0, folder)
            for target in entries[1:]:
                shutil.copyfile(entries[0], target)
            self.assertEqual(self.measured(8), eight, folder)
        for entry in (self.cache / "executions").glob("*"):
            entry.unlink()
            entry.symlink_to(self.folder / "victim")
        (self.folder / "victim").write_text("mine")
        self.assertEqual(self.measured(8), eight)
        self.assertEqual((self.folder / "victim").read_text(), "mine")


class Includes(Untrusted):
    def setUp(self):
        super().setUp()
        if not downloads().exists():
            self.skipTest("the downloads are missing")
        self.cache.mkdir(parents=True)
        (self.cache / "dependencies").symlink_to(downloads())
        self.mine = self.folder / "mine"
        self.mine.mkdir()

    def measure(self, lines, code=None):
        file = self.mine / "included.cu"
        file.write_text(DECLARATION % lines)
        self.session.unlink(missing_ok=True)
        result = self.run_it("measure", file, *SMALL, "--session", self.session, "--json",
                             XDG_CACHE_HOME=str(self.cache.parent))
        self.assertIn(result.returncode, (0, 1) if code is None else (code,), result.stdout + result.stderr)
        return json.loads(result.stdout)

    def test_private_files_are_not_carried_into_the_session(self):
        secret = "hunter2 is the word"
        (self.mine / "private.txt").write_text(secret)
        (self.folder / "outside.h").write_text(secret)
        (self.mine / "link.h").symlink_to(self.folder / "outside.h")
        names = ("private.txt", "../outside.h", str(self.folder / "outside.h"), "link.h")
        for name in names:
            for lines in (f'#if 0\n#include "{name}"\n#endif', f'#include "{name}"'):
                point = self.measure(lines)
                text = self.session.read_text()
                self.assertNotIn("hunter2", text, lines)
                source, = json.loads(text)["sources"].values() if "sources" in json.loads(text) else ({},)
                self.assertEqual(list(source["hashed_headers"]), [name])
                self.assertEqual(any(name in note for note in point["notes"]), point["status"] != "compile_failed")

    def test_a_header_from_elsewhere_still_compiles_here(self):
        (self.folder / "common.cuh").write_text("#define COMMON 1\n")
        point = self.measure('#include "../common.cuh"\n#if COMMON != 1\n#error missing\n#endif')
        self.assertNotEqual(point["status"], "compile_failed", point["reason"])

    def test_only_regular_files_are_included(self):
        os.mkfifo(self.mine / "pipe")
        for name in ("pipe", "/dev/zero", "../mine/pipe"):
            for lines in (f'#if 0\n#include "{name}"\n#endif', f'#include "{name}"', f"%:include <{name}>"):
                if name != "/dev/zero" and "<" in lines:
                    continue
                point = self.measure(lines, code=1)
                self.assertEqual(point["status"], "compile_failed")
                self.assertIn(f'"{name}"', point["reason"])

    def test_long_names_are_a_compile_error(self):
        for lines in ('#if 0\n#include "%s"\n#endif', '#include "%s"', "#include <%s>"):
            point = self.measure(lines % ("a" * 50_000), code=1)
            self.assertEqual(point["status"], "compile_failed")
            self.assertLess(len(point["reason"]), 300)

    def test_a_long_line_of_code_in_an_error_is_no_crash(self):
        point = self.measure("int " + "a" * 200_000 + " = 1 1;", code=1)
        self.assertEqual(point["status"], "compile_failed")


if __name__ == "__main__":
    unittest.main()
