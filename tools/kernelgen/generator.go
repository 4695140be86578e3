// SPDX-License-Identifier: Apache-2.0

// Kernelgen writes the AVX2 assembly of hide/internal/crf/kernel, and the Go
// declarations that go with it.
//
//	kernelgen FOLDER
//
// It makes avx2_amd64.s and avx2_amd64.go in the folder, and SHA256SUMS beside itself. What
// each function computes is documented in its package; this one explains how.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// generator adds the helpers of all kernels to the assembler. Operands are in the order of
// Go's assembly: sources first, the one that may be in memory before the others, and the
// result last.
type generator struct {
	*build.Context
	labels    int
	constants map[string]operand.Mem
}

const rodata = attr.RODATA | attr.NOPTR

// Short names of common types.
type (
	vector  = reg.VecVirtual
	integer = reg.GPVirtual
	memory  = operand.Mem
)

func newGenerator() *generator {
	return &generator{Context: build.NewContext(), constants: map[string]operand.Mem{}}
}

// function begins a function that retains none of its pointer arguments.
func (g *generator) function(name, signature, doc string) {
	g.Function(name)
	g.Doc(name + " " + doc)
	g.Pragma("noescape")
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr(signature)
}

func (g *generator) param(name string) integer {
	return g.Load(g.Param(name), g.GP64()).(integer)
}

// at is the memory at disp bytes after base.
func at(base reg.Register, disp int) memory { return memory{Base: base, Disp: disp} }

// imm is an immediate that selects or shifts, num one for arithmetic.
func imm(n int) operand.Op { return operand.U8(n) }
func num(n int) operand.Op { return operand.I32(n) }

// label gives a label name that the function does not have yet.
func (g *generator) label(name string) string {
	g.labels++
	return fmt.Sprintf("%s%d", name, g.labels)
}

func to(label string) operand.Op { return operand.LabelRef(label) }

// times repeats the body as often as a register says, and counts the register down to 0.
// It may be 0.
func (g *generator) times(n integer, body func()) {
	again, done := g.label("again"), g.label("done")
	g.TESTQ(n, n)
	g.JLE(to(done))
	g.Label(again)
	body()
	g.DECQ(n)
	g.JNZ(to(again))
	g.Label(done)
}

func (g *generator) ifOdd(n integer, body func()) {
	even := g.label("even")
	g.TESTQ(num(1), n)
	g.JZ(to(even))
	body()
	g.Label(even)
}

// halved is n/2.
func (g *generator) halved(n integer) integer {
	h := g.GP64()
	g.MOVQ(n, h)
	g.SHRQ(imm(1), h)
	return h
}

// advance adds to pointers.
func (g *generator) advance(bytes int, pointers ...integer) {
	for _, p := range pointers {
		g.ADDQ(num(bytes), p)
	}
}

// single is one float32 eight times, in memory.
func (g *generator) single(v float32) memory { return g.word(math.Float32bits(v)) }

// word is one word eight times, in memory.
func (g *generator) word(bits uint32) memory {
	name := fmt.Sprintf("words%08x", bits)
	if m, ok := g.constants[name]; ok {
		return m
	}
	m := g.StaticGlobal(name)
	g.DataAttributes(rodata)
	for range 8 {
		g.AppendDatum(operand.U32(bits))
	}
	g.constants[name] = m
	return m
}

func (g *generator) load(m memory) vector {
	v := g.YMM()
	g.VMOVUPS(m, v)
	return v
}

func (g *generator) broadcast(m memory) vector {
	v := g.YMM()
	g.VBROADCASTSS(m, v)
	return v
}

func (g *generator) zero() vector {
	v := g.YMM()
	g.VXORPS(v, v, v)
	return v
}

func (g *generator) zeros(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = g.zero()
	}
	return v
}

// Selections of VPERMILPS and VPERM2F128.
const (
	swapPairs  = 0x4e // 2 3 0 1
	swapOne    = 0xb1 // 1 0 3 2
	swapHalves = 0x01
)

// pick is the selection that repeats place i of each half.
func pick(i int) operand.Op { return imm(i * 0x55) }

// fold combines the places of each half of v by op; all four then hold the result.
func (g *generator) fold(v vector, op func(a, b, to operand.Op)) {
	for _, swap := range []int{swapPairs, swapOne} {
		t := g.YMM()
		g.VPERMILPS(imm(swap), v, t)
		op(t, v, v)
	}
}

// foldAll combines all eight places.
func (g *generator) foldAll(v vector, op func(a, b, to operand.Op)) {
	t := g.YMM()
	g.VPERM2F128(imm(swapHalves), v, v, t)
	op(t, v, v)
	g.fold(v, op)
}

func (g *generator) add(a, b, to operand.Op) { g.VADDPS(a, b, to) }
func (g *generator) max(a, b, to operand.Op) { g.VMAXPS(a, b, to) }
func (g *generator) min(a, b, to operand.Op) { g.VMINPS(a, b, to) }

// total adds vectors pairwise into the first.
func (g *generator) total(v []vector) vector {
	for len(v) > 1 {
		half := (len(v) + 1) / 2
		for i := half; i < len(v); i++ {
			g.VADDPS(v[i], v[i-half], v[i-half])
		}
		v = v[:half]
	}
	return v[0]
}

// sum is the sum of an even number of vectors, which are not changed.
func (g *generator) sum(v []vector) vector {
	pairs := make([]vector, len(v)/2)
	for i := range pairs {
		pairs[i] = g.YMM()
		g.VADDPS(v[2*i], v[2*i+1], pairs[i])
	}
	return g.total(pairs)
}

// factor turns sums into the power of two that brings them into [1,2), by
// subtracting their exponents from twice the bias.
func (g *generator) factor(sum vector) {
	g.VPAND(g.word(0x7f800000), sum, sum)
	twice := g.load(g.word(254 << 23))
	g.VPSUBD(sum, twice, sum)
}

// addDoubles adds eight singles to eight doubles in memory.
func (g *generator) addDoubles(v vector, to memory) {
	low, high := g.YMM(), g.YMM()
	half := g.XMM()
	g.VEXTRACTF128(imm(1), v, half)
	g.VCVTPS2PD(v.AsX(), low)
	g.VCVTPS2PD(half, high)
	for i, d := range []vector{low, high} {
		m := to.Offset(32 * i)
		g.VADDPD(m, d, d)
		g.VMOVUPD(d, m)
	}
}

// finish ends the function.
func (g *generator) finish() {
	g.VZEROUPPER()
	g.RET()
}

// flushing flushes denormal numbers to 0 until the returned function is called. They are
// very slow on most processors, and padding and improbable values would produce many.
func (g *generator) flushing() (restore func()) {
	was, is := g.AllocLocal(4), g.AllocLocal(4)
	word := g.GP32()
	g.STMXCSR(was)
	g.MOVL(was, word)
	g.ORL(operand.U32(0x8040), word) // denormals are zero, flush to zero
	g.MOVL(word, is)
	g.LDMXCSR(is)
	return func() { g.LDMXCSR(was) }
}

// Predicates of VCMPPS that are false for NaN.
const (
	notGreater = 0x12
	greater    = 0x1e
)

// agreement compares what the two directions give for the same token.
func (g *generator) agreement() {
	g.function("agreeAVX2", "func(a, b, z *float32, n int, tolerance, least float32) bool",
		"reports whether z[t] b[t] and z[t-1] a[t] are within the tolerance, the former greater than least, and a[t] than least times z[t], for the n >= 9 tokens but the first.")
	a, b, z, n := g.param("a"), g.param("b"), g.param("z"), g.param("n")
	tolerance, least, all, none := g.scalar("tolerance"), g.scalar("least"), g.YMM(), g.load(g.word(1<<31))
	g.VPCMPEQD(all, all, all)
	eight := func() {
		now := g.load(at(z, 4))
		x, y, d := g.YMM(), g.YMM(), g.YMM()
		g.VMULPS(at(b, 4), now, x)
		g.VMOVUPS(at(a, 4), y)
		g.VMULPS(least, now, d)
		g.VCMPPS(imm(greater), d, y, d)
		g.VANDPS(d, all, all)
		g.VCMPPS(imm(greater), least, x, d)
		g.VANDPS(d, all, all)
		g.VMULPS(at(z, 0), y, y)
		g.VSUBPS(y, x, d)
		g.VANDNPS(d, none, d)
		g.VMULPS(tolerance, x, x)
		g.VCMPPS(imm(notGreater), x, d, d)
		g.VANDPS(d, all, all)
	}
	g.DECQ(n)
	rest, eights := g.GP64(), g.GP64()
	g.MOVQ(n, eights)
	g.SHRQ(imm(3), eights)
	g.MOVQ(n, rest)
	g.ANDQ(num(7), rest)
	g.times(eights, func() {
		eight()
		g.advance(32, a, b, z)
	})
	// The last eight numbers again: the rest, and some already done.
	g.SUBQ(num(8), rest)
	for _, p := range []integer{a, b, z} {
		g.LEAQ(memory{Base: p, Index: rest, Scale: 4}, p)
	}
	eight()
	bits, yes := g.GP32(), g.GP8()
	g.VMOVMSKPS(all, bits)
	g.CMPL(bits, num(0xff))
	g.SETEQ(yes)
	g.VZEROUPPER()
	g.Store(yes, g.ReturnIndex(0))
	g.RET()
}

const license = "// SPDX-License-Identifier: Apache-2.0\n\n"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kernelgen FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "kernelgen:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	g := newGenerator()
	g.vectors()
	g.bfloat16s()
	g.gathers()
	g.exponentials()
	g.dense()
	g.split()
	g.sparse()
	g.expectations()
	g.items()
	g.singles()
	g.agreement()
	file, err := g.Result()
	if err != nil {
		build.LogError(log.New(os.Stderr, "", 0), err, 0)
		return errors.New("no code")
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	config := printer.Config{Name: "tools/kernelgen", Pkg: "kernel"}
	for name, p := range map[string]printer.Printer{
		"avx2_amd64.s":  printer.NewGoAsm(config),
		"avx2_amd64.go": printer.NewStubs(config),
	} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), append([]byte(license), text...), 0o644); err != nil {
			return err
		}
	}
	return writeSums(folder)
}

// writeSums writes the checksums of this program and its output, by which a test sees that
// one was changed without the other. It runs in tools, as go generate does.
func writeSums(folder string) error {
	const home = "kernelgen"
	sources, err := filepath.Glob(filepath.Join(home, "*.go"))
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return errors.New("no sources in ./" + home + ": run this in tools")
	}
	var sums strings.Builder
	for _, name := range append(sources, filepath.Join(folder, "avx2_amd64.go"), filepath.Join(folder, "avx2_amd64.s")) {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(home, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), filepath.ToSlash(relative))
	}
	return os.WriteFile(filepath.Join(home, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
