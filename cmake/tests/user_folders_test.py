"""The folders of the user as the scripts find them (cmake/user_folders.sh), by bash and by sh."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
is_root = os.geteuid() == 0


class UserFolders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.folder.chmod(0o755)
        # Where every user may read it: the checkout may be below another user's home.
        self.script = pathlib.Path(shutil.copy(ROOT / "cmake/user_folders.sh", self.folder))
        self.script.chmod(0o644)

    def say(self, command, user=None, **variables):
        answers = set()
        for shell in (["bash", "-euo", "pipefail"], ["sh", "-eu"]):
            script = f". '{self.script}'; folder=$({command}); echo \"$folder\""
            run = subprocess.run([*shell, "-c", script], env={"PATH": os.environ["PATH"], **variables}, text=True,
                                 stdout=subprocess.PIPE, check=True, user=user, extra_groups=None if user is None else [])
            answers.add(run.stdout.rstrip("\n"))
        self.assertEqual(len(answers), 1, answers)
        return answers.pop()

    def test_home_is_that_of_the_variable_or_of_the_user_database(self):
        home = pwd.getpwuid(os.geteuid()).pw_dir
        self.assertEqual(self.say("cache_folder", HOME="/a"), "/a/.cache/tilescope")
        self.assertEqual(self.say("cache_folder", HOME="/a", XDG_CACHE_HOME="/b"), "/b/tilescope")
        self.assertEqual(self.say("cache_folder", HOME="/a", XDG_CACHE_HOME="b"), "/a/.cache/tilescope")
        if os.access(home, os.W_OK):
            for variables in ({}, {"HOME": ""}, {"HOME": "relative"}):
                self.assertEqual(self.say("cache_folder", **variables), f"{home}/.cache/tilescope")

    @unittest.skipUnless(is_root, "only root can run as a user without a home")
    def test_a_user_without_a_home_gets_a_private_folder(self):
        self.folder.chmod(0o1777)
        place = self.folder / f"tilescope-{NOBODY}"
        self.assertEqual(self.say("home_folder", user=NOBODY, TMPDIR=str(self.folder)), str(place))
        self.assertEqual((place.stat().st_uid, place.stat().st_mode & 0o777), (NOBODY, 0o700))
        place.rmdir()
        place.mkdir(mode=0o755)
        os.chown(place, 1, 1)
        self.assertEqual(self.say("cache_folder", user=NOBODY, TMPDIR=str(self.folder)), "")

    def test_only_a_folder_of_ones_own_is_trusted(self):
        own, link = self.folder / "own", self.folder / "link"
        own.mkdir(mode=0o755)
        link.symlink_to(own)
        for place in (own, link):
            for mode, trusted in ((0o755, True), (0o775, False), (0o757, False), (0o1777, False), (0o700, True)):
                own.chmod(mode)
                self.assertEqual(self.say(f"why_untrusted '{place}'") == "", trusted, f"{place} {mode:o}")
        self.assertEqual(self.say(f"why_untrusted '{self.folder}/missing'"), "")
        if is_root:
            os.chown(own, NOBODY, NOBODY)
            self.assertIn("belongs to", self.say(f"why_untrusted '{link}'"))

    def test_the_set_up_stops_where_others_may_write(self):
        cache = self.folder / "tilescope"
        cache.mkdir()
        cache.chmod(0o777)
        run = subprocess.run([ROOT / "tilescope", "setup"], env=dict(os.environ, XDG_CACHE_HOME=str(self.folder)), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn(f"{cache} may be written by other users", run.stderr)


if __name__ == "__main__":
    unittest.main()
