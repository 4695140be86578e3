// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/ledger"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/settings"
	tables "hide/internal/publish/table"
	"hide/internal/publish/table/tablefile"
)

// tableFlags are the flags of publish table.
type tableFlags struct {
	weak                     *weakFlags
	project, in, config, out string
	population, cut          string
	levels                   map[string]int
	k, people                int
	kMap, replace, unlinked  bool
	ending                   ending
}

var (
	inProject = []option.Need{option.With("project")}
	ofFile    = []option.Need{option.Without("project")}
)

var tableOptions = option.Table[tableFlags]{
	option.Text(option.About{Name: "project", Value: "PROJECT", Help: "The project, by id or name, whose patients are published with the roles chosen in it."}, func(v *tableFlags) *string { return &v.project }),
	option.Text(option.About{Name: "in", Value: "FILE", Help: "CSV file with one row per patient.", Needs: ofFile}, func(v *tableFlags) *string { return &v.in }),
	option.Text(option.About{Name: "config", Value: "FILE", Help: "YAML or JSON file with the roles of the columns and the privacy requirements; see docs/tables.md.", Needs: ofFile}, func(v *tableFlags) *string { return &v.config }),
	option.Text(option.About{Name: "out", Value: "FOLDER", Help: "Folder to write, which must not exist. With --project, a zip file of the recorded release."}, func(v *tableFlags) *string { return &v.out }),
	option.Switch(option.About{Name: "freeze", Help: freezeHelp, Needs: inProject}, func(v *tableFlags) *bool { return (*bool)(&v.ending) }),
	settings.Unlinked(func(v *tableFlags) *bool { return &v.unlinked }).Needing(inProject...),
	settings.K("", func(v *tableFlags) *int { return &v.k }).Also("By default the k of the configuration, or 5 for a project."),
	settings.Cut(func(v *tableFlags) *string { return &v.cut }).Needing(option.With("project"), option.Without("levels")),
	settings.Levels(func(v *tableFlags) *map[string]int { return &v.levels }),
	option.Text(option.About{Name: "population", Value: "FILE", Help: "CSV file of all people of the population that the rows come from, with a column for each quasi-identifier. It adds the journalist risk. A project stores only these columns."}, func(v *tableFlags) *string { return &v.population }),
	option.Switch(option.About{Name: "replace-population", Help: "Replace the population stored in the project.", Needs: append(inProject, option.With("population"))}, func(v *tableFlags) *bool { return &v.replace }),
	option.Switch(option.About{Name: "k-map", Help: "k counts people of the population instead of rows.", Needs: []option.Need{option.With("population")}}, func(v *tableFlags) *bool { return &v.kMap }),
	settings.People(func(v *tableFlags) *int { return &v.people }),
}

func runPublishTable(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := &tableFlags{weak: e.weakFlags(f)}
	tableOptions.Bind(f, v)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.refused(tableOptions.Unused(f, v)); err != nil {
		return err
	}
	if err := v.weak.check(e, v.project); err != nil {
		return err
	}
	if v.project != "" {
		return e.publishProjectTable(ctx, v)
	}
	if err := e.required(f, "in", "config", "out"); err != nil {
		return err
	}
	if err := e.refuseOverwrite(f); err != nil {
		return err
	}
	if err := outfile.CheckNew(v.out); err != nil {
		return err
	}
	c, err := v.configured()
	if err != nil {
		return err
	}
	return e.publishTable(ctx, v, c)
}

// configured is the configuration, overridden by flags.
func (v *tableFlags) configured() (tables.Config, error) {
	c, err := tablefile.ReadConfig(v.config)
	if err != nil {
		return c, err
	}
	c.Privacy.K, c.People = cmp.Or(v.k, c.Privacy.K), cmp.Or(v.people, c.People)
	if v.kMap {
		c.Privacy.Counts = tables.CountPeople
	}
	if v.levels != nil {
		c.Method.Levels = v.levels
	}
	return c, nil
}

func (e *env) publishTable(ctx context.Context, v *tableFlags, c tables.Config) error {
	t, err := tablefile.Read(v.in, v.population, c)
	if err != nil {
		return err
	}
	if c.Key == "" {
		fmt.Fprintln(e.stderr, "warning: the configuration names no key: each row counts as one patient")
	}
	if t.Beyond > 0 {
		fmt.Fprintf(e.stderr, "warning: the population has no matching person for %d of %d rows: they may be missing from it, or differ in a value\n", t.Beyond, t.Sample)
	}
	r, err := kanonymity.Anonymize(ctx, t, c)
	if err != nil {
		return tableHint(err)
	}
	p := kanonymity.Published{Folder: v.out, K: c.Privacy.K}
	if p.Report, err = r.Report(ctx); err != nil {
		return err
	}
	words := fmt.Sprintf("a table of %d rows, k = %d, %s", p.Report.After.Rows, p.K, filepath.Base(v.out))
	err = v.weak.release(ctx, words, func() (err error) {
		p.SHA256, err = r.Write(ctx, v.out, kanonymity.Origin{Tool: toolVersion(), Created: time.Now()}, p.Report)
		return err
	})
	if err != nil {
		return err
	}
	return e.result(p, p.Write)
}

// tableHint adds a hint to an error about requirements that no table can satisfy.
func tableHint(err error) error {
	switch {
	case errors.Is(err, incognito.ErrLevels):
		return withHint(err, "choose levels that satisfy the requirements, or omit --levels")
	case errors.Is(err, mondrian.ErrImpossible), errors.Is(err, incognito.ErrImpossible):
		return withHint(err, "lower k or the diversity, or add rows")
	}
	return err
}

// hinted is an error about a file; [hintOf] finds its hint.
func hinted(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// weakFlags name the account, if there is one, in which a release of files without
// differential privacy is recorded: the account's budget then limits nothing any more.
type weakFlags struct {
	*ledgerFlags
	lineage string
}

func (e *env) weakFlags(f *flag.FlagSet) *weakFlags {
	v := &weakFlags{ledgerFlags: e.ledgerFlags(f)}
	f.StringVar(&v.lineage, "lineage", "", "`NAME` of the dataset in the ledger, if it has a privacy budget: the release is first recorded there")
	return v
}

// check refuses a ledger without a lineage, and any ledger for a project.
func (v *weakFlags) check(e *env, project string) error {
	switch {
	case project != "" && (v.lineage != "" || v.file != "" || v.head != ""):
		return e.usage("--project takes no --lineage, --ledger or --head: the release is recorded in the project's own budget")
	case v.lineage == "" && (v.file != "" || v.head != ""):
		return e.usage("--ledger and --head need --lineage, the name of the dataset in it")
	}
	return nil
}

// release writes a release after recording it, with its words. If writing fails, the
// record stays: to list a release that nobody has is harmless.
func (v *weakFlags) release(ctx context.Context, words string, write func() error) error {
	if v.lineage == "" {
		return write()
	}
	return v.withLedger(ctx, false, func(l *ledger.Ledger) error {
		if err := l.Weak(v.lineage, words); err != nil {
			return explainLedger(err)
		}
		return write()
	})
}
