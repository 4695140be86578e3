// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"hide/internal/hint"
	"hide/internal/project/trail"
	"hide/internal/store"
)

// auditResult is the output of hide audit verify.
type auditResult struct {
	OK    bool      `json:"ok"`
	Rows  uint64    `json:"rows"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Head  string    `json:"head"` // hash of the last row, to be noted in another place
	Gaps  []uint64  `json:"gaps"` // rows recorded while the head file was missing
}

func runAuditVerify(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var sum store.AuditSummary
	if err := data.withStore(func(s *store.Store) (err error) {
		sum, err = s.VerifyAudit()
		return err
	}); err != nil {
		return err
	}
	r := auditResult{true, sum.Rows, sum.First, sum.Last, hex.EncodeToString(sum.Head), append([]uint64{}, sum.Gaps...)}
	return e.result(r, func(w io.Writer) { writeAuditResult(w, r) })
}

func writeAuditResult(w io.Writer, r auditResult) {
	fmt.Fprintf(w, "the audit trail is complete: %d rows\n", r.Rows)
	for _, gap := range r.Gaps {
		fmt.Fprintf(w, "row %d: the head file was missing; rows just before this one may have been removed\n", gap)
	}
	fmt.Fprintf(w, "head %s\n", r.Head)
}

func runAuditList(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	var which trail.Fields
	which.Flags(f)
	limit := f.Int("limit", 50, "at most `N` rows, newest first; 0 means all")
	before := f.Uint64("before", 0, "only rows older than row `N`; 0 means from the end")
	format := f.String("format", "", "print `csv` or jsonl; \"\" means lines to read")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	filter, field, err := which.Filter()
	switch {
	case err != nil:
		return e.usage("--%s is not a day such as 2026-11-28", field)
	case *limit < 0:
		return e.usage("--limit must be at least 1, or 0 for all")
	case *format != "" && !slices.Contains(trail.Formats, *format):
		return e.usage("--format is csv or jsonl")
	}
	return data.withStore(func(s *store.Store) error {
		people, err := data.peopleOf(s)
		if err != nil {
			return err
		}
		if err := filter.Known(s, people); err != nil {
			return withHint(err, hint.Of(err))
		}
		if *format != "" {
			return filter.Export(s, operator(ctx).ID, *before, *limit, *format, e.stdout)
		}
		return e.listAudit(s, filter, *before, *limit)
	})
}

func (e *env) listAudit(s *store.Store, filter trail.Filter, before uint64, limit int) error {
	rows := []store.AuditRow{}
	err := filter.First(s, before, limit, func(r store.AuditRow) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return err
	}
	v := struct {
		Rows []store.AuditRow `json:"rows"`
	}{rows}
	return e.result(v, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintln(w, trail.Line(r))
		}
	})
}
