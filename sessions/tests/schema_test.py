"""Sessions that the program writes, and those that ship, conform to sessions/schema.json; others are rejected."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

SOURCE = pathlib.Path(sys.argv.pop(1))
WRITE_SAMPLES = sys.argv.pop(1)
VALIDATOR = jsonschema.Draft202012Validator(json.loads((SOURCE / "sessions/schema.json").read_text()))


def complaints(document):
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]


class Schema(unittest.TestCase):
    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)

    def test_written_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_SAMPLES, folder], check=True)
            files = sorted(pathlib.Path(folder).glob("*.json"))
            self.assertEqual(len(files), 3)
            for file in files:
                self.assertEqual(complaints(json.loads(file.read_text())), [], file.name)

    def test_shipped_sessions_and_fixtures(self):
        fixtures = sorted((SOURCE / "sessions/tests/fixtures").glob("*.json"))
        self.assertGreater(len(fixtures), 0)
        for file in fixtures + sorted((SOURCE / "sessions/examples").glob("*.json")):
            self.assertEqual(complaints(json.loads(file.read_text())), [], file.name)

    def test_wrong_documents_are_refused(self):
        good = json.loads((SOURCE / "sessions/tests/fixtures/version_1.json").read_text())

        def refused(change):
            document = copy.deepcopy(good)
            change(document)
            return complaints(document)

        self.assertEqual(complaints(good), [])
        point = good["points"][0]
        for field in ["status", "reason", "kernel", "parameters", "shape", "device", "resources", "occupancy", "error",
                      "latency", "memory", "findings", "provenance"]:
            self.assertTrue(refused(lambda d: d["points"][0].pop(field)), field)
        for name in ("resources", "occupancy", "shape", "device"):
            for field in point[name]:
                if field in ("tail_fraction", "grid_blocks"):
                    continue
                self.assertTrue(refused(lambda d: d["points"][0][name].pop(field)), f"{name}.{field}")
        self.assertTrue(refused(lambda d: d["points"][0].update(status="fine")))
        self.assertTrue(refused(lambda d: d["points"][0].update(reason="an ok point has no reason")))
        self.assertTrue(refused(lambda d: d["points"][1].update(reason="")))
        self.assertTrue(refused(lambda d: d.update(version=2)))


if __name__ == "__main__":
    unittest.main()
