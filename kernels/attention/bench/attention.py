#!/usr/bin/env python3
"""Our attention kernels against PyTorch's scaled_dot_product_attention on this GPU, both with a warm L2.

    attention.py [--tune FILE] [--shape B,H,S,D] [--seconds N] [--program PATH] [--json] [--to FILE]

Ours is timed by the program's own worker (profiler/timing): the median over replays of a CUDA graph with enough
launches to take 0.2 ms or more. PyTorch's backends are timed in the same way: contiguous [B, H, S, D] FP16 tensors,
nearly normal values, a graph with enough calls to take 5 ms or more. The candidates of a shape are measured with a
short budget; then the best are measured again, in turns with the backends and with the catalogue's own cudnn_sdpa, there
and back, so that a drifting clock affects all of them. The SM clock of each is read right after its launches.

The candidates are in attention_best.json beside this file, or in FILE. Every point is checked against float64 on the
GPU; a configuration that does not fit the GPU is rejected and named. Exit codes: 0 done, 1 a configuration failed or
none is left, 2 wrong usage, 3 cannot run here, with the reason.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "cmake"), str(pathlib.Path(__file__).parent / "parts")]
from outcomes import Missing, run_benchmark, say  # noqa: E402
from program import Worker, fill_cache  # noqa: E402
from sdpa import find_torch, make_backends  # noqa: E402

SHAPES = ("1,8,512,64", "4,16,512,64", "8,16,512,64", "8,16,2048,128")  # Each causal and not.
FLOP_FORMULA = "4*B*H*Sq*Sk*D, halved when causal"
# The share of the dense FP16 peak that mma.sync reaches, by major compute capability, where no calibration has measured
# it. GPUs without wgmma reach all of it.
MMA_SYNC_SHARE = {9: (0.629, "62.9 % of it, Luo et al. 2024, arXiv 2402.13499: Hopper needs wgmma for more")}
LIBRARY = "cudnn_sdpa"  # The catalogue's baseline: cuDNN with our own timer. Left out where cuDNN is missing.
MMA_SYNC_FIGURE = "mma_m16n8k16_fp16_flops_per_clk_sm"  # In a measured device table: `tilescope devices --calibrate`.


class Shape:
    """"1,8,512,64" or "1,8,512,64 causal"."""

    def __init__(self, text):
        sizes, _, mask = text.partition(" ")
        self.B, self.H, self.S, self.D = (int(size) for size in sizes.split(","))
        if mask not in ("", "causal"):
            raise ValueError(f"'{text}' is not a shape")
        self.text, self.sizes, self.causal = text, sizes, mask == "causal"

    def flops(self):
        return 4 * self.B * self.H * self.S * self.S * self.D / (2 if self.causal else 1)

    def document(self):
        return {"B": self.B, "Hq": self.H, "Hkv": self.H, "Sq": self.S, "Sk": self.S, "D": self.D, "dtype": "fp16",
                "causal": self.causal}


def figures(point):
    """The fields of a Measurement that the report keeps."""
    kept = {"status": point["status"], "reason": point["reason"]}
    if point["latency"]:
        kept |= {"p50_us": point["latency"]["p50_us"], "sm_clock_mhz": point["provenance"]["sm_clock_mhz"],
                 "launches_per_replay": point["latency"]["l2_warm"]["launches_per_sample"]}
    if point["resources"]:
        kept |= {name: point["resources"][name] for name in ("registers", "spill_bytes")}
    if point["memory"]:
        kept |= {"shared_conflicts": point["memory"]["shared_conflicts"]}
    return kept


def tune(worker, shape, configurations, options, deadline):
    """[figures] of the candidates, fastest first, failed ones last. Candidates after the deadline are left out."""
    candidates = []
    for configuration in configurations:
        if time.monotonic() > deadline and candidates:
            candidates.append({"configuration": configuration, "status": "left_out", "reason": "out of time"})
            continue
        candidates.append({"configuration": configuration} | figures(worker.measure(shape, configuration, options.short)))
    return sorted(candidates, key=lambda candidate: candidate.get("p50_us", float("inf")))


def alternate(worker, shape, finalists, backends, options):
    """{configuration or backend: [us, one per round]}, the same for its SM clock in MHz, and the failed points. Odd
    rounds go backwards: A B B A."""
    order, failed = [*finalists, *backends], []
    times, clocks = {name: [] for name in order}, {name: [] for name in order}
    for turn in range(options.rounds):
        for name in order if turn % 2 == 0 else reversed(order):
            if name in backends:
                times[name].append(backends[name].p50_us(options.long))
                clocks[name].append(backends[name].sm_clock_mhz())
                continue
            point = figures(worker.measure(shape, name, options.long))
            if "p50_us" in point:
                times[name].append(point["p50_us"])
                clocks[name].append(point["sm_clock_mhz"])
            elif name != LIBRARY:
                failed.append({"configuration": name} | point)
    return times, clocks, failed


def bank_conflicts(worker, shape, configuration, options):
    """Counted over the whole grid; None when the interpreter cannot finish it."""
    return figures(worker.measure(shape, configuration, options.short, "all")).get("shared_conflicts")


def measure_shape(torch, worker, shape, configurations, options, deadline):
    now = time.monotonic()
    candidates = tune(worker, shape, configurations, options, now + 0.6 * (deadline - now))
    finalists = [candidate["configuration"] for candidate in candidates if "p50_us" in candidate][:2]
    backends, absent = make_backends(torch, shape)
    times, clocks, failed = alternate(worker, shape, [*finalists, LIBRARY], backends, options)
    medians = {name: statistics.median(values) for name, values in times.items() if values}
    clock = {name: statistics.median(values) for name, values in clocks.items() if values}
    refused = [candidate for candidate in candidates if candidate["status"] == "invalid_configuration"]
    not_failed = ("ok", "left_out", "invalid_configuration")
    failed += [candidate for candidate in candidates if candidate["status"] not in not_failed]
    result = {"shape": shape.document(), "ours": None, "backends": {name: {"p50_us": medians[name],
              "rounds_us": times[name], "sm_clock_mhz": clock[name], "calls_per_replay": backends[name].calls}
              for name in backends},
              "absent": absent, "candidates": candidates, "refused": refused, "failed": failed}
    measured = [name for name in finalists if name in medians and name not in (point["configuration"] for point in failed)]
    if measured:
        best = min(measured, key=medians.get)
        chosen = next(candidate for candidate in candidates if candidate["configuration"] == best)
        if "shared_conflicts" not in chosen:  # A sample of the blocks of mma_splitkv may finish no row.
            chosen |= {"shared_conflicts": bank_conflicts(worker, shape, best, options)}
        result["ours"] = chosen | {"p50_us": medians[best], "rounds_us": times[best], "sm_clock_mhz": clock[best],
                                   "tflops": shape.flops() / medians[best] * 1e-6}
        result["speed_against"] = {name: medians[name] / medians[best] for name in backends}
        if LIBRARY in medians:
            result[LIBRARY] = {"p50_us": medians[LIBRARY], "rounds_us": times[LIBRARY], "sm_clock_mhz": clock[LIBRARY]}
            result["speed_against"][LIBRARY] = medians[LIBRARY] / medians[best]
        if backends:
            result["speed_against"]["best"] = min(medians[name] for name in backends) / medians[best]
    return result


def show(shape, result, peak):
    say(f"\nB{shape.B} H{shape.H} S{shape.S} D{shape.D} fp16{' causal' if shape.causal else ''}")
    ours = result["ours"]
    if ours:
        share = f", {100 * ours['tflops'] / peak:.1f} % of what mma.sync reaches" if peak else ""
        conflicts = "uncounted" if ours["shared_conflicts"] is None else ours["shared_conflicts"]
        say(f"  {'ours':<10} {ours['p50_us']:9.2f} us at {ours['sm_clock_mhz']:.0f} MHz  {ours['tflops']:.1f} TFLOP/s{share}\n    {ours['configuration']}\n"
            f"    {ours['registers']} registers, {ours['spill_bytes']} B spilled, {conflicts} bank conflicts")
    for name, backend in (result["backends"] | ({LIBRARY: result[LIBRARY]} if LIBRARY in result else {})).items():
        speed = f"  ours is {result['speed_against'][name]:.3f} times as fast" if ours else ""
        say(f"  {name:<10} {backend['p50_us']:9.2f} us at {backend['sm_clock_mhz']:.0f} MHz{speed}")
    for name, why in result["absent"].items():
        say(f"  {name:<10} absent: {why}")
    for point in result["refused"] + result["failed"]:
        say(f"  {point['status']}: {point['configuration']}: {point['reason']}")


def write(document, file):
    if file:
        file.write_text(json.dumps(document, indent=2) + "\n")


def mma_sync_peak(worker, torch):
    """What mma.sync can reach on this GPU, with its source, from the program's device table."""
    try:
        here = [device for device in worker.request("devices", {})["devices"] if device["present"]]
    except OSError as error:
        raise Missing(f"{worker.program}: {error}") from error
    if not here:
        raise Missing("PyTorch finds a GPU, but the program does not: see `tilescope devices`")
    device = here[0]
    measured = (device.get("measured") or {}).get(MMA_SYNC_FIGURE)
    if measured:
        clock, sms = device["boost_clock_mhz"], device["sm_count"]
        return {"tflops": measured["value"] * sms * clock * 1e-6, "source": f"{measured['value']:.0f} FLOP/clk/SM, "
                f"{measured['source']}; times {sms} SMs and their boost clock, {clock:.0f} MHz"}
    share, source = MMA_SYNC_SHARE.get(torch.cuda.get_device_capability()[0], (1.0, "all of it"))
    dense = device["fp16_tflops"]
    return {"tflops": share * dense if dense else None,
            "source": f"{device['sources'].get('fp16_tflops', 'unknown')}; {source}"}


def read_plan(options):
    """[(Shape, its candidates)], the most important first."""
    table = json.loads(options.tune.read_text())["configurations"]
    shapes = [Shape(sizes + mask) for sizes in options.shape or SHAPES for mask in ("", " causal")]
    plan = [(shape, table.get(shape.text, table.get(shape.sizes))) for shape in shapes]
    unknown = [shape.text for shape, configurations in plan if not configurations]
    if unknown:
        raise ValueError(f"{options.tune} has no configurations for {', '.join(unknown)}")
    return plan


def bench(options, plan):
    end = time.monotonic() + options.seconds
    torch = find_torch()
    worker = Worker(options.program)
    peak = mma_sync_peak(worker, torch)
    fill_cache(options.program, torch.cuda.get_device_name(), plan)
    document = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                "method": " ".join(__doc__.split("\n\n")[2].split()), "flop_formula": FLOP_FORMULA,
                "speed_against": "a backend's time divided by ours: over 1 ours is faster", "mma_sync_peak": peak,
                "shapes": [], "left_out": []}
    say(f"{document['device']}, PyTorch {document['torch']}, cuDNN {document['cudnn']}; FLOP = {FLOP_FORMULA}; mma.sync "
        f"reaches {peak['tflops'] or float('nan'):.0f} TFLOP/s ({peak['source']})")
    try:
        slowest = 0.0
        for i, (shape, configurations) in enumerate(plan):
            begin = time.monotonic()
            if end - begin < slowest:
                document["left_out"].append(shape.text)
                continue
            deadline = begin + (end - begin) / (len(plan) - i)
            document["shapes"].append(measure_shape(torch, worker, shape, configurations, options, deadline))
            write(document, options.to)  # After every shape, so that results survive if this process is killed.
            show(shape, document["shapes"][-1], peak["tflops"])
            slowest = max(slowest, time.monotonic() - begin)
    finally:
        worker.close()
    write(document, options.to)
    if document["left_out"]:
        say(f"\nLeft out, out of time: {'; '.join(document['left_out'])}")
    return document


def main():
    build = pathlib.Path(os.environ.get("TILESCOPE_BUILD_DIR", ROOT / "build" / "release"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=build / "bin" / "tilescope")
    best = pathlib.Path(__file__).with_name("attention_best.json")
    parser.add_argument("--tune", type=pathlib.Path, metavar="FILE", default=best,
                        help="the candidates, in the form of attention_best.json")
    parser.add_argument("--shape", action="append", metavar="B,H,S,D", help="causal and not; may be repeated")
    parser.add_argument("--seconds", type=float, default=900, help="for all shapes; what does not fit is left out and named")
    parser.add_argument("--short", type=float, default=0.05, help="[s] for each series of a candidate")
    parser.add_argument("--long", type=float, default=0.3, help="[s] for each series of the best two, and of a backend")
    parser.add_argument("--rounds", type=int, default=4, help="turns of the best two and the backends")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--to", type=pathlib.Path, metavar="FILE", help="write the document there too")
    options = parser.parse_args()
    try:
        plan = read_plan(options)
    except (OSError, ValueError, KeyError) as error:
        parser.error(str(error))
    if not os.access(options.program, os.X_OK):
        raise Missing(f"there is no program {options.program}: build it, or name it with --program")
    options.program = str(options.program.resolve())
    os.environ.setdefault("TILESCOPE_ROOT", str(ROOT))
    document = bench(options, plan)
    if options.json:
        print(json.dumps(document, indent=2))
    return 1 if any(result["failed"] or not result["ours"] for result in document["shapes"]) else 0


if __name__ == "__main__":
    run_benchmark(main)
