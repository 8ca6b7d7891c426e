"""No file is compiled for the machine that builds it: what ships runs on any x86-64."""

import json
import os
import pathlib
import re
import unittest


class PortableBuild(unittest.TestCase):
    def test_no_command_names_an_instruction_set(self):
        commands = json.loads((pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]) / "compile_commands.json").read_text())
        self.assertGreater(len(commands), 10)
        for entry in commands:
            found = re.search(r"\s-m(arch|tune|cpu|avx|sse[34]|fma|bmi)\S*", entry["command"])
            self.assertIsNone(found, f"{entry['file']} is compiled with {found and found[0]}")


if __name__ == "__main__":
    unittest.main()
