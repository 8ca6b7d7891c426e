"""The schema, the reader and the writer of sessions agree: what the program writes holds sessions/schema.json, what the
schema allows can be loaded, and documents that it forbids are refused. Older sessions are held against their own schema
and against today's once they are migrated."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from schema_corners import Corners

SOURCE = pathlib.Path(sys.argv.pop(1))
WRITE_SAMPLES = sys.argv.pop(1)
REWRITE = sys.argv.pop(1)
FIXTURES = SOURCE / "sessions/tests/fixtures"
SCHEMA = json.loads((SOURCE / "sessions/schema.json").read_text())
VERSION = SCHEMA["properties"]["version"]["const"]


def schema_of(version):
    return SCHEMA if version == VERSION else json.loads((FIXTURES / f"schema_{version}.json").read_text())


def complaints(document, version=VERSION):
    validator = jsonschema.Draft202012Validator(schema_of(version))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def older_files():
    """The fixtures and the sessions that ship, in whichever version they are."""
    return sorted(FIXTURES.glob("version_*.json")) + sorted((SOURCE / "sessions/examples").glob("*.json"))


def full_document(version):
    """A session of one point in which every field has a value."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WRITE_SAMPLES, folder], check=True)
        document = json.loads((pathlib.Path(folder) / "full.json").read_text())
    document["points"] = document["points"][:1]
    if version == 1:
        document["version"] = 1
        for field in ("prediction", "counters", "diagnoses"):
            document["points"][0].pop(field)
        document["points"][0]["memory"].pop("counted_from")
    return document


def predicted_documents():
    """Version 1 had predictions in the place of latencies, with their parts as a list or by name."""
    for parts in [[], [{"name": "tensor cores", "microseconds": 2.5}], [7, None, "x", {}], {}, {"memory": 2.5}]:
        document = full_document(1)
        document["points"][0]["latency"] = {"kind": "predicted", "p50_us": 3, "low_us": 2.5, "high_us": 4, "parts": parts}
        yield document


class Schema(unittest.TestCase):
    def rewritten(self, documents):
        """The documents as the program writes them once it has loaded them: it must be able to."""
        with tempfile.TemporaryDirectory() as folder:
            sources, targets = pathlib.Path(folder) / "from", pathlib.Path(folder) / "to"
            sources.mkdir()
            targets.mkdir()
            for number, document in enumerate(documents):
                (sources / f"{number}.json").write_text(json.dumps(document))
            run = subprocess.run([REWRITE, sources, targets], check=True, stdout=subprocess.PIPE, text=True)
            self.assertEqual(run.stdout, "")
            return [json.loads((targets / f"{number}.json").read_text()) for number in range(len(documents))]

    def assert_loads_and_is_written(self, documents):
        for before, after in zip(documents, self.rewritten(documents)):
            self.assertEqual(complaints(after), [], json.dumps(before))

    def test_the_schemas_are_such(self):
        for version in range(1, VERSION + 1):
            jsonschema.Draft202012Validator.check_schema(schema_of(version))

    def test_written_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_SAMPLES, folder], check=True)
            files = sorted(pathlib.Path(folder).glob("*.json"))
            self.assertEqual(len(files), 3)
            for file in files:
                self.assertEqual(complaints(json.loads(file.read_text())), [], file.name)

    def test_every_field_has_a_value_in_the_full_document(self):
        point = full_document(VERSION)["points"][0]
        for name in SCHEMA["$defs"]["measurement"]["properties"]:
            self.assertNotIn(point[name], (None, [], {}), name)

    def test_what_the_schema_allows_can_be_loaded_and_is_written_as_it_allows(self):
        for version, least in ((1, 300), (VERSION, 350)):
            corners = Corners(schema_of(version))
            full = full_document(version)
            self.assertEqual(complaints(full, version), [])
            documents = [document for document in corners.documents(full) if not complaints(document, version)]
            self.assertGreater(len(documents), least, "the corners are missed")
            documents.append(corners.least(full))
            self.assertEqual(complaints(documents[-1], version), [])
            self.assert_loads_and_is_written(documents)

    def test_a_document_that_is_written_again_stays_the_same(self):
        full = full_document(VERSION)
        self.assertEqual(self.rewritten([full]), [full])

    def test_predicted_latencies_of_version_1(self):
        documents = list(predicted_documents())
        for document in documents:
            self.assertEqual(complaints(document, 1), [])
        self.assert_loads_and_is_written(documents)

    def test_shipped_sessions_and_fixtures(self):
        documents = [json.loads(file.read_text()) for file in older_files()]
        self.assertGreater(len(documents), VERSION)
        for file, document in zip(older_files(), documents):
            self.assertEqual(complaints(document, document["version"]), [], file.name)
        self.assert_loads_and_is_written(documents)

    def test_wrong_documents_are_refused(self):
        good = json.loads((FIXTURES / f"version_{VERSION}.json").read_text())

        def refused(change):
            document = copy.deepcopy(good)
            change(document)
            return complaints(document)

        self.assertEqual(complaints(good), [])
        point = good["points"][0]
        for field in ["status", "reason", "kernel", "parameters", "shape", "device", "resources", "occupancy", "error",
                      "latency", "prediction", "counters", "memory", "findings", "diagnoses", "provenance"]:
            self.assertTrue(refused(lambda d: d["points"][0].pop(field)), field)
        for name in ("resources", "occupancy", "shape", "device", "prediction"):
            for field in point[name]:
                if field in ("tail_fraction", "grid_blocks"):
                    continue
                self.assertTrue(refused(lambda d: d["points"][0][name].pop(field)), f"{name}.{field}")
        self.assertTrue(refused(lambda d: d["points"][0].update(status="fine")))
        self.assertTrue(refused(lambda d: d["points"][0].update(reason="an ok point has no reason")))
        self.assertTrue(refused(lambda d: d["points"][1].update(reason="")))
        self.assertTrue(refused(lambda d: d["points"][0]["latency"].update(kind="predicted")))
        self.assertTrue(refused(lambda d: d["points"][0]["memory"].update(counted_from=None)))
        self.assertTrue(refused(lambda d: d["points"][0]["diagnoses"][0].update(severity="disaster")))
        self.assertTrue(refused(lambda d: d.update(version=VERSION + 1)))


if __name__ == "__main__":
    unittest.main()
