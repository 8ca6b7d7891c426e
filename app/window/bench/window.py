#!/usr/bin/env python3
"""The performance of the window, one figure per line: value, unit, target, and whether it is met.

The display is virtual and OpenGL is software, unless --display names another one.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "cmake"), str(pathlib.Path(__file__).parent.parent / "tests")]
from outcomes import Failure, run_benchmark, say  # noqa: E402
from window_driver import VirtualDisplay, Window  # noqa: E402

VALUES = {"BLOCK_M": [8, 16, 32, 64, 128], "BLOCK_N": [16, 32, 64, 128], "NUM_WARPS": [1, 2, 4, 8, 16],
          "VEC_WIDTH": [1, 2, 4, 8], "SMEM_LAYOUT": ["row_major", "padded", "xor_swizzle"]}


def report(results, name, value, unit, target):
    holds = value <= target
    results.append({"name": name, "value": value, "unit": unit, "target": target, "holds": holds})
    say(f"{name:<58} {value:>9.2f} {unit:<4} target <= {target:g} {unit}{'' if holds else '   MISSED'}")


def environment(display, scratch, cache=None):
    result = dict(os.environ, DISPLAY=display, XDG_CONFIG_HOME=str(scratch / "config"), XDG_DATA_HOME=str(scratch / "data"))
    result.pop("WAYLAND_DISPLAY", None)
    if cache:
        result["XDG_CACHE_HOME"] = str(cache)
    return result


def seconds_to_first_frame(command, env):
    """Wall time from starting a process until it reports that its first frame was passed to the display."""
    start = time.monotonic()
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if "first_frame" not in done.stdout:
        raise Failure(f"{command[0]} drew no frame")
    return time.monotonic() - start


def big_session(binary, scratch, points):
    """A session of this many different points, made from one that the program measured."""
    file = scratch / "one.json"
    program = binary.parent / "tilescope"
    subprocess.run([program, "measure", "flash_scalar", "--session", file], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    session = json.loads(file.read_text())
    one = session["points"][0]
    session["points"] = []
    for i in range(points):
        point = json.loads(json.dumps(one))
        for name, values in VALUES.items():
            point["parameters"][name] = values[(i // 7 + len(name) * i) % len(values)]
        p50 = 50.0 + (i * 7919 % 1000) / 10
        shape = point["shape"]
        tera_operations = 4e-12 * shape["B"] * shape["Hq"] * shape["Sq"] * shape["Sk"] * shape["D"]
        point["device"]["present"] = True
        point["latency"] = {"kind": "measured", "p10_us": p50 * 0.98, "p50_us": p50, "p90_us": p50 * 1.05,
                            "samples": 100, "tflops": tera_operations / p50 * 1e6, "tflops_formula": "4*B*Hq*Sq*Sk*D / p50",
                            "series": "l2_warm", "l2_warm": None, "l2_cold": None}
        session["points"].append(point)
    big = scratch / "big.json"
    big.write_text(json.dumps(session))
    return big


def kept(session, scratch):
    """The session as one that a window with this scratch folder kept: such points are its own wherever they were
    measured, and not read-only."""
    place = scratch / "data" / "tilescope" / "autosaves" / session.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(session, place)
    return place


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_start(options, display, scratch, results):
    env = environment(display, scratch)
    command = [str(options.window_binary), "--exit-after-first-frame"]
    seconds_to_first_frame(command, env)
    times = [seconds_to_first_frame(command, env) for _ in range(options.repeat)]
    report(results, "start to first frame, to its end (median)", statistics.median(times), "s", 0.3)
    # ./tilescope has just built everything before it runs this; elsewhere it may build first.
    if "TILESCOPE_BUILD_DIR" in os.environ:
        report(results, "./tilescope from a built tree to the window", seconds_to_window(env), "s", 1.0)


def seconds_to_window(env):
    start = time.monotonic()
    process = subprocess.Popen([str(ROOT / "tilescope")], env=env, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while process.poll() is None and time.monotonic() - start < 60:
            search = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Tilescope"], env=env,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            if search.stdout.strip():
                return time.monotonic() - start
            time.sleep(0.005)
        raise Failure("./tilescope opened no window")
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def measure_frames(options, display, scratch, session, results):
    """Each frame draws something new: the mouse moves over the plot. First the points under the sliders, then all."""
    window = Window(options.window_binary, display, scratch / "frames", "1440x900",
                    kept(session, scratch / "frames"))
    try:
        window.settled()
        for drawn in ("under the sliders", "all on the plot"):
            if drawn == "all on the plot":
                window.click("latency.all")
            window.aim("plot.latency")
            last = window.state()["frame"] + 250
            while window.state()["frame"] < last:
                window.xdotool("mousemove_relative", "--", 3, 1)
                window.xdotool("mousemove_relative", "--", -3, -1)
            cost = window.state()["frame_cost"]
            report(results, f"a frame, {cost['points']} points, {drawn} (median)", cost["median_ms"], "ms", 4)
            report(results, f"a frame, {cost['points']} points, {drawn} (p90)", cost["p90_ms"], "ms", 4)
    finally:
        window.close()


def longest(window, since):
    """[ms] The longest part of the window's loop after a frame: 4 if all were shorter, since those are not recorded."""
    parts = [part for part in window.state()["frame_cost"]["slow"] if part["frame"] > since]
    return max((part["held_ms"] for part in parts), default=4.0)


def open_file(window, file):
    window.key("ctrl+o")
    window.click("file_dialog.name")
    window.key("ctrl+a")
    window.type(str(file))
    window.key("Return")


def switch_workspaces(window, count, results):
    """To each other workspace and back, some times."""
    state = window.state()
    tabs = {name for name in state["widgets"] if name.startswith("workspace.")}
    current = f"workspace.{state['workspace']}"
    for _ in range(5):
        for other in tabs - {current}:
            for tab in (other, current):
                window.click(tab)
                window.wait_for(lambda state, tab=tab: f"workspace.{state['workspace']}" == tab, f"{tab} to be shown")
    if tabs:
        report(results, f"longest part of a frame: the workspace is switched, {count} points",
               longest(window, state["frame"]), "ms", 8)


def measure_longest(options, display, scratch, session, results):
    """The longest delay of the window's thread, waiting or working, while other threads are busy."""
    window = Window(options.window_binary, display, scratch / "longest", "1440x900")
    try:
        count = options.points
        window.settled()
        since = window.state()["frame"]
        open_file(window, kept(session, scratch / "longest"))
        window.wait_for(lambda state: state["points"] == count, "the session")
        window.settled()
        window.aim("plot.latency")
        report(results, f"longest part of a frame: {count} points are opened", longest(window, since), "ms", 8)

        switch_workspaces(window, count, results)

        since = window.state()["frame"]
        for value in ("32", "128", "16", "64"):
            window.drag_slider("BLOCK_N", value)
        window.wait_for(lambda state: state["points"] > count and not state["writing"], "the autosave")
        report(results, f"longest part of a frame: {count} points are autosaved", longest(window, since), "ms", 8)

        since = window.state()["frame"]
        for parameter in VALUES:
            window.click(f"vary.{parameter}")
        window.scroll_to("button.sweep", over="vary.VEC_WIDTH")
        report(results, "longest part of a frame: a sweep's configurations are counted", longest(window, since), "ms", 8)

        since = window.state()["frame"]
        window.click("button.sweep")
        window.wait_for(lambda state: state["sweeping"], "the sweep")
        points = window.state()["points"]
        window.wait_for(lambda state: state["points"] > points + 5, "points of the sweep")
        report(results, f"longest part of a frame: a sweep adds to {count} points", longest(window, since), "ms", 8)
        window.click("button.cancel_sweep")

        since = window.state()["frame"]
        window.wait_for(lambda state: not state["sweeping"] and not state["measuring"], "the cancelled sweep")
        open_file(window, ROOT / "sessions" / "examples" / "flash_scalar_h200.json")
        window.wait_for(lambda state: state["recorded"] > 0, "the recorded session")
        window.aim("plot.latency")
        report(results, "longest part of a frame: a recorded session of 6.5 MB is opened", longest(window, since), "ms", 8)

        since = window.state()["frame"]
        window.key("ctrl+n")
        window.wait_for(lambda state: state["points"] < count, "the new session")
        window.settled()
        report(results, f"longest part of a frame: {count} points are closed", longest(window, since), "ms", 8)
    finally:
        window.close()


ALL_PANELS = [["configuration", "details"], ["shared-memory", "microscope", "access-sites"],
              ["source", "swizzle-solver", "points"], ["occupancy", "roofline", "model", "ladder"], ["latency", "heat_map"]]


def room_for_all_panels(scratch):
    """An installation whose one workspace shows every panel at once."""
    root = scratch / "root"
    for folder in ("kernels", "assets"):
        shutil.copytree(ROOT / folder, root / folder)
    workspaces = root / "assets" / "workspaces"
    for file in workspaces.glob("*.json"):
        file.unlink()
    columns = [{"rows": [{"panels": [panel]} for panel in column]} for column in ALL_PANELS]
    (workspaces / "all.json").write_text(json.dumps(
        {"title": "All", "help": "Every panel", "order": 1, "layout": {"columns": columns}}))
    return root


def large_trace(binary, scratch):
    """A session whose last point has more than a million accesses in one block."""
    session = scratch / "large_trace.json"
    subprocess.run([binary.parent / "tilescope", "measure", "flash_scalar", "--set", "VEC_WIDTH=1", "--set",
                    "SMEM_LAYOUT=row_major", "--shape", "1,1,5120,64", "--device", "L4", "--session", session], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return session


def measure_memory(options, scratch, results):
    """All panels with a large trace: frames while the mouse moves over the bank grid, and sites that are opened."""
    size = "3840x2160"
    virtual = VirtualDisplay(size)
    window = Window(options.window_binary, virtual.name, scratch / "memory", size,
                    large_trace(options.window_binary, scratch), root=room_for_all_panels(scratch))
    try:
        since = window.state()["frame"]
        memory = window.wait_for(lambda state: state["memory"].get("counted") and not state["memory"]["waits"],
                                 "the trace", 120)["memory"]
        window.settled()
        what = f"all panels, {memory['accesses']} accesses"
        report(results, f"longest part of a frame: a trace arrives, {what}", longest(window, since), "ms", 8)
        window.aim("plot.shared_memory")
        last = window.state()["frame"] + 250
        while window.state()["frame"] < last:
            window.xdotool("mousemove_relative", "--", 3, 1)
            window.xdotool("mousemove_relative", "--", -3, -1)
        cost = window.state()["frame_cost"]
        report(results, f"a frame, {what} (median)", cost["median_ms"], "ms", 8)
        report(results, f"a frame, {what} (p90)", cost["p90_ms"], "ms", 8)

        since = window.state()["frame"]
        for row in (1, 2, 0, 3, 0):
            site = window.state()["memory"]["site"]
            window.click(f"access_sites.row.{row}")
            window.wait_for(lambda state, site=site: state["memory"]["site"] != site, "another site")
        report(results, f"longest part of a frame: a site is opened, {what}", longest(window, since), "ms", 50)
        report(results, f"memory, {what}", resident_mb(window.process.pid), "MB", 600)
    finally:
        window.close()
        virtual.close()


def measure_drag(options, display, scratch, results):
    """Sliders dragged back and forth over all their values, as in a search for a good value. A turn of the loop is all
    of it but the wait for events: painting by the software OpenGL and the state file that this script reads included."""
    window = Window(options.window_binary, display, scratch / "drag", "1440x900")
    try:
        window.settled()
        end = time.monotonic() + options.drag_seconds
        before = window.state()["latency_meter"]
        while time.monotonic() < end:
            for parameter, values in (("BLOCK_M", VALUES["BLOCK_M"]), ("BLOCK_N", VALUES["BLOCK_N"])):
                current = window.state()["experiment"]["parameters"][parameter]
                window.aim(f"slider.{parameter}.{current}")
                places = [window.centre_of(f"slider.{parameter}.{value}") for value in values]
                window.xdotool("mousedown", 1)
                for place in (places + places[::-1]) * 2:
                    window.xdotool("mousemove", *place)
                    time.sleep(0.1)
                window.xdotool("mouseup", 1)
        meter = window.state()["latency_meter"]
        say(f"{meter['moves'] - before['moves']} moves; stages drawn: {meter['stages_drawn']}")
        seconds = f"in {options.drag_seconds:g} s of dragging"
        # The meter looks back for a minute.
        report(results, f"longest turn of the loop {seconds}, wall time", meter["longest_turn_ms"], "ms", 8)
        report(results, f"longest update or frame {seconds}, without waits for a core", meter["longest_part_ms"], "ms", 8)
        for figure in meter["figures"]:
            if figure["drawn_ms"] is not None:
                say(f"  {figure['source'] or 'no answer'}, {figure['stage']}: received after {figure['received_ms']:.1f} ms, "
                    f"drawn after {figure['drawn_ms']:.1f} ms (median of {figure['count']})")
    finally:
        window.close()


def measure_idle(options, display, scratch, session, results):
    window = Window(options.window_binary, display, scratch / "idle", "1440x900",
                    kept(session, scratch / "idle"))
    try:
        window.settled()
        time.sleep(3)  # Tooltips and the last frames after a change.
        before = processor_seconds(window.process.pid)
        time.sleep(options.idle_seconds)
        used = processor_seconds(window.process.pid) - before
        report(results, "idle window, share of a core", 100 * used / options.idle_seconds, "%", 2)
        points = window.state()["points"]
        report(results, f"memory with {points} points", resident_mb(window.process.pid), "MB", 200)
    finally:
        window.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    build = pathlib.Path(os.environ.get("TILESCOPE_BUILD_DIR", ROOT / "build" / "release"))
    parser.add_argument("--window-binary", type=pathlib.Path, default=build / "bin" / "tilescope-window")
    parser.add_argument("--display")
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--idle-seconds", type=float, default=5)
    parser.add_argument("--drag-seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.window_binary = options.window_binary.resolve()
    slider_bench = options.window_binary.parent.parent / "bench" / "parts" / "slider_bench"
    results = []
    virtual = None if options.display else VirtualDisplay("1440x900")
    try:
        with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder:
            scratch = pathlib.Path(folder)
            display = options.display or virtual.name
            session = big_session(options.window_binary, scratch, options.points)
            measure_start(options, display, scratch, results)
            measure_frames(options, display, scratch, session, results)
            measure_longest(options, display, scratch, session, results)
            measure_memory(options, scratch, results)
            measure_drag(options, display, scratch, results)
            measure_idle(options, display, scratch, session, results)
            done = subprocess.run([str(slider_bench)], stdout=subprocess.PIPE, text=True, check=True)
            for line in done.stdout.splitlines():
                figure = json.loads(line)
                report(results, figure["name"], figure["value"], figure["unit"], figure["target"])
    finally:
        if virtual:
            virtual.close()
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    run_benchmark(main)
