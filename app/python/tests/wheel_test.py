"""The wheel: it is made without a network, and what it installs is complete."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def is_installed(*names):
    return all(importlib.util.find_spec(name) for name in names)


def make(*arguments):
    return subprocess.run([sys.executable, PACKAGE / "make_wheel.py", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


@unittest.skipUnless(is_installed("pip", "setuptools", "wheel"), "pip, setuptools or wheel is not installed")
class Wheel(unittest.TestCase):
    def test_it_is_made_and_installed(self):
        with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
            before = sorted(PACKAGE.rglob("*"))
            made = make("--to", folder).stdout.strip()
            self.assertEqual(sorted(PACKAGE.rglob("*")), before, "nothing is written beside the sources")
            with zipfile.ZipFile(made) as wheel:
                names = wheel.namelist()
                wheel.extractall(pathlib.Path(folder) / "installed")
            for source in (PACKAGE / "src/tilescope").glob("*.py*"):
                if source.is_file():
                    self.assertIn(f"tilescope/{source.name}", names)
            self.assertTrue(any(name.endswith("LICENSE") for name in names))
            program = (f"import sys; sys.path.insert(0, {str(pathlib.Path(folder) / 'installed')!r}); import tilescope; "
                       "from importlib import metadata; print(tilescope.__version__, metadata.version('tilescope'))")
            shown = subprocess.run([sys.executable, "-I", "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.assertEqual(*shown.split())

    def test_a_folder_that_cannot_be_made_is_said(self):
        failed = make("--to", "/dev/null/x")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("the wheel cannot be made", failed.stderr)


if __name__ == "__main__":
    unittest.main()
