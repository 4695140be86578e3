// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/incognito"
)

const wholeAttributes = `
others: direct
attributes:
- {name: age, role: quasi, kind: number, hierarchy: auto}
- {name: sex, role: quasi}
- {name: born, role: quasi, kind: date, hierarchy: auto}
- {name: disease, role: sensitive, l: 2}
privacy: {k: 4}
method: {name: incognito, suppression: 5}
`

// TestAnotherNodeIsPublishedWhenItIsAskedFor publishes every node that the report
// lists; what it says of each is what the release of it says of itself.
func TestAnotherNodeIsPublishedWhenItIsAskedFor(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(3, 3)), 120), wholeAttributes)
	first, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	lattice := reportOf(t, first).Lattice
	if lattice.Minimal < 2 || len(lattice.Losses) < lattice.Minimal || !slices.Equal(lattice.Attributes, []string{"age", "sex", "born"}) {
		t.Fatalf("%+v", lattice)
	}
	for i, one := range lattice.Losses {
		c.Method.Levels = lattice.Levels(one.Levels)
		r, err := Anonymize(context.Background(), all, c)
		if err != nil {
			t.Fatal(err)
		}
		rep := reportOf(t, r)
		u := rep.Utility
		if math.Abs(u.NCP-one.NCP) > 1e-9 || u.Discernibility != one.Discernibility || u.Suppressed != one.Suppressed || !slices.Equal(rep.Lattice.Taken, one.Levels) || !slices.Equal(r.Parameters.Levels, one.Levels) {
			t.Errorf("%v: %+v, the release %+v", one.Levels, one, u)
		}
		if _, err := r.Write(context.Background(), filepath.Join(t.TempDir(), "out"), Origin{}, rep); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
}

func TestLevelsThatCannotBeAreRefused(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(3, 3)), 120), wholeAttributes)
	for name, refused := range map[string]struct {
		levels map[string]int
		words  string
	}{
		"not k-anonymous": {map[string]int{"age": 0, "sex": 0, "born": 0}, "are satisfied at age="},
		"one missing":     {map[string]int{"age": 1, "sex": 1}, `the levels lack attribute "born"`},
		"none":            {map[string]int{}, `the levels lack attribute "age"`},
		"one too many":    {map[string]int{"age": 1, "sex": 1, "born": 1, "disease": 0}, "for 4 attributes and 3 quasi-identifiers"},
		"too high":        {map[string]int{"age": 1, "sex": 2, "born": 1}, `"sex" has no level 2`},
		"negative":        {map[string]int{"age": -1, "sex": 1, "born": 1}, `"age" has no level -1`},
	} {
		c.Method.Levels = refused.levels
		_, err := Anonymize(context.Background(), all, c)
		if err == nil || !strings.Contains(err.Error(), refused.words) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, incognito.ErrLevels) != (name == "not k-anonymous") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.Method.Name, c.Method.Suppression, c.Method.Levels = Mondrian, 0, map[string]int{"age": 1, "sex": 1, "born": 1}
	if _, err := Anonymize(context.Background(), all, c); err == nil || !strings.Contains(err.Error(), "method incognito") {
		t.Errorf("levels with Mondrian: %v", err)
	}
}
