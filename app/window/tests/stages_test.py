#!/usr/bin/env python3
"""A person drags a slider back and forth over 40 values: every value gets an answer, which grows in stages, and what is
saved in the end is what asking once gives.

The window is the real one with its real worker. A second window has a worker that replays a recorded session slowly: its
stages, in one drag, are a strip of five pictures in --out.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from png_strip import join
from window_driver import PATIENCE_S, Failure, VirtualDisplay, Window, main_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
VALUES = [8, 16, 32, 64, 128]
DRAGGED = 40
STAGES = ["judged", "compiled", "checked", "timed", "final"]
# They differ from one measurement to the next.
OF_THE_RUN = ["time_utc", "compile_ms", "binary_from_cache", "sm_clock_mhz"]


def check(condition, what):
    if not condition:
        raise Failure(what)


def path_of_the_drag():
    """Back and forth over the ends of the slider, 40 values."""
    forth = VALUES[1:] + VALUES[-2::-1]
    return (forth * DRAGGED)[:DRAGGED]


def from_scratch(scratch):
    """Nothing is compiled yet, and nothing is prepared while the mouse rests: every first visit of a value takes its
    time."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "tilescope"
    own = scratch / "cache" / "tilescope"
    own.mkdir(parents=True)
    if (cache / "dependencies").exists():
        (own / "dependencies").symlink_to(cache / "dependencies")
    os.environ["XDG_CACHE_HOME"] = str(scratch / "cache")
    settings = scratch / "drag" / "config" / "tilescope" / "window.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"first_task_done": true, "prepare_neighbours": false}')


def drag_over_values(window):
    """Returns how many values were answered by a stage before the point."""
    parameter = window.state()["experiment"]["parameters"]["BLOCK_M"]
    window.aim(f"slider.BLOCK_M.{parameter}")
    places = {value: window.centre_of(f"slider.BLOCK_M.{value}") for value in VALUES}
    window.xdotool("mousedown", 1)
    window.xdotool("mousemove", *places[VALUES[0]])
    window.wait_for(lambda state: state["experiment"]["parameters"]["BLOCK_M"] == VALUES[0], "the first value")
    in_stages = 0
    for value in path_of_the_drag():
        window.xdotool("mousemove", *places[value])
        state = window.wait_for(
            lambda state, value=value: state["experiment"]["parameters"]["BLOCK_M"] == value
            and state["partial"] != "asked", f"an answer to BLOCK_M={value}")
        in_stages += state["measuring"]
    window.xdotool("mouseup", 1)
    return in_stages


def drag(window):
    before = window.settled()["latency_meter"]
    in_stages = drag_over_values(window)
    window.settled()
    # The frame that shows the point follows the state that has it.
    after = window.wait_for(lambda state: state["partial"] is None and "details.measuring" not in state["widgets"],
                            "a frame without a point that is being made")
    meter = after["latency_meter"]
    drawn = {stage: meter["stages_drawn"][stage] - before["stages_drawn"][stage] for stage in STAGES}
    print(f"{DRAGGED} values, {in_stages} of them answered by a stage first; drawn: {drawn}")
    check(meter["moves"] - before["moves"] >= DRAGGED, f"the meter saw {meter['moves']} moves of {DRAGGED}")
    check(in_stages > 0 and drawn["judged"] > 0, "no stage was drawn before a point")
    check(sum(drawn.values()) >= DRAGGED, f"{DRAGGED} values were answered by {drawn}")
    check(drawn["final"] > 0, "no point was drawn")


def comparable(point):
    """Without what differs from run to run. A GPU times each run anew."""
    point = json.loads(json.dumps(point))
    for name in OF_THE_RUN:
        point["provenance"].pop(name, None)
    if point["device"]["present"]:
        point["latency"] = None
    return point


def asked_once(options, point):
    """A sweep of the one value by the command line: it asks for no stages and, like a slider, for no explanation."""
    settings = [word for name, value in point["parameters"].items() for word in ("--set", f"{name}={value}")
                if name != "BLOCK_M"]
    command = [options.window_binary.parent / "tilescope", "sweep", point["kernel"], *settings, "--vary",
               f"BLOCK_M={point['parameters']['BLOCK_M']}", "--device", point["device"]["name"], "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return json.loads(done.stdout)["points"][0]


def saved_points_are_those_of_asking_once(window, options, scratch):
    current = window.state()["experiment"]["parameters"]
    file = scratch / "dragged.json"
    window.save_as(file)
    points = json.loads(file.read_text())["points"]
    check(any(point["parameters"] == current for point in points), f"no point of {current} was saved")
    for point in points:
        once = asked_once(options, point)
        for name, value in comparable(once).items():
            check(comparable(point)[name] == value,
                  f"{name} of {point['parameters']} is {comparable(point)[name]}, and {value} when asked once")
    print(f"{len(points)} points were saved; each equals that of asking once")


# --- the strip ---

def stacked_panels(scratch):
    """An installation whose one workspace has the panels that draw stages below each other."""
    root = scratch / "root"
    for folder in ("kernels", "assets", "sessions/examples"):
        shutil.copytree(ROOT / folder, root / folder)
    workspaces = root / "assets" / "workspaces"
    for file in workspaces.glob("*.json"):
        file.unlink()
    shares = {"occupancy": 0.27, "latency": 0.27, "details": 0.46}
    columns = [{"panels": ["configuration"]},
               {"rows": [{"share": share, "panels": [panel]} for panel, share in shares.items()]}]
    (workspaces / "stages.json").write_text(json.dumps(
        {"title": "Stages", "help": "A point as it grows", "order": 1, "layout": {"columns": columns}}))
    return root


def picture_of(window, stage, file, begin):
    """Of the first frame that shows the stage, however short it is. `begin` is called once the window waits for it."""
    request = pathlib.Path(f"{window.state_file}.picture")
    beside = request.with_suffix(".asked")
    beside.write_text(f"{file}\n{stage}\n")
    beside.rename(request)
    begin()
    limit = time.monotonic() + PATIENCE_S
    while request.exists() and time.monotonic() < limit:
        time.sleep(0.01)
    check(file.exists(), f"the stage {stage} was not drawn")


def strip(window, options, scratch):
    window.settled()
    for value in ("16", "8"):
        window.drag_slider("BLOCK_M", value)
    x0, y0 = window.aim("slider.BLOCK_M.8")
    x1, y1 = window.centre_of("slider.BLOCK_M.64")
    at = [x1 - window.place[0], y1 - window.place[1]]

    def move():
        window.xdotool("mousedown", 1)
        for step in range(1, 7):
            window.xdotool("mousemove", x0 + (x1 - x0) * step // 6, y0 + (y1 - y0) * step // 6)
        window.wait_for(lambda state: state["mouse"] == at, "the mouse to arrive")

    files = [scratch / f"{stage}.png" for stage in STAGES]
    for stage, file in zip(STAGES, files):
        picture_of(window, stage, file, move if stage == STAGES[0] else lambda: None)
    window.xdotool("mouseup", 1)
    widgets = window.state()["widgets"]
    tabs = widgets["panel.latency"][1] - widgets["panel.occupancy"][3]
    left, top = widgets["panel.occupancy"][0], widgets["panel.occupancy"][1] - tabs
    right, bottom = widgets["panel.details"][2:]
    join(files, [int(left), int(top), int(right), int(bottom)], options.out / f"stages_{options.theme}.png")
    print(f"the stages of one drag: {options.out / f'stages_{options.theme}.png'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--replaying-worker", required=True, type=pathlib.Path, help="instant_worker")
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--theme", default="dark")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    virtual = None if options.display else VirtualDisplay("1280x960")
    display = options.display or virtual.name
    recorded = ROOT / "sessions" / "examples" / "flash_scalar_h200.json"
    slow_replay = f"{options.replaying_worker.resolve()} 3000 stages replay={recorded}"

    def use(name, act, **window_options):
        window = Window(options.window_binary, display, scratch / name, **window_options)
        try:
            act(window)
        except Failure:
            window.last_picture(options.out / f"failed_{name}.png")
            raise
        finally:
            window.close()

    try:
        with tempfile.TemporaryDirectory(prefix="tilescope-stages-") as folder:
            scratch = pathlib.Path(folder)
            from_scratch(scratch)

            def dragged(window):
                drag(window)
                saved_points_are_those_of_asking_once(window, options, scratch)

            use("drag", dragged, size="1280x800")
            use("strip", lambda window: strip(window, options, scratch), size="820x960", root=stacked_panels(scratch),
                more=("--theme", options.theme, "--worker", slow_replay))
    finally:
        if virtual:
            virtual.close()


if __name__ == "__main__":
    main_of(main)
