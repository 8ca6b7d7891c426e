"""Makes the wheel of the Python package, without a network: setuptools and wheel have to be installed.

make_wheel.py --to FOLDER      prints the path of the wheel
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGE = pathlib.Path(__file__).resolve().parent
LICENSE = PACKAGE.parents[1] / "LICENSE"


def make_wheel(folder):
    """setuptools writes into the folder that it builds: a copy of the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tilescope-") as temporary:
        copy = pathlib.Path(temporary) / "package"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "make_wheel.py"))
        shutil.copy(LICENSE, copy)
        made = pathlib.Path(temporary) / "wheel"
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index",
                        "--no-deps", "--no-build-isolation", "--wheel-dir", made, copy], check=True, stdout=sys.stderr)
        wheel, = made.glob("*.whl")
        return pathlib.Path(shutil.copy(wheel, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, required=True, metavar="FOLDER")
    try:
        print(make_wheel(parser.parse_args().to))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"tilescope: the wheel cannot be made: {error}")


if __name__ == "__main__":
    main()
