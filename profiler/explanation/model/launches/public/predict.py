"""Print how predictions of launches of public kernels compare with what an H200 took (h200.csv).

    predict.py [--tilescope BINARY --kernels FOLDER [--to FILE.csv]]

Without arguments: the predictions that are recorded in the table. With FOLDER, which has the repositories checked out as
OWNER+NAME at the commits of the table, each launch is predicted again by `tilescope open`, with the launch that it guesses
and the values of the table; FILE.csv gets the new table. Launches whose grid is another one by now are left out.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# [us] Below it the cost of a launch decides, which the model has too small.
SHORT = 5
TIME_LIMIT = 120


def predicted(row, tilescope, kernels):
    """The row with a new prediction; None where the kernel does not open as it did."""
    file = kernels / row["repository"].replace("/", "+") / row["file"]
    command = [tilescope, "open", file, "--entry", row["kernel"], "--device", "H200", "--no-check", "--json"]
    for value in row["values"].split():
        command += ["--set", value]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIME_LIMIT)
    point = json.loads(result.stdout) if result.stdout else {}
    sizes = ["x".join(map(str, point.get(size, []))) for size in ("grid", "block")]
    if not point.get("prediction") or sizes != [row["grid"], row["block"]]:
        print(f"left out: {row['file']}: {row['kernel']}: {point.get('reason') or sizes}", file=sys.stderr)
        return None
    figures = {f"{name}_us": f"{point['prediction'][key]:.4g}"
               for name, key in (("predicted", "p50_us"), ("low", "low_us"), ("high", "high_us"))}
    return row | figures


def line_of(name, rows):
    """A line of the table: |log(predicted / measured)|, the largest factor, and the share inside the band."""
    errors = sorted(abs(math.log(float(row["predicted_us"]) / float(row["graph_us"]))) for row in rows)
    inside = sum(float(row["low_us"]) <= float(row["graph_us"]) <= float(row["high_us"]) for row in rows)
    median, ninth = errors[len(errors) // 2], errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    return (f"{name:34} {len(errors):4} {sum(errors) / len(errors):7.3f} {median:7.3f} {ninth:7.3f} "
            f"{math.exp(errors[-1]):8.2f} {sum(error > math.log(1.3) for error in errors):4} {100 * inside / len(rows):5.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilescope", type=pathlib.Path)
    parser.add_argument("--kernels", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path)
    arguments = parser.parse_args()
    with open(HERE / "h200.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if arguments.kernels:
        if not arguments.tilescope:
            parser.error("--kernels needs --tilescope")
        rows = [new for row in rows if (new := predicted(row, arguments.tilescope, arguments.kernels))]
    if arguments.to:
        with open(arguments.to, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(f"{'launches':34} {'n':>4} {'mean':>7} {'median':>7} {'90 %':>7} {'largest':>8} {'>1.3':>4} {'inside':>7}")
    for use in dict.fromkeys(row["use"] for row in rows):
        for name, is_short in ((f"{use}, from {SHORT} us on", False), (f"{use}, shorter", True)):
            chosen = [row for row in rows if row["use"] == use and (float(row["graph_us"]) < SHORT) == is_short]
            if chosen:
                print(line_of(name, chosen))


if __name__ == "__main__":
    main()
