"""Points as HTML for notebooks. All text is escaped; there are no scripts, and no colors, so that any theme fits."""

import html
import os
import re
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence

if TYPE_CHECKING:
    from .records import OpenedPoint, Point

# Control characters, and marks that turn the direction of text.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
MOST_ROWS = 50


def text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    shown = HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", str(value))
    return html.escape(shown).replace("\n", "<br>")


def row(cells: Iterable[Any], tag: str = "td") -> str:
    return "<tr>" + "".join(f'<{tag} style="text-align:left">{text(cell)}</{tag}>' for cell in cells) + "</tr>"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return ""
    more = f"<p>{len(rows) - MOST_ROWS:,} more</p>" if len(rows) > MOST_ROWS else ""
    return (f"<h4>{text(title)}</h4><table><thead>{row(heads, 'th')}</thead><tbody>"
            + "".join(map(row, rows[:MOST_ROWS])) + f"</tbody></table>{more}")


def bullets(title: str, items: Sequence[str]) -> str:
    """The items are HTML."""
    return f"<h4>{text(title)}</h4><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else ""


def latency_text(point: "Point") -> str:
    if point.latency_us is None:
        return ""
    return f"{(point.document.get('latency') or {}).get('kind', 'measured')} {point.latency_us:.3f} µs"


def prediction_text(point: "Point") -> str:
    if point.predicted_us is None:
        return ""
    low, high = point.band_us or (None, None)
    band = f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    return f"predicted {point.predicted_us:.3f} µs{band}"


def heading(point: "Point") -> str:
    name = os.path.basename(point.kernel) or point.document.get("entry") or "point"
    return f"<h3>{text(name)}</h3>"


def facts(point: "Point") -> List[List[Any]]:
    document = point.document
    resources, occupancy = document.get("resources") or {}, document.get("occupancy") or {}
    status = point.status + (f": {point.reason}" if point.reason else "")
    rows: List[List[Any]] = [["status", status], ["device", point.device_name], ["kernel", document.get("entry")],
                             ["shape", point.shape_text or None],
                             ["parameters", " ".join(f"{name}={value}" for name, value in point.parameters.items()) or None]]
    if document.get("grid"):
        rows.append(["launch", f"grid {tuple(document['grid'])}, block {tuple(document['block'])}"])
    rows.append(["latency", latency_text(point) or None])
    if point.predicted_us is not None:
        roofline = document["prediction"].get("roofline_us")
        rows.append(["prediction", prediction_text(point) + (f", roofline {roofline:.3f} µs" if roofline else "")])
        rows.append(["band", document["prediction"].get("band")])
    if resources:
        shared = (resources.get("static_shared_bytes") or 0) + (resources.get("dynamic_shared_bytes") or 0)
        rows.append(["resources", f"{resources.get('registers')} registers, {shared:,} B of shared memory, "
                                  f"{resources.get('spill_bytes') or 0:,} B of spills"])
    if occupancy.get("fraction") is not None:
        rows.append(["occupancy", f"{100 * occupancy['fraction']:.1f} %, limiter {occupancy.get('limiter')}"])
    if point.conflicts is not None:
        rows.append(["bank conflicts", f"{point.conflicts:,} of {document['memory'].get('shared_wavefronts', 0):,} wavefronts"])
    return [fact for fact in rows if fact[1] is not None]


def advice(point: "Point") -> str:
    lines = [[f"{line.file}:{line.line}", line.conflicts, line.wavefronts, line.minimum, f"{line.worst_degree}-way"]
             for line in point.conflict_lines()]
    findings = [f"<b>{text(finding.get('kind'))}</b>: {text(finding.get('text'))}" for finding in point.findings]
    diagnoses = [f"{text(diagnosis.get('text'))}<br><small>{text(diagnosis.get('repair'))}</small>"
                 for diagnosis in point.diagnoses]
    return (table("Bank conflicts by source line", ["line", "conflicts", "wavefronts", "minimum", "worst"], lines)
            + bullets("Findings", findings) + bullets("Advice", diagnoses) + bullets("Notes", list(map(text, point.notes))))


def fact_table(point: "Point") -> str:
    return "<table><tbody>" + "".join(map(row, facts(point))) + "</tbody></table>"


def point(shown: "Point") -> str:
    return f"<div>{heading(shown)}{fact_table(shown)}{advice(shown)}</div>"


def opened(shown: "OpenedPoint") -> str:
    kernels = []
    for kernel in shown.document.get("kernels") or []:
        resources, occupancy = kernel.get("resources") or {}, kernel.get("occupancy") or {}
        share = occupancy.get("fraction")
        kernels.append([kernel.get("demangled") or kernel.get("name"), kernel.get("target"), resources.get("registers"),
                        resources.get("static_shared_bytes"), resources.get("spill_bytes"),
                        None if share is None else f"{100 * share:.1f} %", kernel.get("instructions"), kernel.get("problem")])
    guesses = [[guess.get("what"), guess.get("value"), guess.get("reason")] for guess in shown.document.get("guesses") or []]
    return (f"<div>{heading(shown)}"
            + table("Kernels", ["kernel", "code", "registers", "shared [B]", "spills [B]", "occupancy", "instructions",
                                "problem"], kernels)
            + table("Guessed", ["guessed", "value", "because"], guesses) + fact_table(shown) + advice(shown) + "</div>")


def points(shown: Sequence["Point"]) -> str:
    rows = [[one.kernel, " ".join(f"{name}={value}" for name, value in one.parameters.items()), one.shape_text,
             one.device_name, one.status, one.latency_us, one.predicted_us, one.conflicts] for one in shown]
    return "<div>" + table(f"{len(rows):,} points", ["kernel", "parameters", "shape", "device", "status", "latency [µs]",
                                                     "prediction [µs]", "conflicts"], rows) + "</div>"
