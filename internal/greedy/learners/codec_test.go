// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"testing"

	"hide/internal/greedy"
)

func TestKeptLearnersComeBackFromTheirBytes(t *testing.T) {
	learnt, fresh := notes(40), notes(5)
	for _, name := range Kept() {
		l, err := New(name, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		h, err := l.Train(context.Background(), learnt)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.TypeOf(h).Comparable() {
			t.Errorf("a classifier of %s is no key: it cannot be kept once for all choices that share it", name)
		}
		if _, is := l.(greedy.Keeper); !is {
			t.Errorf("a run with %s cannot be resumed without training it again", name)
		}
		file, err := Encode(h)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := Decode(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range fresh {
			if !slices.Equal(back.Scores(v), h.Scores(v)) || !slices.Equal(back.Hard(v), h.Hard(v)) {
				t.Fatalf("%s says something else after it was read", name)
			}
		}
		again, err := Encode(back)
		if err != nil || !bytes.Equal(again, file) {
			t.Errorf("%s: written again it is different (%v)", name, err)
		}
		for _, bad := range [][]byte{nil, file[:len(file)/2], append(slices.Clone(file), 0)} {
			if _, err := Decode(bad); err == nil {
				t.Errorf("%s: %d of %d bytes were read", name, len(bad), len(file))
			}
		}
	}
}

func TestWhatCannotBeKeptSaysSo(t *testing.T) {
	if _, err := Encode(capitals); err == nil {
		t.Error("a classifier without bytes was encoded")
	}
	h, err := Ensemble{First: capitals}.Train(t.Context(), notes(20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Encode(h); err == nil {
		t.Error("an ensemble with such a classifier was encoded")
	}
}
