"""Every header belongs to a library, so that it is compiled alone when everything is built."""

import os
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"])


class Headers(unittest.TestCase):
    def test_every_header_is_compiled_alone(self):
        # CMake names the file that includes only HEADER by the header's path, under TARGET_verify_interface_header_sets.
        checked = {str(file.relative_to(folder))[: -len(".cxx")]
                   for folder in BUILD.glob("**/*_verify_interface_header_sets") if "CMakeFiles" not in folder.parts
                   for file in folder.glob("**/*.cxx")}
        headers = {str(file.relative_to(ROOT)) for folder in ("app", "kernels", "profiler", "sessions")
                   for file in (ROOT / folder).glob("**/*.hpp") if not {"tests", "bench"} & set(file.parts)}
        self.assertGreater(len(headers), 20)
        self.assertEqual(sorted(headers - checked), [])


if __name__ == "__main__":
    unittest.main()
