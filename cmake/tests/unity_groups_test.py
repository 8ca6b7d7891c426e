"""Which files of a target are compiled as one."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

UNITY_GROUPS = pathlib.Path(__file__).resolve().parents[1] / "unity_groups.py"
OWN = "namespace {\nint %s() { return 1; }\n}  // namespace\n"
LANES = '#include "hwy/foreach_target.h"\n'


class UnityGroups(unittest.TestCase):
    def groups(self, *options, **texts):
        """The group of each file that has one."""
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for name, text in texts.items():
                path = pathlib.Path(folder, name + ".cpp")
                path.write_text(text)
                lines.append(f"target:{path}\n")
            printed = subprocess.run([sys.executable, UNITY_GROUPS, *options], input="".join(lines), check=True,
                                     capture_output=True, text=True).stdout
        rows = [line.split(":") for line in printed.splitlines()]
        return {pathlib.Path(file).stem: group for _, file, group in rows}

    def test_files_without_a_name_in_common_are_together(self):
        groups = self.groups(a=OWN % "f", b=OWN % "g", c=OWN % "f")
        self.assertEqual(groups, {"a": "group_0", "b": "group_0", "c": "group_1"})

    def test_a_number_in_a_text_is_no_name(self):
        text = OWN % "%s" + 'namespace {\nconst char* %s = R"(\n2;\n)";\n}  // namespace\n'
        self.assertEqual(set(self.groups(a=text % ("f", "x"), b=text % ("g", "y")).values()), {"group_0"})

    def test_code_for_several_instruction_sets_is_alone(self):
        self.assertEqual(self.groups(a=LANES, b=LANES + OWN % "f", c=OWN % "g"), {"c": "group_0"})

    def test_code_for_one_instruction_set_is_together_but_not_with_other_code(self):
        groups = self.groups("--one-instruction-set", a=LANES, b=LANES + OWN % "f", c=OWN % "g")
        self.assertEqual(groups, {"a": "lanes_0", "b": "lanes_0", "c": "group_0"})


if __name__ == "__main__":
    unittest.main()
