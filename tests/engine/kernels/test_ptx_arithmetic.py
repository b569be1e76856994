"""Each family of instructions of the PTX executor, compared with the PTX ISA in closed form."""

import struct
from dataclasses import dataclass

import numpy as np
import pytest

from tests.emulator import EmulatedGpu
from tests.emulator.ptx.kernels import PtxKernels
from tests.emulator.ptx.parsing import PtxError, bits

ULP = 2.0**-23
NAN, INF = float("nan"), float("inf")
FULL = 0xFFFFFFFF


@dataclass
class Case:
    """One instruction: `of` are the types of its operands, `to` is that of its result."""

    code: str
    to: str
    of: str
    given: tuple
    expected: object


def same_type(code, given, expected):
    """Return a case in which operands and result have the instruction's type."""
    type_ = code.split(".")[-1]
    return Case(code, type_, " ".join([type_] * len(given)), given, expected)


SUMS = [
    same_type("add.s32", (2**31 - 1, 1), -(2**31)),
    same_type("sub.s64", (-(2**63), 1), 2**63 - 1),
    same_type("add.s16", (32767, 2), -32767),
    same_type("add.rn.f32", (1.0, ULP / 2), 1.0),
    same_type("add.rn.f32", (1.0, 3 * ULP / 2), 1 + 2 * ULP),  # a tie, rounded to even
    same_type("add.rm.f32", (1.0, -ULP / 8), 1 - ULP / 2),
    same_type("add.rm.f32", (8388608.0, 0.75), 8388608.0),
    same_type("sub.f64", (1.0, 2.0**-53), 1 - 2.0**-53),
    same_type("add.ftz.f32", (2.0**-127, 1e-45), 0.0),
    same_type("add.f32", (2.0**-127, 2.0**-127), 2.0**-126),
]
PRODUCTS = [
    same_type("mul.lo.s32", (65536, 65537), 65536),
    same_type("mul.lo.s16", (300, 300), 90000 - 65536),
    same_type("mul.hi.s32", (-(2**31), 3), -2),
    same_type("mul.hi.u32", (FULL, FULL), FULL - 1),
    same_type("mul.hi.u16", (0xFFFF, 0xFFFF), 0xFFFE),
    same_type("mul.hi.s64", (-(2**63), 3), -2),
    same_type("mul.hi.u64", (2**64 - 1, 2**64 - 1), 2**64 - 2),
    Case("mul.wide.s32", "s64", "s32 s32", (-(2**31), 2**31 - 1), -(2**31) * (2**31 - 1)),
    Case("mul.wide.u32", "u64", "u32 u32", (FULL, FULL), FULL**2),
    Case("mul.wide.u16", "u32", "u16 u16", (65535, 65535), 65535**2),
    same_type("mad.lo.s32", (7, -3, 1), -20),
    same_type("mul.rn.f32", (1 + ULP, 1 + ULP), 1 + 2 * ULP),
    # The product is not rounded before the sum.
    same_type("fma.rn.f32", (1 + ULP, 1 + ULP, -1 - 2 * ULP), ULP**2),
    same_type("fma.rm.f32", (1 + ULP, 1 - ULP, 0.0), 1 - ULP / 2),
    same_type("fma.rm.f32", (1.0, 1.0, ULP / 4), 1.0),
    same_type("fma.rm.f32", (1.0, 1.0, -(2.0**-60)), 1 - ULP / 2),
    same_type("fma.rn.f64", (1 + 2.0**-52, 1 - 2.0**-52, -1.0), -(2.0**-104)),
]
QUOTIENTS = [
    same_type("div.s32", (-7, 2), -3),
    same_type("rem.s32", (-7, 2), -1),
    same_type("div.s32", (-(2**31), -1), -(2**31)),
    same_type("div.rn.f32", (1.0, 3.0), float(np.float32(1) / np.float32(3))),
    same_type("div.approx.f32", (1.0, 2.0**127), 0.0),
    same_type("div.approx.f32", (6.0, -3.0), -2.0),
    same_type("rcp.rn.f64", (49.0,), 1 / 49),
    same_type("rcp.approx.ftz.f64", (2.0,), 0.5),
    same_type("rcp.approx.ftz.f64", (1e-320,), INF),
    same_type("sqrt.rn.f64", (2.0,), 2**0.5),
]
SIGNS = [
    same_type("abs.f32", (-0.0,), 0.0),
    same_type("neg.f64", (0.0,), -0.0),
    same_type("abs.s32", (-5,), 5),
    same_type("neg.s32", (-(2**31),), -(2**31)),
    same_type("copysign.f32", (-1.0, 3.0), -3.0),
    same_type("min.f32", (0.0, -0.0), -0.0),
    same_type("max.f32", (-0.0, 0.0), 0.0),
    same_type("min.f64", (NAN, 2.0), 2.0),
    same_type("max.f64", (2.0, NAN), 2.0),
    same_type("max.s32", (-1, 1), 1),
    same_type("max.u32", (FULL, 1), FULL),
]
BITS = [
    same_type("and.b32", (0b1100, 0b1010), 0b1000),
    same_type("xor.b64", (2**63, 2**63 + 1), 1),
    same_type("not.b32", (0,), FULL),
    Case("shl.b32", "b32", "b32 u32", (1, 32), 0),
    Case("shr.s32", "s32", "s32 u32", (-8, 99), -1),
    Case("shr.u64", "u64", "u64 u32", (2**63, 63), 1),
    Case("bfi.b32", "b32", "b32 b32 u32 u32", (0b11, FULL, 4, 3), FULL & ~0b1000000),
    Case("bfi.b64", "b64", "b64 b64 u32 u32", (7, 5, 32, 32), 7 * 2**32 + 5),
    Case("bfe.s32", "s32", "s32 u32 u32", (0b11100000, 5, 3), -1),
    Case("bfe.u32", "u32", "u32 u32 u32", (0b11100000, 5, 2), 3),
    same_type("dp2a.lo.u32.u32", (0x00030002, 0x04030201, 10), 2 * 1 + 3 * 2 + 10),
    same_type("dp2a.hi.u32.u32", (0x00030002, 0x04030201, 10), 2 * 3 + 3 * 4 + 10),
    same_type("prmt.b32", (0x33221100, 0x77665544, 0x5410), 0x55441100),
    same_type("prmt.b32", (0x000000F0, 0, 0x8888), FULL),
    Case("popc.b32", "u32", "b32", (0b10110,), 3),
    Case("clz.b32", "u32", "b32", (1,), 31),
    Case("clz.b64", "u32", "b64", (0,), 64),
]
CONVERSIONS = [
    Case("cvt.rzi.s32.f32", "s32", "f32", (-2.9,), -2),
    Case("cvt.rmi.f64.f64", "f64", "f64", (-2.1,), -3.0),
    Case("cvt.rni.s32.f32", "s32", "f32", (2.5,), 2),
    Case("cvt.rzi.s32.f32", "s32", "f32", (1e20,), 2**31 - 1),
    Case("cvt.rzi.u32.f32", "u32", "f32", (-5.0,), 0),
    Case("cvt.rzi.s32.f32", "s32", "f32", (NAN,), 0),
    Case("cvt.rzi.s32.f64", "s32", "f64", (NAN,), -(2**31)),
    Case("cvt.rzi.s64.f32", "s64", "f32", (NAN,), -(2**63)),
    Case("cvt.sat.f32.f32", "f32", "f32", (1.5,), 1.0),
    Case("cvt.sat.f32.f32", "f32", "f32", (NAN,), 0.0),
    Case("cvt.rn.f32.s32", "f32", "s32", (2**24 + 1,), 2.0**24),
    Case("cvt.rn.f32.f64", "f32", "f64", (1 + ULP / 2,), 1.0),
    Case("cvt.s64.s32", "s64", "s32", (-1,), -1),
    Case("cvt.u64.u32", "u64", "u32", (FULL,), FULL),
    Case("cvt.u16.u32", "u16", "u32", (0x12345,), 0x2345),
]
ORDERS = ("eq", "ne", "lt", "le", "gt", "ge")
ORDERS = (*ORDERS, *(f"{how}u" for how in ORDERS), "num", "nan")
COMPARISONS = [
    Case(f"setp.{how}.f32", "pred", "f32 f32", (a, b), expected)
    for a, b, true in (
        (1.0, 2.0, "ne lt le neu ltu leu num"),
        (2.0, 2.0, "eq le ge equ leu geu num"),
        (NAN, 2.0, "equ neu ltu leu gtu geu nan"),
    )
    for how in ORDERS
    for expected in (how in true.split(),)
] + [
    Case("setp.lt.s32", "pred", "s32 s32", (-1, 1), True),
    Case("setp.lt.u32", "pred", "u32 u32", (FULL, 1), False),
    Case("setp.hi.u32", "pred", "u32 u32", (FULL, 1), True),
]
FAMILIES = [SUMS, PRODUCTS, QUOTIENTS, SIGNS, BITS, CONVERSIONS, COMPARISONS]
NAMES = ["sums", "products", "quotients", "signs", "bits", "conversions", "comparisons"]


def packed(type_, value):
    """Return the bits of a value in 8 bytes."""
    if type_[0] == "f":
        return struct.pack("<f" if type_ == "f32" else "<d", value).ljust(8, b"\0")
    return (int(value) % 2 ** max(bits(type_), 8)).to_bytes(8, "little")


def entry(name, case):
    """Return a kernel that loads the operands from its array and stores the result after them."""
    of = case.of.split()
    lines = [f".reg .b{bits(t)} %a{i};" for i, t in enumerate(of)]
    lines += ["ld.param.u64 %at, [at];"]
    lines += [f"ld.global.b{bits(t)} %a{i}, [%at+{8 * i}];" for i, t in enumerate(of)]
    operands = ", ".join(f"%a{i}" for i in range(len(of)))
    if case.to == "pred":
        lines += [f"{case.code} %p, {operands};", "selp.b32 %b, 1, 0, %p;"]
        lines += [f"st.global.b32 [%at+{8 * len(of)}], %b;"]
    else:
        type_ = f"b{bits(case.to)}"
        lines += [f".reg .{type_} %to;", f"{case.code} %to, {operands};"]
        lines += [f"st.global.{type_} [%at+{8 * len(of)}], %to;"]
    head = [".reg .b64 %at;", ".reg .pred %p;", ".reg .b32 %b;"]
    return kernel(name, ".param .u64 at", [*head, *lines, "ret;"])


def kernel(name, parameters, lines):
    body = "\n".join(lines)
    return f".visible .entry {name}(\n{parameters}\n)\n{{\n{body}\n}}\n"


def results(cases):
    gpu = EmulatedGpu()
    text = "".join(entry(f"case{i}", case) for i, case in enumerate(cases))
    module = PtxKernels(text, gpu)
    for i, case in enumerate(cases):
        of = case.of.split()
        given = b"".join(packed(t, v) for t, v in zip(of, case.given, strict=True)) + bytes(8)
        values = gpu.upload(np.frombuffer(given, np.uint8))
        module.function(f"case{i}")(1, 1, values)
        yield case, bytes(gpu.download(values)[-8:])


@pytest.mark.parametrize("cases", FAMILIES, ids=NAMES)
def test_instruction_computes_the_result_of_the_manual(cases):
    for case, found in results(cases):
        type_ = "b32" if case.to == "pred" else case.to
        assert found == packed(type_, case.expected), case


LANES = """
mov.u32 %r1, %laneid;
mul.lo.s32 %r2, %r1, 10;
shfl.sync.{how} %r3|%p, %r2, {by}, {c}, -1;
selp.b32 %r4, 1000, 0, %p;
add.s32 %r3, %r3, %r4;
ld.param.u64 %rd1, [out];
mul.wide.s32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
st.global.b32 [%rd1], %r3;
ret;
"""
REGISTERS = [".reg .b32 %r<9>;", ".reg .b64 %rd<9>;", ".reg .pred %p;"]


@pytest.mark.parametrize(
    ("how", "by", "c", "source"),
    [
        ("bfly.b32", 16, 31, lambda i: (i ^ 16, True)),
        ("down.b32", 3, 31, lambda i: (i + 3, True) if i < 29 else (i, False)),
        ("up.b32", 3, 0, lambda i: (i - 3, True) if i >= 3 else (i, False)),
        ("idx.b32", 5, 31, lambda i: (5, True)),
        # Parts of 8 lanes.
        ("idx.b32", 5, 0x181F, lambda i: (i // 8 * 8 + 5, True)),
        ("down.b32", 6, 0x181F, lambda i: (i + 6, True) if i % 8 < 2 else (i, False)),
    ],
)
def test_shuffle_returns_another_lanes_value_and_if_it_was_in_range(how, by, c, source):
    gpu = EmulatedGpu()
    lines = LANES.format(how=how, by=by, c=c).split("\n")
    module = PtxKernels(kernel("lanes", ".param .u64 out", REGISTERS + lines), gpu)
    out = gpu.upload(np.zeros(32, np.int32))

    module.function("lanes")(1, 32, out)

    messages = [source(i) for i in range(32)]
    assert gpu.download(out).tolist() == [10 * lane + 1000 * inside for lane, inside in messages]


@pytest.mark.parametrize(
    ("type_", "old", "value", "expected"),
    [("f32", 1.5, 2.0, 3.5), ("f32", 1e-40, 1e-40, 0.0), ("f64", 1e-310, 0.0, 1e-310),
     ("u64", 2**64 - 1, 3, 2)],
)  # fmt: skip
def test_atomic_sum_is_that_of_global_memory(type_, old, value, expected):
    case = Case("atom", type_, f"{type_} {type_}", (old, value), expected)
    lines = entry("change", case).replace(
        "atom %to, %a0, %a1", f"red.global.add.{type_} [%at], %a1"
    )
    lines = lines.replace("[%at+16], %to", "[%at+16], %a0").replace(".reg .b64 %to;", "")
    gpu = EmulatedGpu()
    given = packed(type_, old) + packed(type_, value) + bytes(8)
    values = gpu.upload(np.frombuffer(given, np.uint8))

    PtxKernels(lines, gpu).function("change")(1, 1, values)

    assert bytes(gpu.download(values)[:8]) == packed(type_, expected)


@pytest.mark.parametrize(
    "line", ["add.rz.f32 %r1, %r2, %r3;", "mma.sync.aligned %r1;", "add.s32 %x, 1, 2;", "what?"]
)
def test_unknown_instruction_is_refused_with_its_line(line):
    with pytest.raises(PtxError, match=r"line 7: .* not known"):
        PtxKernels(kernel("k", ".param .u64 out", [*REGISTERS[:2], line]), EmulatedGpu())
