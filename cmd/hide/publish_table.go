// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/incognito"
	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
	"hide/internal/publish/weak"
)

// tableFlags are the flags of publish table as they were typed.
type tableFlags struct {
	weak                          *weakFlags
	project, in, config, out, cut string
	population, levels            string
	k, people                     int
	kMap, replace                 bool
}

func (e *env) tableFlags(f *flag.FlagSet) *tableFlags {
	v := &tableFlags{weak: e.weakFlags(f)}
	f.StringVar(&v.project, "project", "", "`PROJECT`, by id or name, whose patients are published with the attributes that were chosen in it")
	f.StringVar(&v.in, "in", "", "CSV `FILE` with one row per patient")
	f.StringVar(&v.config, "config", "", "`FILE`, YAML or JSON, that says what the columns are and what classes must be like")
	f.StringVar(&v.out, "out", "", "`FOLDER` to write, with --project a zip file beside the release on record; must not exist")
	f.IntVar(&v.k, "k", 0, "rows of a class at least, `N` instead of what the configuration says, 2 or more; with --project 5 unless told")
	f.StringVar(&v.cut, "cut", "", "with --project, `CUT` that Mondrian makes: ncp, nearest, lefevre or rxanon (default ncp)")
	f.StringVar(&v.levels, "levels", "", "`LEVELS` of whole attributes instead of those that lose least, one for each quasi-identifier: age=1,sex=0; publishing lists those to choose from. For method incognito, with --project it is the method")
	f.StringVar(&v.population, "population", "", "CSV `FILE` with everybody of the population that the rows are from, and a column for each quasi-identifier: adds the risk from who looks for anybody in it; with --project these columns, and no others, stay with the project")
	f.BoolVar(&v.replace, "replace-population", false, "with --project and --population, put the file in the place of another that the project has")
	f.BoolVar(&v.kMap, "k-map", false, "with --population, k counts people of it instead of rows")
	f.IntVar(&v.people, "people", 0, "so many `N` people are in the population that the rows are from: estimates how many of them are alone in it")
	return v
}

func runPublishTable(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.tableFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	given := given(f)
	if err := v.check(e, given); err != nil {
		return err
	}
	if v.project != "" {
		return e.publishProjectTable(ctx, v)
	}
	if err := e.required(f, "in", "config", "out"); err != nil {
		return err
	}
	if err := e.apart(f); err != nil {
		return err
	}
	if err := free(v.out); err != nil {
		return err
	}
	c, err := v.configured(given)
	if err != nil {
		return err
	}
	return e.publishTable(ctx, v, c)
}

// configured is the configuration with what was typed in its place.
func (v *tableFlags) configured(given map[string]bool) (tables.Config, error) {
	c, err := readTableConfig(v.config)
	if err != nil {
		return c, err
	}
	if given["k"] {
		c.Privacy.K = v.k
	}
	if given["people"] {
		c.People = v.people
	}
	if v.kMap {
		c.Privacy.Counts = tables.CountPeople
	}
	if given["levels"] {
		c.Method.Levels, err = readLevels(v.levels)
	}
	return c, err
}

// check refuses flags that do not go together or cannot be.
func (v *tableFlags) check(e *env, given map[string]bool) error {
	switch {
	case v.project != "" && (given["in"] || given["config"]):
		return misuse("--project takes neither --in nor --config: the attributes are chosen in the project")
	case v.project != "" && (given["lineage"] || given["ledger"]):
		return misuse("--project takes no --lineage: the project has its own budget, in which the release is put on record")
	case v.project == "" && v.cut != "":
		return misuse("--cut needs --project; a configuration has it as method: {cut: ...}")
	case v.levels != "" && v.cut != "":
		return misuse("--levels are of whole attributes, which are not cut: take --levels or --cut")
	case given["k"] && v.k < 2:
		return e.usage("--k must be at least 2: a class of one row is that row")
	case given["people"] && v.people < 1:
		return e.usage("--people must be at least 1")
	case v.kMap && v.population == "":
		return e.usage("--k-map needs --population")
	case v.replace && (v.project == "" || v.population == ""):
		return e.usage("--replace-population needs --project and --population")
	}
	return v.weak.check(e)
}

// tablePublished is what publish table prints as JSON.
type tablePublished struct {
	Folder string      `json:"folder"`
	SHA256 string      `json:"manifest_sha256"`
	K      int         `json:"k"`
	Report weak.Report `json:"report"`
}

func (e *env) publishTable(ctx context.Context, v *tableFlags, c tables.Config) error {
	t, err := readTableAmong(v.in, v.population, c)
	if err != nil {
		return err
	}
	if c.Key == "" {
		fmt.Fprintln(e.stderr, "warning: the configuration names no key: each row is taken for one patient")
	}
	if t.Beyond > 0 {
		fmt.Fprintf(e.stderr, "warning: the population has nobody for %d of %d rows: they may be missing from it, or differ from it in a value\n", t.Beyond, t.Sample)
	}
	r, err := weak.Anonymize(ctx, t, c)
	if err != nil {
		return tableHint(err)
	}
	p := tablePublished{Folder: v.out, K: c.Privacy.K}
	if p.Report, err = r.Report(ctx); err != nil {
		return err
	}
	words := fmt.Sprintf("a table of %d rows, k = %d, %s", p.Report.After.Rows, p.K, filepath.Base(v.out))
	err = v.weak.release(words, func() (err error) {
		p.SHA256, err = r.Write(ctx, v.out, weak.Origin{Tool: toolVersion(), Created: time.Now()}, p.Report)
		return err
	})
	if err != nil {
		return err
	}
	return e.result(p, p.write)
}

// tableHint adds what to do to what cannot be.
func tableHint(err error) error {
	switch {
	case errors.Is(err, incognito.ErrLevels):
		return withHint(err, "take the levels of a node at which it holds, or leave --levels out")
	case errors.Is(err, mondrian.ErrImpossible), errors.Is(err, incognito.ErrImpossible):
		return withHint(err, "ask for a smaller k or less diversity, or get more rows")
	}
	return err
}

func (p tablePublished) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d rows in %d classes of at least %d, information lost %.2f %%\n",
		p.Folder, p.Report.After.Rows, p.Report.After.Classes, p.K, 100*p.Report.Utility.NCP)
	fmt.Fprintf(w, "rows alone in their class: %.2f %% before, %.2f %% after; highest risk of a row %.2f %%\n",
		100*p.Report.Before.Unique, 100*p.Report.After.Unique, 100*p.Report.After.Prosecutor.Highest)
	if j := p.Report.After.Journalist; j != nil {
		fmt.Fprintf(w, "among all %d people: highest risk of a row %.2f %% before, %.2f %% after\n",
			p.Report.Population.People, 100*p.Report.Before.Journalist.Highest, 100*j.Highest)
	}
	writeLattice(w, p.Report.Lattice)
	if u := p.Report.Estimated; u != nil {
		fmt.Fprintf(w, "alone among %d people, estimated: %.2f %% before, %.2f %% after\n", u.Before.People, 100*u.Before.Unique, 100*u.After.Unique)
	}
	fmt.Fprintf(w, "manifest.json %s\n", p.SHA256)
}

// readTableConfig reads a configuration and the hierarchies that it names, beside
// it.
func readTableConfig(name string) (c tables.Config, err error) {
	f, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close() // only read
	if c, err = tables.ReadConfig(f); err != nil {
		return c, withHint(fmt.Errorf("%s: %w", name, err), "docs/tables.md describes configurations")
	}
	c.Hierarchies = map[string]*hierarchy.Hierarchy{}
	for _, file := range c.HierarchyFiles() {
		c.Hierarchies[file], err = readHierarchy(filepath.Join(filepath.Dir(name), file))
		if errors.Is(err, fs.ErrNotExist) {
			return c, withHint(err, "the configuration has it for attribute "+strconv.Quote(c.With(file))+", beside itself: write it there, or take hierarchy: out")
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

func readHierarchy(name string) (*hierarchy.Hierarchy, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	h, err := hierarchy.Read(f)
	if err != nil {
		return nil, withHint(fmt.Errorf("hierarchy %s: %w", name, err), "one row per value: the value, then ever coarser labels, with semicolons between")
	}
	return h, nil
}

func readTable(name string, c tables.Config) (*tables.Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return explainTable(name, f, c)
}

// readTableAmong reads a table and, when it is given, its population.
func readTableAmong(name, population string, c tables.Config) (*tables.Table, error) {
	if population == "" {
		return readTable(name, c)
	}
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	all, err := os.Open(population)
	if err != nil {
		return nil, err
	}
	defer all.Close() // only read
	t, err := tables.ReadSample(in, all, c)
	if wrong := (*tables.PopulationError)(nil); errors.As(err, &wrong) {
		return nil, hinted(population, wrong.Err)
	}
	return t, hinted(name, err)
}

// explainTable reads a table and says of which file an error is.
func explainTable(name string, in io.Reader, c tables.Config) (*tables.Table, error) {
	t, err := tables.ReadCSV(in, c)
	return t, hinted(name, err)
}

// hinted is an error with a file and what to do about it.
func hinted(name string, err error) error {
	if err == nil {
		return nil
	}
	named := fmt.Errorf("%s: %w", name, err)
	if wrong := (*tables.CSVError)(nil); errors.As(err, &wrong) && wrong.Hint != "" {
		return withHint(named, wrong.Hint)
	}
	return named
}
