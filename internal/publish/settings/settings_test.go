// SPDX-License-Identifier: Apache-2.0

package settings_test

import (
	"flag"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"hide/internal/option"
	"hide/internal/publish/joint"
	"hide/internal/publish/ledger"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/settings"
	"hide/internal/publish/table"
)

// asked is kept as releases of every kind might.
type asked struct {
	K, People, Height int
	Ks                []int
	Levels            map[string]int
	Cut, Kind, Among  string
	C, Share, Lambda  float64
	Ls, Ts, Lambdas   []float64
	TextCut           joint.Cut
	Known, Own        bool
	Exposure          joint.Exposure
	Epsilon           ledger.Micro
}

var all = slices.Concat(option.Table[asked]{
	settings.K("5", func(a *asked) *int { return &a.K }),
	settings.Ks("2,5", func(a *asked) *[]int { return &a.Ks }),
	settings.Levels(func(a *asked) *map[string]int { return &a.Levels }),
	settings.Method(func(a *asked) *string { return &a.Cut }),
	settings.Suppression(func(a *asked) *float64 { return &a.Share }),
	settings.Ls(func(a *asked) *[]float64 { return &a.Ls }),
	settings.Diversity(func(a *asked) *string { return &a.Kind }),
	settings.C(func(a *asked) *float64 { return &a.C }),
	settings.Ts(func(a *asked) *[]float64 { return &a.Ts }),
	settings.People(func(a *asked) *int { return &a.People }),
	settings.Among(func(a *asked) *string { return &a.Among }),
	settings.Lambda("0.5", func(a *asked) *float64 { return &a.Lambda }),
	settings.Lambdas("0,0.5,1", func(a *asked) *[]float64 { return &a.Lambdas }),
	settings.Known(func(a *asked) *bool { return &a.Known }),
	settings.Own(func(a *asked) *bool { return &a.Own }),
	settings.Height(func(a *asked) *int { return &a.Height }),
	settings.Epsilon(option.About{Name: "epsilon", Label: "Epsilon", Help: "To spend."}, func(a *asked) *ledger.Micro { return &a.Epsilon }),
}, settings.Exposure(func(a *asked) *joint.Exposure { return &a.Exposure }))

func parse(t *testing.T, args ...string) (asked, *option.Problem) {
	t.Helper()
	var a asked
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	all.Bind(f, &a)
	if err := f.Parse(args); err != nil {
		return a, option.Refused(f)
	}
	return a, all.Unused(f, &a)
}

func TestEveryOptionHasHelpAndADefaultThatItTakes(t *testing.T) {
	a := all.Default()
	if problems := all.Check(&a); len(problems) > 0 {
		t.Errorf("defaults are refused: %v", problems)
	}
	for i, o := range all {
		if o.Help == "" || o.Label == "" || slices.Contains(all.Names()[:i], o.Name) {
			t.Errorf("%s has no help, no label, or the name of another", o.Name)
		}
	}
	if a.K != 5 || !a.Known || a.Exposure.Found != 1 || a.Exposure.Threshold != 0.33 || a.Cut != string(mondrian.NCP) || len(a.Lambdas) != 3 {
		t.Errorf("defaults %+v", a)
	}
}

func TestLevelsAreNamesWithNumbers(t *testing.T) {
	a, problem := parse(t, "--levels", "age=1, sex=0,a=b=2")
	if want := map[string]int{"age": 1, "sex": 0, "a=b": 2}; problem != nil || !maps.Equal(a.Levels, want) {
		t.Errorf("read %v, %v", a.Levels, problem)
	}
	for text, want := range map[string]string{"age": "such as age=1,sex=0", "age=1,age=2": "twice", "age=x": "whole number", "=1": "each quasi-identifier", "age=-1": "at least 0"} {
		if _, problem := parse(t, "--levels", text); problem == nil || !strings.Contains(problem.Error(), want) {
			t.Errorf("%q: %v, want %q", text, problem, want)
		}
	}
}

func TestWhatPublishingCannotDoIsRefusedBeforeItBegins(t *testing.T) {
	for args, want := range map[string]string{
		"--k 1":                            "--k: enter a whole number of at least 2",
		"--ks 2,1":                         "--ks: enter whole numbers of at least 2",
		"--cut best":                       "choose from ncp, nearest, lefevre, rxanon, incognito",
		"--t 1.5":                          "--t: enter numbers from 0 to 1",
		"--people 0":                       "--people: enter a whole number from 1 to",
		"--lambda 1.1":                     "--lambda: enter a number from 0 to 1",
		"--leak 2":                         "--leak: enter a share from 0 to 1",
		"--epsilon 0":                      "--epsilon: enter a number above 0 and at most 20",
		"--epsilon 0.0000001":              "at most six decimal places",
		"--height 0":                       "--height: enter a whole number from 1 to 1,000",
		"--known=false --own-values":       "--own-values: has no effect without --known true",
		"--suppression 5":                  "--suppression: has no effect without --cut incognito",
		"--l 2 --diversity distinct --c 2": "--c: has no effect without --diversity recursive",
		"--among none":                     "unknown value",
		"--lambdas 0.5,0.5":                "0.5 is there twice",
	} {
		_, problem := parse(t, strings.Fields(args)...)
		if problem == nil || !strings.Contains(problem.Error(), want) {
			t.Errorf("%s: %v, want %q", args, problem, want)
		}
	}
	a, problem := parse(t, strings.Fields("--cut incognito --suppression 5 --diversity recursive --c 2.5 --l 2,3 --among people --epsilon 0.25 --leak 2% --people 10,000")...)
	if problem != nil || a.Share != 5 || a.C != 2.5 || len(a.Ls) != 2 || a.Among != table.CountPeople || a.Epsilon != ledger.One/4 || a.Exposure.Leak != 0.02 || a.People != 10000 {
		t.Errorf("read %+v, %v", a, problem)
	}
}
