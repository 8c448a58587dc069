"""Elaborates a core alone and reads the ports of its top from Verilator's JSON tree."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hw.tb.build.diagnose import listed, verilator_sentences
from hw.tb.build.ports import Port
from hw.tb.build.toolchain import Toolchain

_UNKNOWN_WIDTH = 0


class CoreError(RuntimeError):
    """The user's core can't be used; the message says what is wrong with it, in sentences."""


@dataclass(frozen=True)
class Elaborated:
    """Ports of the top in their order, and the names of its parameters."""

    ports: tuple[Port, ...]
    parameters: tuple[str, ...]


def elaborate(top: str, arguments: Sequence[str], tools: Toolchain, folder: Path) -> Elaborated:
    """Ports and parameters of the module `top`.

    Args:
        arguments: sources, defines and options for Verilator.
        folder: for the tree and the log; made if missing.

    Raises:
        CoreError: Verilator refuses the sources.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "elaborate.log"
    # Several processes may read one core at once, so each has files of its own.
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return _elaborate(top, arguments, tools, Path(own), log)


def _elaborate(top: str, arguments: Sequence[str], tools: Toolchain, folder: Path, log: Path) -> Elaborated:
    tree = folder / "tree.json"
    command = [str(tools.verilator), "--json-only", "-Wno-fatal", "--no-timing", "-Werror-MODDUP", "--top-module", top]
    command += ["--json-only-output", str(tree), "--json-only-meta-output", str(folder / "meta.json"), *arguments]
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, env=tools.environment()
    )
    log.write_text("$ " + " ".join(command) + "\n" + result.stdout + result.stderr, encoding="utf-8")
    sentences = verilator_sentences(result.stdout + result.stderr)
    if result.returncode != 0:
        raise CoreError(f"Verilator refuses the core:\n{listed(sentences, log)}")
    return read_tree(top, tree)


def read_tree(top: str, tree: Path) -> Elaborated:
    """Read the JSON tree line by line: it has one node a line, and for a large core hundreds of megabytes."""
    types: dict[str, dict[str, str]] = {}
    members: dict[str, list[str]] = {}  # struct -> its members' types
    variables: list[dict[str, str]] = []
    parameters: list[str] = []
    inside = False
    struct = ""
    with tree.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = re.match(r'\s*\{"type":"(\w+)"', line)
            if match is None:
                continue
            kind = match[1]
            if kind == "MODULE":
                inside = f'"origName":"{top}"' in line
            elif kind == "VAR" and inside:
                if '"isPrimaryIO":true' in line:
                    variables.append(_fields(line))
                elif '"isGParam":true' in line:
                    parameters.append(_fields(line)["origName"])
            elif kind.endswith("DTYPE"):
                node = _fields(line)
                types[node["addr"]] = node
                if kind == "STRUCTDTYPE":
                    struct = node["addr"]
                elif kind == "MEMBERDTYPE":
                    members.setdefault(struct, []).append(node["addr"])
    ports = tuple(_port(variable, types, members) for variable in variables)
    return Elaborated(ports, tuple(parameters))


def _fields(line: str) -> dict[str, str]:
    return dict(re.findall(r'"(\w+)":\s?"([^"]*)"', line))


def _port(variable: dict[str, str], types: dict[str, dict[str, str]], members: dict[str, list[str]]) -> Port:
    address = variable["dtypep"]
    elements: int | None = None
    node = _resolved(address, types)
    if node.get("type") == "UNPACKARRAYDTYPE":
        elements = _length(node["declRange"])
        address = node["refDTypep"]
    return Port(variable["origName"], variable["direction"].lower(), _width(address, types, members), elements)


def _resolved(address: str, types: dict[str, dict[str, str]]) -> dict[str, str]:
    """Through typedefs and enums to the type itself."""
    node = types.get(address, {})
    for _ in range(32):
        if node.get("type") not in ("REFDTYPE", "DEFIMPLICITDTYPE", "ENUMDTYPE", "MEMBERDTYPE", "CONSTDTYPE"):
            break
        below = node.get("refDTypep") or node.get("dtypep", "")
        if below in ("UNLINKED", node["addr"]):
            below = node.get("dtypep", "")
        if below == node["addr"] or below not in types:
            break
        node = types[below]
    return node


def _width(address: str, types: dict[str, dict[str, str]], members: dict[str, list[str]]) -> int:
    node = _resolved(address, types)
    match node.get("type"):
        case "BASICDTYPE":
            return _length(node["range"]) if "range" in node else 1
        case "PACKARRAYDTYPE":
            return _length(node["declRange"]) * _width(node["refDTypep"], types, members)
        case "STRUCTDTYPE":
            return sum(_width(member, types, members) for member in members.get(node["addr"], []))
        case _:
            return _UNKNOWN_WIDTH


def _length(text: str) -> int:
    """Elements of a range such as `[0:3]` or `31:0`."""
    left, right = (int(item) for item in text.strip("[]").split(":"))
    return abs(left - right) + 1


def save(found: Elaborated, path: Path) -> None:
    """Keep the result, so that an unchanged core is not elaborated again."""
    ports = [[port.name, port.direction, port.width, port.elements] for port in found.ports]
    path.write_text(json.dumps({"ports": ports, "parameters": found.parameters}) + "\n", encoding="utf-8")


def load(path: Path) -> Elaborated | None:
    """What `save` has kept, or None."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Elaborated(tuple(Port(*port) for port in kept["ports"]), tuple(kept["parameters"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
