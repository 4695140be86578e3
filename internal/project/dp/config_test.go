// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"strings"
	"testing"

	"hide/internal/hint"
	"hide/internal/project/dp"
)

func TestConfigurationsOfAProjectAreParsed(t *testing.T) {
	c, err := dp.ParseCube([]byte(`{"source":"a list","dimensions":[{"name":"WARD","values":["A","B"]}],"marginals":[["WARD"]],"people":100,"synthetic":true,"unjoined":2}`))
	if err != nil || c.Source != "a list" || len(c.Dimensions) != 1 || len(c.Marginals) != 1 || c.People != 100 || !c.Synthetic || c.Unjoined != 2 || c.Epsilon != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	s, of, err := dp.ParseSequences([]byte("source: a list\nof: WARD\nalphabet: [A, B]\nordered: true\nheight: 3\nunjoined: 1\n"))
	if err != nil || of != "WARD" || s.Source != "a list" || len(s.Alphabet) != 2 || !s.Ordered || s.Other || s.Height != 3 || s.Unjoined != 1 {
		t.Errorf("%+v of %q, %v", s, of, err)
	}
}

func TestBadConfigurationsOfAProjectHaveAHint(t *testing.T) {
	for _, text := range []string{"", "[]", `{"lineage":"ward"}`, `{"key":"id"}`, `{"source":1}`, "\xff"} {
		_, errCube := dp.ParseCube([]byte(text))
		_, _, errSequences := dp.ParseSequences([]byte(text))
		for _, err := range []error{errCube, errSequences} {
			if err == nil || !strings.HasPrefix(hint.Of(err), "with --project the configuration has neither lineage nor key") {
				t.Errorf("%q: %v, hint %q", text, err, hint.Of(err))
			}
		}
	}
}

func FuzzConfigurationsOfAProject(f *testing.F) {
	for _, s := range []string{`{"source":"x","dimensions":[]}`, "of: WARD\nheight: 2\n", "{", "a: [1, 2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := dp.ParseCube(raw); err != nil && hint.Of(err) == "" {
			t.Error("no hint")
		}
		if _, _, err := dp.ParseSequences(raw); err != nil && hint.Of(err) == "" {
			t.Error("no hint")
		}
	})
}
