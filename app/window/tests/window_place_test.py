#!/usr/bin/env python3
"""The window opens inside the screen, readable, whatever the screen, and stays usable when it is made smaller.

The window is the real one under virtual displays. Pictures of what was seen go to --out.
"""

import argparse
import pathlib
import shutil
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of

# With a GPU the latency is in front, without one the occupancy.
PANELS = [("panel.configuration",), ("panel.latency", "panel.occupancy"), ("panel.points",), ("panel.details",)]


def check(condition, what):
    if not condition:
        raise Failure(what)


def geometry(window):
    answer = window.xdotool("getwindowgeometry", "--shell", window.window)
    fields = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
    return tuple(int(fields[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))


def check_panels(window, scale):
    """Every panel of the layout is there, inside the window and no strip."""
    _, _, width, height = geometry(window)
    widgets = window.state()["widgets"]
    for tabs in PANELS:
        panel = next((tab for tab in tabs if tab in widgets), None)
        check(panel, f"{' or '.join(tabs)} is not shown at {width} x {height}")
        x0, y0, x1, y1 = widgets[panel]
        check(x0 >= 0 and y0 >= 0 and x1 <= width and y1 <= height, f"{panel} is cut off at {width} x {height}")
        check(x1 - x0 >= 230 * scale and y1 - y0 >= 150 * scale,
              f"{panel} has only {x1 - x0:.0f} x {y1 - y0:.0f} pixels at {width} x {height}")


def on_display(options, scratch, size, scale):
    """Opens the window on a display of a size without --size and --scale."""
    display = VirtualDisplay(size)
    window = None
    try:
        window = Window(options.window_binary, display.name, scratch / size, None, scale=None)
        window.settled()
        screen = tuple(int(pixels) for pixels in size.split("x"))
        x, y, width, height = geometry(window)
        check(x >= 0 and y >= 0 and x + width <= screen[0] and y + height <= screen[1],
              f"the window lies at {x}, {y} with {width} x {height} on a screen of {size}")
        check(width >= 0.7 * screen[0] and height >= 0.7 * screen[1], f"{width} x {height} on a screen of {size}")
        row = window.wait_for(lambda state: "row.0" in state["widgets"], "a row of the table")["widgets"]["row.0"]
        check(row[3] - row[1] >= 18 * scale, f"a row of the table is {row[3] - row[1]:.0f} pixels high on {size}")
        check_panels(window, scale)
        window.picture(options.out / f"place_{size}.png")
        return window, display
    except BaseException:
        if window:
            window.close()
        display.close()
        raise


def close(window, display):
    window.close()
    display.close()


def shrink(options, scratch):
    """1920 x 1080, made as small as 1280 x 720 and as large again."""
    window, display = on_display(options, scratch, "1920x1080", 1)
    try:
        window.xdotool("windowsize", window.window, 1920, 1080)
        window.wait_for(lambda state: geometry(window)[2] == 1920, "the larger window")
        window.xdotool("windowsize", window.window, 1280, 720)
        window.wait_for(lambda state: max(place[2] for place in state["widgets"].values()) <= 1280, "the smaller window")
        window.aim("picker.kernel")
        check_panels(window, 1)
        window.picture(options.out / "place_shrunk.png")
    except Failure:
        window.last_picture(options.out / "failed.png")
        raise
    finally:
        close(window, display)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tilescope-place-"))
    try:
        close(*on_display(options, scratch, "1280x720", 1))
        shrink(options, scratch)
        close(*on_display(options, scratch, "3840x2160", 2))
        print("opened inside screens of three sizes, shrunk without crushing a panel")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main_of(main)
