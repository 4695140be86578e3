// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/kanonymity"
	tables "hide/internal/publish/table"
	"hide/internal/words"
)

// defaultK is the default k.
const defaultK = 5

// publishProjectTable releases a table of a project's patients, with the roles chosen in
// the project.
func (e *env) publishProjectTable(ctx context.Context, v *tableFlags) error {
	if err := e.files().CheckNew(v.out); err != nil {
		return err
	}
	set := release.TableSettings{K: cmp.Or(v.k, defaultK), People: v.people, Method: tables.Method{Cut: v.cut}, Among: v.population != "", Map: v.kMap, Unlinked: v.unlinked}
	if v.levels != nil {
		set.Method = tables.Method{Name: kanonymity.Incognito, Levels: v.levels}
	}
	return v.weak.data.withProject(ctx, v.project, func(f *folder, found project.Overview) error {
		known, err := f.projects.Identifiers(ctx, operator(ctx), found.ID)
		if err != nil {
			return err
		}
		if set.Among {
			if err := e.setPopulation(ctx, f, found.ID, v, known.Population); err != nil {
				return err
			}
		}
		e.warnOfIdentifiers(known)
		if err := f.projects.StartPublishTable(ctx, operator(ctx), found.ID, v.ending.of(), set, known.People); err != nil {
			return unlinkedHint(found.ID, err)
		}
		if v.ending {
			return e.frozen(ctx, f, found.ID)
		}
		r, err := e.followPublish(ctx, f, found.ID)
		if err != nil {
			return err
		}
		return errors.Join(e.handOut(ctx, f, found.ID, r, v.out), e.result(r, func(w io.Writer) { writeProjectTable(w, r) }))
	})
}

// setPopulation stores the file of the population in a project. It replaces another one
// only on request.
func (e *env) setPopulation(ctx context.Context, f *folder, id project.ID, v *tableFlags, stored *release.Population) error {
	in, err := e.files().Open(v.population)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	replaces := ""
	if stored != nil && v.replace {
		replaces = stored.Version()
	}
	p, err := f.projects.SetPopulation(ctx, operator(ctx), id, in, replaces)
	if conflict := (*release.PopulationConflict)(nil); errors.As(err, &conflict) {
		return withHint(fmt.Errorf("%w; nothing was published", err), "--replace-population replaces it, also for later tables of the project")
	}
	if err != nil {
		return err
	}
	if len(p.Left) > 0 {
		fmt.Fprintf(e.stderr, "columns of the population that are neither generalized nor kept: %s\n", strings.Join(p.Left, ", "))
	}
	if replaces != "" && p.Version() != replaces {
		fmt.Fprintf(e.stderr, "the population replaces %s\n", stored.Words())
	}
	return nil
}

func (e *env) warnOfIdentifiers(known release.Identifiers) {
	if known.Alone > 0 {
		fmt.Fprintf(e.stderr, "warning: %s no patient: each counts as a patient of its own\n", words.Count(known.Alone, "note has", "notes have"))
	}
	if known.Unmarked > 0 {
		fmt.Fprintf(e.stderr, "warning: %s no finished note: spans that people would mark are missing\n", words.Count(known.Unmarked, "patient has", "patients have"))
	}
}

func writeProjectTable(w io.Writer, r release.Release) {
	report := r.Table.Report
	fmt.Fprintf(w, "%s: %d rows in %d equivalence classes of at least %d, information loss (NCP) %.2f %%\n",
		r.Name, report.After.Rows, report.After.Classes, r.Table.Settings.K, 100*report.Utility.NCP)
	report.Lattice.Write(w)
	writeLinkage(w, r)
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}
