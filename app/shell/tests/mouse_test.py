#!/usr/bin/env python3
"""A person tunes a kernel: drags sliders, sees points, undoes, sweeps, saves, quits, reopens and finds it all again.

The window is the real one, with its real worker, under a virtual display or the one given, whether or not the machine
has a GPU. Pictures of what was seen go to --out.
"""

import argparse
import itertools
import json
import pathlib
import shutil
import tempfile
import time

from window_driver import Failure, VirtualDisplay, Window, main_of

# Legal on every device at the default shape, from the defaults on, in this order and around again.
MOVES = [("BLOCK_N", "32"), ("VEC_WIDTH", "4"), ("SMEM_LAYOUT", "padded"), ("NUM_WARPS", "4"), ("BLOCK_M", "64"),
         ("BLOCK_N", "16"), ("SMEM_LAYOUT", "row_major"), ("VEC_WIDTH", "8"), ("NUM_WARPS", "8"), ("BLOCK_M", "16"),
         ("BLOCK_N", "64"), ("VEC_WIDTH", "2"), ("SMEM_LAYOUT", "xor_swizzle"), ("NUM_WARPS", "2"), ("BLOCK_M", "32")]


def check(condition, what):
    if not condition:
        raise Failure(what)


def points_of(file):
    return json.loads(pathlib.Path(file).read_text())["points"]


def move_sliders(window, count):
    state = window.settled()
    for parameter, value in itertools.islice(itertools.cycle(MOVES), count):
        before = state["points"]
        start = time.monotonic()
        state = window.drag_slider(parameter, value)
        check(state["status"] == "ok", f"{parameter}={value} ended as {state['status']}")
        check(state["points"] >= before, "a point was lost")
        print(f"{parameter} to {value}: {state['points']} points, {1000 * (time.monotonic() - start):.0f} ms")
    return state


def undo_and_redo(window):
    moved = window.drag_slider("BLOCK_N", "128")
    points = moved["points"]
    window.key("ctrl+z")
    undone = window.wait_for(lambda state: state["experiment"]["parameters"]["BLOCK_N"] != 128, "Ctrl+Z")
    check(undone["can_redo"], "after an undo there is nothing to redo")
    window.key("ctrl+shift+z")
    redone = window.wait_for(lambda state: state["experiment"]["parameters"]["BLOCK_N"] == 128, "Ctrl+Shift+Z")
    check(redone["experiment"] == moved["experiment"], "redo did not come back to where undo left")
    check(redone["points"] == points, "undo and redo measured what was measured before")


def sweep(window):
    before = window.state()["points"]
    window.click("vary.VEC_WIDTH")
    window.scroll_to("button.sweep", over="vary.VEC_WIDTH")
    window.click("button.sweep")
    state = window.wait_for(lambda state: not state["sweeping"] and state["points"] > before, "the sweep", 300)
    print(f"sweep: {state['points'] - before} points")
    return state


def save_as(window, file):
    window.key("ctrl+s")
    window.click("file_dialog.name")
    window.key("ctrl+a")
    window.type(str(file))
    window.key("Return")
    window.wait_for(lambda state: state["file"] == str(file) and not state["dirty"], f"{file} to be saved")


def tune(options, display, scratch, session):
    window = Window(options.window_binary, display, scratch, options.size)
    try:
        window.settled()
        move_sliders(window, options.moves)
        undo_and_redo(window)
        sweep(window)
        window.picture(options.out / "tuning.png")
        save_as(window, session)
        state = window.drag_slider("SMEM_LAYOUT", "row_major")
        # Every point is written soon after it is made, without being told to.
        state = window.wait_for(lambda state: not state["dirty"], "the point after the save to be written")
        check(len(points_of(session)) == state["points"], "the file does not hold the points that the window shows")
        check(not state["messages"], f"the window says {state['messages']}")
        window.quit()
        return state
    except Failure:
        window.last_picture(options.out / "failed.png")
        raise
    finally:
        window.close()


def reopen(options, display, scratch, session, before):
    points = points_of(session)
    window = Window(options.window_binary, display, scratch, options.size, session)
    try:
        state = window.wait_for(lambda state: state["points"] == len(points), "the session's points")
        check(state["experiment"]["parameters"] == before["experiment"]["parameters"],
              f"reopened at {state['experiment']['parameters']}, left at {before['experiment']['parameters']}")
        window.settled()
        window.picture(options.out / "reopened.png")
        state = window.state()
        check(state["points"] == len(points), "opening a session measured points that it holds")
        check(not state["messages"], f"the window says {state['messages']}")
        window.quit()
    finally:
        window.close()
    check(points_of(session) == points, "opening a session changed it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--moves", type=int, default=5, help="how many sliders are dragged before the rest")
    parser.add_argument("--size", default="1280x720")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    virtual = None if options.display else VirtualDisplay(options.size)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tilescope-mouse-"))
    try:
        display = options.display or virtual.name
        session = scratch / "tuned.json"
        before = tune(options, display, scratch, session)
        reopen(options, display, scratch, session, before)
        shutil.copy(session, options.out / "tuned.json")
        print(f"{len(points_of(session))} points, saved and found again; pictures in {options.out}")
    finally:
        if virtual:
            virtual.close()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main_of(main)
