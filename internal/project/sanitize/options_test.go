// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/option"
	"hide/internal/project/sanitize"
)

// Runs are stored as JSON: its names must not change.
func TestOptionsKeepTheirNamesInStoredRuns(t *testing.T) {
	want := map[string]string{
		"leak": "leak", "lc": "lc", "ceiling": "ceiling", "sensitive": "labels", "loss": "loss_by_label", "cost": "cost_by_kind", "first": "first", "learners": "learners",
		"sampling": "sampling", "sample-share": "sampling", "sample-window": "sampling", "sample-costs": "sampling", "attackers": "attackers", "context": "context",
		"mode": "mode", "folds": "folds", "target": "target_share", "sure": "target_sure", "target-labels": "target_labels", "seed": "seed", "share": "share", "without-part": "without_parts", "vc": "vc",
	}
	if got := sanitize.StoredOptions.JSON(); !maps.Equal(got, want) {
		t.Errorf("names in JSON: %v, want %v", got, want)
	}
}

func TestEveryOptionOfARunIsExplainedAndTakesItsDefault(t *testing.T) {
	for _, table := range []option.Table[sanitize.Params]{sanitize.Options, sanitize.StoredOptions} {
		p := table.Default()
		if problems := table.Check(&p); len(problems) > 0 {
			t.Errorf("defaults are refused: %v", problems)
		}
		names := table.Names()
		for i, o := range table {
			if o.Label == "" || o.Help == "" || slices.Contains(names[:i], o.Name) {
				t.Errorf("--%s has no label, no help, or the name of another option", o.Name)
			}
			for _, n := range o.Needs {
				if n.Option == "mode" && !slices.Contains(names, n.Option) {
					t.Errorf("--%s needs an unknown option: %s", o.Name, n.Option)
				}
			}
		}
	}
}

// What only a paper compares cannot be asked of a run any more, but a stored run may have it.
func TestRunsOfEarlierVersionsAreTakenAsTheyAre(t *testing.T) {
	old := `{"mode":"paper","lc":[10],"folds":4,"seed":1,"learners":["crf"],"share":0.25,"without_parts":["trees"],"vc":50,"attackers":["transfer"],"transfer":"p2"}`
	var p sanitize.Params
	if err := json.Unmarshal([]byte(old), &p); err != nil {
		t.Fatal(err)
	}
	if problems := sanitize.StoredOptions.Check(&p); len(problems) > 0 || p.VC != 50 || p.Transfer != "p2" {
		t.Errorf("refused %v, read %+v", problems, p)
	}
	said := map[string]string{}
	for _, s := range sanitize.StoredOptions.Describe(&p) {
		said[s.Name] = s.Text
	}
	if said["vc"] != "50" || said["share"] != "25" && said["share"] != "25 %" || said["mode"] != "the papers' algorithm" {
		t.Errorf("said %v", said)
	}
	if problems := sanitize.Options.Check(&p); len(problems) != 1 || problems[0].Name != "attackers" {
		t.Errorf("a new run may be asked for %v", problems)
	}
	for _, m := range greedy.Modes() {
		if !slices.ContainsFunc(sanitize.Modes, func(c option.Choice) bool { return c.Value == string(m) && c.Title != "" }) {
			t.Errorf("mode %s has no title", m)
		}
	}
	for _, o := range sanitize.Options {
		for _, k := range []attack.Kind{attack.Uniform, attack.Classifier, attack.Ranked, attack.Transfer} {
			if o.Name == "attackers" && slices.ContainsFunc(o.Choices, func(c option.Choice) bool { return c.Value == string(k) }) {
				t.Errorf("the attacker %s is offered", k)
			}
		}
	}
}
