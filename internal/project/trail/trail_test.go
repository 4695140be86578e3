// SPDX-License-Identifier: Apache-2.0

package trail_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/trail"
	"hide/internal/store"
)

var admin = account.User{ID: "u-admin", Name: "Ada", Role: account.Admin}

// busy is a project with rows of several people and days, and rows of another project.
func busy(t *testing.T) (*projecttest.Bench, project.ID) {
	t.Helper()
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	b := projecttest.NewAt(t, func() time.Time { return at })
	id := b.NewProject(nil, false)
	for day := range 10 {
		at = time.Date(2026, 11, 1+3*day, 12, 0, 0, 0, time.UTC)
		for i, action := range []string{"read", "tag", "export", "session.begin", "settings"} {
			actor := []string{"u-broker", "u-annotator"}[(day+i)%2]
			object := []string{id.Object("documents", i+1), id.Object(), "p77/documents/1"}[(day+2*i)%3]
			if err := b.Store().Update(string(id), func(tx *store.Tx) error {
				return tx.Audit(store.Event{Actor: actor, Action: action, Object: object, Detail: fmt.Sprintf("=1+%d", day)})
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b, id
}

// TestFiltersFindExactlyTheRowsThatPass compares pages and exports with a search by hand
// through all rows.
func TestFiltersFindExactlyTheRowsThatPass(t *testing.T) {
	b, id := busy(t)
	all, err := b.Store().AuditRows(0, 10_000, nil)
	if err != nil {
		t.Fatal(err)
	}
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name   string
		filter trail.Filter
		passes func(store.AuditRow) bool
	}{
		{"everything", trail.Filter{}, func(store.AuditRow) bool { return true }},
		{"a person", trail.Filter{Person: "u-annotator"}, func(r store.AuditRow) bool { return r.Actor == "u-annotator" }},
		{"an action", trail.Filter{Action: "tag"}, func(r store.AuditRow) bool { return r.Action == "tag" }},
		{"a group", trail.Filter{Action: "exports and releases"}, func(r store.AuditRow) bool { return r.Action == "export" }},
		{"an object", trail.Filter{Object: id.Object("documents")}, func(r store.AuditRow) bool { return strings.HasPrefix(r.Object, id.Object("documents")+"/") }},
		{"days", trail.Filter{Since: day(7), Until: day(20)}, func(r store.AuditRow) bool { return !r.Time.Before(day(7)) && r.Time.Before(day(20)) }},
		{"all of these", trail.Filter{Person: "u-broker", Action: "reading", Since: day(5)}, func(r store.AuditRow) bool {
			return r.Actor == "u-broker" && r.Action == "read" && r.Time.After(day(5))
		}},
		{"nobody", trail.Filter{Person: "u-nobody"}, func(store.AuditRow) bool { return false }},
	} {
		var want []uint64
		for _, r := range all {
			if c.passes(r) {
				want = append(want, r.Seq)
			}
		}
		var got []uint64
		for before := uint64(0); ; {
			page, err := b.Trail(t.Context(), admin, c.filter, before, 7)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Rows {
				got = append(got, r.Seq)
			}
			if before = page.Next; before == 0 {
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: rows %v, want %v", c.name, got, want)
		}
		var first []uint64
		err := c.filter.First(b.Store(), 0, 3, func(r store.AuditRow) error { first = append(first, r.Seq); return nil })
		if err != nil || fmt.Sprint(first) != fmt.Sprint(want[:min(3, len(want))]) {
			t.Errorf("%s: the first three are %v, %v", c.name, first, err)
		}
	}
}

// TestNoTransactionWaitsForAReaderOfRows: a download may be slow. A key can be replaced
// meanwhile, which needs a moment without transactions.
func TestNoTransactionWaitsForAReaderOfRows(t *testing.T) {
	b, _ := busy(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := trail.Filter{}.First(b.Store(), 0, 1, func(store.AuditRow) error {
		return b.Store().RotateSpace(ctx, store.System, store.Event{Actor: store.System, Action: "rotate key"}, nil)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestALineLeavesTheTerminalAsItIs: a reason that somebody has typed may hold anything.
func TestALineLeavesTheTerminalAsItIs(t *testing.T) {
	line := trail.Line(store.AuditRow{Seq: 7, Actor: "u1", Action: "drop candidate", Detail: "\x1b]0;owned\a\x1b[2J\u202eé\r\nx"})
	if !strings.HasSuffix(line, "?]0;owned??[2J?é??x") || strings.ContainsAny(line, "\x1b\a\r\n\u202e") {
		t.Errorf("%q", line)
	}
}

// TestANameStandsForItsAccount in commands; what is not a name stays as it is.
func TestANameStandsForItsAccount(t *testing.T) {
	b := projecttest.New(t)
	for typed, want := range map[string]string{"ada": "u-ada", "u-ada": "u-ada", "system": "system", "": ""} {
		f := trail.Filter{Person: typed}
		if err := f.Known(b.Store(), people{}); err != nil || f.Person != want {
			t.Errorf("%q: %q, %v, want %q", typed, f.Person, err, want)
		}
	}
	f := trail.Filter{Project: "p9"}
	if err := f.Known(b.Store(), people{}); err == nil {
		t.Error("a project that does not exist was accepted")
	}
}

type people struct{}

// Find knows Ada.
func (people) Find(name string) (account.User, error) {
	if strings.EqualFold(name, "Ada") {
		return account.User{ID: "u-ada", Name: "Ada"}, nil
	}
	return account.User{}, account.ErrNotFound
}

// TestAPageSearchesABoundedNumberOfRows: it says how far it came, and the next goes on there.
func TestAPageSearchesABoundedNumberOfRows(t *testing.T) {
	b := projecttest.New(t)
	if err := b.Store().Update(store.System, func(tx *store.Tx) error {
		for i := range 900 {
			action := "common"
			if i == 10 {
				action = "rare"
			}
			if err := tx.Audit(store.Event{Actor: "u1", Action: action, Object: "x"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.Historian.LookAt(600)
	page, err := b.Trail(t.Context(), admin, trail.Filter{Action: "rare"}, 0, 50)
	if err != nil || len(page.Rows) != 0 || page.Next == 0 || page.Back.IsZero() {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	page, err = b.Trail(t.Context(), admin, trail.Filter{Action: "rare"}, page.Next, 50)
	if err != nil || len(page.Rows) != 1 || page.Next != 0 || !page.Back.IsZero() {
		t.Errorf("the second page: %+v, %v", page, err)
	}
}

func TestExportsAreOnRecordAndRunNoFormula(t *testing.T) {
	b, id := busy(t)
	f := trail.Filter{Project: id, Action: "tag", Person: "=cmd", Since: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}
	if err := b.WriteTrail(t.Context(), projecttest.Broker, f, "csv", io.Discard); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Store().AuditRows(0, 1, nil)
	if err != nil || rows[0].Action != trail.ExportAction || rows[0].Actor != projecttest.Broker.ID || rows[0].Object != string(id) ||
		rows[0].Detail != "csv: project "+string(id)+", one person, one action, since 2026-11-02T00:00:00Z" {
		t.Errorf("on record is %+v, %v", rows, err)
	}
	f = trail.Filter{Project: id, Action: "edits"}
	var table, lines bytes.Buffer
	if err := b.WriteTrail(t.Context(), projecttest.Broker, f, "csv", &table); err != nil {
		t.Fatal(err)
	}
	if err := b.WriteTrail(t.Context(), projecttest.Broker, f, "jsonl", &lines); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(records) < 3 || len(records)-1 != bytes.Count(lines.Bytes(), []byte("\n")) {
		t.Fatalf("%d records, %d lines, %v", len(records), bytes.Count(lines.Bytes(), []byte("\n")), err)
	}
	if got := records[1][7]; !strings.HasPrefix(got, "'=1+") {
		t.Errorf("the detail is %q", got)
	}
	var row trail.Row
	if err := json.Unmarshal(bytes.SplitN(lines.Bytes(), []byte("\n"), 2)[0], &row); err != nil || row.Action != "tag" || !strings.HasPrefix(row.Detail, "=1+") {
		t.Errorf("%+v, %v", row, err)
	}
	if err := b.WriteTrail(t.Context(), admin, f, "xml", io.Discard); project.KindOf(err) != project.Invalid {
		t.Errorf("a format that does not exist: %v", err)
	}
}

// TestBrokersSeeRowsOfTheirProjectsOnly on pages and in exports.
func TestBrokersSeeRowsOfTheirProjectsOnly(t *testing.T) {
	b, id := busy(t)
	page, err := b.Trail(t.Context(), projecttest.Broker, trail.Filter{}, 0, 1000)
	if err != nil || len(page.Rows) == 0 {
		t.Fatalf("%d rows, %v", len(page.Rows), err)
	}
	for _, r := range page.Rows {
		if !id.Owns(r.Object) {
			t.Errorf("a broker sees %+v", r)
		}
	}
	var out bytes.Buffer
	if err := b.WriteTrail(t.Context(), projecttest.Broker, trail.Filter{}, "jsonl", &out); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != len(page.Rows) || bytes.Contains(out.Bytes(), []byte("p77")) {
		t.Errorf("the export has %d rows, the page %d", n, len(page.Rows))
	}
	before, _ := b.Store().Audited()
	if err := b.WriteTrail(t.Context(), projecttest.Annotator, trail.Filter{}, "csv", io.Discard); project.KindOf(err) != project.Forbidden {
		t.Errorf("an annotator: %v", err)
	}
	if after, _ := b.Store().Audited(); after != before {
		t.Error("a refused export is on record")
	}
}

func TestDaysAreWholeDays(t *testing.T) {
	for _, c := range []struct {
		text  string
		after bool
		want  string
	}{
		{"2026-11-28", false, "2026-11-28T00:00:00Z"}, {"2026-11-28", true, "2026-11-29T00:00:00Z"},
		{"2026-11-28T10:00:00Z", true, "2026-11-28T10:00:00Z"}, {"", true, "0001-01-01T00:00:00Z"},
	} {
		if got, err := trail.ParseTime(c.text, c.after); err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"28.11.2026", "2026-13-01", "x"} {
		if _, err := trail.ParseTime(text, false); project.KindOf(err) != project.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
