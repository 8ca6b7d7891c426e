#!/usr/bin/env python3
"""A person asks which of two layouts is faster and why, with the mouse alone.

In the workspace Compare: the sliders are pinned as A, a slider of B is moved, the verdict is read; A and B are swapped;
and the bar of the bank conflicts leads to the lanes that collide.
"""

import argparse
import pathlib
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of


def check(condition, what):
    if not condition:
        raise Failure(what)


def parameters(state, side):
    return state["comparison"][side]["parameters"]


def compared(window, layout_a, layout_b):
    """The state once both sides were measured with these layouts."""
    def is_there(state):
        comparison = state["comparison"]
        # An explanation that arrives moves what stands below it.
        if comparison["waits"] or comparison["explains"] or comparison["verdict"] is None or comparison["outdated"]:
            return False
        return (parameters(state, "a")["SMEM_LAYOUT"] == layout_a
                and parameters(state, "b")["SMEM_LAYOUT"] == layout_b)
    return window.wait_for(is_there, f"the comparison of {layout_a} with {layout_b}")


def pinned_and_moved(window):
    window.key("ctrl+3")
    window.wait_for(lambda state: state["workspace"] == "compare", "the workspace Compare")
    window.wait_for(lambda state: "compare.nothing" in state["widgets"], "what to do without a side")
    window.click("side.A.pinned")
    window.wait_for(lambda state: "side.A.SMEM_LAYOUT.row_major" in state["widgets"], "the sliders of A")
    before = window.state()["experiment"]["parameters"]
    window.click("side.A.SMEM_LAYOUT.row_major")
    window.wait_for(lambda state: parameters(state, "a")["SMEM_LAYOUT"] == "row_major", "A with row_major")
    check(window.state()["experiment"]["parameters"] == before, "the pinned side moved the sliders")
    window.click("side.B.SMEM_LAYOUT.padded")
    state = compared(window, "row_major", "padded")
    check(state["experiment"]["parameters"]["SMEM_LAYOUT"] == "padded", "B does not follow the sliders")
    check(state["comparison"]["basis"] == "predicted", f"a basis of {state['comparison']['basis']} without a GPU")
    check(state["comparison"]["verdict"] == "FASTER", f"padded is {state['comparison']['verdict']}")
    check({"compare.verdict.FASTER", "compare.why", "compare.bar.bank conflicts"} <= state["widgets"].keys(),
          "the verdict, the reason and the bar of the bank conflicts are not in sight")
    return state["comparison"]["ratio"]


def swapped(window, ratio):
    window.click("sides.swap")
    state = compared(window, "padded", "row_major")
    comparison = state["comparison"]
    check(comparison["verdict"] == "SLOWER", f"row_major is {comparison['verdict']} against padded")
    check(abs(comparison["ratio"] * ratio - 1) < 1e-6, f"{comparison['ratio']} is not 1 / {ratio}")
    window.click("sides.swap")
    compared(window, "row_major", "padded")


def moved_together(window):
    window.click("sides.move_both")
    current = str(parameters(window.state(), "b")["NUM_WARPS"])
    other = "4" if current != "4" else "8"
    window.click(f"side.B.NUM_WARPS.{other}")
    window.wait_for(lambda state: str(parameters(state, "a")["NUM_WARPS"]) == other, "A to move with B")
    window.click(f"side.A.NUM_WARPS.{current}")
    window.wait_for(lambda state: str(parameters(state, "b")["NUM_WARPS"]) == current, "B to move with A")
    window.click("sides.move_both")
    compared(window, "row_major", "padded")


def through_the_door(window):
    """The conflicts are A's: the microscope shows them, whatever the sliders were at."""
    window.click("compare.bar.bank conflicts")
    state = window.wait_for(
        lambda state: "panel.microscope" in state["widgets"] and not state["memory"].get("waits", True)
        and state["memory"].get("experiment", {}).get("parameters", {}).get("SMEM_LAYOUT") == "row_major"
        and state["memory"].get("site"), "the microscope with A's conflicts")
    check(state["memory"]["excess"] > 0, "the block that is shown has no conflicts")
    check(parameters(state, "b")["SMEM_LAYOUT"] == "padded", "B did not stay as it was")
    # B followed the sliders, which went to A: a notice offers the way back, beside the tables of the figures.
    widgets = window.wait_for(lambda state: "notices" in state["widgets"], "the notice about the sliders")["widgets"]
    left, _, right, _ = widgets["panel.compare-sides"]
    check(left <= widgets["notices"][0] and widgets["notices"][2] <= right,
          f"the notice is at {widgets['notices']}, the panel A and B at {widgets['panel.compare-sides']}")


def act(window, options):
    window.settled()
    ratio = pinned_and_moved(window)
    window.picture(options.out / "compare.png")
    swapped(window, ratio)
    moved_together(window)
    through_the_door(window)
    window.picture(options.out / "compare_microscope.png")
    messages = window.state()["messages"]
    check(not messages, f"the window says {messages}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--size", default="1280x720")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    virtual = None if options.display else VirtualDisplay(options.size)
    try:
        with tempfile.TemporaryDirectory(prefix="tilescope-compare-") as scratch:
            window = Window(options.window_binary, options.display or virtual.name, pathlib.Path(scratch), options.size)
            try:
                act(window, options)
                print("two layouts were compared, swapped and moved together, and a bar led to the lanes that collide")
            except Failure:
                window.last_picture(options.out / "failed_compare.png")
                raise
            finally:
                window.close()
    finally:
        if virtual:
            virtual.close()


if __name__ == "__main__":
    main_of(main)
