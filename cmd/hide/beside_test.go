// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/control"
	"hide/internal/store"
)

// shortDir is a folder with a short path, as sockets need.
func shortDir(t *testing.T) string {
	t.Helper()
	temp, err := os.MkdirTemp("", "hide")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	return temp
}

// TestCommandsDoTheSameBesideAServer runs commands on a data folder, and on another one that
// a server has open. They print the same, and write the same files and audit rows.
func TestCommandsDoTheSameBesideAServer(t *testing.T) {
	temp := shortDir(t)
	in := func(name string) string { return filepath.Join(temp, name) }
	alone, beside := in("alone"), in("beside")
	if code := run(t.Context(), []string{"generate", "--patients", "2", "--out", in("notes.jsonl")}, discarding()); code != exitDone {
		t.Fatal(code)
	}
	if err := errors.Join(os.WriteFile(in("names.txt"), []byte("Ada\nBo\n"), 0o600), makeSQLite(in("notes.db"))); err != nil {
		t.Fatal(err)
	}
	serveHide(t, "serve", "--data", beside, "--addr", "127.0.0.1:0")
	for _, args := range []string{
		"project create Ward --approvals 0",
		"user add Ada --role admin",
		"user list",
		"user disable Nobody",
		"user add Ada --role admin",
		"import --project Ward notes.jsonl --finished --random-sample",
		"import --project Ward notes.jsonl",
		"import --project Ward absent",
		"import --project Ward --sql SELECT-1 --database notes.db",
		"import --project Ward --database notes.db --text-column body --patient-column mrn --sql QUERY",
		"dictionary add --project Ward names.txt",
		"member list Ward",
		"project list",
		"export --project Ward --out DATA.jsonl",
		"export --project Ward --out DATA.jsonl",
		"export --project Ward",
		"sanitize --project Ward --lc 10 --mode paper --learners bayes --attackers none --folds 2 --choose 10 --out DATA.bundle",
		"sanitize --project Ward --choose 10 --out absent/bundle",
		"sanitize --project Ward --frobnicate",
		"publish text --project Ward --bundle 1 --uncertified test --out DATA.zip",
		"publish candidate --project Ward --out DATA.zip",
		"ledger show",
		"project-secret export --out DATA.copied",
		"backup --out DATA.backup",
		"audit verify",
		"restore --in DATA.backup",
	} {
		type outcome struct {
			code           int
			out, complaint string
		}
		result := map[string]outcome{}
		for _, dir := range []string{alone, beside} {
			var words []string
			for _, w := range append(strings.Fields(args), "--data", dir) {
				if w = strings.Replace(w, "DATA", dir, 1); w == "QUERY" {
					w = "SELECT id, body, mrn FROM note"
				}
				if _, err := os.Stat(in(w)); err == nil || w == "absent" {
					w = in(w)
				}
				words = append(words, w)
			}
			var out, complaint bytes.Buffer
			code := run(t.Context(), words, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &complaint})
			result[dir] = outcome{code, likeness(out.String(), dir), likeness(complaint.String(), dir)}
		}
		if result[alone] != result[beside] {
			t.Errorf("hide %s\nalone:  %+v\nbeside: %+v", args, result[alone], result[beside])
		}
	}
	if a, b := shellRows(t, alone), shellRows(t, beside); len(a) < 8 || !slices.Equal(a, b) {
		t.Errorf("audit rows\nalone:  %q\nbeside: %q", a, b)
	}
	for _, name := range []string{"jsonl", "bundle", "zip", "copied", "backup"} {
		one, err1 := os.ReadFile(alone + "." + name)
		other, err2 := os.ReadFile(beside + "." + name)
		if err := errors.Join(err1, err2); err != nil || name == "jsonl" && !bytes.Equal(one, other) {
			t.Errorf("%s: %d and %d bytes, %v", name, len(one), len(other), err)
		}
	}
}

// shellRows are the actions of commands in the audit trail, newest first.
func shellRows(t *testing.T, dir string) (rows []string) {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"audit", "list", "--limit", "1000", "--data", dir}, &env{stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	for line := range strings.Lines(out.String()) {
		if _, did, ok := strings.Cut(line, "shell:"); ok {
			rows = append(rows, likeness(did, dir))
		}
	}
	return rows
}

func discarding() *env {
	return &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
}

// unlike is what differs between two data folders: random ids, tokens and keys, times,
// addresses and sizes.
var unlike = regexp.MustCompile(`u[0-9a-f]{20}|[0-9a-f]{32,}|http://127\.0\.0\.1:[0-9]+|welcome#[\w-]+|20\d\d-\d\d-\d\dT[\d:.]+Z|\d+ (bytes|rows)|"seconds": [\d.e-]+`)

func likeness(printed, dir string) string {
	return strings.ReplaceAll(unlike.ReplaceAllString(printed, "?"), dir, "DATA")
}

// TestUserLinkWorksBesideARunningServer: the link that the command prints signs in, and
// the audit trail has it as made by the operator.
func TestUserLinkWorksBesideARunningServer(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	s := serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0")
	ada := newVisitor(s.base)
	form := url.Values{"code": {s.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := ada.post("/welcome/enter", form); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	args := []string{"user", "link", "ada", "--data", dir, "--json"}
	if code := run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &complaint}); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &complaint)
	}
	var got linkResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Name != "Ada" || !strings.HasPrefix(got.Link, s.base) {
		t.Fatalf("got %+v, %v", got, err)
	}
	again := newVisitor(s.base)
	form = url.Values{"code": {parseLink(t, got.Link).token}, "password": {"quiet otters juggle lanterns"}, "again": {"quiet otters juggle lanterns"}}
	if page, err := again.post("/welcome/enter", form); err != nil || !strings.Contains(page, "<h1>Projects</h1>") {
		t.Errorf("the link does not sign in: %v", err)
	}
	if page, err := again.get("/audit"); err != nil || !strings.Contains(page, "account.invite") {
		t.Errorf("the audit trail does not have the link: %v", err)
	}
}

// TestAServerRunsOnlyCommandsOnItsFolder: others would work with its files and rights.
func TestAServerRunsOnlyCommandsOnItsFolder(t *testing.T) {
	dir := filepath.Join(shortDir(t), "data")
	serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0")
	for _, args := range []string{"version", "serve", "demo", "bench crf --in x", "restore --in x", "convert --in x --out y --to jsonl", "frobnicate", "", "ledger recover"} {
		conn, err := control.Dial(dir)
		if err != nil {
			t.Fatal(err)
		}
		var out, complaint bytes.Buffer
		exit, err := conn.Run(t.Context(), control.Request{Args: strings.Fields(args), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaint}, nil)
		if err != nil || exit == exitDone || out.Len() > 0 || complaint.Len() == 0 {
			t.Errorf("hide %s: exit code %d, %q, %v", args, exit, &out, err)
		}
	}
}

// TestACancelledCommandCancelsItsJobInTheServer: the run would go on without anybody
// waiting for it.
func TestACancelledCommandCancelsItsJobInTheServer(t *testing.T) {
	temp := shortDir(t)
	dir, notes := filepath.Join(temp, "data"), filepath.Join(temp, "notes.jsonl")
	serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0")
	for _, args := range [][]string{
		{"generate", "--patients", "4", "--out", notes},
		{"project", "create", "Ward", "--data", dir},
		{"import", "--project", "Ward", "--finished", notes, "--data", dir},
	} {
		if code := run(t.Context(), args, discarding()); code != exitDone {
			t.Fatalf("hide %s: exit code %d", args, code)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	shows := &cancelling{cancel: cancel, after: "run 1"}
	var complaint bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.MultiWriter(shows, &complaint), terminal: true}
	if code := run(ctx, []string{"sanitize", "--project", "Ward", "--mode", "paper", "--learners", "adaboost", "--attackers", "none", "--lc", "10", "--folds", "2", "--data", dir}, e); code != exitFailed || !strings.Contains(complaint.String(), "--resume 1") {
		t.Errorf("exit code %d: %s", code, &complaint)
	}
	complaint.Reset()
	e = &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &complaint}
	if code := run(t.Context(), []string{"sanitize", "--project", "Ward", "--resume", "1", "--data", dir}, e); code != exitDone {
		t.Errorf("the cancelled run does not go on: exit code %d: %s", code, &complaint)
	}
}

// cancelling cancels once a text has been printed.
type cancelling struct {
	cancel context.CancelFunc
	after  string
	seen   strings.Builder
}

func (c *cancelling) Write(p []byte) (int, error) {
	if c.seen.Write(p); strings.Contains(c.seen.String(), c.after) {
		c.cancel()
	}
	return len(p), nil
}

// TestTerminalOfAServerPrintsLinks reads lines as somebody types them.
func TestTerminalOfAServerPrintsLinks(t *testing.T) {
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	people, err := account.New(st, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{store: st, accounts: people}
	typed := func(lines string) (out, complaint string) {
		t.Helper()
		var printed, reported bytes.Buffer
		e := &env{stdin: strings.NewReader(lines), stdout: &printed, stderr: &reported}
		e.printLinks(t.Context(), nil, func(line string) (string, error) { return f.linkForLine("https://hide.example", line) })
		return printed.String(), reported.String()
	}
	if out, complaint := typed("hello\nl\n"); !strings.HasPrefix(out, "https://hide.example/welcome#") || strings.Count(out, "\n") != 1 {
		t.Errorf("an empty folder: got %q, %q", out, complaint)
	}
	if _, _, err := people.Create(account.Operator(), "Cy", account.Broker); err != nil {
		t.Fatal(err)
	}
	if out, complaint := typed("l\n"); out != "" || !strings.Contains(complaint, "nobody is an administrator") || !strings.Contains(complaint, "hide user add NAME --role admin") {
		t.Errorf("without an administrator: got %q, %q", out, complaint)
	}
	for _, name := range []string{"Ada", "Bo Li"} {
		if _, _, err := people.Create(account.Operator(), name, account.Admin); err != nil {
			t.Fatal(err)
		}
		if name == "Ada" {
			if out, complaint := typed("l\n"); !strings.Contains(out, "/welcome#") {
				t.Errorf("the only administrator: got %q, %q", out, complaint)
			}
		}
	}
	if out, complaint := typed("l\nl Nobody\nl  bo li\n"); strings.Count(out, "/welcome#") != 1 || !strings.Contains(complaint, "more than one administrator") || !strings.Contains(complaint, "no such account") {
		t.Errorf("got %q, %q", out, complaint)
	}
}
