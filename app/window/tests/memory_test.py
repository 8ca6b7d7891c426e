#!/usr/bin/env python3
"""A person finds the bank conflict of a kernel, sees the lanes that meet, and repairs it, with the mouse alone.

From a diagnosis in the panel Point to the workspace Memory; from the table of access sites to the microscope; through
the executions of a site; from the swizzle solver back to a slider, whose trace every panel follows.
"""

import argparse
import pathlib
import tempfile

from window_driver import Failure, VirtualDisplay, Window, main_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNEL = ROOT / "kernels" / "attention" / "flash_scalar.cu"


def check(condition, what):
    if not condition:
        raise Failure(what)


def line_with(text):
    """Of the kernel's file: counted from 1."""
    lines = KERNEL.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def traced(window, layout):
    """The state once the block and the whole kernel with this layout were traced."""
    return window.wait_for(
        lambda state: state["memory"].get("experiment", {}).get("parameters", {}).get("SMEM_LAYOUT") == layout
        and not state["memory"]["waits"] and state["memory"]["counted"], f"the trace of {layout}")["memory"]


def from_a_diagnosis(window):
    """A line that the panel Point names shows its accesses and its source."""
    window.click("slider.SMEM_LAYOUT.row_major")
    window.wait_for(lambda state: state["experiment"]["parameters"].get("SMEM_LAYOUT") == "row_major", "row_major")
    window.settled()
    keys = line_with("unpack<Element>(load_packet<VEC_WIDTH>(tiles.k")
    link = "advice.0.source"
    # Each change that was tried and repairs a diagnosis makes the advice higher, and moves it.
    window.wait_for(lambda state: {link, "advice.0.tried"} <= state["widgets"].keys(), f"a link to line {keys}")
    window.click(link)
    window.wait_for(lambda state: state["workspace"] == "memory", "the workspace Memory")
    site = traced(window, "row_major")["site"]
    check(site["line"] == keys and site["tile"] == "K" and site["operation"] == "ld.shared",
          f"the microscope looks at {site}, not at the reads of K in line {keys}")
    return keys


def through_the_sites(window, keys):
    """Rows of the table, then executions of the site."""
    window.wait_for(lambda state: "access_sites.row.1" in state["widgets"], "the table of access sites")
    window.click("access_sites.row.1")
    window.wait_for(lambda state: state["memory"]["site"]["line"] != keys, "the second site")
    window.click("access_sites.row.0")
    window.wait_for(lambda state: state["memory"]["site"]["line"] == keys, "the worst site again")
    window.click("microscope.next")
    window.click("microscope.next")
    window.wait_for(lambda state: state["memory"]["execution"] == 2, "the third execution")
    window.click("microscope.first")
    window.wait_for(lambda state: state["memory"]["execution"] == 0, "the first execution")


def block_after_block(window):
    window.click("block.next")
    window.wait_for(lambda state: not state["memory"]["waits"] and state["memory"]["block"] == 1, "block 1")


def zoomed_into_a_tile(window):
    """In the panel Shared memory."""
    window.show_panel("shared-memory")
    window.wait_for(lambda state: "shared_memory.part.K" in state["widgets"], "the tile K")
    window.click("shared_memory.list.V")
    window.wait_for(lambda state: "shared_memory.part.V" in state["widgets"]
                    and "shared_memory.part.K" not in state["widgets"], "V alone")
    window.click("shared_memory.reset")
    window.wait_for(lambda state: "shared_memory.part.K" in state["widgets"], "all of it again")


def beside_the_source(window, keys):
    """A click on a line looks at its accesses: the line above reads Q."""
    window.show_panel("source")
    window.wait_for(lambda state: f"source.CUDA.row.{keys - 2}" in state["widgets"], "the lines around that of K")
    window.click(f"source.CUDA.row.{keys - 2}")
    site = window.wait_for(lambda state: state["memory"]["site"]["line"] == keys - 1, "the line above")["memory"]["site"]
    check(site["tile"] == "Q", f"line {keys - 1} reads {site['tile']}, not Q")
    window.click(f"source.CUDA.row.{keys - 1}")
    window.wait_for(lambda state: state["memory"]["site"]["line"] == keys, "the line of K again")


def under_the_ceilings(window):
    window.show_panel("occupancy")
    window.click("occupancy.view.one_more")
    window.wait_for(lambda state: "one_more.sentence" in state["widgets"], "what one more block takes")
    window.show_panel("roofline")
    window.click("roofline.level.shared")
    window.wait_for(lambda state: any(name.startswith("roofline.dot.") for name in state["widgets"]),
                    "the point, whose latency is predicted, under the ceiling of shared memory")


def repaired(window):
    """The solver's Apply moves the slider, and every panel follows the new trace."""
    window.show_panel("swizzle-solver")
    window.wait_for(lambda state: any(name.startswith("solver.apply") for name in state["widgets"]),
                    "a layout that the kernel has")
    window.click("solver.apply")
    layout = window.wait_for(
        lambda state: state["experiment"]["parameters"]["SMEM_LAYOUT"] != "row_major",
        "another layout")["experiment"]["parameters"]["SMEM_LAYOUT"]
    window.settled()
    memory = traced(window, layout)
    check(memory["excess"] * 20 < memory["wavefronts"],
          f"{layout} still has {memory['excess']} excess wavefronts of {memory['wavefronts']}")
    # Undone as a user would undo it.
    window.key("ctrl+z")
    traced(window, "row_major")


def act(window, options):
    window.settled()
    keys = from_a_diagnosis(window)
    through_the_sites(window, keys)
    block_after_block(window)
    zoomed_into_a_tile(window)
    beside_the_source(window, keys)
    under_the_ceilings(window)
    repaired(window)
    window.picture(options.out / "memory.png")
    messages = window.state()["messages"]
    check(not messages, f"the window says {messages}")
    window.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--window-binary", required=True, type=pathlib.Path)
    parser.add_argument("--display", help="an X server that runs already; without it Xvfb is started")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("window_pictures"))
    parser.add_argument("--size", default="1920x1080")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    virtual = None if options.display else VirtualDisplay(options.size)
    try:
        with tempfile.TemporaryDirectory(prefix="tilescope-memory-") as scratch:
            window = Window(options.window_binary, options.display or virtual.name, pathlib.Path(scratch), options.size)
            try:
                act(window, options)
                print("a conflict was followed from its diagnosis to its lanes, and repaired by the solver's layout")
            except Failure:
                window.last_picture(options.out / "failed_memory.png")
                raise
            finally:
                window.close()
    finally:
        if virtual:
            virtual.close()


if __name__ == "__main__":
    main_of(main)
