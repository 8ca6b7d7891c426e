"""Predicts the attention that others measured (attention.csv), with the machine code that they measured.

    predict.py --tilescope BINARY --kernels FOLDER --to predictions.csv [--device NAME]... [--check]

FOLDER keeps PyTorch's wheel, which is fetched there (755 MB), and its kernels. --check executes small launches whole,
and compares them with attention in float64. Rows that are predicted already are kept.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

import wheel_kernels

HERE = pathlib.Path(__file__).resolve().parent
SHAPE = ["B", "H", "Hkv", "S", "D", "dtype", "causal"]
COLUMNS = ["device", *SHAPE, "p50_us", "clock_mhz", "model"]
# The driver takes the newest cubin of the wheel that the GPU executes.
ARCHITECTURES = {"sm_80": 80, "sm_86": 86, "sm_89": 86, "sm_90": 90, "sm_90a": 90}
CHECKED = [("L4", 1, 2, 2, 256, 64, "fp16", 0), ("L4", 1, 2, 2, 300, 64, "fp16", 0), ("L4", 1, 2, 2, 256, 64, "fp16", 1),
           ("L4", 1, 2, 2, 256, 128, "bf16", 1), ("L4", 1, 2, 2, 256, 128, "fp16", 0), ("A100", 1, 2, 2, 256, 128, "fp16", 0),
           ("H100", 1, 2, 2, 256, 128, "fp16", 1)]


def architecture_of(device):
    tables = map(json.loads, map(pathlib.Path.read_text, (HERE.parents[3] / "assets/devices").glob("*.json")))
    return ARCHITECTURES[next(table["arch"] for table in tables if table["name"] == device)]


class Predictor:
    def __init__(self, tilescope, folder):
        self.tilescope = tilescope
        self.folder = folder
        self.wheel = wheel_kernels.fetch_wheel(folder)
        self.files = {}

    def point(self, device, B, H, Hkv, S, D, dtype, causal, formula=None):
        architecture = architecture_of(device)
        if architecture not in self.files:
            self.files[architecture] = wheel_kernels.extract(self.wheel, self.folder, architecture)
        files = self.files[architecture]
        even = wheel_kernels.is_even(S, D, causal, architecture)
        entry = wheel_kernels.entry_of(files, D, causal, dtype, even, architecture)
        document = wheel_kernels.launch_document(B, H, Hkv, S, D, dtype, causal, architecture)
        if formula:
            next(one for one in document["buffers"] if one["name"] == "o")["expected"] = {
                "formula": formula, "tolerance": {"absolute": 2e-3, "relative": 2e-2}}
        launch = self.folder / "launch.json"
        launch.write_text(json.dumps(document))
        command = [self.tilescope, "open", files[entry], "--entry", entry, "--args", launch, "--device", device, "--no-check",
                   "--json"]
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        point = json.loads(result.stdout) if result.stdout else {"reason": result.stderr}
        if not point.get("prediction"):
            sys.exit(f"{entry} at B{B} H{H} S{S} D{D} on {device}: {point['reason']}")
        return point


def shape_of(row):
    return (int(row["B"]), int(row["H"]), int(row["Hkv"]), int(row["S"]), int(row["D"]), row["dtype"], int(row["causal"]))


def check(predictor):
    wrong = 0
    for device, B, H, Hkv, S, D, dtype, causal in CHECKED:
        q, kv = f"[{B}][{H}][{S}][{D}]", f"[{B}][{Hkv}][{S}][{D}]"
        formula = f"o{q} = attention(q{q}, k{kv}, v{kv}, 1 / sqrt({D}), {causal})"
        point = predictor.point(device, B, H, Hkv, S, D, dtype, causal, formula)
        compared = next(one for one in point["compared"] if one["name"] == "o")
        wrong += compared["wrong"]
        print(f"{device} B{B} H{H}/{Hkv} S{S} D{D} {dtype}{' causal' if causal else ''}: {compared['wrong']} of "
              f"{compared['elements']} elements differ")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilescope", required=True)
    parser.add_argument("--kernels", required=True, type=wheel_kernels.folder_of)
    parser.add_argument("--to", type=pathlib.Path)
    parser.add_argument("--device", action="append")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    predictor = Predictor(arguments.tilescope, arguments.kernels)
    if arguments.check and check(predictor):
        sys.exit(1)
    if arguments.to is None:
        return
    done = {}
    if arguments.to.exists():
        with open(arguments.to, newline="") as file:
            done = {(row["device"], *shape_of(row)): row for row in csv.DictReader(file)}
    with open(HERE / "attention.csv", newline="") as file:
        wanted = list(dict.fromkeys((row["device"], *shape_of(row)) for row in csv.DictReader(file)))
    for key in wanted:
        if key in done or (arguments.device and key[0] not in arguments.device):
            continue
        prediction = predictor.point(*key)["prediction"]
        done[key] = dict(zip(["device", *SHAPE], key)) | {
            name: f"{prediction[name]:.1f}" for name in ("p50_us", "clock_mhz")} | {
                "model": prediction["model"]}
        print(key, done[key]["p50_us"], flush=True)
        with open(arguments.to, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(done[one] for one in wanted if one in done)


if __name__ == "__main__":
    main()
