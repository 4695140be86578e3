// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/incognito"
	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
	"hide/internal/publish/weak"
)

func runPublishTable(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`PROJECT`, by id or name, whose patients are published with the attributes that were chosen in it")
	in := flags.String("in", "", "CSV `FILE` with one row per patient")
	config := flags.String("config", "", "`FILE`, YAML or JSON, that says what the columns are and what classes must be like")
	out := flags.String("out", "", "`FOLDER` to write, with --project a zip file beside the release on record; must not exist")
	k := flags.Int("k", 0, "rows of a class at least, `N` instead of what the configuration says; with --project 5 unless told")
	cut := flags.String("cut", "", "with --project, `CUT` that Mondrian makes: ncp, nearest, lefevre or rxanon (default ncp)")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if *name != "" {
		if *in != "" || *config != "" {
			return misuse("--project takes neither --in nor --config: the attributes are chosen in the project")
		}
		return e.publishProjectTable(ctx, projectTable{d, *name, *k, *cut, *out})
	}
	if *cut != "" {
		return misuse("--cut needs --project; a configuration has it as method: {cut: ...}")
	}
	if err := e.required(flags, "in", "config", "out"); err != nil {
		return err
	}
	if err := free(*out); err != nil {
		return err
	}
	c, err := readTableConfig(*config)
	if err != nil {
		return err
	}
	flags.Visit(func(given *flag.Flag) {
		if given.Name == "k" {
			c.Privacy.K = *k
		}
	})
	return e.publishTable(ctx, *in, *out, c)
}

// tablePublished is what publish table prints as JSON.
type tablePublished struct {
	Folder string      `json:"folder"`
	SHA256 string      `json:"manifest_sha256"`
	K      int         `json:"k"`
	Report weak.Report `json:"report"`
}

func (e *env) publishTable(ctx context.Context, in, out string, c tables.Config) error {
	t, err := readTable(in, c)
	if err != nil {
		return err
	}
	if c.Key == "" {
		fmt.Fprintln(e.stderr, "warning: the configuration names no key: each row is taken for one patient")
	}
	r, err := weak.Anonymize(ctx, t, c)
	if errors.Is(err, mondrian.ErrImpossible) || errors.Is(err, incognito.ErrImpossible) {
		return withHint(err, "ask for a smaller k or less diversity, or get more rows")
	}
	if err != nil {
		return err
	}
	report := r.Report()
	sum, err := r.Write(ctx, out, weak.Origin{Tool: toolVersion(), Created: time.Now()}, report)
	if err != nil {
		return err
	}
	p := tablePublished{out, sum, c.Privacy.K, report}
	return e.result(p, p.write)
}

func (p tablePublished) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d rows in %d classes of at least %d, information lost %.2f %%\n",
		p.Folder, p.Report.After.Rows, p.Report.After.Classes, p.K, 100*p.Report.Utility.NCP)
	fmt.Fprintf(w, "rows alone in their class: %.2f %% before, %.2f %% after; highest risk of a row %.2f %%\n",
		100*p.Report.Before.Unique, 100*p.Report.After.Unique, 100*p.Report.After.Prosecutor.Highest)
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
		if c.Hierarchies[file], err = readHierarchy(filepath.Join(filepath.Dir(name), file)); err != nil {
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

// explainTable reads a table and says of which file an error is.
func explainTable(name string, in io.Reader, c tables.Config) (*tables.Table, error) {
	t, err := tables.ReadCSV(in, c)
	if wrong := (*tables.CSVError)(nil); errors.As(err, &wrong) && wrong.Hint != "" {
		return nil, withHint(fmt.Errorf("%s: %w", name, err), wrong.Hint)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
