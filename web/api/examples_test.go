// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web"
	"hide/web/api"
	"hide/web/webtest"
)

// TestTheExamplesWork runs them against a server that listens.
func TestTheExamplesWork(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	b := open(t, `{"id":"old","patient":"old","text":"No acute events."}`+"\n")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	s, err := web.New(web.Config{Accounts: b.Accounts, Tokens: b.Accounts, Projects: b.Projects, PublicOrigin: base, API: []web.APIFeature{api.New(b.Projects, b.Projects, b.Projects)}})
	if err != nil {
		t.Fatal(err)
	}
	webtest.Run(t, s, l)
	token := b.member("Cy", account.Broker, account.ScopeReadNotes, account.ScopeWriteNotes, account.ScopeExport, account.ScopeRuns, account.ScopeRedact)
	env := append(os.Environ(), "HIDE_URL="+base, "HIDE_TOKEN="+token, "HIDE_PROJECT="+string(b.Project), "TMPDIR="+t.TempDir())

	script := exec.CommandContext(t.Context(), filepath.Join("..", "..", "examples", "api", "curl.sh"))
	script.Env = env
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("curl.sh: %v\n%s", err, out)
	}
	for _, part := range []string{`"notes":24`, "25\n", "[PATIENT] left well.", `"warnings":[`} {
		if !bytes.Contains(out, []byte(part)) {
			t.Errorf("curl.sh does not print %s:\n%s", part, out)
		}
	}

	program := filepath.Join(t.TempDir(), "example")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "../../examples/api/go").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	redact := exec.CommandContext(t.Context(), program, "-project", string(b.Project))
	redact.Env, redact.Stdin = env, strings.NewReader(`{"id":"1","text":"Mr. Weiss01 left well."}`+"\n"+`{"id":"2","text":"Well."}`+"\n")
	var warned bytes.Buffer
	redact.Stderr = &warned
	got, err := redact.Output()
	if err != nil || strings.Count(string(got), "\n") != 2 || strings.Contains(string(got), "Weiss01") || !strings.Contains(warned.String(), "warning: ") {
		t.Errorf("%v\n%s\n%s", err, got, warned.String())
	}
	redact = exec.CommandContext(t.Context(), program, "-project", "p9")
	redact.Env = env
	if out, err := redact.CombinedOutput(); err == nil || !strings.Contains(string(out), "Not found") {
		t.Errorf("a wrong project: %v\n%s", err, out)
	}
}
