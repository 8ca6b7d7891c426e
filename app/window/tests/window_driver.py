"""Drives the real window with a real mouse and keyboard, through the X server and xdotool.

The window is started with --landmarks FILE and writes its state and the places of its widgets there. Everything here
waits for a condition with a time limit and never just sleeps, so that tests also pass on a slow machine.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "cmake"))
from outcomes import Failure, Missing  # noqa: E402

PATIENCE_S = float(os.environ.get("TILESCOPE_TEST_PATIENCE_S", "90"))


def require(program):
    path = shutil.which(program)
    if path is None:
        raise Missing(f"{program} is not installed (apt-get install {'xvfb' if program == 'Xvfb' else program})")
    return path


class VirtualDisplay:
    """A separate X server, on a display number that it chooses."""

    def __init__(self, size):
        read_end, write_end = os.pipe()
        command = [require("Xvfb"), "-displayfd", str(write_end), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
        self.process = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        if not number:
            raise Missing("Xvfb did not start")
        self.name = f":{number}"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Window:
    """A running tilescope-window, used as a person does."""

    def __init__(self, binary, display, scratch, size, session=None, more=(), root=None, scale="1",
                 first_start=False):
        """`root` is the folder with kernels/ and assets/, if it is not the source tree. Without a `size` or a `scale`
        the window chooses its own. Unless it is a `first_start`, the first task was done."""
        self.scratch = pathlib.Path(scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.state_file = self.scratch / "state.json"
        self.state_file.unlink(missing_ok=True)
        self.xdotool_path = require("xdotool")
        self.environment = dict(os.environ, DISPLAY=display, XDG_CONFIG_HOME=str(self.scratch / "config"),
                                XDG_DATA_HOME=str(self.scratch / "data"))
        self.environment.pop("WAYLAND_DISPLAY", None)
        if root is not None:
            self.environment["TILESCOPE_ROOT"] = str(root)
        settings = self.scratch / "config" / "tilescope" / "window.json"
        if not first_start and not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text('{"first_task_done": true}')
        command = [str(binary), "--landmarks", str(self.state_file), *more]
        if size is not None:
            command += ["--size", size]
        if scale is not None:
            command += ["--scale", scale]
        if session is not None:
            command.append(str(session))
        self.process = subprocess.Popen(command, env=self.environment)
        self.wait_for(lambda state: state["widgets"], "the first frame")
        self.window = self.find_window()
        self.place = self.find_place()

    # --- state ---

    def state(self):
        if self.process.poll() is not None:
            raise Failure(f"the window ended with exit code {self.process.returncode}")
        try:
            return json.loads(self.state_file.read_text())
        except FileNotFoundError:
            return None

    def wait_for(self, condition, what, patience=PATIENCE_S):
        limit = time.monotonic() + patience
        state = None
        while time.monotonic() < limit:
            state = self.state()
            if state is not None and condition(state):
                return state
            time.sleep(0.01)
        if state is not None:
            state = {key: value for key, value in state.items() if key != "widgets"}
        raise Failure(f"waited {patience:.0f} s for {what}; the window shows {json.dumps(state)}")

    def settled(self):
        return self.wait_for(lambda state: not state["measuring"] and state["status"], "a point")

    def centre_of(self, widget):
        """Of a widget that stands still: an answer that arrives may move what is below it."""
        before = None
        for _ in range(20):
            state = self.wait_for(lambda state: widget in state["widgets"], f"the widget {widget}")
            x0, y0, x1, y1 = place = state["widgets"][widget]
            if place == before:
                break
            before = place
            time.sleep(0.03)
        return self.place[0] + int((x0 + x1) / 2), self.place[1] + int((y0 + y1) / 2)

    # --- mouse and keyboard ---

    def xdotool(self, *words):
        done = subprocess.run([self.xdotool_path, *map(str, words)], env=self.environment, text=True,
                              capture_output=True, check=False)
        return done.stdout.strip()

    def find_window(self):
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            found = self.xdotool("search", "--onlyvisible", "--name", "Tilescope").split()
            if found:
                return found[-1]
            time.sleep(0.05)
        raise Failure("the X server shows no window of Tilescope's")

    def find_place(self):
        answer = self.xdotool("getwindowgeometry", "--shell", self.window)
        geometry = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
        return int(geometry["X"]), int(geometry["Y"])

    def focus(self):
        """Sets the keyboard focus: a bare X server has no window manager."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            self.xdotool("windowfocus", self.window)
            if self.xdotool("getwindowfocus", "-f") == self.window:
                return
            time.sleep(0.05)
        raise Failure("the window does not take the keyboard")

    def key(self, chord):
        """Presses and releases the keys at once, as a quick typist does; returns once the window has drawn a frame."""
        self.focus()
        frame = self.state()["frame"]
        self.xdotool("key", chord)
        # The last frame of a closing window is not written.
        self.wait_unless_ended(lambda state: state["frame"] > frame + 1)

    def show_panel(self, panel):
        """Brings a panel to the front by the command palette, wherever it is docked."""
        self.key("ctrl+shift+p")
        self.wait_for(lambda state: "palette.query" in state["widgets"], "the command palette")
        self.type(f"show panel {panel.replace('-', ' ')}")
        self.wait_for(lambda state: f"palette.panel.{panel}" in state["widgets"], f"a command for the panel {panel}")
        self.key("Return")
        self.wait_for(lambda state: f"panel.{panel}" in state["widgets"], f"the panel {panel}")

    def wait_unless_ended(self, condition):
        limit = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < limit:
            state = self.state_or_none()
            if state is not None and condition(state):
                return
            time.sleep(0.01)

    def state_or_none(self):
        try:
            return self.state()
        except Failure:
            return None

    def type(self, text):
        self.focus()
        self.xdotool("type", "--delay", "5", text)

    def aim(self, widget):
        """Moves the mouse onto a widget, and again if the widget moved meanwhile: a new point may push down what
        is below it."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            x, y = self.centre_of(widget)
            # An idle window draws nothing: a mouse that is already there must move to be noticed.
            self.xdotool("mousemove", x - 1, y)
            self.xdotool("mousemove", x, y)
            at = [x - self.place[0], y - self.place[1]]
            seen = self.wait_for(lambda state: state["mouse"] == at, f"the mouse to arrive at {widget}")
            self.wait_for(lambda state: state["frame"] >= seen["frame"] + 3, "three frames with the mouse there")
            if self.centre_of(widget) == (x, y):
                return x, y
        raise Failure(f"the widget {widget} does not stand still")

    def click(self, widget):
        self.aim(widget)
        self.xdotool("mousedown", 1)
        self.xdotool("mouseup", 1)

    def scroll_to(self, widget, over):
        """Turns the wheel over another widget of the panel until this one is visible."""
        self.aim(over)
        for _ in range(30):
            if widget in self.state()["widgets"]:
                return
            frame = self.state()["frame"]
            self.xdotool("click", 5)
            self.wait_for(lambda state: state["frame"] >= frame + 3, "three frames after a turn of the wheel")
        raise Failure(f"the wheel over {over} does not bring {widget} into sight")

    def drag(self, start, end, steps=6):
        x0, y0 = self.aim(start)
        x1, y1 = self.centre_of(end)
        self.drag_pixels(x0, y0, x1, y1, end, steps)

    def drag_pixels(self, x0, y0, x1, y1, where, steps=6):
        """From where the mouse is, (x0, y0) on the screen, to (x1, y1)."""
        self.xdotool("mousedown", 1)
        for step in range(1, steps + 1):
            self.xdotool("mousemove", x0 + (x1 - x0) * step // steps, y0 + (y1 - y0) * step // steps)
        # Like a user: release the button after the window has seen where the mouse stopped.
        at = [x1 - self.place[0], y1 - self.place[1]]
        self.wait_for(lambda state: state["mouse"] == at, f"the mouse to be dragged to {where}")
        self.xdotool("mouseup", 1)

    def drag_slider(self, parameter, value):
        """Drags a slider from its value to another one; returns once its point exists."""
        current = self.state()["experiment"]["parameters"][parameter]
        self.drag(f"slider.{parameter}.{current}", f"slider.{parameter}.{value}")
        self.wait_for(lambda state: str(state["experiment"]["parameters"][parameter]) == str(value),
                      f"{parameter} to become {value}")
        return self.settled()

    def save_as(self, file):
        """Of a session without a name."""
        self.key("ctrl+s")
        self.click("file_dialog.name")
        self.key("ctrl+a")
        self.type(str(file))
        self.key("Return")
        self.wait_for(lambda state: state["file"] == str(file) and not state["dirty"], f"{file} to be saved")

    def picture(self, file):
        """Saves the window's pixels. That needs a frame, so the mouse moves until the picture exists."""
        file = pathlib.Path(file)
        file.unlink(missing_ok=True)
        request = pathlib.Path(f"{self.state_file}.picture")
        request.write_text(str(file))
        limit = time.monotonic() + PATIENCE_S
        while request.exists() and time.monotonic() < limit:
            self.xdotool("mousemove_relative", "--", 1, 0)
            self.xdotool("mousemove_relative", "--", -1, 0)
            time.sleep(0.02)
        if not file.exists():
            raise Failure(f"the picture {file} was not drawn")

    def last_picture(self, file):
        """Saves a picture after a failure; errors of the picture are ignored."""
        try:
            self.picture(file)
            print(f"what was seen: {file}")
        except Failure as reason:
            print(f"no picture: {reason}")

    def quit(self):
        """Quits by keyboard; the exit code must be 0."""
        self.key("ctrl+q")
        try:
            code = self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise Failure("the window did not end after Ctrl+Q") from error
        if code != 0:
            raise Failure(f"the window ended with exit code {code}")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def main_of(test):
    """Runs a test's body: 0 passed, 77 skipped, 1 failed, each with a message."""
    try:
        test()
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    except Failure as reason:
        print(f"failed: {reason}")
        sys.exit(1)
