// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"testing"
)

// TestWhatAnAccountWouldBeRefusedIsKnownBeforeItIsOpened asks for what is refused, and
// finds no entry more than there was.
func TestWhatAnAccountWouldBeRefusedIsKnownBeforeItIsOpened(t *testing.T) {
	l := newLedger(t, "file", One)
	must(t, l.Open(Opening{Lineage: "ward-1", Unit: "patient", Limit: One, Units: sketchOf(t, l, 0, 500)}))
	asked := func(data string, e Micro, units string) Request {
		return Request{Lineage: "ward-2", Epsilon: e, Body: []byte("b"), Data: data, Units: units, What: "a cube"}
	}
	first := asked("known", One/10, "")
	first.Lineage = "ward-1"
	if _, err := l.Publish(t.Context(), first, draw("x")); err != nil {
		t.Fatal(err)
	}
	before := l.Head()
	o := Opening{Lineage: "ward-2", Unit: "patient", Limit: One}
	var exceeded *ExceededError
	var other *OtherLineageError
	var same *SameUnitsError
	if err := l.Affords(o, asked("new", One+1, "")); !errors.As(err, &exceeded) {
		t.Errorf("more than the limit: %v", err)
	}
	if err := l.Affords(o, asked("known", One/10, "")); !errors.As(err, &other) {
		t.Errorf("data of another lineage: %v", err)
	}
	if err := l.Affords(o, asked("new", One/10, sketchOf(t, l, 0, 500))); !errors.As(err, &same) {
		t.Errorf("people of another lineage: %v", err)
	}
	part := asked("new", One/10, "")
	part.Part = Part{Partition: "ward", Part: "a"}
	for name, refused := range map[string]struct {
		o Opening
		r Request
	}{
		"a part":           {o, part},
		"no epsilon":       {o, asked("new", 0, "")},
		"no unit":          {Opening{Lineage: "ward-2", Limit: One}, asked("new", One/10, "")},
		"no limit":         {Opening{Lineage: "ward-2", Unit: "patient"}, asked("new", One/10, "")},
		"a damaged sketch": {o, asked("new", One/10, "?")},
	} {
		if err := l.Affords(refused.o, refused.r); err == nil {
			t.Errorf("%s is afforded", name)
		}
	}
	good := asked("new", One/10, sketchOf(t, l, 600, 900))
	if err := l.Affords(o, good); err != nil {
		t.Error(err)
	}
	if now := l.Head(); now.Seq != before.Seq || now.Hash != before.Hash {
		t.Errorf("asking has written: %+v, before %+v", now, before)
	}
	must(t, l.Open(o))
	if _, err := l.Publish(t.Context(), good, draw("y")); err != nil {
		t.Errorf("what is afforded is refused: %v", err)
	}
}
