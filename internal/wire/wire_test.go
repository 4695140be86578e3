// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n, v, w, content := rng.Uint64()>>rng.IntN(64), rng.NormFloat64(), float32(rng.NormFloat64()), make([]byte, rng.IntN(300))
		b := binary.AppendUvarint([]byte("magic"), 3)
		b = AppendSection(AppendFloat32(AppendFloat(binary.AppendUvarint(b, n), v), w), content)
		r, err := Open(Seal(b), "magic")
		if err != nil {
			t.Fatal(err)
		}
		r.Version(3)
		if gotN, gotV, gotW, got := r.Uint(math.MaxUint64), r.Float(10), r.Float32(10), r.Section(); gotN != n || gotV != v || gotW != w || !bytes.Equal(got, content) {
			t.Fatalf("read %d %g %g and %d bytes, want %d %g %g and %d", gotN, gotV, gotW, len(got), n, v, w, len(content))
		}
		if r.End(); r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
}

func TestOnlyTheFirstFailureCountsAndNothingIsReadAfterIt(t *testing.T) {
	r := NewReader([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	r.Fail(nil)
	r.Take(2)
	r.Fail(errors.New("first"))
	r.Failf("second")
	if r.Err() == nil || r.Err().Error() != "first (byte 2)" {
		t.Errorf("error %v, want first (byte 2)", r.Err())
	}
	if r.Left() != 0 || r.Uint(9) != 0 || r.Float(9) != 0 || r.Uint64() != 0 || r.Take(0) != nil || r.Section() != nil {
		t.Error("something was read after a failure")
	}
}

func TestReaderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []byte
		read  func(*Reader)
	}{
		"a padded number":     {[]byte{0x81, 0}, func(r *Reader) { r.Uint(9) }},
		"an endless number":   {bytes.Repeat([]byte{0xff}, 12), func(r *Reader) { r.Uint(math.MaxUint64) }},
		"a large number":      {[]byte{10}, func(r *Reader) { r.Uint(9) }},
		"more than nothing":   {[]byte{1}, func(r *Reader) { r.Count(-1) }},
		"a number cut short":  {[]byte{0x80}, func(r *Reader) { r.Uint(999) }},
		"NaN":                 {AppendFloat(nil, math.NaN()), func(r *Reader) { r.Float(math.Inf(1)) }},
		"a float too small":   {AppendFloat(nil, -3), func(r *Reader) { r.Float(2) }},
		"a float cut short":   {make([]byte, 7), func(r *Reader) { r.Float(2) }},
		"a float32 of NaN":    {AppendFloat32(nil, float32(math.NaN())), func(r *Reader) { r.Float32(math.Inf(1)) }},
		"a section too long":  {[]byte{5, 1, 2}, func(r *Reader) { r.Section() }},
		"something left over": {[]byte{5}, func(r *Reader) { r.End() }},
		"another version":     {[]byte{5}, func(r *Reader) { r.Version(4) }},
	} {
		r := NewReader(c.bytes)
		if c.read(r); r.Err() == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestSealHoldsEveryByte(t *testing.T) {
	sealed := Seal([]byte("magic and more"))
	if _, err := Open(sealed, "other"); err == nil || !strings.Contains(err.Error(), "header") {
		t.Errorf("another magic: %v", err)
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := Open(changed, "magic"); err == nil {
			t.Errorf("byte %d was changed and nobody noticed", i)
		}
		if _, err := Open(sealed[:i], "magic"); err == nil {
			t.Errorf("%d of %d bytes were opened", i, len(sealed))
		}
	}
}
