"""vx_lsu: random loads, packed loads, stores, atomics and fences of all spaces and sizes against a byte memory.

Cache and LMEM are dictionaries that serve requests in the order in which they accept them; cache responses return in
any order. The requests of every instruction are predicted one by one: lanes, bytes, data, order. What an atomic does
to memory is not the unit's business; its results are made up here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, Timer

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import elements, joined, start_clock_and_reset
from tests.rtl.core_structs import DECODED, Amo, CoreLayouts, Fault, lsu_op

INSTRUCTIONS = 900
QUIET_CYCLES = 5000  # far above what 32 lanes with four pieces on lines of their own need
LINE = 64
GLOBAL, IO = 0x8000_1000, 0x80
BAD_LINE = 0x8000_3000 // LINE  # answers with an error


@dataclass
class Access:
    """One instruction. A packed load accesses `addr` and what lies `data` further, as often as it has pieces."""

    uid: int
    tmask: int
    addr: list[int]
    data: list[int]
    size: int
    store: bool
    fence: bool
    unsigned: bool
    amo: Amo = Amo.NONE
    pieces: int = 1

    def piece(self, lane: int, number: int) -> int:
        """Address of one access of a lane."""
        return self.addr[lane] + (number * self.data[lane] if number else 0)

    @property
    def lanes(self) -> list[int]:
        return [lane for lane in range(len(self.addr)) if self.tmask >> lane & 1]

    @property
    def misaligned(self) -> list[int]:
        """Addresses, in the order of lanes, and of the pieces of one lane."""
        if self.fence:
            return []
        addresses = [self.piece(lane, number) for lane in self.lanes for number in range(self.pieces)]
        return [addr for addr in addresses if addr % self.size]


@dataclass
class Request:
    """One expected request to LMEM or cache."""

    access: Access
    lmem: bool
    lanes: list[int]
    piece: int = 0

    def addr(self, lane: int) -> int:
        return self.access.piece(lane, self.piece)


@dataclass
class Load:
    """Responses that a load waits for, and the values that memory had when its requests were accepted."""

    access: Access
    waiting: set[tuple[int, int]]  # lane and piece
    values: dict[tuple[int, int], int] = field(default_factory=dict)
    error: int | None = None  # address reported


class Bench:
    """Drives the unit and plays cache and LMEM."""

    def __init__(self, dut: Any, config: HardwareConfig, rng: Random) -> None:
        self.dut, self.config, self.rng = dut, config, rng
        self.layouts = CoreLayouts(config)
        self.word = config.xlen // 8
        self.memory: dict[int, int] = {}
        self.expected: deque[Request] = deque()
        self.loads: dict[int, Load] = {}  # by uid
        self.stores: deque[tuple[Access, Fault, int]] = deque()  # commits of the other port, in order
        self.responses: list[tuple[int, Request, bytes, bool]] = []  # tag, request, line, error
        self.lmem_responses: deque[tuple[int, Request, list[int]]] = deque()
        self.traced: deque[tuple[Access, int]] = deque()  # with the mask
        self.done = self.merged = self.split = self.mixed = self.faults = self.fences = self.atomics = self.illegal = 0
        self.packed = 0
        self.places = 8 * LINE // config.xlen
        for name in (
            "exec_valid", "exec", "dcache_req_ready", "dcache_rsp_valid", "dcache_rsp", "dcache_flush_done",
            "lmem_req_ready", "lmem_rsp_valid", "lmem_rsp", "other_commit_ready",
        ):  # fmt: skip
            getattr(dut, name).value = 0

    # ---------------------------------------------------------------- instructions

    def access(self, uid: int) -> Access:
        rng, lanes = self.rng, self.config.num_threads
        size = rng.choice((1, 2, 4) if self.word == 4 else (1, 2, 4, 8))
        spaces = {"global": GLOBAL, "io": IO, "lmem": self.config.lmem_base}
        base = spaces[rng.choice(("global", "global", "lmem", "io"))]
        kind = rng.choice(("row", "same", "near", "spread", "mixed", "reverse"))
        start = rng.randrange(64) * size
        addr = {
            "row": [base + start + lane * size for lane in range(lanes)],
            "reverse": [base + start + (lanes - lane) * size for lane in range(lanes)],
            "same": [base + start] * lanes,
            "near": [base + rng.randrange(LINE // size) * size for _ in range(lanes)],
            "spread": [base + rng.randrange(512) * size for _ in range(lanes)],
            "mixed": [rng.choice(list(spaces.values())) + rng.randrange(32) * size for _ in range(lanes)],
        }[kind]
        if rng.random() < 0.05:
            addr[rng.randrange(lanes)] += rng.randrange(size)
        store, fence = rng.random() < 0.5, rng.random() < 0.03
        if not store and not fence and rng.random() < 0.05:
            addr[rng.randrange(lanes)] = BAD_LINE * LINE + rng.randrange(LINE // size) * size
        tmask = rng.choice(((1 << lanes) - 1, rng.randrange(1, 1 << lanes)))
        amo = Amo.NONE
        if size >= 4 and not store and not fence and rng.random() < 0.5:
            amo = rng.choice(list(Amo)[1:])
            if rng.random() < 0.7:  # else perhaps on LMEM, which is illegal
                addr = [GLOBAL + value % 256 if self.is_lmem(value) else value for value in addr]
        data = [rng.getrandbits(self.config.xlen) for _ in range(lanes)]
        unsigned = bool(rng.getrandbits(1)) and size < self.word and not amo
        if size < 4 and not store and not fence and rng.random() < 0.5:
            # Far enough from the ends of the spaces for every stride.
            addr = [value + 0x400 if value < 0x400 or self.is_lmem(value) else value for value in addr]
            strides = (0, size, 2 * size, -size, 4, 8, LINE, -LINE, 6 * LINE, -4 * LINE)
            common = rng.choice(strides)
            data = [rng.choice((common, common, rng.choice(strides))) for _ in range(lanes)]
            if rng.random() < 0.1:
                data[rng.randrange(lanes)] += 1
            return Access(uid, tmask, addr, data, size, store, fence, unsigned=True, pieces=4 // size)
        return Access(uid, tmask, addr, data, size, store, fence, unsigned, amo)

    def pack(self, access: Access) -> int:
        imm = 0 if access.amo or access.pieces > 1 else self.rng.randrange(-2048, 2048)
        xlen, modulus = self.config.xlen, 1 << self.config.xlen
        log_size = access.size.bit_length() - 1
        op = lsu_op(
            store=access.store,
            fence=access.fence,
            unsigned=access.unsigned,
            log_size=log_size,
            atomic=bool(access.amo),
            pieces=access.pieces > 1,
        )
        use_rd = int(not access.store and not access.fence)
        return self.layouts.exec.pack(
            {
                "uid": access.uid,
                "pc": 4 * access.uid,
                "tmask": access.tmask,
                "dec": DECODED.pack({"op": op, "imm": imm & 0xFFFF_FFFF | access.amo, "use_rd": use_rd, "rd": 7}),
                "rs1": joined([(value - imm) % modulus for value in access.addr], xlen),
                "rs2": joined([value % modulus for value in access.data], xlen),
            }
        )

    def send(self, access: Access) -> None:
        """Predict the requests of an instruction that the unit accepts."""
        bad = self.fault(access) != Fault.NONE
        if not bad and not access.amo:
            self.traced.append((access, access.tmask))
        if access.fence or bad:
            self.expected.append(Request(access, lmem=False, lanes=[]))
            return
        requests: list[Request] = []
        for piece in range(access.pieces):
            requests += self.requests_of(access, piece)
        self.packed += access.pieces > 1
        self.merged += any(len(request.lanes) > 1 for request in requests if not request.lmem)
        self.split += len(requests) >= min(3, self.config.num_threads)
        self.mixed += len({request.lmem for request in requests}) > 1
        self.expected.extend(requests)
        if not access.store:
            self.loads[access.uid] = Load(
                access, {(lane, piece) for lane in access.lanes for piece in range(access.pieces)}
            )

    def requests_of(self, access: Access, piece: int) -> list[Request]:
        """One access of every lane: those on LMEM, then line by line."""
        addr = {lane: access.piece(lane, piece) for lane in access.lanes}
        in_lmem = [lane for lane in addr if self.is_lmem(addr[lane])]
        rest = [lane for lane in addr if lane not in in_lmem]
        requests = [Request(access, True, in_lmem, piece)] if in_lmem else []
        while rest:
            first = rest[0]
            group = [lane for lane in rest if addr[lane] // LINE == addr[first] // LINE]
            if access.amo:
                group = [lane for lane in group if lane // self.places == first // self.places]
            requests.append(Request(access, False, group, piece))
            rest = [lane for lane in rest if lane not in group]
        return requests

    def fault(self, access: Access) -> Fault:
        if access.misaligned:
            return Fault.MISALIGNED
        local = access.amo and any(self.is_lmem(access.addr[lane]) for lane in access.lanes)
        return Fault.ILLEGAL if local else Fault.NONE

    def is_lmem(self, addr: int) -> bool:
        return self.config.lmem_base <= addr < self.config.lmem_base + self.config.lmem_size

    # ---------------------------------------------------------------- memory

    def read(self, addr: int, size: int) -> int:
        return sum(self.memory.get(addr + byte, 0) << 8 * byte for byte in range(size))

    def perform(self, request: Request) -> None:
        """An accepted request takes effect; ascending lanes, so the highest one's bytes remain."""
        access = request.access
        for lane in request.lanes:
            addr = request.addr(lane)
            if access.store:
                for byte in range(access.size):
                    self.memory[addr + byte] = access.data[lane] >> 8 * byte & 0xFF
            else:
                self.loads[access.uid].values[lane, request.piece] = self.read(addr, access.size)

    def take_line(self) -> None:
        fields = self.layouts.dcache_req.unpack(int(self.dut.dcache_req.value))
        request = self.expected.popleft()
        access = request.access
        assert not request.lmem and not access.fence and not access.misaligned, "unexpected cache request"
        self.check_turn(access)
        line = request.addr(request.lanes[0]) // LINE
        if access.amo:
            self.take_atomic(request, fields)
            return
        assert self.layouts.amo.unpack(fields["amo"])["op"] == Amo.NONE
        io = 0x40 <= line * LINE < 0x10000
        place = f"uid {access.uid} lanes {request.lanes}"
        assert fields["addr"] == line and fields["rw"] == int(access.store) and fields["io"] == int(io), place
        wanted: dict[int, int] = {}
        for lane in request.lanes:
            for byte in range(access.size):
                wanted[request.addr(lane) % LINE + byte] = access.data[lane] >> 8 * byte & 0xFF
        assert fields["byteen"] == sum(1 << byte for byte in wanted), f"{place}: bytes {fields['byteen']:#x}"
        if access.store:
            for byte, value in wanted.items():
                assert fields["data"] >> 8 * byte & 0xFF == value, f"{place}: byte {byte}"
        self.perform(request)
        if access.store:
            self.finish_store(access)
        else:
            assert all(fields["tag"] != tag for tag, *_ in self.responses), "tag in use"
            # The whole line, garbage where the lanes did not ask for it.
            content = bytes(
                self.memory.get(line * LINE + byte, 0) if byte in wanted else self.rng.getrandbits(8)
                for byte in range(LINE)
            )
            self.responses.append((fields["tag"], request, content, line == BAD_LINE))

    def check_turn(self, access: Access) -> None:
        """Nothing younger than an atomic leaves before its answers."""
        atomic = [request.access for _, request, *_ in self.responses if request.access.amo]
        assert all(other is access for other in atomic), f"uid {access.uid} overtakes an atomic"

    def take_atomic(self, request: Request, fields: dict[str, int]) -> None:
        access = request.access
        place = f"uid {access.uid} lanes {request.lanes}"
        amo = self.layouts.amo.unpack(fields["amo"])
        upper = request.lanes[0] // self.places
        assert (amo["op"], amo["wide"], amo["upper"]) == (access.amo, int(access.size == 8), upper), place
        assert amo["mask"] == sum(1 << lane % self.places for lane in request.lanes), place
        assert fields["addr"] == access.addr[request.lanes[0]] // LINE and not fields["rw"] and not fields["io"], place
        words = elements(fields["data"], self.config.xlen, self.places)
        indices = elements(fields["byteen"], 4, 16)
        results = [self.rng.getrandbits(self.config.xlen) for _ in range(self.places)]
        for lane in request.lanes:
            assert words[lane % self.places] == access.data[lane], f"{place}: operand of lane {lane}"
            assert indices[lane % self.places] == access.addr[lane] % LINE // 4, f"{place}: word of lane {lane}"
            if access.amo is Amo.SC:
                results[lane % self.places] = self.rng.getrandbits(1)
            self.loads[access.uid].values[lane, 0] = results[lane % self.places] & (1 << 8 * access.size) - 1
        content = joined(results, self.config.xlen).to_bytes(LINE, "little")
        assert all(fields["tag"] != tag for tag, *_ in self.responses), "tag in use"
        self.responses.append((fields["tag"], request, content, False))
        self.atomics += 1

    def take_lmem(self) -> None:
        fields = self.layouts.lmem_req.unpack(int(self.dut.lmem_req.value))
        request = self.expected.popleft()
        access, lanes, bits = request.access, self.config.num_threads, self.config.xlen
        assert request.lmem, "unexpected LMEM request"
        self.check_turn(access)
        assert fields["mask"] == sum(1 << lane for lane in request.lanes) and fields["rw"] == int(access.store)
        addr = elements(fields["addr"], self.config.lmem_log_size, lanes)
        byteen = elements(fields["byteen"], self.word, lanes)
        data = elements(fields["data"], bits, lanes)
        for lane in request.lanes:
            offset = request.addr(lane) % self.word
            assert addr[lane] == request.addr(lane) - self.config.lmem_base
            assert byteen[lane] == ((1 << access.size) - 1) << offset
            if access.store:
                kept = (1 << 8 * access.size) - 1
                assert data[lane] >> 8 * offset & kept == access.data[lane] & kept
        self.perform(request)
        if access.store:
            self.finish_store(access)
        else:
            every = [access.piece(lane, request.piece) for lane in range(lanes)]
            words = [self.read(addr // self.word * self.word, self.word) for addr in every]
            self.lmem_responses.append((fields["tag"], request, words))

    def finish_store(self, access: Access) -> None:
        if not self.expected or self.expected[0].access is not access:
            self.stores.append((access, Fault.NONE, 0))

    # ---------------------------------------------------------------- commits

    def response(self, request: Request, error: bool) -> None:
        load = self.loads[request.access.uid]
        load.waiting -= {(lane, request.piece) for lane in request.lanes}
        if error and load.error is None:
            load.error = request.addr(request.lanes[0])

    def check_load(self) -> None:
        commit = self.layouts.commit.unpack(int(self.dut.load_commit.value))
        load = self.loads.pop(commit["uid"])
        access = load.access
        assert not load.waiting, f"uid {access.uid} committed before lanes {load.waiting} had data"
        assert commit["pc"] == 4 * access.uid and commit["tmask"] == access.tmask and commit["rd"] == 7
        self.done += 1
        if load.error is not None:
            assert (commit["fault"], commit["fault_addr"]) == (Fault.BUS_READ, load.error)
            self.faults += 1
            return
        assert commit["fault"] == Fault.NONE
        data = elements(commit["data"], self.config.xlen, self.config.num_threads)
        for lane in access.lanes:
            value = sum(load.values[lane, piece] << 8 * access.size * piece for piece in range(access.pieces))
            if not access.unsigned and value >> 8 * access.size - 1:
                value |= -1 << 8 * access.size
            value &= (1 << self.config.xlen) - 1
            assert data[lane] == value, f"uid {access.uid} lane {lane}: {data[lane]:#x}, expected {value:#x}"

    def check_other(self) -> None:
        commit = self.layouts.commit.unpack(int(self.dut.other_commit.value))
        access, fault, addr = self.stores.popleft()
        assert commit["uid"] == access.uid and commit["fault"] == fault
        assert fault == Fault.NONE or commit["fault_addr"] == addr
        self.done += 1
        self.faults += fault != Fault.NONE
        self.fences += access.fence

    def check_trace(self) -> None:
        lanes, xlen = self.config.num_threads, self.config.xlen
        trace = int(self.dut.trace.value)
        data, trace = elements(trace, xlen, lanes), trace >> lanes * xlen
        addr, trace = elements(trace, xlen, lanes), trace >> lanes * xlen
        mask, trace = trace & (1 << lanes) - 1, trace >> lanes
        size, space, op, uid = trace & 15, trace >> 4 & 3, trace >> 6 & 3, trace >> 8 & 0xFFFF_FFFF
        access, lanes_traced = self.traced.popleft()
        assert uid == access.uid and mask == lanes_traced
        assert op == (3 if access.amo else 2 if access.fence else int(access.store))
        if access.fence:
            return
        if access.amo and not mask:
            return  # an SC that did not store
        lanes_shown = [lane for lane in access.lanes if mask >> lane & 1]
        first = access.addr[lanes_shown[0]]
        assert space == (1 if self.is_lmem(first) else 2 if 0x40 <= first < 0x10000 else 0) and size == access.size
        assert [addr[lane] for lane in access.lanes] == [access.addr[lane] for lane in access.lanes]
        if access.store or access.amo not in (Amo.NONE, Amo.LR):
            kept = (1 << 8 * size) - 1
            assert all(data[lane] == access.data[lane] & kept for lane in lanes_shown)


@cocotb.test()
async def random_accesses(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = Bench(dut, config, rng)
    layouts = bench.layouts
    await start_clock_and_reset(dut)
    assert len(dut.dcache_req) == layouts.dcache_req.width and len(dut.lmem_req) == layouts.lmem_req.width
    sent = 0
    held: int | None = None
    flushing = False
    quiet, done_before = 0, 0  # cycles without a commit
    while bench.done < INSTRUCTIONS:
        await FallingEdge(dut.clk)
        quiet = quiet + 1 if bench.done == done_before else 0
        done_before = bench.done
        assert quiet < QUIET_CYCLES, f"no instruction commits any more: {bench.done} of {INSTRUCTIONS} have"
        dut.dcache_req_ready.value = int(rng.random() < 0.7)
        dut.lmem_req_ready.value = int(rng.random() < 0.7)
        dut.other_commit_ready.value = int(rng.random() < 0.7)
        index = rng.randrange(len(bench.responses)) if bench.responses and rng.random() < 0.5 else None
        dut.dcache_rsp_valid.value = int(index is not None)
        if index is not None:
            tag, answered, content, error = bench.responses[index]
            if answered.access.amo:
                stored = answered.lanes
                if answered.access.amo is Amo.SC:
                    results = bench.loads[answered.access.uid].values
                    stored = [lane for lane in stored if results[lane, 0] == 0]
                # Everything older has been shown, and what waits behind it not yet.
                bench.traced.appendleft((answered.access, sum(1 << lane for lane in stored)))
            line = int.from_bytes(content, "little")
            dut.dcache_rsp.value = layouts.dcache_rsp.pack({"data": line, "tag": tag, "err": int(error)})
        dut.lmem_rsp_valid.value = int(bool(bench.lmem_responses))
        if bench.lmem_responses:
            tag, _, values = bench.lmem_responses[0]
            dut.lmem_rsp.value = layouts.lmem_rsp.pack({"data": joined(values, config.xlen), "tag": tag})
        dut.dcache_flush_done.value = 0
        dut.exec_valid.value = 0
        dut.exec.value = rng.getrandbits(layouts.exec.width)  # must not matter
        await Timer(1, "ns")
        flush_done = bool(dut.dcache_flush_valid.value) and rng.random() < 0.3
        dut.dcache_flush_done.value = int(flush_done)
        await Timer(1, "ns")
        if sent < INSTRUCTIONS and dut.exec_ready.value and rng.random() < 0.9:
            access = bench.access(sent)
            dut.exec_valid.value = 1
            dut.exec.value = bench.pack(access)
            bench.send(access)
            sent += 1
        await ReadOnly()

        if dut.trace.value:
            bench.check_trace()
        fault = bench.fault(bench.expected[0].access) if bench.expected else Fault.NONE
        if fault != Fault.NONE:
            # The unit works it off by itself, after everything before it has been accepted.
            access = bench.expected.popleft().access
            where = access.misaligned[0] if access.misaligned else 4 * access.uid
            bench.stores.append((access, fault, where))
            bench.illegal += fault == Fault.ILLEGAL
        if dut.dcache_flush_valid.value:
            request = bench.expected[0]
            older = [uid for uid in bench.loads if uid < request.access.uid]
            assert request.access.fence and not older and not bench.responses and not bench.stores
            if flush_done:
                bench.stores.append((bench.expected.popleft().access, Fault.NONE, 0))
        else:
            assert not flushing, "a fence gave up"
        flushing = bool(dut.dcache_flush_valid.value) and not flush_done

        assert not (dut.dcache_req_valid.value and dut.lmem_req_valid.value)
        if dut.dcache_req_valid.value:
            packed = int(dut.dcache_req.value)
            assert held is None or held == packed, "the request changed while it waited"
            held = packed
        if index is not None and dut.dcache_rsp_ready.value:
            _, request, _, error = bench.responses.pop(index)
            bench.response(request, error)
        elif bench.lmem_responses and dut.lmem_rsp_ready.value:
            bench.response(bench.lmem_responses.popleft()[1], False)
        if dut.load_commit_valid.value:
            bench.check_load()
        if dut.other_commit_valid.value and dut.other_commit_ready.value:
            bench.check_other()
        if dut.dcache_req_valid.value and dut.dcache_req_ready.value:
            bench.take_line()
            held = None
        if dut.lmem_req_valid.value and dut.lmem_req_ready.value:
            bench.take_lmem()
    for _ in range(2):  # an atomic leaves a cycle after its commit
        await FallingEdge(dut.clk)
        for name in ("exec_valid", "dcache_rsp_valid", "lmem_rsp_valid", "dcache_flush_done"):
            getattr(dut, name).value = 0
    await ReadOnly()
    assert dut.idle.value and not bench.expected and not bench.traced
    assert bench.packed > 50 and bench.faults > 10 and bench.fences > 5 and bench.atomics > 50 and bench.illegal > 1
    if config.num_threads > 1:
        assert bench.merged > 50 and bench.split > 20 and bench.mixed > 20


@pytest.mark.parametrize(("xlen", "lanes"), [(32, 4), (32, 32), (64, 2), (32, 1)])
def test_lsu(xlen: int, lanes: int) -> None:
    hardware = {"xlen": xlen, "num_threads": lanes, "num_warps": 2, "ext_a": True}
    runner.run(runner.Block("vx_lsu", hardware=hardware), __name__)
