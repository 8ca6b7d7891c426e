"""`tilescope lesson` as a teacher uses it, without a GPU."""

import json
import pathlib
import re
import unittest

from command_line_test import TILESCOPE, CommandLine

LESSON = """# Mine

```tilescope configure
{"kernel": "tiled", "shape": "1,1,50,32", "label": "Begin"}
```

```tilescope step
{"to": "tile:1"}
```

```tilescope question
{"id": "keys", "ask": "How many keys?", "answer": "Sk", "sample_wrong": "2 * Sk"}
```
"""


class Lesson(CommandLine):
    def written(self, text, name="01_mine.md"):
        file = self.folder / name
        file.write_text(text)
        return file

    def check(self, file, code):
        result = self.run_it("lesson", "check", file, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)["lessons"]

    def test_a_sound_lesson_passes(self):
        (lesson,) = self.check(self.written(LESSON), 0)
        self.assertEqual((lesson["blocks"], lesson["questions"], lesson["faults"]), (3, 1, []))
        self.assertEqual(lesson["answers"], [["keys", 50.0]])

    def test_each_fault_is_named_with_its_line(self):
        text = LESSON.replace('"tile:1"', '"tile:77"').replace('"2 * Sk"', '"Sk"') + "\n[more](none.md)\n"
        (lesson,) = self.check(self.written(text), 1)
        self.assertEqual([fault["line"] for fault in lesson["faults"]], [7, 11, 15])
        (lesson,) = self.check(self.written(LESSON.replace('"kernel": "tiled"', '"kernel": "tyled"')), 1)
        self.assertIn("tiled", lesson["faults"][0]["text"], "the name that is near")

    def test_wrong_usage_is_said(self):
        for arguments in [["check", "nowhere.md"], ["chek", "x.md"], ["export", self.written(LESSON)],
                          ["export", self.written(LESSON), "--to", "page.txt"], ["check"]]:
            with self.subTest(arguments):
                self.assertEqual(self.run_it("lesson", *arguments).returncode, 2)

    def test_a_handout_is_a_page_on_its_own(self):
        if not (pathlib.Path(TILESCOPE).parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        page = self.folder / "page.html"
        result = self.run_it("lesson", "export", self.written(LESSON), "--to", str(page))
        self.assertEqual(result.returncode, 0, result.stderr)
        text = page.read_text()
        self.assertIn("How many keys?", text)
        self.assertIn("data:image/svg+xml", text)
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)', text), [])


if __name__ == "__main__":
    unittest.main()
