#!/usr/bin/env python3
"""Pictures of the window in seven states, at three sizes and in both themes, to be looked at one by one: what is cut off,
overlaps or cannot be read is repaired.

The window is the real one, used with a real mouse under a virtual display. Each picture is FOLDER/STATE_SIZE_THEME.png.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
from window import big_session, kept  # noqa: E402
from window_driver import VirtualDisplay, Window, main_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
SIZES = ["1280x720", "1920x1080", "3840x2160"]
THEMES = ["dark", "light"]


def own_kernels(scratch):
    """An installation whose kernels may be edited."""
    root = scratch / "root"
    if not root.exists():
        for folder in ("kernels", "assets", "sessions/examples"):
            shutil.copytree(ROOT / folder, root / folder)
        file = root / "kernels" / "attention" / "flash_scalar.cu"
        text = file.read_text()
        file.write_text(text.replace("__syncthreads();", "__syncthreads(;", 1))
    return root


def choose_kernel(window, name):
    window.click("picker.kernel")
    window.scroll_to(f"kernel.{name}", over="kernel.naive")
    window.click(f"kernel.{name}")
    window.wait_for(lambda state: state["experiment"]["kernel"] == name, f"the kernel {name}")
    window.settled()


class States:
    """Brings a window into each state; what a window is started with comes from start()."""

    def __init__(self, options, scratch):
        self.scratch = scratch
        self.big = big_session(options.window_binary, scratch, options.points)
        self.start = {
            "first_start": lambda place: {},
            "sweep_running": lambda place: {},
            "recorded_session": lambda place: {"session": ROOT / "sessions" / "examples" / "ladder_h200.json"},
            "exhibit_with_findings": lambda place: {},
            "failed_compile": lambda place: {"root": own_kernels(scratch)},
            "memory": lambda place: {},
            "many_points": lambda place: {"session": kept(self.big, place)},
        }

    def sweep_running(self, window):
        for parameter in ("BLOCK_M", "BLOCK_N"):
            window.scroll_to(f"vary.{parameter}", over="slider.BLOCK_M")
            window.click(f"vary.{parameter}")
        window.click("button.sweep")
        window.wait_for(lambda state: state["sweeping"], "the sweep")
        window.wait_for(lambda state: state["points"] >= 6 or not state["sweeping"], "points of the sweep")

    def recorded_session(self, window):
        window.wait_for(lambda state: state["recorded"] > 0, "the recorded points")

    def exhibit_with_findings(self, window):
        choose_kernel(window, "missing_barrier")
        window.click("slider.FAULT.on")
        window.wait_for(lambda state: state["experiment"]["parameters"]["FAULT"] == "on", "the fault")
        window.settled()
        window.scroll_to("findings.run", over="details.status")
        window.click("findings.run")
        window.wait_for(lambda state: "findings.running" in state["widgets"] or "finding.0" in state["widgets"],
                        "the checkers to run")
        window.wait_for(lambda state: "findings.running" not in state["widgets"], "the checkers to end")

    def failed_compile(self, window):
        window.wait_for(lambda state: state["status"] == "compile_failed", "the compiler's error")

    def memory(self, window):
        window.click("slider.SMEM_LAYOUT.row_major")
        window.settled()
        window.key("ctrl+2")
        window.wait_for(lambda state: state["memory"].get("counted") and not state["memory"]["waits"]
                        and state["memory"]["experiment"]["parameters"]["SMEM_LAYOUT"] == "row_major", "the trace")

    def many_points(self, window):
        window.wait_for(lambda state: state["points"] >= 1000, "the session")
        window.settled()
        # The table takes many points in several frames.
        for widget in ("picker.kernel", "panel.points", "picker.device", "panel.points"):
            window.aim(widget)
        if "latency.all" in window.state()["widgets"]:
            window.click("latency.all")


def take_picture(options, states, display, state, size, theme, scratch):
    place = scratch / f"{state}_{size}_{theme}"
    place.mkdir(parents=True)
    words = states.start[state](place)
    # Neither size nor scale is given: the window starts as on a user's screen.
    window = Window(options.window_binary, display, place, None, scale=None, more=["--theme", theme],
                    first_start=state == "first_start", **words)
    try:
        window.settled()
        if bring := getattr(states, state, None):
            bring(window)
        # Away from what has a tooltip.
        window.xdotool("mousemove", window.place[0] + 1, window.place[1] + 1)
        file = options.out / f"{state}_{size}_{theme}.png"
        window.picture(file)
        print(file, flush=True)
    except BaseException:
        window.last_picture(options.out / f"failed_{state}_{size}_{theme}.png")
        raise
    finally:
        window.close()


def main(options):
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    with tempfile.TemporaryDirectory(prefix="tilescope-pictures-") as folder:
        scratch = pathlib.Path(folder)
        states = States(options, scratch)
        for size in options.size or SIZES:
            display = VirtualDisplay(size)
            try:
                for theme in options.theme or THEMES:
                    for state in options.state or states.start:
                        take_picture(options, states, display.name, state, size, theme, scratch)
            finally:
                display.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", type=pathlib.Path, required=True)
    parser.add_argument("--size", action="append", help="WxH, any number of times; all three otherwise")
    parser.add_argument("--theme", action="append", choices=THEMES)
    parser.add_argument("--state", action="append")
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("out", type=pathlib.Path, nargs="?", default=pathlib.Path("window_pictures"))
    arguments = parser.parse_args()
    arguments.window_binary = arguments.window_binary.resolve()
    main_of(lambda: main(arguments))
