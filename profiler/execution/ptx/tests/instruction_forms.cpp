#include "profiler/execution/ptx/tests/instruction_forms.hpp"

#include <algorithm>

namespace tilescope::ptx {
namespace {

// <a|b> stands for a and b: all combinations.
constexpr const char* patterns[] = {
    // integers
    "<add|sub|mul.lo|mul.hi|div|rem|min|max>.<u16|s16> %h0, %h1, %h2",
    "<add|sub|mul.lo|mul.hi|div|rem|min|max>.<u32|s32> %r0, %r1, %r2",
    "<add|sub|mul.lo|mul.hi|div|rem|min|max>.<u64|s64> %d0, %d1, %d2",
    "<add.sat|sub.sat|min.relu|max.relu>.s32 %r0, %r1, %r2",
    "add.u32 %r0, %r1, 5",
    "add.u64 %d0, %d1, -5",
    "mul.wide.<u16|s16> %r0, %h1, %h2",
    "mul.wide.<u32|s32> %d0, %r1, %r2",
    "<mad.lo|mad.hi|sad>.<u16|s16> %h0, %h1, %h2, %h3",
    "<mad.lo|mad.hi|sad>.<u32|s32> %r0, %r1, %r2, %r3",
    "<mad.lo|mad.hi|sad>.<u64|s64> %d0, %d1, %d2, %d3",
    "mad.wide.<u16|s16> %r0, %h1, %h2, %r3",
    "mad.wide.<u32|s32> %d0, %r1, %r2, %d3",
    "<mad.hi.sat|mad24.hi.sat>.s32 %r0, %r1, %r2, %r3",
    "mul24.<lo|hi>.<u32|s32> %r0, %r1, %r2",
    "mad24.<lo|hi>.<u32|s32> %r0, %r1, %r2, %r3",
    "<add.cc|addc|addc.cc|sub.cc|subc|subc.cc>.<u32|s32> %r0, %r1, %r2",
    "<add.cc|addc|addc.cc|sub.cc|subc|subc.cc>.<u64|s64> %d0, %d1, %d2",
    "<mad|madc>.<lo|hi>.cc.<u32|s32> %r0, %r1, %r2, %r3",
    "<mad|madc>.<lo|hi>.cc.<u64|s64> %d0, %d1, %d2, %d3",
    "<neg|abs>.s16 %h0, %h1",
    "<neg|abs>.s32 %r0, %r1",
    "<neg|abs>.s64 %d0, %d1",
    "<dp4a|dp2a.lo|dp2a.hi>.<u32|s32>.<u32|s32> %r0, %r1, %r2, %r3",
    "<vadd|vsub|vavrg|vabsdiff|vmin|vmax><2|4>.<u32|s32>.<u32|s32>.<u32|s32> %r0, %r1, %r2, %r3",
    "vabsdiff4.u32.u32.u32.<add|sat|sat.add> %r0, %r1, %r2, %r3",
    // floating point
    "<add|sub|mul>.<rn|rz|rm|rp>.<f32|ftz.f32|sat.f32|ftz.sat.f32> %r0, %r1, %r2",
    "<add|sub|mul>.<rn|rz|rm|rp>.f64 %d0, %d1, %d2",
    "<fma|mad>.<rn|rz|rm|rp>.<f32|ftz.sat.f32> %r0, %r1, %r2, %r3",
    "<fma|mad>.<rn|rz|rm|rp>.f64 %d0, %d1, %d2, %d3",
    "<div.rn|div.rz|div.approx|div.full.ftz>.f32 %r0, %r1, %r2",
    "div.<rn|rz|rm|rp>.f64 %d0, %d1, %d2",
    "<rcp|sqrt>.<rn|rz|rm|rp|approx|approx.ftz>.f32 %r0, %r1",
    "<rcp|sqrt>.<rn|rz|rm|rp>.f64 %d0, %d1",
    "rcp.approx.ftz.f64 %d0, %d1",
    "<rsqrt|sin|cos|lg2|ex2>.approx.<f32|ftz.f32> %r0, %r1",
    "tanh.approx.f32 %r0, %r1",
    "rsqrt.approx.f64 %d0, %d1",
    "<min|max>.<f32|NaN.f32|ftz.f32|xorsign.abs.f32|ftz.NaN.xorsign.abs.f32> %r0, %r1, %r2",
    "<min|max|copysign>.f64 %d0, %d1, %d2",
    "copysign.f32 %r0, %r1, %r2",
    "<neg|abs>.<f32|ftz.f32> %r0, %r1",
    "<neg|abs>.f64 %d0, %d1",
    "testp.<finite|infinite|number|notanumber|normal|subnormal>.f32 %p0, %r1",
    "testp.<finite|infinite|number|notanumber|normal|subnormal>.f64 %p0, %d1",
    // halves
    "<add|sub|mul|min|max|min.NaN|max.xorsign.abs>.<f16|bf16> %h0, %h1, %h2",
    "<add|sub|mul|min|max|min.NaN|max.xorsign.abs>.<f16x2|bf16x2> %r0, %r1, %r2",
    "add.rn.ftz.sat.f16 %h0, %h1, %h2",
    "fma.rn.<f16|ftz.relu.f16|bf16> %h0, %h1, %h2, %h3",
    "fma.rn.<f16x2|ftz.sat.f16x2|relu.bf16x2> %r0, %r1, %r2, %r3",
    "<neg|abs|ex2.approx|tanh.approx>.f16 %h0, %h1",
    "<neg|abs|ex2.approx|tanh.approx>.f16x2 %r0, %r1",
    "<neg|abs|ex2.approx.ftz|tanh.approx>.bf16 %h0, %h1",
    "<neg|abs|ex2.approx.ftz|tanh.approx>.bf16x2 %r0, %r1",
    // bits
    "<and|or|xor>.b16 %h0, %h1, %h2",
    "<and|or|xor>.b32 %r0, %r1, %r2",
    "<and|or|xor>.b64 %d0, %d1, %d2",
    "<and|or|xor>.pred %p0, %p1, !%p2",
    "<not|cnot>.b16 %h0, %h1",
    "<not|cnot>.b32 %r0, %r1",
    "<not|cnot>.b64 %d0, %d1",
    "not.pred %p0, %p1",
    "<shl.b16|shr.u16|shr.s16> %h0, %h1, %r2",
    "<shl.b32|shr.u32|shr.s32> %r0, %r1, %r2",
    "<shl.b64|shr.u64|shr.s64> %d0, %d1, %r2",
    "shf.<l|r>.<wrap|clamp>.b32 %r0, %r1, %r2, %r3",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x96",
    "lop3.<or|and>.b32 %r0|%p0, %r1, %r2, %r3, 0x96, %p1",
    "bfe.<u32|s32> %r0, %r1, %r2, %r3",
    "bfe.<u64|s64> %d0, %d1, %r2, %r3",
    "bfi.b32 %r0, %r1, %r2, %r3, %r4",
    "bfi.b64 %d0, %d1, %d2, %r3, %r4",
    "prmt.<b32|b32.f4e|b32.rc16> %r0, %r1, %r2, %r3",
    "<popc|clz|brev>.b32 %r0, %r1",
    "<popc|clz>.b64 %r0, %d1",
    "brev.b64 %d0, %d1",
    "bfind.<u32|s32|shiftamt.u32> %r0, %r1",
    "bfind.<u64|s64|shiftamt.s64> %r0, %d1",
    "fns.b32 %r0, %r1, %r2, %r3",
    "bmsk.<clamp|wrap>.b32 %r0, %r1, %r2",
    "szext.<clamp|wrap>.<u32|s32> %r0, %r1, %r2",
    // conversions
    "cvt<|.sat>.<u8|s8>.<u8|s8> %b0, %b1",
    "cvt<|.sat>.<u8|s8>.<u16|s16> %b0, %h1",
    "cvt<|.sat>.<u8|s8>.<u32|s32|s8> %b0, %r1",
    "cvt<|.sat>.<u8|s8>.<u64|s64|u8> %b0, %d1",
    "cvt<|.sat>.<u16|s16|u8|s8>.<u8|s8> %h0, %b1",
    "cvt<|.sat>.<u32|s32|u8|s8>.<u8|s8> %r0, %b1",
    "cvt<|.sat>.<u64|s64|u8|s8>.<u8|s8> %d0, %b1",
    "cvt<|.sat>.<u8|s8|u16|s16>.<u16|s16|u8|s8> %h0, %h1",
    "cvt<|.sat>.<u8|s8|u16|s16>.<u32|s32|u16|s8> %h0, %r1",
    "cvt<|.sat>.<u8|s8|u16|s16>.<u64|s64> %h0, %d1",
    "cvt<|.sat>.<u32|s32|u8|s16>.<u16|s16|u8|s8> %r0, %h1",
    "cvt<|.sat>.<u32|s32|u8|s16>.<u32|s32|u8|s16> %r0, %r1",
    "cvt<|.sat>.<u32|s32|u8|s16>.<u64|s64|u8|s16> %r0, %d1",
    "cvt<|.sat>.<u64|s64|u8|s16|u32>.<u16|s16|u8|s8> %d0, %h1",
    "cvt<|.sat>.<u64|s64|u8|s16|u32>.<u32|s32|u8|s16> %d0, %r1",
    "cvt<|.sat>.<u64|s64>.<u64|s64|u32> %d0, %d1",
    "cvt.u8.u32 %b0, 300",
    "cvt.rn.<f16|bf16>.<u8|s8> %h0, %b1",
    "cvt.<rn|rz>.f32.<u8|s8> %r0, %b1",
    "cvt.rn.f64.<u8|s8> %d0, %b1",
    "cvt.<rni|rzi|rmi|rpi>.<u8|s8>.f16 %b0, %h1",
    "cvt.<rni|rzi|rni.sat>.<u8|s8>.f32 %b0, %r1",
    "cvt.<rni|rzi>.<u8|s8>.f64 %b0, %d1",
    "cvt.<rni|rzi|rmi|rpi>.<u16|s16|s8>.f32 %h0, %r1",
    "cvt.<rni|rzi|rmi|rpi|rzi.ftz>.<u32|s32|s8|f32>.f32 %r0, %r1",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f32 %d0, %r1",
    "cvt.<rni|rzi|rmi|rpi>.<u32|s32>.f64 %r0, %d1",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64|f64>.f64 %d0, %d1",
    "cvt.rzi.<u32|s32>.f16 %r0, %h1",
    "cvt.<rn|rz|rm|rp>.f32.<u16|s16> %r0, %h1",
    "cvt.<rn|rz|rm|rp>.f32.<u32|s32> %r0, %r1",
    "cvt.<rn|rz|rm|rp>.f32.<u64|s64|f64> %r0, %d1",
    "cvt.<rn|rz>.f64.<u64|s64> %d0, %d1",
    "cvt.<rn|rz>.f64.<u32|s32> %d0, %r1",
    "cvt.f32.<f16|bf16> %r0, %h1",
    "cvt.f64.f32 %d0, %r1",
    "cvt.<rn|rz|rn.relu|rn.satfinite>.<f16|bf16>.f32 %h0, %r1",
    "cvt.<rn|rz|rn.relu|rn.satfinite|rz.relu.satfinite>.<f16x2|bf16x2>.f32 %r0, %r1, %r2",
    "cvt.<rna|rn|rz|rn.relu|rna.satfinite>.tf32.f32 %r0, %r1",
    "cvt.rn.<satfinite|satfinite.relu>.<e4m3x2|e5m2x2>.f32 %h0, %r1, %r2",
    "cvt.rn.<satfinite|satfinite.relu>.<e4m3x2|e5m2x2>.f16x2 %h0, %r1",
    "cvt.rn.<f16x2|relu.f16x2>.<e4m3x2|e5m2x2> %r0, %h1",
    "cvt.pack.sat.<u16|s16>.s32 %r0, %r1, %r2",
    "cvt.pack.sat.<u2|s2|u4|s4|u8|s8>.s32.b32 %r0, %r1, %r2, %r3",
    // comparisons
    "setp.<eq|lt|ge>.<u16|s16> %p0, %h1, %h2",
    "setp.<eq|lt|ge>.<u32|s32|f32|ftz.f32> %p0, %r1, %r2",
    "setp.<eq|lt|ge>.<u64|s64|f64> %p0, %d1, %d2",
    "setp.<ltu|num|nan>.f32 %p0|%p3, %r1, %r2",
    "setp.<eq|ne>.and.b32 %p0|%p3, %r1, %r2, !%p4",
    "setp.<lt|geu>.<f16|bf16> %p0, %h1, %h2",
    "setp.<lt|geu>.<f16x2|bf16x2> %p0|%p3, %r1, %r2",
    "set.<lt|ge>.<u32|s32|f32>.<u32|s32|f32> %r0, %r1, %r2",
    "set.<lt|ge>.<u32|f32>.f64 %r0, %d1, %d2",
    "set.<lt|ge>.<u16|f16>.f16 %h0, %h1, %h2",
    "set.<lt|ge>.or.<f16x2|u32>.f16x2 %r0, %r1, %r2, %p3",
    "set.<lt|ge>.bf16.bf16 %h0, %h1, %h2",
    "selp.<b16|u16> %h0, %h1, %h2, %p3",
    "selp.<b32|f32> %r0, %r1, %r2, !%p3",
    "selp.<b64|f64> %d0, %d1, %d2, %p3",
    "slct.b16.<s32|f32> %h0, %h1, %h2, %r3",
    "slct.b32.<s32|f32> %r0, %r1, %r2, %r3",
    "slct.b64.<s32|f32> %d0, %d1, %d2, %r3",
    // moves
    "mov.b16 %h0, %h1",
    "mov.b32 %r0, %r1",
    "mov.u32 %r0, %tid.x",
    "mov.u32 %r0, <%clock|%clock_hi|%globaltimer_lo>",
    "mov.u64 %d0, <%clock64|%globaltimer>",
    "mov.b64 %d0, %d1",
    "mov.b128 %q0, %q1",
    "mov.v2.b32 {%r0, %r1}, {%r2, %r3}",
    "mov.v4.b16 {%h0, %h1, %h2, %h3}, {%h4, %h5, %h6, %h7}",
    "mov.v2.b64 {%d0, %d1}, {%d2, %d3}",
    "mov.pred %p0, %p1",
    "mov.b16 %h0, {%b1, %b2}",
    "mov.b16 %h0, {%b1, 7}",
    "mov.b16 {%b0, %b1}, %h2",
    "mov.b32 %r0, {%b1, %b2, %b3, %b4}",
    "mov.b32 {%b0, %b1, _, %b3}, %r2",
    "mov.b32 %r0, {%h1, %h2}",
    "mov.b32 {%h0, _}, %r1",
    "mov.b64 %d0, {%r1, %r2}",
    "mov.b64 {%r0, %r1}, %d2",
    "mov.b64 %d0, {%h1, %h2, %h3, %h4}",
    "mov.b64 {%h0, %h1, %h2, %h3}, %d2",
    "mov.b128 %q0, {%d1, %d2}",
    "mov.b128 {%d0, %d1}, %q2",
    "mov.b128 %q0, {%r1, %r2, %r3, %r4}",
    "mov.b128 {%r0, %r1, %r2, %r3}, %q4",
    "cvta<|.to>.<global|shared|local|param>.u64 %d0, %d1",
    "isspacep.<global|shared|local> %p0, %d1",
    // among the lanes
    "shfl.sync.<up|down|bfly|idx>.b32 %r0, %r1, %r2, %r3, %r4",
    "shfl.sync.<up|down|bfly|idx>.b32 %r0|%p0, %r1, 3, 31, -1",
    "vote.sync.<all|any|uni>.pred %p0, %p1, %r2",
    "vote.sync.ballot.b32 %r0, !%p1, %r2",
    "match.any.sync.b32 %r0, %r1, %r2",
    "match.any.sync.b64 %r0, %d1, %r2",
    "match.all.sync.b32 %r0|%p0, %r1, %r2",
    "match.all.sync.b64 %r0|%p0, %d1, %r2",
    "redux.sync.<add|min|max>.<u32|s32> %r0, %r1, %r2",
    "redux.sync.<and|or|xor>.b32 %r0, %r1, %r2",
    "activemask.b32 %r0",
    "elect.sync %r0|%p0, %r1",
    // control
    "bra LABEL",
    "call FUNCTION",
    "brx.idx %r0, TABLE",
    "exit",
    "ret",
    "trap",
    "brkpt",
    "<bar|barrier>.sync 1, %r0",
    "bar.arrive %r0, %r1",
    "bar.warp.sync %r0",
    "<bar|barrier>.red.popc.u32 %r0, 1, %r1, !%p1",
    "<bar|barrier>.red.<and|or>.pred %p0, 1, !%p1",
    "<membar.gl|fence.acq_rel.gpu|griddepcontrol.wait>",
    "nanosleep.u32 %r0",
    "setmaxnreg.inc.sync.aligned.u32 40",
    // memory
    "<ld|ldu>.global.<u8|s8|b8> %b0, [%global]",
    "ld.<global|shared>.v2.<u8|s8> {%b0, %b1}, [%<global|shared>]",
    "ld.global.v4.<u8|b8> {%b0, %b1, _, %b3}, [%global]",
    "ld.<global|shared>.<u8|s8|u16|s16> %h0, [%<global|shared>]",
    "ld.global.<u8|s8|u16|s16|u32|s32|f32> %r0, [%global+4]",
    "ld.global.<u8|s8|u16|s16|u32|s32|u64|f64> %d0, [%global+8]",
    "ld.<shared|local>.<u8|s8|u16|s16|u32> %r0, [%<shared|local>+4]",
    "ld.<u8|u16|u32> %r0, [%generic+4]",
    "ld.shared.b32 %r0, [%shared64]",
    "ld.shared.b64 %d0, [%shared64]",
    "ld.<global|shared>.v2.b16 {%h0, %h1}, [%<global|shared>]",
    "ld.<global|shared>.v4.b16 {%h0, %h1, %h2, %h3}, [%<global|shared>]",
    "ld.<global|shared>.v2.b32 {%r0, %r1}, [%<global|shared>]",
    "ld.<global|shared>.v4.<b32|u8|s16> {%r0, %r1, %r2, %r3}, [%<global|shared>]",
    "ld.<global|shared>.v2.b64 {%d0, %d1}, [%<global|shared>]",
    "ld.<global|shared>.b128 %q0, [%<global|shared>]",
    "ld.global.v8.<b32|f32|s32> {%r0, %r1, %r2, %r3, _, %r5, %r6, %r7}, [%global]",
    "ld.global.v4.<b64|f64> {%d0, %d1, _, %d3}, [%global]",
    "ld.v4.u64 {%d0, %d1, %d2, %d3}, [%generic]",
    "st.<global|shared>.<u8|s8|b8> [%<global|shared>], %b0",
    "st.<global|shared>.v4.u8 [%<global|shared>], {%b0, %b1, 3, %b3}",
    "st.<global|shared>.<u8|u16> [%<global|shared>], %h0",
    "st.global.<u8|u16|u32|f32> [%global+4], %r0",
    "st.global.<u8|u16|u32|u64|f64> [%global+8], %d0",
    "st.<shared|local>.<u8|u16|u32> [%<shared|local>+4], %r0",
    "st.<u8|u16|u32> [%generic+4], %r0",
    "st.shared.b32 [%shared64], %r0",
    "st.<global|shared>.v2.b16 [%<global|shared>], {%h0, %h1}",
    "st.<global|shared>.v4.b16 [%<global|shared>], {%h0, %h1, %h2, %h3}",
    "st.<global|shared>.v2.b32 [%<global|shared>], {%r0, %r1}",
    "st.<global|shared>.v4.b32 [%<global|shared>], {%r0, %r1, 3, %r3}",
    "st.<global|shared>.v2.b64 [%<global|shared>], {%d0, %d1}",
    "st.<global|shared>.b128 [%<global|shared>], %q0",
    "st.global.v8.b32 [%global], {%r0, %r1, %r2, %r3, 4, %r5, %r6, %r7}",
    "st.global.v4.b64 [%global], {%d0, %d1, %d2, %d3}",
    "prefetch.global.L1 [%global]",
    "prefetchu.L1 [%generic]",
    "applypriority.global.L2::evict_normal [%global], 128",
    "discard.global.L2 [%global], 128",
    "createpolicy.fractional.L2::evict_last.b64 %d0",
    "atom.<global|shared>.<add.u32|add.f32|min.s32|max.u32|exch.b32|xor.b32> %r0, [%<global|shared>], %r1",
    "atom.global.<inc|dec>.u32 %r0, [%global], %r1",
    "atom.<global|shared>.<add.u64|add.f64|min.s64|exch.b64|or.b64> %d0, [%<global|shared>], %d1",
    "atom.global.add.noftz.<f16|bf16> %h0, [%global], %h1",
    "atom.global.add.noftz.<f16x2|bf16x2> %r0, [%global], %r1",
    "atom.<global|shared>.cas.b16 %h0, [%<global|shared>], %h1, %h2",
    "atom.<global|shared>.cas.b32 %r0, [%<global|shared>], %r1, %r2",
    "atom.<global|shared>.cas.b64 %d0, [%<global|shared>], %d1, %d2",
    "red.<global|shared>.<add|max>.<u32|s32> [%<global|shared>], %r1",
    "cp.async.ca.shared.global [%shared], [%global], <4|8|16>",
    "cp.async.cg.shared.global [%shared64], [%global], 16, %r0",
    "cp.async.ca.shared.global [%shared], [%global], 8, %p0",
    "cp.async.<commit_group|wait_all>",
    "cp.async.wait_group 1",
    "cp.async.mbarrier.arrive.shared.b64 [%shared]",
    "mbarrier.init.shared.b64 [%<shared|shared64>], %r0",
    "mbarrier.inval.shared.b64 [%shared]",
    "mbarrier.<arrive|arrive_drop>.shared.b64 %d0, [%shared]",
    "mbarrier.<arrive|arrive_drop>.shared.b64 %d0, [%shared], %r0",
    "mbarrier.arrive.expect_tx.shared.b64 %d0, [%shared], %r0",
    "mbarrier.<expect_tx|complete_tx>.shared.b64 [%shared], %r0",
    "mbarrier.<test_wait|try_wait>.shared.b64 %p0, [%shared], %d0",
    "mbarrier.<test_wait|try_wait>.parity.shared.b64 %p0, [%shared], %r0",
    "mbarrier.pending_count.b64 %r0, %d0",
    // matrices
    "ldmatrix.sync.aligned.m8n8.x1<|.trans>.shared.b16 {%r0}, [%shared]",
    "ldmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 {%r0, %r1}, [%shared64]",
    "ldmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 {%r0, %r1, %r2, %r3}, [%shared]",
    "stmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 [%shared], {%r0, %r1, %r2, %r3}",
    ("mma.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, "
     "%r7}, {%r8, "
     "%r9}, {%r10, %r11, %r12, %r13}"),
    ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r10, "
     "%r11}"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r8}, {%r10, %r11, "
     "%r12, "
     "%r13}"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, "
     "%r9}, "
     "{%r10, %r11, %r12, %r13}"),
    ("mma.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<s8|u8>.<s8|u8>.s32 {%r0, %r1, %r2, %r3}, {%r4, "
     "%r5, "
     "%r6, "
     "%r7}, {%r8, %r9}, {%r10, %r11, %r12, %r13}"),
    ("wmma.load.<a|b>.sync.aligned.row.m16n16k16.<global|shared>.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, "
     "%r7}, "
     "[%<global|shared>], 16"),
    ("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%global], "
     "16"),
    ("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%global], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, "
     "%r7}, "
     "16"),
    ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r8, %r9, "
     "%r10, "
     "%r11, %r12, %r13, %r14, %r15}, {%r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23}, {%r24, %r25, %r26, "
     "%r27, %r28, "
     "%r29, %r30, %r31}"),
};

// Alternatives of the first <...>, each with the rest expanded. Equal ones go together: "ld.<global|shared> [%<global|
// shared>]" is two forms.
void expand(const std::string& pattern, std::vector<std::string>& forms) {
  const std::size_t open = pattern.find('<');
  if (open == std::string::npos) {
    forms.push_back(pattern);
    return;
  }
  const std::size_t close = pattern.find('>', open);
  const std::string whole = pattern.substr(open, close - open + 1);
  for (std::size_t first = open + 1; first <= close;) {
    const std::size_t end = std::min(pattern.find('|', first), close);
    std::string one = pattern;
    for (std::size_t at = one.find(whole); at != std::string::npos; at = one.find(whole, at)) {
      // Types of two operands are chosen each for itself: only alternatives of a name go together.
      one.replace(at, whole.size(), pattern.substr(first, end - first));
      if (whole.find("shared") == std::string::npos && whole.find("local") == std::string::npos) break;
    }
    expand(one, forms);
    first = end + 1;
  }
}

}  // namespace

std::vector<std::string> instruction_forms() {
  std::vector<std::string> forms;
  for (const char* pattern : patterns) expand(pattern, forms);
  return forms;
}

}  // namespace tilescope::ptx
