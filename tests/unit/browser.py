"""Opens a page in headless Chromium and tells what a person would see; tests without it skip and say so."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESKTOP = 375, 1280  # CSS pixels

# Runs inside the page, which may be in a frame: the parent writes down what it is told.
_MEASURE = """<script>addEventListener("load", () => {
  const wide = [...document.body.querySelectorAll("*")].filter(e => {
    for (let p = e.parentElement; p; p = p.parentElement)
      if (p !== document.documentElement && ["auto", "scroll"].includes(getComputedStyle(p).overflowX)) return false;
    return e.getBoundingClientRect().right > innerWidth + 1;
  }).map(e => e.tagName + "." + e.className + " " + (e.textContent || "").slice(0, 40));
  const small = [...document.body.querySelectorAll("*")].filter(e => parseFloat(getComputedStyle(e).fontSize) < 10)
    .filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()))
    .map(e => e.tagName + " " + e.textContent.slice(0, 40));
  parent.postMessage(JSON.stringify({wide, small, text: document.body.innerText, width: innerWidth}), "*");
});</script>"""
_FRAME = """<!doctype html><meta charset="utf-8"><pre id="told"></pre><script>
addEventListener("message", m => document.getElementById("told").textContent = m.data);</script>
<iframe src="page.html" style="border:0;width:{width}px;height:3000px"></iframe>"""


@dataclass(frozen=True)
class Seen:
    """A page at one width.

    Attributes:
        wide: elements that stick out of the page to the right and cannot be scrolled to in a box of their own.
        small: texts below 10 pixels.
        text: what is visible.
        console: errors of the browser's console.
    """

    wide: list[str]
    small: list[str]
    text: str
    console: list[str]


def look(page: Path, width: int) -> Seen:
    """Open a copy of `page` in a window `width` CSS pixels wide."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = page.read_text(encoding="utf-8")
        (folder / "page.html").write_text(text.replace("</body>", f"{_MEASURE}</body>", 1), encoding="utf-8")
        (folder / "frame.html").write_text(_FRAME.format(width=width), encoding="utf-8")
        done = _chromium(folder, "--virtual-time-budget=3000", "--dump-dom", f"file://{folder}/frame.html")
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told and told[1], f"the page measured nothing:\n{done.stdout[-500:]}\n{done.stderr[-1500:]}"
    seen = json.loads(html.unescape(told[1]))
    assert seen["width"] == width
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Seen(seen["wide"], seen["small"], seen["text"], console)


def printed_pages(page: Path, folder: Path) -> int:
    """Sheets of paper that the page takes."""
    target = folder / "page.pdf"
    _chromium(folder, f"--print-to-pdf={target}", "--no-pdf-header-footer", f"file://{page}")
    return len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))


def _chromium(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = next((path for path in map(shutil.which, _PROGRAMS) if path), None)
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium")
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command += ["--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done
