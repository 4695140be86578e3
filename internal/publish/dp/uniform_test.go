// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
)

// wards is a table of women and men, each of another ward in turn.
func wards(women, men int) CSV {
	var b strings.Builder
	b.WriteString("id,sex,ward\n")
	for i := range women + men {
		sex := "F"
		if i >= women {
			sex = "M"
		}
		fmt.Fprintf(&b, "p%d,%s,%d\n", i, sex, i%5)
	}
	return CSV(b.String())
}

// errorsOf publishes a table and gives the expected error of the counts by sex.
func errorsOf(t *testing.T, method string, women, men int) ExpectedError {
	t.Helper()
	c := cubeOf(t, `{"lineage":"ward-7","source":"form","key":"id","method":"`+method+`","dimensions":[{"name":"sex","values":["F","M"]},{"name":"ward","values":["0","1","2","3","4"]}]}`)
	r, err := PublishCube(t.Context(), newLedger(t), c, wards(women, men), ledger.One, meta)
	must(t, err)
	if len(r.Manifest.Errors) != 2 {
		t.Fatalf("%s: %+v", method, r.Manifest.Errors)
	}
	return r.Manifest.Errors[0]
}

// TestEveryReportSaysWhatOneCountForAllWouldBeOffBy: 500 women and no man, spread
// evenly, are 250 off each; as many men as women are off by the noise.
func TestEveryReportSaysWhatOneCountForAllWouldBeOffBy(t *testing.T) {
	for _, method := range []string{"identity", "dpcube"} {
		if e := errorsOf(t, method, 500, 0); math.Abs(e.Baselines[Uniform]-250) > 40 {
			t.Errorf("%s: baselines %v, want a uniform one of about 250", method, e.Baselines)
		}
		e := errorsOf(t, method, 250, 250)
		if u, ok := e.Baselines[Uniform]; !ok || u > 40 {
			t.Errorf("%s: baselines %v, want a uniform one of the noise", method, e.Baselines)
		}
		if _, ok := e.Baselines["identity"]; !ok {
			t.Errorf("%s: no baseline of identity in %v", method, e.Baselines)
		}
		if _, ok := e.Baselines["one marginal each"]; !ok {
			t.Errorf("%s: no baseline of marginals in %v", method, e.Baselines)
		}
	}
}

// TestOneCountForAllClaimsNoErrorThatItCannotKnow: its counts by sex are 250 off, of
// which the noise is half a person.
func TestOneCountForAllClaimsNoErrorThatItCannotKnow(t *testing.T) {
	e := errorsOf(t, "uniform", 500, 0)
	if !strings.HasSuffix(e.Question, NoiseAlone) || e.Release > 2 {
		t.Errorf("%+v", e)
	}
	if most := e.Baselines[UniformMost]; math.Abs(most-250) > 20 {
		t.Errorf("at most %v, want about 250", most)
	}
	if _, ok := e.Baselines[Uniform]; ok {
		t.Errorf("it estimates what it cannot know: %v", e.Baselines)
	}
}

// TestNoiseIsNotTakenForCategoriesThatDiffer: over many releases of equal categories
// the estimate is far below what the noise alone makes of them.
func TestNoiseIsNotTakenForCategoriesThatDiffer(t *testing.T) {
	answers := make([]cube.Answer, 4)
	for i := range answers {
		answers[i] = cube.Answer{Count: 100 + 10*math.Pow(-1, float64(i)), SD: 10}
	}
	e := ExpectedError{Baselines: map[string]float64{}}
	e.addUniform(cube.Params{Method: cube.Identity, Epsilon: ledger.One}, answers, 0, 1)
	if got := e.Baselines[Uniform]; got != 0.25 {
		t.Errorf("%v, want the noise of one count over four", got)
	}
	for i := range answers {
		answers[i].SD = 0
	}
	e.addUniform(cube.Params{Method: cube.Identity, Epsilon: ledger.One}, answers, 0, 1)
	if got := e.Baselines[Uniform]; math.Abs(got-10.25) > 1e-9 {
		t.Errorf("%v, want 10.25", got)
	}
}
