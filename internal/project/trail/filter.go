// SPDX-License-Identifier: Apache-2.0

package trail

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/tabular"
)

// Filter says which rows to show. The zero value is for all.
type Filter struct {
	Project project.ID
	Person  string    // id of an account, or "system"
	Action  string    // an action, or the name of a group
	Object  string    // an object, with the objects below it
	Since   time.Time // rows at or after it
	Until   time.Time // rows before it
}

// keeps returns the test of a row.
func (f Filter) keeps() func(store.AuditRow) bool {
	grouped := slices.Contains(Groups(), f.Action)
	return func(r store.AuditRow) bool {
		switch {
		case f.Project != "" && r.Space != string(f.Project) && !f.Project.Owns(r.Object),
			f.Person != "" && r.Actor != f.Person,
			f.Object != "" && r.Object != f.Object && !strings.HasPrefix(r.Object, f.Object+"/"),
			!f.Since.IsZero() && r.Time.Before(f.Since),
			!f.Until.IsZero() && !r.Time.Before(f.Until):
			return false
		case f.Action == "":
			return true
		case grouped:
			return GroupOf(r.Action) == f.Action
		}
		return r.Action == f.Action
	}
}

// words are the filter for the audit row of an export. An action and an object may be anything
// that somebody has typed, so they are only named.
func (f Filter) words() string {
	var all []string
	add := func(set bool, text string) {
		if set {
			all = append(all, text)
		}
	}
	add(f.Project != "", "project "+string(f.Project))
	add(f.Person != "", "one person")
	add(slices.Contains(Groups(), f.Action), "action "+f.Action)
	add(f.Action != "" && !slices.Contains(Groups(), f.Action), "one action")
	add(f.Object != "", "one object")
	add(!f.Since.IsZero(), "since "+f.Since.UTC().Format(time.RFC3339))
	add(!f.Until.IsZero(), "before "+f.Until.UTC().Format(time.RFC3339))
	if len(all) == 0 {
		return "all rows"
	}
	return strings.Join(all, ", ")
}

// ParseTime reads a day (2026-11-28, in UTC) or a time (RFC 3339). With after set, a day is
// its end.
func ParseTime(text string, after bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err == nil && after {
		return day.AddDate(0, 0, 1), nil
	}
	if err != nil {
		day, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return day, project.Invalidf("enter a day such as 2026-11-28, or a time such as 2026-11-28T10:00:00Z", "this is not a day")
	}
	return day, nil
}

// Scanner is the trail of a store.
type Scanner interface {
	ScanAudit(before uint64, most int, visit func(store.AuditRow) bool) (next uint64, err error)
	AuditBefore(t time.Time) (uint64, error)
}

// part is what a scan found.
type part struct {
	rows   []store.AuditRow // that pass, newest first
	next   uint64           // where a next scan goes on; 0 when nothing is left
	oldest time.Time        // of the rows that were looked at
}

// scan finds rows that pass, also a further test, from the row before on: at most limit, all
// with 0. It looks at no more than most rows.
func (f Filter) scan(s Scanner, before uint64, most, limit int, also func(store.AuditRow) bool) (p part, err error) {
	if !f.Until.IsZero() {
		from, err := s.AuditBefore(f.Until)
		if err != nil {
			return p, err
		}
		if from > 0 && (before == 0 || from < before) {
			before = from
		}
	}
	keeps, ended := f.keeps(), false
	p.next, err = s.ScanAudit(before, most, func(r store.AuditRow) bool {
		p.oldest = r.Time
		if ended = !f.Since.IsZero() && store.AuditEnded(r, f.Since); ended {
			return false
		}
		if keeps(r) && also(r) {
			p.rows = append(p.rows, r)
		}
		return limit == 0 || len(p.rows) < limit
	})
	if ended {
		p.next = 0
	}
	return p, err
}

// portion is how many rows one transaction of an export reads.
const portion = 5000

// First visits the rows that pass, newest first, from the row before on: at most limit rows,
// all with 0. An error of visit ends it. No transaction is open meanwhile: visit may be slow,
// and may read the store.
func (f Filter) First(s Scanner, before uint64, limit int, visit func(store.AuditRow) error) error {
	every := func(store.AuditRow) bool { return true }
	for left := limit; ; {
		p, err := f.scan(s, before, portion, left, every)
		if err != nil {
			return err
		}
		for _, r := range p.rows {
			if err := visit(r); err != nil {
				return err
			}
		}
		if limit > 0 {
			left -= len(p.rows)
		}
		if p.next == 0 || limit > 0 && left == 0 {
			return nil
		}
		before = p.next
	}
}

// Formats are those of exports.
var Formats = []string{"csv", "jsonl"}

// Row is an audit row in an export, with the name of the person where it is known.
type Row struct {
	store.AuditRow
	Person string `json:"person,omitempty"`
}

// Writer returns what writes rows in a format, see [Formats]. Cells of CSV that a spreadsheet
// program could run as a formula begin with a quote, see package tabular.
func Writer(format string, w io.Writer) (write func(Row) error, flush func() error, err error) {
	switch format {
	case "jsonl":
		out := json.NewEncoder(w)
		return func(r Row) error { return out.Encode(r) }, func() error { return nil }, nil
	case "csv":
		out := tabular.NewWriter(w)
		err := out.Write([]string{"seq", "time", "space", "actor", "person", "action", "object", "detail", "prev"})
		return func(r Row) error {
			return out.Write([]string{strconv.FormatUint(r.Seq, 10), r.Time.Format(time.RFC3339Nano), r.Space, r.Actor, r.Person, r.Action, r.Object, r.Detail, base64.StdEncoding.EncodeToString(r.Prev)})
		}, out.Flush, err
	}
	return nil, nil, project.Invalidf("choose csv or jsonl", "%q is not a format of audit rows", format)
}

// Line is a row to read at a terminal. Reasons that people have typed may hold characters that
// would change what it shows: a question mark stands for each.
func Line(r store.AuditRow) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, fmt.Sprintf("%6d  %s  %-8s %-22s %-24s %s  %s", r.Seq, r.Time.Format(time.RFC3339), r.Space, r.Actor, r.Action, r.Object, r.Detail))
}

// ExportEvent is the audit row about an export.
func (f Filter) ExportEvent(actor, format string) store.Event {
	object := string(f.Project)
	if object == "" {
		object = store.System
	}
	return store.Event{Actor: actor, Action: ExportAction, Object: object, Detail: fmt.Sprintf("%s: %s", format, f.words())}
}
