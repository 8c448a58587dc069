"""Plays what the device's units ask for: one access at a time on VRAM, one on host memory, answered after a while."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from random import Random
from typing import Any


@dataclass
class Access:
    """One answered access; `addr` of the first byte asked for, `data` of the strobed bytes for a write."""

    write: bool
    addr: int
    strobe: int
    error: bool


@dataclass
class Client:
    """Call `drive` before a clock edge. Bytes live in `memory`, missing ones are 0; `fails` says which accesses do.

    Args:
        prefix: of the unit's ports, `host` or `vram` or `cl`.
        blocks: addresses of the unit are block numbers.
    """

    dut: Any
    prefix: str
    blocks: bool
    rng: Random
    memory: MutableMapping[int, int]
    fails: Callable[[int], bool] = lambda addr: False
    strobe: str = ""
    data: str = ""
    response: str = ""
    writes_only: bool = False
    log: list[Access] = field(default_factory=list)
    wait: int = 0
    blocked: bool = False

    def _get(self, name: str) -> int:
        return int(getattr(self.dut, f"{self.prefix}_{name}").value)

    def drive(self, answered: str, data: str | None, error: str) -> None:
        """Answer the request that stands there, or wait."""
        dut = self.dut
        getattr(dut, answered).value = 0
        if not self._get("valid") or self.blocked:
            self.wait = self.rng.randrange(5)
            return
        if self.wait:
            self.wait -= 1
            return
        addr = self._get("block") * 64 if self.blocks else self._get("addr")
        base = addr & ~63
        write = self.writes_only or bool(self._get("write"))
        strobe = 0
        if write:
            payload = int(getattr(dut, self.data or f"{self.prefix}_data").value)
            strobe = int(getattr(dut, self.strobe or f"{self.prefix}_strb").value)
            touched = [base + i for i in range(64) if strobe >> i & 1]
            failed = any(self.fails(one) for one in touched)
            if not failed:
                for one in touched:
                    self.memory[one] = payload >> 8 * (one - base) & 0xFF
        else:
            failed = self.fails(addr)
            shown = self.rng.getrandbits(512)  # lanes below the first byte asked for may be anything
            for one in range(addr, base + 64):
                lane = 8 * (one - base)
                shown = shown & ~(0xFF << lane) | self.memory.get(one, 0) << lane
            if data is not None:
                getattr(dut, data).value = shown
        getattr(dut, answered).value = 1
        getattr(dut, error).value = int(failed)
        self.log.append(Access(write, addr, strobe, failed))
        self.wait = self.rng.randrange(5)
