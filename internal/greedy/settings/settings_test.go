// SPDX-License-Identifier: Apache-2.0

package settings_test

import (
	"flag"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/settings"
	"hide/internal/option"
)

// all is kept as both a run and an experiment might.
type all struct {
	Mode                   greedy.Mode
	LC                     []float64
	Ceiling, Share, VC     float64
	Losses                 map[annotate.Label]float64
	Costs                  greedy.Prices
	Folds                  int
	Seed                   uint64
	Learners, WithoutParts []string
	First                  string
	Attackers              []attack.Kind
	Sampling               crf.Sampling
	Context                *greedy.Context
}

var table = append(option.Table[all]{
	option.One(option.About{Name: "mode", Label: "Mode", Default: "default"}, []option.Choice{{Value: "default"}, {Value: "paper"}}, func(p *all) *greedy.Mode { return &p.Mode }),
	settings.LC("1,10,100", 5, func(p *all) *[]float64 { return &p.LC }),
	settings.Ceiling(func(p *all) *float64 { return &p.Ceiling }),
	settings.Share(func(p *all) *float64 { return &p.Share }),
	settings.VC(func(p *all) *float64 { return &p.VC }),
	settings.Losses(func(p *all) *map[annotate.Label]float64 { return &p.Losses }),
	settings.Costs(func(p *all) *greedy.Prices { return &p.Costs }),
	settings.Folds(20, func(p *all) *int { return &p.Folds }),
	settings.Seed(func(p *all) *uint64 { return &p.Seed }),
	settings.Learners(func(p *all) *[]string { return &p.Learners }),
	settings.First(func(p *all) *string { return &p.First }),
	settings.Attackers("stacked,dictionary,repeat", attack.Kinds(), func(p *all) *[]attack.Kind { return &p.Attackers }),
	settings.WithoutParts(func(p *all) *[]string { return &p.WithoutParts }),
	settings.Context(func(p *all) **greedy.Context { return &p.Context }),
	settings.Sampling(func(p *all) *crf.Sampling { return &p.Sampling }),
}, settings.SamplingFields(func(p *all) *crf.Sampling { return &p.Sampling })...)

func typed(t *testing.T, args ...string) (all, error) {
	t.Helper()
	var p all
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	table.Bind(f, &p)
	return p, f.Parse(args)
}

// The bounds that people are told are those of the algorithm.
func TestBoundsAreThoseOfTheAlgorithm(t *testing.T) {
	values := []float64{-1, -1e-9, 1e-9, 1e-4, 1e-3, 0.0999, 0.1, 0.3, 0.5, 0.51, 0.999, 1, 1.5, 999, 1000, 1001, 1e6, 1e9, 2e9, 1e12, 2e12, math.MaxFloat64}
	for name, check := range map[string]func(float64) error{
		"lc": greedy.CheckLC, "ceiling": greedy.CheckCeiling, "share": greedy.CheckShare, "vc": greedy.CheckVC,
		"loss": func(v float64) error { return greedy.CheckLosses(map[annotate.Label]float64{"X": v}) },
		"cost": func(v float64) error { return greedy.Prices{greedy.Number: v}.Check() },
	} {
		for _, v := range values {
			text := strconv.FormatFloat(v, 'g', -1, 64)
			if name == "loss" {
				text = "X=" + text
			}
			if name == "cost" {
				text = string(greedy.Number) + "=" + text
			}
			if _, err := typed(t, "--"+name, text); (err == nil) != (check(v) == nil) {
				t.Errorf("--%s %s: %v, but the algorithm says %v", name, text, err, check(v))
			}
		}
	}
}

func TestEveryOptionHasHelpAndADefaultThatItTakes(t *testing.T) {
	p := table.Default()
	if problems := table.Check(&p); len(problems) > 0 {
		t.Errorf("defaults are refused: %v", problems)
	}
	seen := map[string]bool{}
	for _, o := range table {
		if o.Name != "mode" && (o.Help == "" || o.Label == "") || seen[o.Name] {
			t.Errorf("%s has no help, no label, or the name of another", o.Name)
		}
		seen[o.Name] = true
	}
	if p.First != "detector" || len(p.Attackers) != 3 || p.Context != nil || !p.Sampling.Everything() || p.Folds != 4 || len(p.LC) != 3 {
		t.Errorf("defaults %+v", p)
	}
}

func TestContextIsAskedForByOneWord(t *testing.T) {
	for text, want := range map[string]*greedy.Context{
		"none": nil, "list": new(greedy.Context{}.WithDefaults()), "redact": new(greedy.Context{Redact: true}.WithDefaults()),
	} {
		p, err := typed(t, "--context", text)
		if err != nil || (p.Context == nil) != (want == nil) || want != nil && *p.Context != *want {
			t.Errorf("%s gives %+v, %v", text, p.Context, err)
		}
		if form := table.Form(&p); form.Field("context").Text() != text {
			t.Errorf("a page shows %q for %s", form.Field("context").Text(), text)
		}
	}
	if _, err := typed(t, "--context", "hide"); err == nil {
		t.Error("any word asks for contextual identifiers")
	}
}

func TestSamplingOfRunsIsWithoutReplacement(t *testing.T) {
	var p all
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	table.Bind(f, &p)
	if err := f.Parse([]string{"--sampling", "times=2"}); err == nil || !strings.Contains(err.Error(), "leave it out") {
		t.Errorf("error %v", err)
	}
}

func TestSamplingIsTypedInOneFlagOrThreeFields(t *testing.T) {
	byFlag, err := typed(t, "--sampling", "o=0.2+window=4+cost=DATE:0.5,O:2")
	if err != nil {
		t.Fatal(err)
	}
	values := url.Values{"sample-share": {"20"}, "sample-window": {"4"}, "sample-costs": {"DATE 0.5, O: 2"}, "learners": {"crf"}}
	var p all
	form := table.ReadForm(values, &p)
	if !form.OK() || p.Sampling.String() != byFlag.Sampling.String() {
		t.Errorf("the form gives %q, %v; the flag %q", p.Sampling, form.Problems(), byFlag.Sampling)
	}
	if shown := table.Form(&p); shown.Field("sample-share").Text() != "20" || shown.Field("sample-costs").Text() != "O 2, DATE 0.5" {
		t.Errorf("a page shows %+v", shown)
	}
	for field, wrong := range map[string]string{"sample-share": "0", "sample-window": "0", "sample-costs": "DATE"} {
		bad := url.Values{"learners": {"crf"}, field: {wrong}}
		if form := table.ReadForm(bad, &p); len(form.Problems()) != 1 || form.Field(field).Problem == "" || form.Field(field).Text() != wrong {
			t.Errorf("%s %q: %v", field, wrong, form.Problems())
		}
	}
}

func TestCostsOfLabelsAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{"": "", "PATIENT 3, DATE 2": "DATE 2, PATIENT 3", "O=.5\nA:1": "O 0.5, A 1", "A 1 B 2;C 3": "A 1, B 2, C 3", "O: 0,5\r\n\r\n": "O 0.5", "A 1,B 2,": "A 1, B 2"} {
		costs, err := settings.ReadCosts(text)
		if err != nil || settings.WriteCosts(costs) != want {
			t.Errorf("%q is %q, %v", text, settings.WriteCosts(costs), err)
		}
		if again, err := settings.ReadCosts(settings.WriteCosts(costs)); err != nil || settings.WriteCosts(again) != want {
			t.Errorf("%q is not read again: %v", want, err)
		}
	}
	for _, text := range []string{"A", "A 0", "A -1", "A x", "A 1 A 2", "3 A", "A NaN", "O 1 O 2"} {
		if costs, err := settings.ReadCosts(text); err == nil {
			t.Errorf("%q is %v", text, costs)
		}
	}
}
