// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hide/internal/project"
	tables "hide/internal/publish/table"
)

// defaultK is the patients of a class at least, when nobody says.
const defaultK = 5

// projectTable is a table of a project's patients to be released, with the roles
// that were decided in the project.
type projectTable struct {
	data    *dataFlags
	project string
	k       int
	people  int // of the population; 0 when nobody knows
	cut     string
	out     string // zip file; "" for none
}

func (e *env) publishProjectTable(ctx context.Context, p projectTable) error {
	if err := free(p.out); err != nil {
		return err
	}
	set := project.TableSettings{K: p.k, People: p.people, Method: tables.Method{Cut: p.cut}}
	if set.K == 0 {
		set.K = defaultK
	}
	return p.data.withFolder(false, func(f *folder) error {
		found, err := f.projects.Find(ctx, operator(), p.project)
		if err != nil {
			return err
		}
		known, err := f.projects.Identifiers(ctx, operator(), found.ID)
		if err != nil {
			return err
		}
		e.warnOfIdentifiers(known)
		if err := f.projects.StartPublishTable(ctx, operator(), found.ID, set, known.People); err != nil {
			return err
		}
		r, err := e.followPublish(ctx, f, found.ID)
		if err != nil {
			return err
		}
		if p.out != "" {
			err = e.writeTo(p.out, func(w io.Writer) error { return f.projects.WriteRelease(ctx, operator(), found.ID, r.Number, w) })
		}
		return errors.Join(err, e.result(r, func(w io.Writer) { writeProjectTable(w, r) }))
	})
}

func (e *env) warnOfIdentifiers(known project.Identifiers) {
	if known.Alone > 0 {
		fmt.Fprintf(e.stderr, "warning: %d notes came without a patient: each counts as one\n", known.Alone)
	}
	if known.Unmarked > 0 {
		fmt.Fprintf(e.stderr, "warning: of %d patients no note is finished: what would be marked in their notes is missing\n", known.Unmarked)
	}
}

func writeProjectTable(w io.Writer, r project.Release) {
	report := r.Table.Report
	fmt.Fprintf(w, "%s: %d rows in %d classes of at least %d, information lost %.2f %%\n",
		r.Name, report.After.Rows, report.After.Classes, r.Table.Settings.K, 100*report.Utility.NCP)
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}
