// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package caller_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/caller"
	"hide/internal/control"
	"hide/internal/hint"
)

// both runs a test with the files of this process, and with those that a command in a server
// gets from this process, if args name them.
func both(t *testing.T, args []string, test func(t *testing.T, files caller.Files)) {
	t.Run("here", func(t *testing.T) { test(t, caller.Here{}) })
	t.Run("beside", func(t *testing.T) {
		beside(t, args, func(_ context.Context, files caller.Files) { test(t, files) })
	})
}

// beside runs fn as a command in a server.
func beside(t *testing.T, args []string, fn func(ctx context.Context, files caller.Files)) {
	t.Helper()
	dir, err := os.MkdirTemp("", "hide") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	server, err := control.Listen(dir, func(ctx context.Context, c *control.Call) int {
		fn(ctx, caller.In(c))
		return 0
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	conn, err := control.Dial(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers, end := caller.Answers(ctx, args)
	_, err = conn.Run(ctx, control.Request{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}, answers)
	cancel()
	if err := errors.Join(err, end(), <-ended); err != nil {
		t.Error(err)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s holds %q, want %q: %v", filepath.Base(name), got, want, err)
	}
}

func TestFilesAreReadAndWritten(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	both(t, []string{a, b, "--out=" + filepath.Join(b, "c")}, func(t *testing.T, files caller.Files) {
		t.Cleanup(func() { os.Remove(a) })
		if err := files.Create(a, text("first")); err != nil {
			t.Fatal(err)
		}
		if err := files.Create(a, text("second")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a file that exists: %v", err)
		}
		if size, err := files.Write(a, text("third")); err != nil || size != 5 {
			t.Errorf("%d bytes, %v", size, err)
		}
		if content, err := caller.ReadFile(files, a); err != nil || string(content) != "third" {
			t.Errorf("%q, %v", content, err)
		}
		full := errors.New("full")
		fails := func(w io.Writer) error { return errors.Join(text("part")(w), full) }
		if _, err := files.Write(a, fails); !errors.Is(err, full) {
			t.Error(err)
		}
		if err := files.Create(b, fails); !errors.Is(err, full) {
			t.Error(err)
		}
		holds(t, a, "third")
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%d files, %v", len(left), err)
		}
		if size, err := files.Write("", fails); size != 0 || err != nil {
			t.Errorf("an empty name: %d, %v", size, err)
		}
		var cause *fs.PathError
		if _, err := files.Open(b); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &cause) || cause.Path != b {
			t.Errorf("an absent file: %v", err)
		}
		if err := files.CheckNew(a); err == nil || !strings.Contains(err.Error(), "exists already") || hint.Of(err) == "" {
			t.Errorf("an existing file: %v", err)
		}
		if err := errors.Join(files.CheckNew(b), files.CheckWritable(a)); err != nil {
			t.Error(err)
		}
		if err := files.CheckWritable(filepath.Join(b, "c")); err == nil {
			t.Error("a file in no folder can be written")
		}
	})
}

// TestNotesOfFoldersAreListedAndRead also reads a file twice, as detection and reading do.
func TestNotesOfFoldersAreListedAndRead(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a/x.txt": "X", "b.txt": "B", ".hidden.txt": "H"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	both(t, []string{dir, filepath.Join(dir, "b.txt"), filepath.Join(dir, "nowhere")}, func(t *testing.T, files caller.Files) {
		found, done, err := files.Notes([]string{dir, filepath.Join(dir, "b.txt")})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			for range 2 {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(r)
				got = append(got, fmt.Sprintf("%s %d %s %v %v", f.Name, f.Size, content, err, r.Close()))
			}
		}
		want := "a/x.txt 1 X <nil> <nil>|a/x.txt 1 X <nil> <nil>|b.txt 1 B <nil> <nil>|b.txt 1 B <nil> <nil>|b.txt 1 B <nil> <nil>|b.txt 1 B <nil> <nil>"
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("got  %s\nwant %s", all, want)
		}
		if err := done(); err != nil {
			t.Error(err)
		}
		if _, _, err := files.Notes([]string{filepath.Join(dir, "nowhere")}); !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "check the name") {
			t.Errorf("an absent folder: %v", err)
		}
	})
}

// TestRowsOfAQueryAreTheSameBeside: all bytes of cells, errors of the database, and a reader
// that stops early.
func TestRowsOfAQueryAreTheSameBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE note (id INTEGER, body TEXT); INSERT INTO note VALUES (1, 'Señora'), (2, CAST(x'ff41' AS TEXT)), (3, NULL)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rows := func(files caller.Files, query string, most int) string {
		f, err := files.Query(path, query)
		if err != nil {
			return "refused: " + err.Error()
		}
		c, err := f.Query(t.Context())
		if err != nil {
			return "failed: " + err.Error()
		}
		defer c.Close()
		all := fmt.Sprintf("%s %d %q", f.Name, f.Size, c.Columns())
		for range most {
			cells, err := c.Next()
			all += fmt.Sprintf(" %q %v", cells, err)
			if err != nil {
				break
			}
		}
		return all
	}
	for _, query := range []string{"SELECT * FROM note ORDER BY id", "SELECT id FROM note WHERE id > 9", "", "SELECT * FROM absent", "SELEC"} {
		for _, most := range []int{1, 10} {
			want := rows(caller.Here{}, query, most)
			beside(t, []string{path, query}, func(_ context.Context, files caller.Files) {
				if got := rows(files, query, most); got != want {
					t.Errorf("%q:\ngot  %s\nwant %s", query, got, want)
				}
			})
		}
	}
	beside(t, []string{path + " absent", "SELECT 1"}, func(_ context.Context, files caller.Files) {
		if _, err := files.Query(path+" absent", "SELECT 1"); err == nil {
			t.Error("an absent database was accepted")
		}
	})
}

// TestWhatACommandLeavesUnfinishedIsRemoved: its server died while it wrote.
func TestWhatACommandLeavesUnfinishedIsRemoved(t *testing.T) {
	dir := t.TempDir()
	answers, end := caller.Answers(t.Context(), []string{filepath.Join(dir, "write"), filepath.Join(dir, "create")})
	for _, kind := range []string{"write", "create"} {
		f, _, err := answers[kind]([]byte(`"` + filepath.Join(dir, kind) + `"`))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(text("part")(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

// TestAServerGetsOnlyWhatTheCommandNames: it may have been taken over, and root may type.
func TestAServerGetsOnlyWhatTheCommandNames(t *testing.T) {
	dir := t.TempDir()
	secret, named := filepath.Join(dir, "shadow"), filepath.Join(dir, "notes.txt")
	if err := errors.Join(os.WriteFile(secret, []byte("root:x"), 0o600), os.WriteFile(named, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	beside(t, []string{"import", "--map=" + named, "--sql", "SELECT 1", dir + "/shadow.old"}, func(_ context.Context, files caller.Files) {
		if f, err := files.Open(named); err != nil {
			t.Error(err)
		} else {
			f.Close()
		}
		_, opened := files.Open(secret)
		_, _, listed := files.Notes([]string{named, dir})
		_, written := files.Write(secret, text("mine"))
		_, asked := files.Query(secret, "SELECT 1")
		for what, err := range map[string]error{
			"open": opened, "list": listed, "write": written, "query": asked,
			"create": files.Create(filepath.Join(dir, "new"), text("mine")),
			"new":    files.CheckNew(secret), "writable": files.CheckWritable(secret),
		} {
			if err == nil || !strings.Contains(err.Error(), "does not name") {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	holds(t, secret, "root:x")
}
