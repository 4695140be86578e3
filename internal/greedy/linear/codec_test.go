// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"hide/internal/wire"
)

func TestMachinesReadBackAsTheyWere(t *testing.T) {
	views := notes(30)
	m := trained(t, SVM{}, views[:20]).(*Model)
	raw, err := SVM{}.EncodeClassifier(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := SVM{}.DecodeClassifier(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if !slices.Equal(m.Scores(v), back.Scores(v)) {
			t.Fatal("it scores otherwise")
		}
	}
	again, err := SVM{}.EncodeClassifier(back)
	if err != nil || !bytes.Equal(again, raw) {
		t.Errorf("written again it is different (%v)", err)
	}
}

// sealed is a file with the right beginning and checksum.
func sealed(content ...byte) []byte {
	b := append([]byte(Magic), content...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func content(slope, shift float64, rest ...byte) []byte {
	return append(wire.AppendFloat(wire.AppendFloat(binary.AppendUvarint(nil, version), slope), shift), rest...)
}

func TestDecodeRefusesWhatIsNoMachine(t *testing.T) {
	weight := wire.AppendFloat(nil, 0.5)
	one := slices.Concat([]byte{1, 3}, weight)
	for name, b := range map[string][]byte{
		"nothing":                            nil,
		"another beginning":                  bytes.Replace(sealed(content(1, 0, one...)...), []byte("SVM"), []byte("DET"), 1),
		"checksum":                           append(sealed(content(1, 0, one...)...), 1),
		"no content":                         sealed(),
		"another version":                    sealed(9),
		"slope zero":                         sealed(content(0, 0, one...)...),
		"slope NaN":                          sealed(content(math.NaN(), 0, one...)...),
		"a weight whose sums are no numbers": sealed(content(1, 0, slices.Concat([]byte{1, 3}, wire.AppendFloat(nil, 1e308))...)...),
		"shift infinite":                     sealed(content(1, math.Inf(1), one...)...),
		"more than there is":                 sealed(content(1, 0, slices.Concat([]byte{2, 3}, weight)...)...),
		"huge count":                         sealed(content(1, 0, binary.AppendUvarint(nil, math.MaxUint64)...)...),
		"features twice":                     sealed(content(1, 0, slices.Concat([]byte{2, 3}, weight, []byte{0}, weight)...)...),
		"features beyond":                    sealed(content(1, 0, slices.Concat([]byte{2, 3}, weight, binary.AppendUvarint(nil, math.MaxUint64), weight)...)...),
		"padded number":                      sealed(content(1, 0, slices.Concat([]byte{1, 0x83, 0}, weight)...)...),
		"more after its end":                 sealed(content(1, 0, append(one, 7)...)...),
	} {
		if _, err := Decode(b); !errors.Is(err, ErrModel) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Decode(sealed(content(1, 0, one...)...)); err != nil {
		t.Errorf("a machine of one feature: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(content(1, 0, slices.Concat([]byte{1, 3}, wire.AppendFloat(nil, 0.5))...))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, content []byte) {
		b := sealed(content...)
		m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%d bytes become %d (%v)", len(b), len(again), err)
		}
	})
}
