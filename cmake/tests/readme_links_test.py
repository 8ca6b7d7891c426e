"""Every relative link and picture of every README.md leads to a file or a folder of the repository."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:|#")  # Another host, or a heading of the same file.


class ReadmeLinks(unittest.TestCase):
    def test_lead_to_what_exists(self):
        readmes = [file for file in ROOT.rglob("README.md") if "build" not in file.relative_to(ROOT).parts]
        links = [(file, link) for file in readmes for link in LINK.findall(file.read_text()) if not ELSEWHERE.match(link)]
        self.assertGreater(len(links), 10)
        for file, link in links:
            self.assertTrue((file.parent / link.split("#")[0]).exists(), f"{file.relative_to(ROOT)}: there is no {link}")


if __name__ == "__main__":
    unittest.main()
