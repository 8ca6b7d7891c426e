#!/usr/bin/env python3
"""A user tunes a kernel: drags sliders, sees points, undoes, sweeps, saves, quits, reopens and finds everything again.

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

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Valid on every device at the default shape, from the defaults on, in this order and in a cycle.
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


def tune(options, display, scratch, session):
    window = Window(options.window_binary, display, scratch, options.size, more=options.more)
    try:
        window.settled()
        move_sliders(window, options.moves)
        undo_and_redo(window)
        sweep(window)
        window.picture(options.out / "tuning.png")
        window.save_as(session)
        window.scroll_to("slider.SMEM_LAYOUT.row_major", over="vary.VEC_WIDTH")
        state = window.drag_slider("SMEM_LAYOUT", "row_major")
        check(state["dirty"], "a point after the save is not marked as unsaved")
        check(len(points_of(session)) < state["points"], "the file changed without being saved")
        window.key("ctrl+s")
        state = window.wait_for(lambda state: not state["dirty"], "the session to be saved")
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
    window = Window(options.window_binary, display, scratch, options.size, session, more=options.more)
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


def save(file, text):
    """Saves as most editors do: a new file takes the name of the old one."""
    beside = file.with_name(file.name + "~")
    beside.write_text(text)
    beside.replace(file)


def edit_a_kernel(options, display, scratch):
    """A user's own kernel is edited on disk while the window shows it."""
    root = scratch / "root"
    for folder in ("kernels", "assets"):
        shutil.copytree(ROOT / folder, root / folder)
    file = root / "kernels" / "mine" / "mine.cu"
    file.parent.mkdir()
    good = (ROOT / "kernels" / "attention" / "tiled.cu").read_text().replace('"name": "tiled"', '"name": "mine"', 1)
    good = good.replace('"rung": ', '"rung": 9', 1)
    file.write_text(good)
    window = Window(options.window_binary, display, scratch / "editing", options.size, root=root, more=options.more)
    try:
        window.settled()
        window.click("picker.kernel")
        window.click("kernel.mine")
        window.wait_for(lambda state: state["experiment"]["kernel"] == "mine", "the kernel to be picked")
        before = window.settled()
        check(before["status"] == "ok", f"the kernel ended as {before['status']}")

        save(file, good + "// edited\n")
        state = window.wait_for(lambda state: state["points"] == before["points"] + 1 and not state["measuring"],
                                "the saved kernel to be measured")
        check(state["status"] == "ok" and not state["older_source"], "the point under the sliders is of the older source")
        check(len(kept_points(scratch / "editing", state["points"])) == state["points"], "the old point was not kept")
        window.picture(options.out / "edited_kernel.png")

        with open(root / "kernels" / "device" / "attention_problem.cuh", "a") as header:
            header.write("// edited\n")
        window.wait_for(lambda state: state["points"] == before["points"] + 2 and not state["measuring"],
                        "the saved header to be measured")

        save(file, good + "#error not yet\n")
        window.wait_for(lambda state: state["status"] == "compile_failed", "the compile error")
        save(file, good)
        window.wait_for(lambda state: state["status"] == "ok" and not state["measuring"], "the repaired kernel")

        points = window.state()["points"]
        save(file, good.replace('"parameters"', '"parametres"', 1))
        window.wait_for(lambda state: "mine.cu" in state["declaration_error"], "the broken declaration")
        window.aim("configuration.validity")
        window.picture(options.out / "broken_declaration.png")
        state = window.state()
        check(state["status"] == "ok" and state["older_source"], "the last good point is gone")
        save(file, good + "// repaired\n")
        state = window.wait_for(lambda state: state["points"] == points + 1 and not state["measuring"],
                                "the repaired declaration")
        check(not state["declaration_error"] and state["status"] == "ok", f"the repaired kernel: {state}")
        check(not state["messages"], f"the window says {state['messages']}")
        window.quit()
    except Failure:
        window.last_picture(options.out / "failed.png")
        raise
    finally:
        window.close()


def kept_points(scratch, count):
    """The file of the autosaved session, once the writer has written this many points."""
    file, = (scratch / "data" / "tilescope" / "autosaves").glob("*.json")
    limit = time.monotonic() + 10
    while len(points_of(file)) < count and time.monotonic() < limit:
        time.sleep(0.05)
    return points_of(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--moves", type=int, default=5, help="how many sliders are dragged before the rest")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--theme", choices=["dark", "light"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    options.more = ["--theme", options.theme] if options.theme else []
    virtual = None if options.display else VirtualDisplay(options.size)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tilescope-mouse-"))
    try:
        display = options.display or virtual.name
        session = scratch / "tuned.json"
        before = tune(options, display, scratch, session)
        reopen(options, display, scratch, session, before)
        shutil.copy(session, options.out / "tuned.json")
        edit_a_kernel(options, display, scratch)
        print(f"{len(points_of(session))} points, saved and found again; a saved kernel measured again; "
              f"pictures in {options.out}")
    finally:
        if virtual:
            virtual.close()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main_of(main)
