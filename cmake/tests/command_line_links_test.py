"""The command line and the worker start on a server: they need no window library, not even through another library."""

import os
import pathlib
import re
import subprocess
import unittest

WINDOW_LIBRARY = re.compile(r"lib(GL|EGL|GLX|OpenGL|X11|xcb|wayland|glfw|freetype|decor)[.\w-]*\.so")
PROGRAM = pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]) / "bin" / "tilescope"


def libraries(program):
    """The libraries that the dynamic loader would open, as it prints them."""
    return subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout


class CommandLine(unittest.TestCase):
    def test_links_no_window_library(self):
        listing = libraries(PROGRAM)
        self.assertIn("libc.so", listing)
        self.assertIsNone(WINDOW_LIBRARY.search(listing), listing)

    def test_every_library_is_found(self):
        self.assertNotIn("not found", libraries(PROGRAM))

    def test_the_pattern_knows_a_window_library(self):
        self.assertIsNotNone(WINDOW_LIBRARY.search("libGL.so.1 => /usr/lib/x86_64-linux-gnu/libGL.so.1"))
        self.assertIsNotNone(WINDOW_LIBRARY.search("libX11.so.6 => /usr/lib/x86_64-linux-gnu/libX11.so.6"))


if __name__ == "__main__":
    unittest.main()
