#!/usr/bin/env python3
"""What becomes of a user's files: a recorded session stays as it is, a named one changes when it is saved and at no
other time, closing asks, a restart brings back what was open, and a crash loses nothing.

The window is the real one, with its real worker, under a virtual display. Pictures of what was seen go to --out.
"""

import argparse
import json
import pathlib
import shutil
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "sessions" / "examples" / "ladder_h200.json"


def check(condition, what):
    if not condition:
        raise Failure(what)


def points_of(file):
    return json.loads(pathlib.Path(file).read_text())["points"]


class Scenes:
    """Windows one after the other, with the settings and the sessions of the one before."""

    def __init__(self, options, display, scratch):
        self.options = options
        self.display = display
        self.scratch = scratch

    def play(self, scene, session=None):
        window = Window(self.options.window_binary, self.display, self.scratch, self.options.size, session)
        try:
            scene(window)
        except Failure:
            window.last_picture(self.options.out / "sessions_failed.png")
            raise
        finally:
            window.close()


def recorded_sessions_stay(options, display, scratch):
    file = scratch / "ladder_h200.json"
    shutil.copy(EXAMPLE, file)
    before = file.read_bytes()
    count = len(points_of(file))

    def look(window):
        window.wait_for(lambda state: state["recorded"] == count, "the recorded points")
        window.wait_for(lambda state: "banner.ladder_h200" in state["widgets"], "the line that says read-only")
        device = window.settled()["experiment"]["device"]
        check("panel.ladder" in window.state()["widgets"], "several kernels do not open side by side")
        window.click("workspace.tune")
        window.click("points.filter")
        window.type("recorded naive")
        window.click("row.0")
        state = window.wait_for(lambda state: state["shows_another"] and state["shown"]["kernel"] == "naive",
                                "the recorded point that was clicked")
        check(state["shown"]["device"] == "H200", f"it is shown as a point of {state['shown']['device']}")
        check(state["experiment"]["device"] == device, "a click on a recorded point changed the device")
        check(state["experiment"]["kernel"] != "naive", "a click on a recorded point moved the sliders")
        window.picture(options.out / "recorded_point.png")
        points = window.settled()["points"]
        window.click("picker.kernel")
        window.click("kernel.flash_scalar")
        window.wait_for(lambda state: state["experiment"]["kernel"] == "flash_scalar" and not state["measuring"],
                        "the chosen kernel's point")
        window.drag_slider("BLOCK_M", "64")
        window.wait_for(lambda state: state["points"] > points, "a new point")
        window.quit()

    Scenes(options, display, scratch / "recorded").play(look, file)
    check(file.read_bytes() == before, "a recorded session was changed")


def a_named_session_changes_on_save_alone(options, display, scratch):
    file = scratch / "mine.json"
    scenes = Scenes(options, display, scratch / "named")

    def change_without_saving(window):
        window.settled()
        window.save_as(file)
        saved = points_of(file)
        window.drag_slider("BLOCK_M", "64")
        window.wait_for(lambda state: state["dirty"], "the title's dot")
        window.key("ctrl+q")
        window.wait_for(lambda state: "unsaved.cancel" in state["widgets"], "the question before closing")
        window.picture(options.out / "unsaved.png")
        window.click("unsaved.cancel")
        window.wait_for(lambda state: "unsaved.cancel" not in state["widgets"], "the question to go")
        window.drag_slider("BLOCK_M", "16")
        check(points_of(file) == saved, "the file changed without being saved")
        window.key("ctrl+q")
        window.click("unsaved.do_not_save")
        window.process.wait(timeout=60)
        check(points_of(file) == saved, "the file changed although it was not to be saved")

    def come_back(window):
        state = window.wait_for(lambda state: state["file"] == str(file) and not state["opening"],
                                "the session that was open")
        check(window.settled()["points"] == state["points"] and not window.state()["dirty"],
              "a point that was not to be saved came back")
        window.drag_slider("BLOCK_N", "32")
        window.key("ctrl+q")
        window.click("unsaved.save")
        window.process.wait(timeout=60)

    def find_everything(window):
        window.wait_for(lambda state: state["file"] == str(file) and not state["opening"], "the saved session")
        state = window.wait_for(lambda state: state["experiment"]["parameters"]["BLOCK_N"] == 32,
                                "the sliders as they were left")
        check(state["points"] == len(points_of(file)) and not state["dirty"], "the session is not the saved one")
        window.quit()

    scenes.play(change_without_saving)
    scenes.play(come_back)
    check(len(points_of(file)) >= 2, "what was saved while closing is not in the file")
    scenes.play(find_everything)


def a_crash_loses_nothing(options, display, scratch):
    scenes = Scenes(options, display, scratch / "crash")
    counted = []

    def crash(window):
        window.settled()
        window.drag_slider("BLOCK_M", "64")
        autosaves = scratch / "crash" / "data" / "tilescope" / "autosaves"
        window.wait_for(lambda state: any(len(points_of(file)) == state["points"] for file in autosaves.glob("*.json")),
                        "the autosave")
        counted.append(window.state()["points"])
        window.process.kill()
        window.process.wait()

    def recover(window):
        check(window.settled()["points"] < counted[0] or counted[0] == 1, "the crashed session was opened unasked")
        window.click("notice.button.0")
        window.wait_for(lambda state: state["points"] == counted[0], "the points of the window that crashed")
        window.quit()

    scenes.play(crash)
    scenes.play(recover)


def main(options):
    options.out.mkdir(parents=True, exist_ok=True)
    display = VirtualDisplay("1920x1080")
    try:
        with tempfile.TemporaryDirectory(prefix="tilescope-sessions-") as folder:
            scratch = pathlib.Path(folder)
            recorded_sessions_stay(options, display.name, scratch)
            a_named_session_changes_on_save_alone(options, display.name, scratch)
            a_crash_loses_nothing(options, display.name, scratch)
    finally:
        display.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="1440x900")
    arguments = parser.parse_args()
    main_of(lambda: main(arguments))
