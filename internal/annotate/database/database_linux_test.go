// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
)

// notes are written into both databases: more than a cursor fetches at once.
const notes = 2*fetch + 7

const table = "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, mrn TEXT, born DATE)"

func body(i int) string { return fmt.Sprintf("Señora %d — \"walks\",\n'well' 😀.", i) }

// read runs a query and collects its notes.
func read(t *testing.T, address, query string) ([]annotate.Annotated, error) {
	t.Helper()
	f, err := Query(address, query)
	if err != nil {
		return nil, err
	}
	var docs []annotate.Annotated
	_, err = format.Read(t.Context(), []format.File{f}, format.Options{Columns: format.Columns{Text: "body", Patient: "mrn"}}, func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	})
	return docs, err
}

// checkDatabase runs the same queries on any database with the table of notes.
func checkDatabase(t *testing.T, address string, rows func() int) {
	docs, err := read(t, address, "SELECT id, body, mrn, born FROM note ORDER BY id")
	if err != nil || len(docs) != notes {
		t.Fatalf("%d notes, %v", len(docs), err)
	}
	for i, d := range docs {
		if d.Name != fmt.Sprint(i) || d.Text != body(i) || d.Patient != fmt.Sprintf("m%d", i%9) || !maps.Equal(d.Attributes, map[string]string{"born": "1961-05-14"}) {
			t.Fatalf("note %d is %q of %q with %d attributes", i, d.Name, d.Patient, len(d.Attributes))
		}
	}
	for _, query := range []string{
		"DELETE FROM note",
		"DELETE FROM note RETURNING id, body",
		"INSERT INTO note VALUES (9999, 'x', 'y', NULL) RETURNING id, body",
		"SELECT id, body FROM note; DELETE FROM note",
		"CREATE TABLE other (id INTEGER)",
		"SELECT id, body FROM missing",
		"SELECT id, mrn FROM note", // no text
		"SELEC",
	} {
		docs, err := read(t, address, query)
		if err == nil && len(docs) == notes && strings.HasPrefix(query, "SELECT id, body FROM note;") {
			err = errors.New("SQLite stops at the first statement")
		}
		if err == nil {
			t.Errorf("%s is taken", query)
		}
		if n := rows(); n != notes {
			t.Fatalf("%s: %d notes are left", query, n)
		}
	}
}

func TestSQLiteIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ward 3 #1?.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path = filepath.Join(filepath.Dir(path), "copy %20.db")
	if _, err := db.Exec(table); err != nil {
		t.Fatal(err)
	}
	for i := range notes {
		if _, err := db.Exec("INSERT INTO note VALUES (?, ?, ?, '1961-05-14')", i, body(i), fmt.Sprintf("m%d", i%9)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("VACUUM INTO ?", path); err != nil {
		t.Fatal(err)
	}
	checkDatabase(t, path, func() (n int) {
		copied, err := sql.Open("sqlite", "file:"+strings.ReplaceAll(path, "%", "%25"))
		if err == nil {
			defer copied.Close()
			err = copied.QueryRow("SELECT count(*) FROM note").Scan(&n)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	})
}

func TestPostgreSQLIsRead(t *testing.T) {
	address := startPostgres(t)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	for i := range notes {
		if _, err := conn.Exec(t.Context(), "INSERT INTO note VALUES ($1, $2, $3, '1961-05-14')", i, body(i), fmt.Sprintf("m%d", i%9)); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"SELECT id, body::integer AS body FROM note":           "the server cannot compute a value (SQLSTATE 22P02)",
		"SELECT id, body, 'Señora ' || missing AS b FROM note": "character 31 of the query",
	} {
		if _, err := read(t, address, query); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Señora") {
			t.Errorf("%s: %v", query, err)
		}
	}
	checkDatabase(t, address, func() (n int) {
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM note").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	})
}

// startPostgres starts Debian's PostgreSQL on a socket in a folder of the test. PostgreSQL
// does not run as root; then user nobody runs it.
func startPostgres(t *testing.T) string {
	t.Helper()
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(programs) == 0 {
		t.Skip("PostgreSQL is not installed (Debian: postgresql)")
	}
	bin := filepath.Dir(slices.Max(programs))
	folder, err := os.MkdirTemp("", "hide-pg-") // short, as the path of a socket must be
	if err != nil {
		t.Fatal(err)
	}
	as := asOther(t, folder)
	data := filepath.Join(folder, "data")
	run := func(name string, args ...string) {
		t.Helper()
		cmd := as(exec.Command(filepath.Join(bin, name), args...))
		cmd.Dir = folder
		cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	run("initdb", "-D", data, "-U", "broker", "-E", "UTF8", "--auth=trust", "--no-sync")
	run("pg_ctl", "-D", data, "-w", "-s", "-l", filepath.Join(folder, "log"), "-o", "-k "+folder+" -c listen_addresses='' -F", "start")
	t.Cleanup(func() { run("pg_ctl", "-D", data, "-w", "-s", "-m", "immediate", "stop") })
	return "postgres://broker@/postgres?host=" + folder
}

func TestAddressesThatCannotBe(t *testing.T) {
	for _, c := range []struct{ address, query string }{
		{"postgres://ann:secret@host/notes", "SELECT 1"},
		{"postgres://host/notes?password=secret", "SELECT 1"},
		{"mysql://host/notes", "SELECT 1"},
		{"/nowhere.db", "SELECT 1"},
		{"postgres://host/notes", " "},
	} {
		if _, err := Query(c.address, c.query); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}
