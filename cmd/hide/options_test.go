// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"slices"
	"testing"

	"hide/internal/lab/bench"
	"hide/internal/lab/experiment"
	"hide/internal/option"
	"hide/internal/project/sanitize"
)

// checkOptions wants of every option of a table help, a name of its own in the command, and
// a default that it takes.
func checkOptions[P any](t *testing.T, command string, table option.Table[P]) {
	t.Helper()
	f, p := (&env{}).flags(), *new(P)
	table.Bind(f, &p) // panics where two have one name
	if problems := table.Check(&p); len(problems) > 0 {
		t.Errorf("%s: defaults are refused: %v", command, problems)
	}
	f.VisitAll(func(one *flag.Flag) {
		if _, text, _ := option.Usage(one); text == "" {
			t.Errorf("%s: --%s has no help", command, one.Name)
		}
	})
	for _, o := range table.In(option.Command) {
		for _, n := range o.Needs {
			if n.Option != "mode" && n.Option != "modes" && f.Lookup(n.Option) == nil {
				t.Errorf("%s: --%s needs --%s, which the command does not have", command, o.Name, n.Option)
			}
		}
	}
}

func TestEveryOptionHasHelpAndTakesItsDefault(t *testing.T) {
	checkOptions(t, "sanitize", sanitize.Options)
	checkOptions(t, "experiment", experiment.Table())
	checkOptions(t, "bench redact", bench.RedactTable)
	checkOptions(t, "publish text", slices.Concat(textOptions, option.Of(draftOptions, func(v *textFlags) *draftFlags { return &v.draft })))
	checkOptions(t, "publish table", tableOptions)
	checkOptions(t, "publish joint", jointOptions)
	checkOptions(t, "publish cube", strongOptions("File.", "Folder."))
}
