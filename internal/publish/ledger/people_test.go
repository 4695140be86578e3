// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// people are numbered from first to before last.
func people(first, last int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := first; i < last && yield(fmt.Sprintf("p%d", i)); i++ {
		}
	}
}

func sketchOf(t *testing.T, l *Ledger, first, last int) string {
	t.Helper()
	s, err := l.Sketch(people(first, last))
	must(t, err)
	return s
}

// TestTheSamePeopleUnderAnotherNameHaveNoOtherBudget is about other columns, and so
// other bytes, of the same people.
func TestTheSamePeopleUnderAnotherNameHaveNoOtherBudget(t *testing.T) {
	l := newLedger(t, "store", One)
	must(t, l.OpenAccount("ward-8", "patient", One))
	ask := func(lineage, data string, first, last int) error {
		r := request(1, One/10)
		r.Lineage, r.Data, r.Units = lineage, data, sketchOf(t, l, first, last)
		_, err := l.Publish(t.Context(), r, draw("x"))
		return err
	}
	must(t, ask(ward, "ages", 0, 100))
	before := l.Head()
	var same *SameUnitsError
	if err := ask("ward-8", "diagnoses", 0, 100); !errors.As(err, &same) || len(same.Others) != 1 || same.Others[0].Lineage != ward || same.Others[0].Share != 1 {
		t.Errorf("%v", err)
	}
	if err := ask("ward-8", "half of them", 50, 150); !errors.As(err, &same) {
		t.Errorf("%v", err)
	}
	if err := l.Open(Opening{Lineage: "ward-9", Unit: "patient", Limit: One, Units: sketchOf(t, l, 0, 90)}); !errors.As(err, &same) {
		t.Errorf("%v", err)
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Error("what was refused is on record")
	}
	must(t, ask("ward-8", "others", 1000, 1100))
	for _, reason := range []string{"short", "          "} {
		if err := l.Apart("ward-8", []string{ward}, reason, ""); err == nil {
			t.Errorf("%q is a reason", reason)
		}
	}
	must(t, l.Apart("ward-8", []string{ward}, "numbers of another hospital", "broker"))
	must(t, ask("ward-8", "diagnoses", 0, 100))
	must(t, ask(ward, "sexes", 0, 100))
	a, err := l.Account("ward-8")
	must(t, err)
	if len(a.Apart) != 1 || a.Apart[0].From != ward || a.Apart[0].Who != "broker" || len(a.Shared) != 0 {
		t.Errorf("%+v", a)
	}
	notes := l.state.receipts[l.state.debits[a.Debits[1].Entry].Entry].Notes
	if len(notes) != 1 || !strings.Contains(notes[0], "numbers of another hospital") {
		t.Errorf("%q", notes)
	}
}

func TestAnAccountOfTheSamePeopleNeedsAReason(t *testing.T) {
	l := newLedger(t, "file", One)
	must(t, l.Open(Opening{Lineage: "a", Unit: "patient", Limit: One, Units: sketchOf(t, l, 0, 30)}))
	again := Opening{Lineage: "b", Unit: "patient", Limit: One, Units: sketchOf(t, l, 0, 30), Apart: "because"}
	if err := l.Open(again); err == nil {
		t.Error("a word is a reason")
	}
	again.Apart = "two hospitals number from 1"
	must(t, l.Open(again))
	if a, err := l.Account("a"); err != nil || len(a.Apart) != 1 || a.Apart[0].From != "b" {
		t.Errorf("%+v, %v", a, err)
	}
	again.Lineage, again.Units = "c", "not a sketch"
	if err := l.Open(again); err == nil {
		t.Error("any text is a sketch")
	}
}

// TestPartsThatShareAnybodyAreRefused: each table alone has everybody in one part, and
// both together have not.
func TestPartsThatShareAnybodyAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, err := OpenFile(path, Options{Create: true})
	must(t, err)
	must(t, l.OpenAccount(ward, "patient", 2*One))
	must(t, l.Declare(ward, "hospital", []string{"A", "B"}))
	ask := func(n int, part string, first, last int) error {
		r := request(n, One/2)
		r.Units = sketchOf(t, l, first, last)
		if part != "" {
			r.Part = Part{"hospital", part}
		}
		_, err := l.Publish(t.Context(), r, draw("x"))
		return err
	}
	must(t, ask(0, "", 0, 2500)) // so that nobody is new to the lineage
	must(t, ask(1, "A", 0, 1000))
	must(t, ask(2, "B", 1000, 2000))
	l = reopened(t, l, path)
	var shared *SharedPartError
	if err := ask(3, "B", 999, 2000); !errors.As(err, &shared) || shared.Other != "A" || shared.Part.Part != "B" {
		t.Errorf("one of a thousand was in the other part: %v", err)
	}
	if spent(t, l) != One {
		t.Errorf("%v spent", spent(t, l))
	}
	must(t, ask(4, "B", 500+1000, 2500))
	must(t, l.Close())
}

func TestALineageProtectsOneKindOfUnit(t *testing.T) {
	l := newLedger(t, "file", One)
	ask := func(n int, by string) error {
		r := request(n, One/10)
		r.By = by
		_, err := l.Publish(t.Context(), r, draw("x"))
		return err
	}
	must(t, ask(1, "patient"))
	must(t, ask(2, "patient"))
	var other *OtherUnitError
	for i, by := range []string{"stay", ""} {
		if err := ask(3+i, by); !errors.As(err, &other) || other.By != "patient" || other.Asked != by {
			t.Errorf("by %q: %v", by, err)
		}
	}
	if spent(t, l) != One/5 {
		t.Errorf("%v spent", spent(t, l))
	}
}

func TestALineageWithoutKeysStaysWithoutThem(t *testing.T) {
	l := newLedger(t, "file", One)
	_, err := l.Publish(t.Context(), request(1, One/10), draw("x"))
	must(t, err)
	keyed := request(2, One/10)
	keyed.By = "patient"
	var other *OtherUnitError
	if _, err := l.Publish(t.Context(), keyed, draw("x")); !errors.As(err, &other) || other.By != "" || spent(t, l) != One/10 {
		t.Errorf("%v, %v spent", err, spent(t, l))
	}
}

func TestALimitIsRaisedOnRecordOnly(t *testing.T) {
	for kind := range books {
		l := newLedger(t, kind, One)
		_, err := l.Publish(t.Context(), request(1, One), draw("x"))
		must(t, err)
		for limit, reason := range map[Micro]string{2 * One: "", One: "the board decided", Most + 1: "the board decided", One / 2: "the board decided"} {
			if err := l.Raise(ward, limit, reason, ""); err == nil {
				t.Errorf("%s: raised to %v, %q", kind, limit, reason)
			}
		}
		must(t, l.Raise(ward, 2*One, "the board decided", "broker"))
		a, err := l.Publish(t.Context(), request(2, One), draw("x"))
		must(t, err)
		if n := a.Receipt.Notes; len(n) != 1 || !strings.Contains(n[0], "from 1 to 2: the board decided") || a.Receipt.Limit != 2*One {
			t.Errorf("%s: %+v", kind, a.Receipt)
		}
		acc, err := l.Account(ward)
		must(t, err)
		if len(acc.Raises) != 1 || acc.Raises[0].From != One || acc.Raises[0].Who != "broker" || acc.Left != 0 {
			t.Errorf("%s: %+v", kind, acc)
		}
		if _, err := l.Publish(t.Context(), request(3, 1), draw("x")); err == nil {
			t.Errorf("%s: more than the new limit was spent", kind)
		}
	}
}

func TestLookingChangesNothing(t *testing.T) {
	path := fileWithDebit(t)
	files := func() []string {
		var out []string
		for _, name := range []string{path, path + ".head"} {
			raw, err := os.ReadFile(name)
			must(t, err)
			out = append(out, string(raw))
		}
		return out
	}
	lagging, err := OpenFile(path, Options{Create: true})
	must(t, err)
	old, err := os.ReadFile(path + ".head")
	must(t, err)
	must(t, lagging.Weak(ward, "a table"))
	must(t, errors.Join(lagging.Close(), os.WriteFile(path+".head", old, 0o600)))
	before := files()
	l, err := OpenFile(path, Options{Look: true})
	must(t, err)
	if a, err := l.Account(ward); err != nil || !a.Void() {
		t.Errorf("%+v, %v", a, err)
	}
	if err := l.Weak(ward, "another table"); !errors.Is(err, errLook) {
		t.Errorf("%v", err)
	}
	must(t, l.Close())
	if after := files(); !slices.Equal(before, after) {
		t.Error("looking changed a file")
	}
}

func TestADataFolderIsLookedAtWithoutALedger(t *testing.T) {
	st := dataFolder(t)
	l, err := InStore(st, Options{Look: true})
	must(t, err)
	if len(l.Accounts()) != 0 || l.OpenAccount(ward, "patient", One) == nil {
		t.Error("an account was opened by looking")
	}
	if _, err := InStore(st, Options{}); !errors.Is(err, ErrNotBegun) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Clean(st.Dir()) + ".budget"); err == nil {
		t.Error("looking made a head file")
	}
}

func TestAReasonHasEightLettersOfAnyScript(t *testing.T) {
	for reason, ok := range map[string]bool{"": false, "so": false, "        ": false, " because ": false, "理由理由": false, "approved": true, "理由理由理由理由": true, "two\nlines here": false} {
		if err := checkReason(reason); (err == nil) != ok {
			t.Errorf("%q: %v", reason, err)
		}
	}
}
