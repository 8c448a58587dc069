"""A picture as PNG, for what shows no SVG. Draws the few shapes that `svg.py` writes; it is no general renderer."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image, ImageDraw, ImageFont

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_SCALE = 2  # pixels of a unit, so that text stays readable
_BASELINE = {"start": "ls", "middle": "ms", "end": "rs"}
_SEGMENT = re.compile(r"M([\d.]+),([\d.]+) L([\d.]+),([\d.]+)")


def write_png(svg: Path, path: Path) -> None:
    """Draw an SVG of `write_svg`. Raises OSError if a file cannot be read or written."""
    root = ElementTree.parse(svg).getroot()
    size = (round(float(root.get("width", "0")) * _SCALE), round(float(root.get("height", "0")) * _SCALE))
    image = Image.new("RGB", size, "white")
    drawing = ImageDraw.Draw(image)
    for item in root:
        match item.tag.removeprefix(_NAMESPACE):
            case "rect" if item.get("width") != "100%":
                x, y, width, height = (_length(item, name) for name in ("x", "y", "width", "height"))
                drawing.rectangle((x, y, x + max(width - 1, 0), y + height - 1), fill=item.get("fill", "black"))
            case "line":
                ends = tuple(_length(item, name) for name in ("x1", "y1", "x2", "y2"))
                drawing.line(ends, fill=item.get("stroke", "black"), width=_SCALE // 2)
            case "path":
                for ends in _SEGMENT.findall(item.get("d", "")):
                    drawing.line([float(end) * _SCALE for end in ends], fill=item.get("stroke", "black"))
            case "text":
                font = ImageFont.load_default(float(item.get("font-size", root.get("font-size", "11"))) * _SCALE)
                drawing.text(
                    (_length(item, "x"), _length(item, "y")),
                    item.text or "",
                    fill=item.get("fill", "black"),
                    font=font,
                    anchor=_BASELINE[item.get("text-anchor", "start")],
                )
    image.save(path, optimize=True)


def _length(item: ElementTree.Element, name: str) -> float:
    return float(item.get(name, "0")) * _SCALE
