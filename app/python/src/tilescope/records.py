"""Points as the worker and session files have them: sessions/schema.json describes every member."""

import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import html


def wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrapped(item) for item in value]
    return value


class Record(Mapping[str, Any]):
    """An object of the contract, with members as attributes and as items: `point.prediction.p50_us`."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = dict(document)

    @property
    def document(self) -> Dict[str, Any]:
        """The object as it is in JSON."""
        return self._document

    def __getattr__(self, name: str) -> Any:
        if name == "_document" or name not in self._document:
            raise AttributeError(f"a {type(self).__name__} has no '{name}'")
        return wrapped(self._document[name])

    def __getitem__(self, name: str) -> Any:
        return wrapped(self._document[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._document})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({json.dumps(self._document, indent=1)})"


class ConflictLine(Record):
    """A source line whose accesses to shared memory conflict in banks, with the sum over its instructions."""

    file: str
    line: int
    conflicts: int
    wavefronts: int
    minimum: int
    worst_degree: int


class Point(Record):
    """A configuration of a kernel: measured, predicted, or with the reason why it cannot run. Members that do not apply
    are None."""

    @property
    def status(self) -> str:
        """"ok", "unchecked", "compile_failed" and so on."""
        return str(self._document["status"])

    @property
    def reason(self) -> str:
        """A sentence; "" where the status is "ok"."""
        return str(self._document.get("reason", ""))

    @property
    def kernel(self) -> str:
        return str(self._document.get("kernel") or "")

    @property
    def parameters(self) -> Dict[str, Any]:
        return dict(self._document.get("parameters") or {})

    @property
    def device_name(self) -> Optional[str]:
        return self._member("device", "name")  # type: ignore[no-any-return]

    @property
    def latency_us(self) -> Optional[float]:
        """Median of the measured or recorded latency. [µs]"""
        return self._member("latency", "p50_us")  # type: ignore[no-any-return]

    @property
    def predicted_us(self) -> Optional[float]:
        """[µs]"""
        return self._member("prediction", "p50_us")  # type: ignore[no-any-return]

    @property
    def band_us(self) -> Optional[Tuple[Optional[float], Optional[float]]]:
        """The error band of the prediction. [µs]"""
        if not self._document.get("prediction"):
            return None
        return self._member("prediction", "low_us"), self._member("prediction", "high_us")

    @property
    def conflicts(self) -> Optional[int]:
        """Wavefronts to shared memory that bank conflicts add."""
        return self._member("memory", "shared_conflicts")  # type: ignore[no-any-return]

    @property
    def findings(self) -> List[Record]:
        return [Record(finding) for finding in self._document.get("findings") or []]

    @property
    def diagnoses(self) -> List[Record]:
        return [Record(diagnosis) for diagnosis in self._document.get("diagnoses") or []]

    @property
    def notes(self) -> List[str]:
        return list(self._document.get("notes") or [])

    @property
    def shape_text(self) -> str:
        """As measure() takes it: "1,32/8,512/4096,128 causal bf16"; "" for a kernel of a file."""
        return shape_text(self._document.get("shape"))

    def conflict_lines(self) -> List[ConflictLine]:
        """The source lines whose accesses conflict, the worst first."""
        lines: Dict[Tuple[str, int], Dict[str, Any]] = {}
        for site in (self._document.get("memory") or {}).get("sites") or []:
            if "shared" not in site.get("operation", "") or not site.get("conflicts"):
                continue
            place = (site.get("file") or "", site.get("line") or 0)
            line = lines.setdefault(place, {"file": place[0], "line": place[1], "conflicts": 0, "wavefronts": 0, "minimum": 0,
                                            "worst_degree": 0})
            for name in ("conflicts", "wavefronts", "minimum"):
                line[name] += site.get(name) or 0
            line["worst_degree"] = max(line["worst_degree"], site.get("worst_degree") or 0)
        return [ConflictLine(line) for line in sorted(lines.values(), key=lambda line: -line["conflicts"])]

    def _member(self, group: str, name: str) -> Any:
        return (self._document.get(group) or {}).get(name)

    def _repr_html_(self) -> str:
        return html.point(self)

    def __repr__(self) -> str:
        parts = [self.kernel, " ".join(f"{name}={value}" for name, value in self.parameters.items()), self.shape_text,
                 self.device_name or "", self.status, html.latency_text(self), html.prediction_text(self)]
        return f"<{type(self).__name__}: {', '.join(filter(None, parts))}>"


class OpenedPoint(Point):
    """A kernel of a file, launched with what could be found out."""

    @property
    def kernels(self) -> List[Record]:
        """Every kernel of the file, with what its machine code says."""
        return [Record(kernel) for kernel in self._document.get("kernels") or []]

    @property
    def guesses(self) -> List[Record]:
        """Parts of the launch that were guessed: `what`, `value`, `reason`. `open(..., set={what: value})` replaces one."""
        return [Record(guess) for guess in self._document.get("guesses") or []]

    @property
    def launch(self) -> Optional[Dict[str, Any]]:
        """The launch as `tilescope run --args` takes it; None where there is none."""
        text = self._document.get("launch")
        return json.loads(text) if text else None

    @property
    def point(self) -> Point:
        """The point without the kernels and guesses of the file."""
        return Point({name: value for name, value in self._document.items()
                      if name not in ("kernels", "guesses", "launch", "kind")})

    def _repr_html_(self) -> str:
        return html.opened(self)


class TracedPoint(Point):
    """A launch of trace()."""

    def __init__(self, document: Mapping[str, Any], buffers: Dict[Any, Any], written: List[Any]) -> None:
        super().__init__(document)
        self._buffers, self._written = buffers, written

    @property
    def kernel(self) -> str:
        return str(self._document.get("entry") or "")

    @property
    def arrays(self) -> Dict[Any, Any]:
        """New arrays for those that the kernel wrote, by the name or the index of the argument."""
        return {key: self._buffers[key] for key in self._written}

    @property
    def buffers(self) -> Dict[Any, Any]:
        """All arrays as they are after the launch; empty where the kernel did not run to its end."""
        return dict(self._buffers)


def shape_text(shape: Optional[Mapping[str, Any]]) -> str:
    if not shape:
        return ""

    def pair(first: Any, second: Any) -> str:
        return str(first) if first == second else f"{first}/{second}"

    text = f"{shape['B']},{pair(shape['Hq'], shape['Hkv'])},{pair(shape['Sq'], shape['Sk'])},{shape['D']}"
    return text + (" causal" if shape.get("causal") else "") + (" bf16" if shape.get("dtype") == "bf16" else "")
