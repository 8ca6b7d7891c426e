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


def numbers_out_of_range(document):
    """What today's schema says of a document's numbers alone."""
    def with_context(error):
        yield error
        for inner in error.context:
            yield from with_context(inner)

    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)
    return [one.message for error in errors for one in with_context(error)
            if one.validator in ("minimum", "maximum", "exclusiveMinimum")]


def ascending(figures):
    known = [figure for figure in figures if figure is not None]
    return known == sorted(known)


def is_possible(document):
    """Whether the figures of each point fit together, which a schema cannot say, and are in today's ranges."""
    for point in document["points"]:
        latency, prediction, error, memory = (point.get(key) or {} for key in ("latency", "prediction", "error", "memory"))
        savings = [diagnosis.get("saving") or {} for diagnosis in point.get("diagnoses") or []]
        if latency.get("kind") == "predicted":
            latency, prediction = {}, latency | {"low_us": latency.get("low_us", latency.get("p10_us")),
                                                 "high_us": latency.get("high_us", latency.get("p90_us"))}
        lists = [[latency.get(key) for key in ("p10_us", "p50_us", "p90_us")],
                 [prediction.get(key) for key in ("low_us", "p50_us", "high_us")],
                 [error.get(key) for key in ("rows_checked", "rows_total")],
                 *([saving.get(key) for key in ("low_us", "us", "high_us")] for saving in savings),
                 [memory.get(key) for key in ("blocks_run", "blocks_total")] if memory.get("blocks_total") else []]
        savings = [diagnosis.get("saving") or {} for diagnosis in point.get("diagnoses") or []]
        lists += [[saving.get(key) for key in ("low_us", "us", "high_us")] for saving in savings]
        for series in (latency.get(key) or {} for key in ("l2_warm", "l2_cold")):
            keys = ("min_us", "p10_us", "q1_us", "p50_us", "q3_us", "p90_us", "max_us")
            lists += [[series.get(key) for key in keys], [series.get(key) for key in ("min_us", "mean_us", "max_us")]]
            if series.get("count") and series.get("p50_us") == 0:
                return False
        if any(prediction.get(key) == 0 for key in ("p50_us", "high_us")) or not all(map(ascending, lists)):
            return False
    return not numbers_out_of_range(document)


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
    def load_and_write(self, documents):
        """What REWRITE prints, and the files that it wrote, by their names."""
        with tempfile.TemporaryDirectory() as folder:
            sources, targets = pathlib.Path(folder) / "from", pathlib.Path(folder) / "to"
            sources.mkdir()
            targets.mkdir()
            for number, document in enumerate(documents):
                (sources / f"{number}.json").write_text(json.dumps(document))
            run = subprocess.run([REWRITE, sources, targets], check=True, stdout=subprocess.PIPE, text=True)
            return run.stdout, {file.name: file.read_text() for file in targets.iterdir()}

    def rewritten(self, documents):
        """The documents as the program writes them once it has loaded them: it must be able to."""
        said, files = self.load_and_write(documents)
        self.assertEqual(said, "")
        return [json.loads(files[f"{number}.json"]) for number in range(len(documents))]

    def refused(self, documents):
        """Why each document is not loaded; "" where it is."""
        said, _ = self.load_and_write(documents)
        why = dict(line.split(".json: ", 1) for line in said.splitlines())
        return [why.get(str(number), "") for number in range(len(documents))]

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
            if name != "arguments":  # in the place of the shape
                self.assertNotIn(point[name], (None, [], {}), name)

    def test_a_kernel_of_a_file_has_arguments_in_the_place_of_a_shape(self):
        full = full_document(VERSION)
        full["points"][0] |= {"arguments": {"N": 4096, "x: elements": 8192}, "shape": None}
        self.assertEqual(complaints(full), [])
        self.assertEqual(self.rewritten([full]), [full])
        for change in ({"arguments": None}, {"shape": full_document(VERSION)["points"][0]["shape"]}):
            wrong = copy.deepcopy(full)
            wrong["points"][0] |= change
            self.assertNotEqual(complaints(wrong), [])
            self.assertNotEqual(self.refused([wrong]), [""])

    def test_what_the_schema_allows_can_be_loaded_and_is_written_as_it_allows(self):
        for version, least in ((1, 300), (VERSION, 350)):
            corners = Corners(schema_of(version))
            full = full_document(version)
            self.assertEqual(complaints(full, version), [])
            documents = [document for document in corners.documents(full)
                         if not complaints(document, version) and is_possible(document)]
            self.assertGreater(len(documents), least, "the corners are missed")
            documents.append(corners.least(full))
            self.assertEqual(complaints(documents[-1], version), [])
            self.assert_loads_and_is_written(documents)

    def test_a_document_that_is_written_again_stays_the_same(self):
        full = full_document(VERSION)
        self.assertEqual(self.rewritten([full]), [full])

    def test_members_that_nobody_knows_are_kept(self):
        extended = Corners(SCHEMA).with_unknown_members(full_document(VERSION))
        self.assertGreater(json.dumps(extended).count("a_later"), 25)
        self.assertEqual(self.rewritten([extended]), [extended])

    def test_numbers_that_the_schema_forbids_are_refused_with_their_place(self):
        full = full_document(VERSION)
        cases = [case for case in Corners(SCHEMA).impossible(full) if case[0] != "/version"]
        self.assertGreater(len(cases), 150)
        complaints_of = self.refused([document for place, document in cases])
        for (place, document), complaint in zip(cases, complaints_of):
            self.assertIn(place + ": ", complaint, place)

    def test_figures_that_do_not_fit_together_are_refused_with_their_place(self):
        series = {"p10_us": 31, "q1_us": 30, "p50_us": 29, "q3_us": 28, "p90_us": 27, "mean_us": 35, "min_us": 32}
        cases = [("latency/p10_us", {"latency": {"p10_us": 30.5}}), ("latency/p50_us", {"latency": {"p90_us": 30}}),
                 ("prediction/low_us", {"prediction": {"low_us": 29}}),
                 ("prediction/p50_us", {"prediction": {"high_us": 28}}),
                 ("error/rows_checked", {"error": {"rows_checked": 8193}}),
                 ("memory/blocks_run", {"memory": {"blocks_run": 129}})]
        full = full_document(VERSION)
        documents = []
        for place, changes in cases:
            document = copy.deepcopy(full)
            for part, members in changes.items():
                document["points"][0][part].update(members)
            documents.append(document)
        for member, value in series.items():
            document = copy.deepcopy(full)
            document["points"][0]["latency"]["l2_warm"][member] = value
            cases.append(("latency/l2_warm/", {}))
            documents.append(document)
        for (place, changes), complaint in zip(cases, self.refused(documents)):
            self.assertIn("/points/0/" + place, complaint)

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
