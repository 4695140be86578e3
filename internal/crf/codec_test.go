// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"hide/internal/annotate"
)

// smallModel is a real model of a few kilobytes with all that a file can hold.
func smallModel(t testing.TB) (*Model, []Doc) {
	docs, _ := notes(20, 3)
	lists := []DictionaryList{{"given", []string{"Ana", "José", "Mary John"}}, {"empty", nil}}
	m, _ := train(t, docs, Options{Dictionaries: lists, MaxIterations: 5})
	return m, docs
}

func TestModelSurvivesEncoding(t *testing.T) {
	m, docs := smallModel(t)
	file := encoded(t, m)
	back, err := Decode(iotest.OneByteReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, back), file) {
		t.Error("encoding it again gives other bytes")
	}
	if back.Features() != m.Features() || back.Binary() != m.Binary() || back.Weights() != m.Weights() || !slices.Equal(back.Labels(), m.Labels()) {
		t.Error("its properties differ")
	}
	for _, d := range docs {
		if !reflect.DeepEqual(back.Tag(d), m.Tag(d)) || !slices.Equal(back.Sensitive(d), m.Sensitive(d)) {
			t.Error("it tags differently")
		}
	}
}

func TestDecodeRefusesEveryTruncationAndEveryFlippedBit(t *testing.T) {
	m, _ := train(t, []Doc{{Words: []string{"Ana", "x"}, Labels: []annotate.Label{"N", ""}}}, Options{Features: HIDE})
	file := encoded(t, m)
	for n := range file {
		if _, err := Decode(bytes.NewReader(file[:n])); !errors.Is(err, ErrModel) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(file), err)
		}
	}
	for i := range file {
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[i] ^= 1 << bit
			if _, err := Decode(bytes.NewReader(damaged)); !errors.Is(err, ErrModel) {
				t.Fatalf("bit %d of byte %d flipped: %v", bit, i, err)
			}
		}
	}
	if _, err := Decode(bytes.NewReader(append(file, 0))); !errors.Is(err, ErrModel) {
		t.Errorf("a byte more: %v", err)
	}
}

// sealed appends the right checksum, so that only the content is to blame.
func sealed(parts ...[]byte) []byte {
	b := slices.Concat(parts...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func varints(ns ...uint64) []byte {
	var b []byte
	for _, n := range ns {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func TestDecodeRefusesLiesWithARightChecksum(t *testing.T) {
	head := []byte(magic)
	nan := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
	zero := make([]byte, 4)
	plain := varints(2, 1, 0, 0, 0) // version, families, binary, labels, dictionaries
	tests := map[string][]byte{
		"empty":                    nil,
		"later version":            sealed(head, varints(3)),
		"unknown features":         sealed(head, varints(2, 1<<30)),
		"flag of 2":                sealed(head, varints(2, 1, 2)),
		"too many labels":          sealed(head, varints(2, 1, 0, 1<<33)),
		"labels out of order":      sealed(head, varints(2, 1, 0, 2), []byte("\x01b\x01a")),
		"an empty label":           sealed(head, varints(2, 1, 0, 1, 0)),
		"huge list of nothing":     sealed(head, varints(2, 1, 0, 0, 1, 0, 1<<30)),
		"huge name":                sealed(head, varints(2, 1, 0, 1, 1<<30)),
		"weight is no number":      sealed(head, plain, nan, varints(0)),
		"huge count of nothing":    sealed(head, plain, zero, varints(1<<30)),
		"number above 64 bits":     sealed(head, bytes.Repeat([]byte{0xff}, 12)),
		"number written too long":  sealed(head, []byte{0x81, 0x00}),
		"shares with nothing":      sealed(head, plain, zero, varints(1, 3, 0, 0), zero),
		"same name twice":          sealed(head, plain, zero, varints(2, 0, 1), []byte("a\x01\x00"), zero, varints(1, 0, 1, 0), zero),
		"more weights than states": sealed(head, plain, zero, varints(1, 0, 1), []byte("a\x02"), zero),
	}
	for name, file := range tests {
		if _, err := Decode(bytes.NewReader(file)); !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := sealed(head, plain, zero, varints(1, 0, 1), []byte("a\x01\x00"), zero)
	if _, err := Decode(bytes.NewReader(good)); err != nil {
		t.Errorf("the smallest model: %v", err)
	}
}

func TestDecodeReportsReadingErrorsAsTheyAre(t *testing.T) {
	m, _ := smallModel(t)
	broken := errors.New("disk on fire")
	r := io.MultiReader(bytes.NewReader(encoded(t, m)[:100]), iotest.ErrReader(broken))
	if _, err := Decode(r); !errors.Is(err, broken) || errors.Is(err, ErrModel) {
		t.Errorf("error is %v", err)
	}
}

type fullDisk struct{ room int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestEncodeReportsAFailingWriter(t *testing.T) {
	m, _ := smallModel(t)
	size := len(encoded(t, m))
	for _, room := range []int{0, 100, size - 1} {
		if err := m.Encode(&fullDisk{room}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("with room for %d of %d bytes: %v", room, size, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	m, _ := smallModel(f)
	file := encoded(f, m)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(magic))
	f.Add(sealed([]byte(magic), varints(2, 1, 0, 0, 0, 0)))
	d := NewDoc(annotate.Annotated{Document: annotate.Document{Text: "Name: Ana Ruiz\nseen 3/4/1999"}})
	f.Fuzz(func(t *testing.T, data []byte) {
		// Seal what the fuzzer made as well, so that it gets past the checksum.
		for _, file := range [][]byte{data, sealed(data)} {
			m, err := Decode(bytes.NewReader(file))
			if err != nil {
				continue
			}
			if !bytes.Equal(encoded(t, m), file) {
				t.Fatal("a file that Encode would not write was accepted")
			}
			for _, p := range m.Sensitive(d) {
				if !(p >= 0 && p <= 1) {
					t.Fatalf("probability %g", p)
				}
			}
			m.Tag(d)
		}
	})
}
