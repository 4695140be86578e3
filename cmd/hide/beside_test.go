// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/store"
)

// TestUserLinkWorksBesideARunningServer: the link that the command prints signs in, and
// the audit trail has it as made by the operator.
func TestUserLinkWorksBesideARunningServer(t *testing.T) {
	temp, err := os.MkdirTemp("", "hide") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	dir := filepath.Join(temp, "data")
	s := serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0")
	ada := newVisitor(s.base)
	form := url.Values{"code": {s.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := ada.post("/welcome/enter", form); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	ask := func(name string) int {
		out.Reset()
		complaint.Reset()
		args := []string{"user", "link", name, "--data", dir, "--url", s.base, "--json"}
		return run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &complaint})
	}
	if code := ask("ada"); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &complaint)
	}
	var got linkResult
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Name != "Ada" {
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
	if code := ask("Nobody"); code != exitFailed || !strings.Contains(complaint.String(), "there is no such account") || !strings.Contains(complaint.String(), "hide user list") {
		t.Errorf("an unknown name: exit code %d: %s", code, &complaint)
	}
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
