"""Every seeded fault, and the report that must come first. The table in README.md says the same in words."""

from __future__ import annotations

from golden_model.records.layout import Kind
from hw.tb.agents.axi.policy import Latency, MemoryPolicy, Throttle
from hw.tb.top.abi import InjectKind
from tests.faults.fault import (
    AlteredFooter,
    At,
    Fault,
    FaultyKernel,
    Forced,
    Injected,
    LostRecords,
    Place,
    Report,
    Scene,
    Window,
)

MULTIKERNEL = Scene("multikernel")  # its default seed launches add_k, acc_k, mul_k
ONE_WARP = Scene("multikernel", (("N", "4"),))
SPLIT_JOIN = Scene("split_join")
REDUCE = Scene("lmem_reduce")
# Writes wait long for their turn and are acknowledged at once: mostly none is on the way while some are still to come.
SLOW_WRITES = Scene(
    "multikernel",
    policy=MemoryPolicy(name="slow writes", aw_ready=Throttle(80, 20), write_latency=Latency(1, 1)),
)

_LANE_BITS = 32
_END_OF_WARP = Place("__vx_window", "tmc")
_WARPS = 16  # warps of one launch of multikernel with N=64
_SOURCE = Place("add_k", "lw", 2)  # src[i]
_SUM = Place("add_k", "add", 3)  # src[i] + cube
_POP = At(Place("split_join", "join"), warp=1, occurrence=1)  # the first execution flips to the other side

FAULTS: tuple[Fault, ...] = (
    # ------------------------------------------------------------------ execution
    Fault(
        "wrong_alu_lane",
        "one bit of one lane of an addition is wrong",
        MULTIKERNEL,
        Forced("*.alu.data", 1 << 2 * _LANE_BITS + 20, 1 << 2 * _LANE_BITS + 20, Window.DURING, At(_SUM, warp=1)),
        Report(
            "lane result",
            "rtl result",
            (r"pc +{pc} <add_k", r"core 0, warp 1", r"lanes +2$", r"^ +2 .* 0x00100000$"),
            "add_k",
        ),
    ),
    Fault(
        "wrong_load_data",
        "one bit of one lane of a load is wrong, although the bus brought the right data",
        ONE_WARP,
        Forced("*.rsp_data", 1 << 3 * _LANE_BITS + 27, 1 << 3 * _LANE_BITS + 27, Window.DURING, At(_SOURCE)),
        Report(
            "lane result",
            "rtl result",
            (
                r"pc +{pc} <add_k",
                r"core 0, warp 0",
                r"lanes +3$",
                r"^ +3 .* 0x08000000$",
                r"AXI read .*: 00000000010000000200000003000000",
            ),
            "add_k",
        ),
    ),
    Fault(
        "stale_return_address",
        "the call of the constructors does not write ra, so they run twice; memory ends up right",
        MULTIKERNEL,
        Forced("*.regfile.write_valid", 0, 1, Window.DURING, At(Place("__vx_cta_entry", "jalr", 1), warp=0)),
        Report(
            "lane result",
            "rtl result",
            (r"pc +{pc} <__libc_init_array>", r"core 0, warp 0", r"x1 += .* jalr ra"),
            "add_k",
            Place("__libc_init_array", "addi"),
        ),
    ),
    Fault(
        "wrong_mask_after_join",
        "JOIN restores one lane too few",
        SPLIT_JOIN,
        Forced("*.warp_control.next_mask", 0, 1 << 2, Window.DURING, _POP),
        Report(
            "next mask",
            "rtl control",
            (r"pc +{pc} <split_join", r"core 0, warp 1", r"instruction +join", r"lanes +2$"),
            "split_join",
        ),
    ),
    Fault(
        "wrong_mask_in_warp_table",
        "JOIN restores the right lanes, but the warp table keeps one too few",
        SPLIT_JOIN,
        Forced("*.scheduler.resolve_mask", 0, 1 << 2, Window.DURING, _POP),
        Report(
            "thread mask",
            "rtl control",
            (r"pc +{pc} <split_join", r"core 0, warp 1", r"lanes +2$", r"expected 1111, actual 1011"),
            "split_join",
            Place("split_join", "sw"),
        ),
    ),
    # ------------------------------------------------------------------ barriers
    Fault(
        "barrier_completes_early",
        "the barrier unit takes the first warp for the last one",
        REDUCE,
        Forced("*.barriers.complete", 1, 1, Window.DURING, At(Place("lmem_reduce", "bar"), occurrence=0)),
        Report(
            "barrier released early",
            "barrier",
            (r"pc +{pc} <lmem_reduce", r"instruction +bar", r"were let go before all had arrived"),
            "lmem_reduce",
        ),
    ),
    Fault(
        "barrier_lets_warp_go",
        "the barrier holds a warp, but the warp goes on",
        REDUCE,
        Forced("*.sfu.resolve_resume", 1, 1, Window.DURING, At(Place("lmem_reduce", "bar"), occurrence=0)),
        Report("barrier released early", "barrier", (r"although barrier 0x0 holds it",), "lmem_reduce"),
    ),
    Fault(
        "barrier_never_completes",
        "no barrier ever lets anybody go",
        REDUCE,
        Forced("*.barriers.complete", 0, 1, Window.AFTER_START),
        Report(
            "barrier not released",
            "barrier",
            (r"pc +{pc} <lmem_reduce", r"all participants have arrived, but warps \[0, 1, 2, 3\] stay"),
            "lmem_reduce",
            Place("lmem_reduce", "bar"),
        ),
    ),
    Fault(
        "warp_never_resumes",
        "a warp is not woken after JOIN; everything that it has shown is right",
        SPLIT_JOIN,
        Forced("*.sfu.resolve_resume", 0, 1, Window.DURING, _POP),
        Report(
            "hang",
            "no progress",
            (
                r"nothing was committed since cycle \d+",
                r"core 0 warp 1: CTA \(0, 0, 0\) rank 1, pc {pc}, lanes 0xf, next sw ",
            ),
            "split_join",
            Place("split_join", "sw"),
        ),
    ),
    # ------------------------------------------------------------------ dispatch
    Fault(
        "cta_launched_twice",
        "a core takes a block, but the grid walk does not notice",
        MULTIKERNEL,
        Forced("*.kmu.cta_ready", 0, 1, Window.AFTER_START, first=0, last=4),
        Report("cta launched twice", "cta dispatch", (r"block \(0, 0, 0\)", r"core 0"), "add_k"),
    ),
    Fault(
        "cta_skipped",
        "the grid walk believes that a block was taken, but no core has it",
        MULTIKERNEL,
        Forced("*.kmu.cta_ready", 1, 1, Window.AFTER_START, first=20, last=20),
        Report("cta skipped", "cta dispatch", (r"expected +\(2, 0, 0\)", r"actual +\(3, 0, 0\)"), "add_k"),
    ),
    # ------------------------------------------------------------------ memory and busy
    Fault(
        "dropped_store_byte",
        "memory does not store one byte of a result",
        MULTIKERNEL,
        Injected(InjectKind.DROP_STROBE, nth=100),
        Report(
            "axi memory",
            "axi",
            (r"memory at 0x101c0 is not what the AXI writes",),
            "add_k",
            also=(("final memory", r"1 bytes differ .* at 0x101c0, in buffer dst of add_k"),),
        ),
    ),
    Fault(
        "swapped_reads",
        "two reads that are under way get each other's data",
        MULTIKERNEL,
        Injected(InjectKind.SWAP_READS, nth=0),
        Report(
            "axi read data",
            "axi",
            (r"bytes of the block are not what was written to it", r"responses are swapped"),
            "add_k",
        ),
    ),
    Fault(
        "dropped_response",
        "one read is never answered",
        MULTIKERNEL,
        Injected(InjectKind.DROP_READ, nth=40),
        Report(
            "hang",
            "no progress",
            (
                r"nothing was committed since cycle \d+",
                r"AXI read of bank 0, id 0x\w+, address 0x\w+: .*, not answered",
            ),
            "acc_k",
        ),
    ),
    Fault(
        "busy_forgets_writes",
        "busy falls with the last warp, although writes are not acknowledged",
        MULTIKERNEL,
        Forced("*.dut.busy", 0, 1, Window.AFTER_COMMIT, At(_END_OF_WARP, occurrence=_WARPS - 1), last=1000),
        Report("busy with writes", "busy", (r"busy fell with \d+ AXI writes",), "add_k"),
    ),
    Fault(
        "write_after_busy",
        "busy falls with the last warp, although writes still wait for the bus",
        SLOW_WRITES,
        Forced("*.dut.busy", 0, 1, Window.AFTER_COMMIT, At(_END_OF_WARP, occurrence=_WARPS - 1), last=1000),
        Report("write after busy", "busy", (r"an AXI write was sent in cycle \d+, although busy is low",), "add_k"),
    ),
    # ------------------------------------------------------------------ images and kernels
    Fault(
        "footer_of_other_kernel",
        "the image names the address of mul_k for add_k",
        MULTIKERNEL,
        AlteredFooter("add_k", "mul_k"),
        Report("host-expectation", "host expectation", (r"dst of add_k\[0\]",), "add_k"),
    ),
    Fault(
        "footer_outside_image",
        "the image names an address outside of it for add_k",
        MULTIKERNEL,
        AlteredFooter("add_k", None, 0x9000_0000),
        Report("module-refused", "host expectation", (r"'add_k' starts at 0x90000000, outside the image",)),
    ),
    Fault(
        "footer_inside_kernel",
        "the image names the second instruction of add_k for add_k",
        MULTIKERNEL,
        AlteredFooter("add_k", "add_k", 4),
        Report("host-expectation", "host expectation", (r"dst of add_k\[\d+\]",), "add_k"),
    ),
    Fault(
        "footer_on_data",
        "the image names its table of constructors for add_k",
        MULTIKERNEL,
        AlteredFooter("add_k", "__init_array_start"),
        Report("core-fault", "fault", (r"illegal instruction",), "add_k"),
    ),
    Fault(
        "clobbered_s11",
        "a kernel of generation s11 does not keep s11, and a warp is used again",
        Scene("clobber_s11", (("N", "64"), ("ENTRY", "s11")), passes=False),
        FaultyKernel(),
        Report(
            "finding wrong-dispatch-call",
            "kernel finding",
            (r"pc +{pc}", r"the dispatch window calls 0xdead0000"),
            "clobber_s11",
            Place("__vx_window", "jalr"),
        ),
    ),
    Fault(
        "divergent_branch",
        "lanes of a warp disagree on a branch without SPLIT",
        Scene("divergent_bad", passes=False),
        FaultyKernel(),
        Report(
            "finding divergent-branch",
            "kernel finding",
            (r"pc +{pc} <divergent_bad", r"a SPLIT or PRED is missing"),
            "divergent_bad",
            Place("divergent_bad", "bne"),
        ),
    ),
    Fault(
        "endless_kernel",
        "a kernel never returns, and goes on executing",
        Scene("endless", (), passes=False),
        FaultyKernel(),
        Report(
            "cycle limit",
            "no progress",
            (
                r"did not finish within its bound",
                r"core 0 warp 0: CTA \(0, 0, 0\) rank 0, pc 0x8000\w+, lanes 0xf",
            ),
            "endless",
        ),
    ),
    Fault(
        "barrier_missing_warp",
        "a warp of a block returns before the barrier at which the others wait",
        Scene("barrier_missing_warp", (), passes=False),
        FaultyKernel(),
        Report(
            "hang",
            "no progress",
            (
                r"core 0 warp 0: .* suspended at barrier 0 of CTA slot 0 \(phase 0, 3 of 4 warps arrived\)",
                r"core 0 warp 3: .* suspended at barrier 0",
            ),
            "barrier_missing_warp",
        ),
    ),
    Fault(
        "lock_kept",
        "a warp ends with a lock in its hand, for which the others spin",
        Scene("lock_kept", (), passes=False),
        FaultyKernel(),
        Report(
            "cycle limit",
            "no progress",
            (r"did not finish within its bound", r"core 0 warp 2: .* lanes 0x1, next "),
            "lock_kept",
        ),
    ),
    # ------------------------------------------------------------------ the comparison itself
    Fault(
        "nothing_recorded",
        "no commit reaches the comparison",
        MULTIKERNEL,
        LostRecords(Kind.COMMIT, None),
        Report("missing commit", "rtl control", (r"the launch ended, but core 0 warp \d has not",), "add_k"),
    ),
    Fault(
        "one_record_lost",
        "one commit does not reach the comparison",
        MULTIKERNEL,
        LostRecords(Kind.COMMIT, 200),
        Report("missing commit", "rtl control", (r"never committed; \d+ younger ones did",), "add_k"),
    ),
    Fault(
        "no_memory_records",
        "no memory access reaches the comparison",
        MULTIKERNEL,
        LostRecords(Kind.MEMORY, None),
        Report("missing memory access", "memory", (), "add_k"),
    ),
    Fault(
        "no_cta_records",
        "no start of a block or warp reaches the comparison",
        MULTIKERNEL,
        LostRecords(Kind.CTA, None),
        Report("extra commit", "rtl control", (), "add_k"),
    ),
    Fault(
        "no_barrier_records",
        "no barrier operation reaches the comparison",
        REDUCE,
        LostRecords(Kind.BARRIER, None),
        Report("barrier record", "barrier", (), "lmem_reduce"),
    ),
    Fault(
        "no_ipdom_records",
        "no use of the IPDOM stack reaches the comparison",
        SPLIT_JOIN,
        LostRecords(Kind.IPDOM, None),
        Report("ipdom record", "rtl control", (), "split_join"),
    ),
    Fault(
        "no_axi_records",
        "no bus handshake reaches the checkers",
        MULTIKERNEL,
        LostRecords(Kind.AXI, None),
        Report("axi memory", "axi", (), "add_k"),
    ),
    Fault(
        "no_run_records",
        "no change of busy reaches the checkers",
        MULTIKERNEL,
        LostRecords(Kind.RUN, None),
        Report("busy not watched", "busy", (), "add_k"),
    ),
    Fault(
        "minstret_misses_one",
        "MINSTRET does not count one instruction",
        MULTIKERNEL,
        Forced("*.csr_file.commit_valid", 0, 1, Window.DURING, At(_SUM, warp=1)),
        Report("minstret", "count", (r"core 0 counted another number of instructions",), "add_k"),
    ),
)


class NoSuchFaultError(LookupError):
    """There is no fault of that name."""


def find_fault(name: str) -> Fault:
    """The fault of that name. Raises NoSuchFaultError."""
    for fault in FAULTS:
        if fault.name == name:
            return fault
    raise NoSuchFaultError(f"no seeded fault is called {name!r}; known: {', '.join(fault.name for fault in FAULTS)}")
