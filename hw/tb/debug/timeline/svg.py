"""A window as a static picture (SVG): warps and their states, CTAs above, memory transactions and arrows below."""

from __future__ import annotations

from html import escape
from pathlib import Path

from hw.tb.debug.library import words
from hw.tb.debug.library.transactions import OPEN
from hw.tb.debug.timeline.scene import Scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.tracks import spread

COLOURS: dict[State, str] = {
    State.ISSUE: "#2e9e4f",
    State.BARRIER: "#a04ec0",
    State.CONTROL: "#e6b800",
    State.FETCH: "#9aa0a6",
    State.MEMORY: "#d93025",
    State.FLOAT: "#12a4af",
    State.MULDIV: "#5bc0de",
    State.OPERAND: "#f29900",
    State.PORT: "#4a7fd6",
    State.DRAIN: "#e0e0e0",
}
_LEFT, _WIDTH, _ROW, _GAP, _TOP = 110, 1400, 18, 4, 46
_CTA, _READ, _WRITE, _ERROR = "#fde7c7", "#c6dafc", "#d7ccf2", "#d93025"
_MOST_SHAPES = 60_000


class PictureError(ValueError):
    """A window that makes no readable picture; one sentence."""


def write_svg(scene: Scene, path: Path, title: str = "") -> None:
    """Draw the window. Raises PictureError if it holds too much, OSError if the file cannot be written."""
    shapes = len(scene.states) + len(scene.transactions) + len(scene.links)
    if shapes > _MOST_SHAPES:
        raise PictureError(
            f"cycles {scene.first} to {scene.last} hold {shapes:,} spans, a picture at most {_MOST_SHAPES:,}: choose a "
            "smaller window with FROM and TO"
        )
    path.write_text(_Drawing(scene).picture(title), encoding="utf-8")


class _Drawing:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._parts: list[str] = []
        self._y = _TOP
        self._warp_y: dict[tuple[int, int], int] = {}

    def picture(self, title: str) -> str:
        self._ctas()
        self._warps()
        self._memory()
        self._legend()
        height = self._y + _ROW
        scene = self._scene
        head = title or f"cycles {scene.first:,} to {scene.last:,}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" height="{height}" '
                'font-family="sans-serif" font-size="11">',
                '<rect width="100%" height="100%" fill="white"/>',
                f'<text x="10" y="18" font-size="14">{escape(head)}</text>',
                *self._axis(height),
                *self._parts,
                "</svg>",
                "",
            ]
        )

    def _x(self, cycle: float) -> float:
        scene = self._scene
        inside = min(max(cycle, scene.first), scene.last + 1)
        return round(_LEFT + _WIDTH * (inside - scene.first) / (scene.last + 1 - scene.first), 2)

    def _axis(self, height: int) -> list[str]:
        scene, lines = self._scene, []
        for part in range(11):
            cycle = scene.first + (scene.last + 1 - scene.first) * part // 10
            x = self._x(cycle)
            lines.append(f'<line x1="{x}" y1="34" x2="{x}" y2="{height - 2 * _ROW}" stroke="#eeeeee"/>')
            lines.append(f'<text x="{x}" y="32" text-anchor="middle" fill="#666666">{cycle:,}</text>')
        return lines

    def _label(self, text: str) -> None:
        self._parts.append(f'<text x="{_LEFT - 8}" y="{self._y + 13}" text-anchor="end">{escape(text)}</text>')

    def _bar(self, begin: int, end: int, y: int, colour: str, tip: str, text: str = "", height: int = _ROW) -> None:
        x, width = self._x(begin), max(self._x(end) - self._x(begin), 0.4)
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{width:.2f}" height="{height}" fill="{colour}">'
            f"<title>{escape(tip)}</title></rect>"
        )
        if text and width > 7 * len(text):
            self._parts.append(f'<text x="{x + 3}" y="{y + 13}" pointer-events="none">{escape(text)}</text>')

    def _ctas(self) -> None:
        scene = self._scene
        for core, slot in sorted({(life.core, life.slot) for life in scene.ctas}):
            self._label(f"core {core} CTA slot {slot}")
            for life in scene.ctas:
                if (life.core, life.slot) == (core, slot):
                    end = life.end if life.end is not None else scene.last + 1
                    name = f"block {life.block[0]}, {life.block[1]}, {life.block[2]}"
                    self._bar(life.begin, end, self._y, _CTA, f"{name}: cycles {life.begin} to {end}", name)
            self._y += _ROW + 2
        self._y += _GAP

    def _warps(self) -> None:
        scene, states = self._scene, self._scene.states
        for core, warp in scene.harts:
            self._label(f"core {core} warp {warp}")
            self._warp_y[core, warp] = self._y
            self._y += _ROW + _GAP
        for at in range(len(states)):
            stream, state = int(states.stream[at]), State(int(states.state[at]))
            begin, end = int(states.begin[at]), int(states.end[at])
            tip, row = f"{state.label}: cycles {begin} to {end - 1}", int(states.row[at])
            if row >= 0:
                pc = int(scene.table.column["pc"][row])
                word = int(scene.table.column["instr"][row])
                tip += f"\n{words.text(word, pc, scene.run.recording.meta.xlen)}  <{scene.run.names.symbol(pc)}>"
            self._bar(begin, end, self._warp_y[stream >> 8 & 0xFFF, stream & 0xFF], COLOURS[state], tip)
        for span in scene.barriers:
            if span.end is not None:
                rows = [self._warp_y[span.core, warp] for warp in range(64) if (span.core, warp) in self._warp_y]
                x = self._x(span.end)
                place = f'x1="{x}" y1="{min(rows)}" x2="{x}" y2="{max(rows) + _ROW}"'
                style = f'stroke="{COLOURS[State.BARRIER]}" stroke-dasharray="3 2"'
                tip = f"barrier {span.id:#x} lets {span.released:b} go"
                self._parts.append(f"<line {place} {style}><title>{tip}</title></line>")
        self._y += _GAP

    def _memory(self) -> None:
        scene, seen = self._scene, self._scene.transactions
        if not len(seen):
            return
        self._label("memory")
        ends = [int(end) if end != OPEN else scene.last for end in seen.response.tolist()]
        rows = spread([(int(begin), end + 1) for begin, end in zip(seen.request.tolist(), ends, strict=True)])
        height = 8
        for at, row in enumerate(rows):
            colour = _WRITE if seen.write[at] else _READ
            if seen.error[at] or int(seen.response[at]) == OPEN:
                colour = _ERROR
            kind = "write" if seen.write[at] else "read"
            tip = f"{kind} {int(seen.addr[at]):#x}, id {int(seen.id[at])}: cycles {int(seen.request[at])} to {ends[at]}"
            y = self._y + row * (height + 1)
            self._bar(int(seen.request[at]), ends[at] + 1, y, colour, tip, height=height)
        for link in scene.links:
            hart = (int(scene.table.core[link.load]), int(scene.table.warp[link.load]))
            middle = self._y + rows[link.transaction] * (height + 1) + height / 2
            issue, commit = int(scene.table.issue[link.load]), int(scene.table.commit[link.load])
            request, response = int(seen.request[link.transaction]), int(seen.response[link.transaction])
            warp_y = self._warp_y[hart] + _ROW
            to_memory = f"M{self._x(issue)},{warp_y} L{self._x(request)},{middle}"
            path = f"{to_memory} M{self._x(response)},{middle} L{self._x(commit)},{warp_y}"
            self._parts.append(f'<path d="{path}" stroke="#555555" stroke-width="0.6" fill="none"/>')
        self._y += (max(rows) + 1) * (height + 1) + _GAP

    def _legend(self) -> None:
        x = _LEFT
        self._y += _GAP
        present = set(self._scene.states.state.tolist())
        for state in State:
            if state in present:
                self._parts.append(f'<rect x="{x}" y="{self._y}" width="12" height="12" fill="{COLOURS[state]}"/>')
                self._parts.append(f'<text x="{x + 16}" y="{self._y + 10}">{escape(state.label)}</text>')
                x += 30 + 7 * len(state.label)
