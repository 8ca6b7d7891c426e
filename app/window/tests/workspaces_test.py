#!/usr/bin/env python3
"""A person switches workspaces by key and by tab, moves a border, quits, comes back, and resets the layout.

The second workspace is a file that this test puts beside the shipped one: nothing else makes it known.
"""

import argparse
import json
import pathlib
import shutil
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of

ROOT = pathlib.Path(__file__).resolve().parents[3]

LIST = {"title": "List", "order": 1000, "layout": {"columns": [
    {"share": 0.6, "panels": ["points"]},
    {"share": 0.4, "panels": ["details", "no_such_panel"]}]}}


def check(condition, what):
    if not condition:
        raise Failure(what)


class Person:
    """The window with the settings of the starts before."""

    def __init__(self, options, display, scratch):
        self.options = options
        self.display = display
        self.scratch = scratch
        self.root = scratch / "root"
        for folder in ("kernels", "assets"):
            shutil.copytree(ROOT / folder, self.root / folder)
        self.workspaces = self.root / "assets" / "workspaces"
        for file in self.workspaces.glob("*.json"):
            if file.name != "tune.json":
                file.unlink()

    def start(self):
        window = Window(self.options.window_binary, self.display, self.scratch, self.options.size, root=self.root,
                        more=self.options.more)
        window.settled()
        return window

    def in_window(self, act):
        window = self.start()
        try:
            result = act(window)
            window.quit()
            return result
        except Failure:
            window.last_picture(self.options.out / "failed_workspaces.png")
            raise
        finally:
            window.close()


def shown(window, workspace, panels):
    return window.wait_for(
        lambda state: state["workspace"] == workspace
        and {name for name in state["widgets"] if name.startswith("panel.")} == {f"panel.{id}" for id in panels},
        f"{workspace} with {panels}")


def place_of(window, panel):
    """Once it stands still for some frames."""
    frame = window.state()["frame"]
    window.xdotool("mousemove_relative", "--", 1, 1)
    window.xdotool("mousemove_relative", "--", -1, -1)
    return window.wait_for(lambda state: state["frame"] >= frame + 3, "three frames")["widgets"][f"panel.{panel}"]


def drag_right_border(window, panel, pixels):
    _, y0, x1, y1 = place_of(window, panel)
    x = window.place[0] + int(x1) + 1
    y = window.place[1] + int((y0 + y1) / 2)
    window.xdotool("mousemove", x, y)
    frame = window.state()["frame"]
    window.wait_for(lambda state: state["frame"] >= frame + 2, "the mouse on the border")
    window.drag_pixels(x, y, x + pixels, y, f"{pixels} pixels from the border")


def one_alone(window):
    state = window.state()
    check(state["workspace"] == "tune", f"the window begins with {state['workspace']}")
    check(not any(name.startswith("workspace.") for name in state["widgets"]), "one workspace alone has a tab")
    check(not state["messages"], f"the window says {state['messages']}")


def two(window, options):
    state = window.state()
    check(state["workspace"] == "tune", f"the window begins with {state['workspace']}")
    message, = state["messages"]
    check("list.json: /layout/columns/1/panels/1: there is no panel 'no_such_panel'" in message,
          f"of the panel that there is not the window says {message}")
    window.click("message.dismiss.0")
    tune = {name for name in window.state()["widgets"] if name.startswith("panel.")}

    window.key("ctrl+2")
    shown(window, "list", ["points", "details"])
    window.click("workspace.tune")
    window.wait_for(lambda state: tune <= set(state["widgets"]), "Tune by its tab")
    window.click("workspace.list")
    shown(window, "list", ["points", "details"])
    shipped = place_of(window, "points")
    drag_right_border(window, "points", -150)
    narrow = place_of(window, "points")
    check(abs(shipped[2] - narrow[2] - 150) <= 3, f"the border went from {shipped[2]} to {narrow[2]}")

    window.key("ctrl+1")
    window.wait_for(lambda state: tune <= set(state["widgets"]), "Tune by its key")
    window.picture(options.out / "workspaces_tune.png")
    window.key("ctrl+2")
    shown(window, "list", ["points", "details"])
    check(place_of(window, "points") == narrow, f"List came back with {place_of(window, 'points')}, left with {narrow}")
    window.click("menu.view")
    window.click("menu.view.panels")
    window.click("menu.view.panels.details")
    shown(window, "list", ["points"])
    window.picture(options.out / "workspaces_list.png")
    return shipped, narrow


def after_a_restart(window, shipped, narrow):
    shown(window, "list", ["points"])
    window.click("message.dismiss.0")
    window.click("menu.view")
    window.click("menu.view.panels")
    window.click("menu.view.panels.details")
    shown(window, "list", ["points", "details"])
    check(place_of(window, "points") == narrow, f"restarted with {place_of(window, 'points')}, left with {narrow}")
    window.click("menu.view")
    window.click("menu.view.reset_layout")
    shown(window, "list", ["points", "details"])
    check(place_of(window, "points") == shipped, f"reset to {place_of(window, 'points')}, shipped as {shipped}")
    parts = [part for part in window.state()["frame_cost"]["slow"] if part["part"] == "frame"]
    print("frames over 4 ms:", ", ".join(f"{part['processor_ms']:.1f} ms" for part in parts) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--theme", choices=["dark", "light"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    options.more = ["--theme", options.theme] if options.theme else []
    virtual = None if options.display else VirtualDisplay(options.size)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tilescope-workspaces-"))
    try:
        person = Person(options, options.display or virtual.name, scratch)
        person.in_window(one_alone)
        (person.workspaces / "list.json").write_text(json.dumps(LIST))
        shipped, narrow = person.in_window(lambda window: two(window, options))
        person.in_window(lambda window: after_a_restart(window, shipped, narrow))
        print("a second workspace was found, switched to by key and tab, kept over a restart and reset")
    finally:
        if virtual:
            virtual.close()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main_of(main)
