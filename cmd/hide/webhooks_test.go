// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestServeSendsWebhooks: a person adds a webhook on the page, and hears of an import that a
// command makes beside the server.
func TestServeSendsWebhooks(t *testing.T) {
	type message struct {
		header http.Header
		body   []byte
	}
	got := make(chan message, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- message{r.Header, body}
	}))
	defer receiver.Close()
	root := shortDir(t)
	dir, notes := filepath.Join(root, "data"), filepath.Join(root, "rosenbaum.txt")
	if err := os.WriteFile(notes, []byte("Mrs. Rosenbaum was seen on Monday.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0", "--webhook-host", receiver.Listener.Addr().String())
	ada := newVisitor(s.base)
	if _, err := ada.post("/welcome/enter", url.Values{"code": {s.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}); err != nil {
		t.Fatal(err)
	}
	overview, err := ada.post("/projects", url.Values{"name": {"Ward"}})
	if err != nil || !strings.Contains(overview, `href="/p/p1/webhooks"`) {
		t.Fatalf("the overview leads to no webhooks: %v", err)
	}
	page, err := ada.post("/p/p1/webhooks", url.Values{"url": {receiver.URL}, "event": {"import.finished"}})
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := standardwebhooks.NewWebhook(regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(page))
	if err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"import", "--project", "Ward", "--data", dir, notes}, discarding()); code != exitDone {
		t.Fatalf("import: exit code %d", code)
	}
	select {
	case m := <-got:
		if err := verifier.Verify(m.body, m.header); err != nil {
			t.Error(err)
		}
		if want := regexp.MustCompile(`^{"type":"import\.finished","timestamp":"[^"]+Z","data":{"project":"p1","number":1}}$`); !want.Match(m.body) {
			t.Errorf("body %s", m.body)
		}
	case <-time.After(time.Minute):
		t.Fatal("no message came")
	}
}
