#!/usr/bin/env python3
"""Compare the counts of `tilescope open` with those of Nsight Compute.

    against_ncu.py COUNTED.csv=POINT.json...

COUNTED.csv is what `ncu --csv --metrics METRICS PROGRAM` printed (--print-metrics prints METRICS); its first launch is
taken. POINT.json is what `tilescope open PROGRAM --blocks all --json` printed for that kernel and launch. Exits with 1
where a count differs.
"""

import argparse
import csv
import json
import pathlib
import sys


def requests(point, operation):
    """Wavefronts of shared memory, sectors of global memory."""
    return sum(site["wavefronts"] for site in point["memory"]["sites"] if site["operation"].startswith(operation))


def whole(point, what):
    """The count of the whole grid where each block does the same; the blocks that ran stand for it."""
    return round(point[what] * point["memory"]["blocks_total"] / point["memory"]["blocks_run"])


COUNTS = {
    "smsp__inst_executed.sum": lambda point: whole(point, "warp_instructions"),
    "smsp__thread_inst_executed.sum": lambda point: whole(point, "lane_instructions"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": lambda point: requests(point, "ld.shared"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": lambda point: requests(point, "st.shared"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": lambda point: requests(point, "ld.global"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": lambda point: requests(point, "st.global"),
}


def counted(path):
    """The metrics of the first launch, and the kernel's name."""
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    first = [row for row in rows if row["ID"] == rows[0]["ID"]]
    return rows[0]["Kernel Name"], {row["Metric Name"]: float(row["Metric Value"].replace(",", "")) for row in first}


def compare(pair):
    """Prints a row for each metric; returns how many differ."""
    csv_file, point_file = pair.split("=")
    kernel, metrics = counted(pathlib.Path(csv_file))
    point = json.loads(pathlib.Path(point_file).read_text())
    different = 0
    for metric, count in COUNTS.items():
        ours, theirs = count(point), metrics[metric]
        different += ours != theirs
        print(f"{'equal' if ours == theirs else 'OTHER':6} {kernel.split('(')[0][:28]:28} {metric:54} {ours:16,.0f} {theirs:16,.0f}")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="COUNTED.csv=POINT.json")
    parser.add_argument("--print-metrics", action="store_true")
    arguments = parser.parse_args()
    if arguments.print_metrics:
        print(",".join(COUNTS))
        return 0
    return 1 if sum(compare(pair) for pair in arguments.pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
