"""A worker with a fictitious L4: it answers at once, or does what no test can request from a real GPU.

fake_worker.py SOURCE_DIR LOG MODE[:N] - a line for every measured experiment goes to LOG, and one for every list to
compile ahead to LOG with the suffix .ahead; MODE acts on the Nth experiment: fine, slow (every point takes 0.3 s), die,
hang, wrong (an incorrect result), lost (every point kills the worker),
absent (no GPU: points have a prediction and no latency), both (points have the two). With compiler=BLOCK_M,NUM_WARPS the configuration
of these values kills the worker when it is measured, and while any other is measured after it was named to be compiled.

What a fit was asked for goes to LOG with the suffix .fit; with other_code no point can be fitted to.
"""

import json
import os
import pathlib
import sys
import time

source, log, mode = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
mode, _, acts_on = mode.partition(":")
mode, _, fatal = mode.partition("=")
fatal_was_named = False


def device():
    table = json.loads((source / "assets/devices/l4.json").read_text())
    flat = {key: value["value"] if isinstance(value, dict) else value for key, value in table.items()}
    return flat | {"present": True, "ordinal": 0, "sources": {}}


def prediction(measured):
    us = 0.9 * measured
    return {"p50_us": us, "low_us": 0.8 * measured, "high_us": measured, "roofline_us": 5.0, "model": "test",
            "table_sha256": None, "parts": [{"name": "launch", "microseconds": 2.0},
                                            {"name": "tensor", "microseconds": us - 2}]}


def point(experiment, wrong):
    # Any figure that depends on the configuration: larger tiles are faster here.
    p50 = 100 - experiment["parameters"]["BLOCK_M"] / 2 + experiment["parameters"]["NUM_WARPS"]
    return {
        "status": "wrong_result" if wrong else "ok",
        "reason": "row 3 differs from the reference" if wrong else "",
        "kernel": experiment["kernel"],
        "parameters": experiment["parameters"],
        "shape": experiment["shape"],
        "device": {"name": "L4", "arch": "sm_89", "present": mode != "absent"},
        "resources": {"registers": 64, "static_shared_bytes": 0, "dynamic_shared_bytes": 41472, "spill_bytes": 0,
                      "stack_bytes": 0, "sass_sha256": "c" * 64},
        "occupancy": {"blocks_per_sm": 2, "warps_per_sm": 16, "fraction": 1 / 3, "limiter": "shared_memory",
                      "waves": 0.5, "tail_fraction": 0.5, "grid_blocks": 64},
        "error": {"max_abs": 1.0 if wrong else 1e-4, "max_rel": 1e-4, "tolerance": 1e-3, "checked_by": "gpu",
                  "rows_checked": 4096, "rows_total": 4096},
        "latency": None if wrong or mode == "absent" else {
            "kind": "measured", "p10_us": p50 - 1, "p50_us": p50, "p90_us": p50 + 1, "samples": 50, "tflops": 10.0,
            "tflops_formula": "4*B*Hq*Sq*Sk*D", "series": "l2_warm", "l2_warm": None, "l2_cold": None},
        "prediction": prediction(p50) if mode in ("absent", "both") else None, "counters": None, "memory": None, "findings": [], "diagnoses": None,
        "provenance": {"tilescope_version": "0.0.0", "time_utc": "2025-11-02T14:03:59Z", "source_sha256": None,
                       "seed": experiment["seed"]},
        "notes": [], "compiler_log": "",
    }


def is_fatal(experiment):
    values = experiment["parameters"]
    return mode == "compiler" and f"{values['BLOCK_M']},{values['NUM_WARPS']}" == fatal


def measure(experiment):
    with log.open("a") as lines:
        lines.write(json.dumps(experiment["parameters"]) + "\n")
    number = len(log.read_text().splitlines())
    acts = acts_on == "" or number == int(acts_on)
    if mode == "slow":
        time.sleep(0.3)
    if mode == "lost" or (mode == "die" and acts) or fatal_was_named or is_fatal(experiment):
        os._exit(9)
    if mode == "hang" and acts:
        time.sleep(3600)
    return point(experiment, wrong=mode == "wrong" and acts)


def calibrate(name):
    if mode == "lost":
        os._exit(9)
    if mode == "hang":
        time.sleep(3600)
    figures = {"mufu_ex2_lanes_per_clk_sm": (15.97, "1/clk/SM"), "ffma_latency_cycles": (4.01, "cycles")}
    measured = {figure: {"value": value, "unit": unit, "spread": 0.02, "source": f"measured: clock64 on {name}"}
                for figure, (value, unit) in figures.items()}
    gpu = device()
    sources = {field: "the driver of this machine" for field, value in gpu.items() if isinstance(value, (int, float))}
    report = {"status": "ok", "reason": "", "device": gpu | {"sources": sources, "measured": measured},
            "figures": list(figures), "notes": ["dram_read_gb_per_s was not measured: out of memory"]}
    return {"status": "ok", "reason": "", "report": report}


def fit(params):
    """Answers with what it was asked, in the names and values of a fit."""
    if mode == "lost":
        os._exit(9)
    if mode == "hang":
        time.sleep(3600)
    with log.with_suffix(".fit").open("a") as lines:
        lines.write(json.dumps(params) + "\n")
    points = len(params["experiments"])
    answer = {"status": "ok", "reason": "", "points": points - 2, "error_before": 0.25, "error_after": 0.125,
              "skipped": [{"reason": "the machine code compiled now differs from the recorded one", "points": 2}]}
    if mode == "other_code":
        return answer | {"status": "unsupported", "reason": f"2 of {points} points can be fitted to", "device": params["device"]}
    shipped = json.loads((source / "assets/devices/h200.json").read_text())["fitted"]
    fitted = {name: figure | {"source": "fitted: " + params["source"]} for name, figure in shipped.items()}
    fitted["launch_us"]["value"] = 1.75
    return answer | {"device": params["device"] | {"fitted": fitted}}


def answer(request):
    global fatal_was_named
    method = request["method"]
    if method == "hello":
        return {"program": "tilescope", "version": request["params"]["version"],
                "protocol": request["params"]["protocol"]}
    if method == "devices":
        library = {"library": "none", "version": None, "why_absent": "a script"}
        return {"status": "ok", "reason": "", "present": [] if mode == "absent" else [device()], "why_no_gpu": "", "driver": "",
                "compiler": library, "counters": library}
    if method == "measure":
        return measure(request["params"]["experiment"])
    if method == "compile_ahead":
        experiments = request["params"]["experiments"]
        if log != pathlib.Path("/dev/null"):  # beside which nothing belongs
            with log.with_suffix(".ahead").open("a") as lines:
                lines.write(json.dumps([experiment["parameters"] for experiment in experiments]) + "\n")
        fatal_was_named = any(is_fatal(experiment) for experiment in experiments)
        return {"status": "ok", "reason": "", "waiting": len(experiments)}
    if method == "calibrate":
        return calibrate(request["params"]["device"])
    if method == "fit":
        return fit(request["params"])
    raise ValueError(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and message.get("method") != "cancel":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)
