// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hide/internal/project"
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

// auditFilter are the options that say which rows of the trail a command shows.
type auditFilter struct{ project, person, action, object, since, until string }

func (a *auditFilter) add(f *flag.FlagSet) {
	f.StringVar(&a.project, "project", "", "only rows of project `ID`")
	f.StringVar(&a.person, "person", "", "only rows of the account with this `ID`, as the list shows it, or of system")
	f.StringVar(&a.action, "action", "", "only rows with this `ACTION`, or with one of a group: "+strings.Join(trail.Groups(), ", "))
	f.StringVar(&a.object, "object", "", "only rows about this `OBJECT`, such as p1/documents/7, and what is below it")
	f.StringVar(&a.since, "since", "", "only rows from this `DAY` on, such as 2026-11-28 (UTC), or from a time such as 2026-11-28T10:00:00Z")
	f.StringVar(&a.until, "until", "", "only rows to the end of this `DAY`, or before a time")
}

func (a *auditFilter) filter(e *env) (f trail.Filter, err error) {
	f = trail.Filter{Project: project.ID(a.project), Person: a.person, Action: a.action, Object: a.object}
	if f.Since, err = trail.ParseTime(a.since, false); err != nil {
		return f, e.usage("--since is not a day such as 2026-11-28")
	}
	if f.Until, err = trail.ParseTime(a.until, true); err != nil {
		return f, e.usage("--until is not a day such as 2026-11-28")
	}
	return f, nil
}

func runAuditList(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	var which auditFilter
	which.add(f)
	limit := f.Int("limit", 50, "at most `N` rows, newest first; 0 means all")
	before := f.Uint64("before", 0, "only rows older than row `N`; 0 means from the end")
	format := f.String("format", "", "print `csv` or jsonl; \"\" means lines to read")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	filter, err := which.filter(e)
	switch {
	case err != nil:
		return err
	case *limit < 0:
		return e.usage("--limit must be at least 1, or 0 for all")
	case *format != "" && !slices.Contains(trail.Formats, *format):
		return e.usage("--format is csv or jsonl")
	}
	return data.withStore(func(s *store.Store) error {
		if err := knownProject(s, which.project); err != nil {
			return err
		}
		if *format != "" {
			return e.exportAudit(ctx, s, filter, *before, *limit, *format)
		}
		return e.listAudit(s, filter, *before, *limit)
	})
}

func knownProject(s *store.Store, id string) error {
	spaces, err := s.Spaces()
	if err == nil && id != "" && !slices.Contains(spaces, id) {
		return withHint(fmt.Errorf("no project %q", id), "hide project list shows their ids")
	}
	return err
}

// exportAudit prints rows in a format, after a row of the trail about it.
func (e *env) exportAudit(ctx context.Context, s *store.Store, filter trail.Filter, before uint64, limit int, format string) error {
	rows, err := s.Audited()
	if err != nil {
		return err
	}
	if before == 0 {
		before = rows + 1
	}
	if err := s.Record(filter.ExportEvent(operator(ctx).ID, format)); err != nil {
		return err
	}
	write, flush, err := trail.Writer(format, e.stdout)
	if err != nil {
		return err
	}
	err = filter.First(s, before, limit, func(r store.AuditRow) error { return write(trail.Row{AuditRow: r}) })
	return errors.Join(err, flush())
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
			fmt.Fprintf(w, "%6d  %s  %-8s %-22s %-24s %s  %s\n", r.Seq, r.Time.Format(time.RFC3339), r.Space, r.Actor, r.Action, r.Object, r.Detail)
		}
	})
}
