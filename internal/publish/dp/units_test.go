// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
)

// TestNobodyCountsMoreThanTheNoiseIsFor compares tables that differ in all rows of
// one person, in every way that she can have rows: at most the sensitivity may
// change, in all cells together.
func TestNobodyCountsMoreThanTheNoiseIsFor(t *testing.T) {
	c := cubeOf(t, with(cubeConfig, `"bound":2,"unjoined":3,"leave_out_nameless":true`))
	rows := func(n int, key string) (s string) {
		for i := range n {
			s += fmt.Sprintf("%s,F,%d,a\n", key, 10*(i%9))
		}
		return s
	}
	without := "id,sex,age,ward\no,M,5,b\n"
	base, err := c.Count(CSV(without))
	must(t, err)
	for _, hers := range []string{rows(1, "p"), rows(9, "p"), rows(9, "p") + rows(9, "q") + rows(9, "r"), rows(20, "")} {
		counts, err := c.Count(CSV(without + hers))
		must(t, err)
		if more := int64(counts.Rows() - base.Rows()); more > counts.Bound || counts.Bound != 6 {
			t.Errorf("%q adds %d rows, the sensitivity is %d", hers, more, counts.Bound)
		}
	}
}

func TestASensitivityThatIsTooSmallIsFound(t *testing.T) {
	for _, kind := range []string{"cube", "sequences"} {
		l := newLedger(t)
		var r Release
		var err error
		if kind == "cube" {
			r, err = PublishCube(t.Context(), l, cubeOf(t, with(cubeConfig, `"unjoined":3`)), people(30), ledger.One, meta)
		} else {
			c, parseErr := ParseSequences([]byte(with(sequencesConfig, `"unjoined":3`)))
			must(t, parseErr)
			r, err = PublishSequences(t.Context(), l, c, stays(30), ledger.One, meta)
		}
		must(t, err)
		if said := strings.Join(r.Manifest.Conditions, " "); !strings.Contains(said, "At most 3 of the keys belong to one patient") || r.Manifest.Phases[0].Sensitivity != 3 {
			t.Errorf("%s: %s, %+v", kind, said, r.Manifest.Phases[0])
		}
		for _, forged := range []bool{false, true} {
			if forged {
				for i := range r.Manifest.Phases {
					r.Manifest.Phases[i].Sensitivity = 1
					r.Manifest.Phases[i].Scale /= 3
				}
			}
			dir := filepath.Join(t.TempDir(), "r")
			_, err := r.Write(t.Context(), dir)
			must(t, err)
			if rep, err := checked(os.DirFS(dir)); err != nil || rep.OK == forged {
				t.Errorf("%s, forged %v: %+v, %v", kind, forged, rep, err)
			}
		}
	}
}

// TestOtherDimensionsOfTheSamePeopleHaveNoOtherBudget publishes the same people with
// other columns under another name, as a cube, as sequences and as a question.
func TestOtherDimensionsOfTheSamePeopleHaveNoOtherBudget(t *testing.T) {
	l := newLedger(t)
	must(t, l.Open(ledger.Opening{Lineage: "ward-8", Unit: "patient", Limit: ledger.One}))
	_, err := PublishCube(t.Context(), l, cubeOf(t, cubeConfig), people(60), ledger.One/10, meta)
	must(t, err)
	before := l.Head()
	other := cubeOf(t, `{"lineage":"ward-8","source":"s","key":"id","dimensions":[{"name":"name","values":["Weiss"]}]}`)
	var same *ledger.SameUnitsError
	if _, err := PublishCube(t.Context(), l, other, append(people(59), '\n'), ledger.One/10, meta); !errors.As(err, &same) {
		t.Errorf("a cube: %v", err)
	}
	if _, err := AnswerQuery(t.Context(), l, other, "SELECT COUNT(*)", people(58), ledger.One/10, meta); !errors.As(err, &same) {
		t.Errorf("a question: %v", err)
	}
	c, err := ParseSequences([]byte(strings.Replace(sequencesConfig, "ward-7", "ward-8", 1)))
	must(t, err)
	ways := strings.ReplaceAll(string(stays(60)), "p", "")
	if _, err := PublishSequences(t.Context(), l, c, Lines(ways), ledger.One/10, meta); !errors.As(err, &same) {
		t.Errorf("sequences: %v", err)
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Error("a refused request was debited")
	}
}
