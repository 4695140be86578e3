// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCheckSpans(t *testing.T) {
	const text = "aé😀 word" // bytes: a 0, é 1-3, 😀 3-7, space 7, word 8-12
	cases := []struct {
		name  string
		spans []Span
		want  error
	}{
		{"none", nil, nil},
		{"whole text", []Span{{0, 12, "A"}}, nil},
		{"neighbours", []Span{{3, 7, "A"}, {1, 3, "B"}}, nil},
		{"empty", []Span{{4, 4, "A"}}, ErrSpanRange},
		{"backwards", []Span{{7, 3, "A"}}, ErrSpanRange},
		{"negative", []Span{{-1, 3, "A"}}, ErrSpanRange},
		{"beyond the end", []Span{{8, 13, "A"}}, ErrSpanRange},
		{"start inside a character", []Span{{2, 7, "A"}}, ErrSpanCut},
		{"end inside a character", []Span{{0, 5, "A"}}, ErrSpanCut},
		{"overlap by one byte", []Span{{0, 3, "A"}, {1, 7, "A"}}, ErrSpanOverlap},
		{"nested", []Span{{0, 12, "A"}, {3, 7, "B"}}, ErrSpanOverlap},
		{"identical", []Span{{0, 1, "A"}, {0, 1, "A"}}, ErrSpanOverlap},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := CheckSpans(text, c.spans)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "word") {
				t.Errorf("the error quotes text: %v", err)
			}
			if err == nil && !slices.IsSortedFunc(c.spans, CompareSpans) {
				t.Error("the spans are not sorted")
			}
		})
	}
}

func TestOverlapsIsSharingAByte(t *testing.T) {
	for a := range ByteOff(5) {
		for b := a + 1; b < 6; b++ {
			for c := range ByteOff(5) {
				for d := c + 1; d < 6; d++ {
					want := false
					for i := a; i < b; i++ {
						want = want || c <= i && i < d
					}
					s, u := Span{a, b, ""}, Span{c, d, ""}
					if s.Overlaps(u) != want || u.Overlaps(s) != want {
						t.Errorf("%v and %v: want %v", s, u, want)
					}
				}
			}
		}
	}
}

func TestCheckLabel(t *testing.T) {
	good := []Label{"A", "NAME", "LOCATION-OTHER", "x.y_z-1", Label("L" + strings.Repeat("x", 63))}
	bad := []Label{"", "1A", "-A", "A B", "A\n", "é", "__proto__", "A]", Label("L" + strings.Repeat("x", 64)), Label(strings.Repeat("x", 10<<10))}
	for _, l := range good {
		if err := CheckLabel(l); err != nil {
			t.Errorf("%q: %v", l, err)
		}
	}
	for _, l := range bad {
		err := CheckLabel(l)
		if err == nil {
			t.Errorf("invalid label %.20q is accepted", l)
		} else if len(err.Error()) > 200 {
			t.Errorf("%.20q: the error is %d bytes long", l, len(err.Error()))
		}
	}
}

func TestLabelSetsHaveDistinctKeysAndGoodLabels(t *testing.T) {
	set := I2B2().With("NEW", "PATIENT", "OTHER-NEW", "NEW")
	if n := len(I2B2()) + 2; len(set) != n {
		t.Errorf("the set has %d labels, want %d", len(set), n)
	}
	keys := map[string]Label{}
	for _, i := range set {
		if err := CheckLabel(i.Label); err != nil {
			t.Error(err)
		}
		if other, taken := keys[i.Key]; taken && i.Key != "" {
			t.Errorf("%s and %s share the key %q", other, i.Label, i.Key)
		}
		keys[i.Key] = i.Label
		if i.Key != "" && strings.Contains(reservedKeys, i.Key) {
			t.Errorf("%s has the reserved key %q", i.Label, i.Key)
		}
	}
}

func TestDocumentsDoNotPrintTheirText(t *testing.T) {
	d := Annotated{Document: Document{Name: "secret-name", Text: "secret-text", Patient: "secret-patient", Attributes: map[string]string{"k": "secret-value"}}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if out := fmt.Sprintf(format, d); strings.Contains(out, "secret") {
			t.Errorf("%s shows %q", format, out)
		}
		if out := fmt.Sprintf(format, d.Document); strings.Contains(out, "secret") {
			t.Errorf("%s of the document shows %q", format, out)
		}
	}
}

func TestGroupKeepsPatientsAndDocumentsApart(t *testing.T) {
	a, b := Document{Name: "x", Patient: "p"}, Document{Name: "y", Patient: "p"}
	if a.Group() != b.Group() {
		t.Error("two notes of one patient are in two groups")
	}
	if (Document{Name: "p"}).Group() == a.Group() {
		t.Error("a note named like a patient is in the patient's group")
	}
}
