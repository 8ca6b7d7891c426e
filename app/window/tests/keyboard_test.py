#!/usr/bin/env python3
"""A quick typist uses the window: chords within one frame, the command palette, Enter and Escape in dialogs.

The window is the real one, under a virtual display or the one given.
"""

import argparse
import pathlib
import shutil
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of

ROOT = pathlib.Path(__file__).resolve().parents[3]


def shows(window, widget, what):
    return window.wait_for(lambda state: widget in state["widgets"], what)


def hides(window, widget, what):
    return window.wait_for(lambda state: widget not in state["widgets"], what)


def height_of(state, widget):
    return state["widgets"][widget][3] - state["widgets"][widget][1]


def type_chords(window):
    """Each many times: whether the events of a chord fall into one frame is chance."""
    window.drag_slider("BLOCK_N", "32")
    for _ in range(8):
        window.key("ctrl+z")
        window.wait_for(lambda state: state["can_redo"], "Ctrl+Z")
        window.key("ctrl+shift+z")
        window.wait_for(lambda state: not state["can_redo"], "Ctrl+Shift+Z")


def zoom(window):
    usual = height_of(window.state(), "picker.kernel")
    for _ in range(4):
        before = height_of(window.state(), "picker.kernel")
        window.key("ctrl+equal")
        window.wait_for(lambda state: height_of(state, "picker.kernel") > before, "Ctrl+=")
    window.key("ctrl+0")
    window.wait_for(lambda state: height_of(state, "picker.kernel") == usual, "Ctrl+0")


def use_the_palette(window, out):
    window.key("ctrl+shift+p")
    shows(window, "palette.query", "the command palette")
    window.type("workspace review")
    shows(window, "palette.view.workspace.review", "the command that was typed")
    window.picture(out / "palette.png")
    window.key("Return")
    window.wait_for(lambda state: state["workspace"] == "review", "the command to run")
    window.key("ctrl+1")
    window.wait_for(lambda state: state["workspace"] == "tune", "Ctrl+1")


def escape(window, out):
    window.key("F1")
    shows(window, "help.shortcuts", "F1")
    window.picture(out / "shortcuts.png")
    window.key("Escape")
    hides(window, "help.shortcuts", "Escape to close the shortcuts")
    window.click("menu.help")
    window.click("menu.help.about")
    shows(window, "help.about", "About")
    window.key("Escape")
    hides(window, "help.about", "Escape to close About")
    window.click("menu.file")
    window.aim("menu.file.example")
    shows(window, "menu.file.example.ladder_h200", "the submenu")
    window.key("Escape")
    hides(window, "menu.file.new", "Escape to close the menu below the mouse")


def open_by_enter(window, session):
    """A click on a row of the file dialog, then Enter."""
    window.key("ctrl+o")
    window.click("file_dialog.name")
    window.key("ctrl+a")
    window.type(str(session.parent))
    window.key("Return")
    window.click(f"file_dialog.row.{session.name}")
    window.key("Return")
    hides(window, "file_dialog.name", "Enter to close the file dialog")
    window.wait_for(lambda state: state["recorded"] > 0 or state["file"] == str(session), "the session to open")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    virtual = None if options.display else VirtualDisplay("1280x720")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tilescope-keyboard-"))
    window = None
    try:
        session = scratch / "sessions" / "ladder.json"
        session.parent.mkdir()
        shutil.copy(ROOT / "sessions" / "examples" / "ladder_h200.json", session)
        window = Window(options.window_binary, options.display or virtual.name, scratch / "user", "1280x720")
        window.settled()
        type_chords(window)
        zoom(window)
        use_the_palette(window, options.out)
        escape(window, options.out)
        open_by_enter(window, session)
        print("chords, palette, Escape and Enter are understood")
    except Failure:
        if window:
            window.last_picture(options.out / "failed.png")
        raise
    finally:
        if window:
            window.close()
        if virtual:
            virtual.close()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main_of(main)
