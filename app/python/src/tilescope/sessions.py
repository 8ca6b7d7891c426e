"""Session files: sessions/README.md describes them."""

import json
import math
import os
from typing import Any, Dict, Iterable, List, Optional

from . import html
from .errors import UnreadableFile
from .records import Point
from .subjects import StrPath, read_file

FORMAT_VERSION = 3
SESSION_LIMIT = 1 << 30  # [B]
COLUMNS = ("kernel", "shape", "device", "status", "latency_us", "prediction_us", "conflicts")


class Session(List[Point]):
    """Points of a session file, in its order, or of your own: Session([measure(...), ...])."""

    def __init__(self, points: Iterable[Point] = (), title: str = "", created_utc: Optional[str] = None) -> None:
        super().__init__(points)
        self.title = title
        self.created_utc = created_utc

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each point. Parameters are columns; one that has the name of another column is
        called "parameter NAME". Latency and prediction are in µs; a figure that is missing is NaN."""
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("to_pandas() needs pandas, which is not installed: pip install pandas") from None
        names: Dict[str, None] = {}
        for point in self:
            names.update(dict.fromkeys(point.parameters))
        return pandas.DataFrame([row_of(point) for point in self],
                                columns=["kernel", *map(column_of, names), *COLUMNS[1:]])

    def _repr_html_(self) -> str:
        return html.points(self)


def column_of(parameter: str) -> str:
    return f"parameter {parameter}" if parameter in COLUMNS else parameter


def row_of(point: Point) -> Dict[str, Any]:
    row = {column_of(name): value for name, value in point.parameters.items()}
    row.update(kernel=point.kernel, shape=point.shape_text, device=point.device_name, status=point.status)
    figures = {"latency_us": point.latency_us, "prediction_us": point.predicted_us, "conflicts": point.conflicts}
    row.update((name, math.nan if figure is None else figure) for name, figure in figures.items())
    return row


def migrated_from_1(point: Dict[str, Any]) -> Dict[str, Any]:
    """Version 1 had a predicted latency in the place of a measured one."""
    latency = point.get("latency") or {}
    point = {"prediction": None, "counters": None, "diagnoses": None, **point}
    if latency.get("kind") == "predicted":
        point["latency"] = None
        point["prediction"] = {"p50_us": latency.get("p50_us"), "low_us": latency.get("low_us", latency.get("p10_us")),
                               "high_us": latency.get("high_us", latency.get("p90_us")), "roofline_us": None, "model": None,
                               "table_sha256": None, "parts": latency.get("parts") or []}
    return point


def read_session(path: StrPath) -> Session:
    """The points of a session file. Raises UnreadableFile with what is wrong with it."""
    name = os.fspath(path)

    def refuse_constant(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        document = json.loads(read_file(path, SESSION_LIMIT), parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise UnreadableFile(f"'{name}' is not a Tilescope session: invalid JSON at line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"'{name}' is not a Tilescope session: {error}") from None
    if not isinstance(document, dict) or document.get("format") != "tilescope-session":
        raise UnreadableFile(f"'{name}' is not a Tilescope session: it has no \"format\": \"tilescope-session\"")
    version, points = document.get("version"), document.get("points")
    if not isinstance(version, int) or version < 1:
        raise UnreadableFile(f"'{name}' has no version of the session format")
    if version > FORMAT_VERSION:
        raise UnreadableFile(f"'{name}' has version {version} of the session format, and this package reads up to "
                             f"{FORMAT_VERSION}: install a newer one")
    if not isinstance(points, list):
        raise UnreadableFile(f"'{name}' has no list of points")
    for i, point in enumerate(points):
        complaint = complaint_about(point)
        if complaint:
            raise UnreadableFile(f"'{name}': /points/{i}{complaint}")
    return Session((Point(migrated_from_1(point) if version == 1 else point) for point in points),
                   str(document.get("title") or ""), document.get("created_utc"))


def complaint_about(point: Any) -> str:
    """The place and the reason why a point cannot be read; "" where it can."""
    if not isinstance(point, dict):
        return " is not an object"
    for name, kind in (("status", str), ("kernel", str), ("parameters", dict)):
        if not isinstance(point.get(name), kind):
            return f"/{name} is missing, or of another type"
    for name in ("shape", "device", "latency", "prediction", "memory", "resources", "occupancy"):
        if not isinstance(point.get(name), (dict, type(None))):
            return f"/{name} is not an object"
    for name in ("findings", "diagnoses", "notes"):
        if not isinstance(point.get(name), (list, type(None))):
            return f"/{name} is not a list"
    missing = {"B", "Hq", "Hkv", "Sq", "Sk", "D"} - set(point.get("shape") or {"B", "Hq", "Hkv", "Sq", "Sk", "D"})
    return f"/shape/{min(missing)} is missing" if missing else ""
