// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project/webhooks"
	"hide/internal/webhook"
)

// programTold is a receiver of webhooks. It answers at random while servers are killed, so that
// messages are queued, on their way or accepted at that moment.
type programTold struct {
	answers func() bool

	mu  sync.Mutex     // guards what follows
	ids map[int]string // of the messages about imports, by the number of the import
	got map[int]bool   // those that were accepted
	bad []string
}

func (p *programTold) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct{ Data struct{ Number int } }
	err := json.NewDecoder(r.Body).Decode(&m)
	id, n := r.Header.Get("webhook-id"), m.Data.Number
	p.mu.Lock()
	if before := p.ids[n]; err != nil || before != "" && before != id {
		p.bad = append(p.bad, fmt.Sprintf("import %d has the messages %q and %q, %v", n, before, id, err))
	}
	p.ids[n] = id
	answers := p.answers()
	p.got[n] = p.got[n] || answers
	p.mu.Unlock()
	if !answers {
		<-r.Context().Done() // until the server is killed
	}
}

func (p *programTold) has(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got[n]
}

// TestNoEventIsLostWhenTheServerIsKilled imports beside a real server that is killed with
// SIGKILL, again and again, at random moments. Each import that was acknowledged is told to the
// receiver in the end, with the same id each time. HIDE_TEST_KILLS=100 does it that often.
func TestNoEventIsLostWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	root, random, replies, addr := shortDir(t), chance(11), chance(12), freeAddress(t)
	dir := filepath.Join(root, "data")
	told := &programTold{ids: map[int]string{}, got: map[int]bool{}, answers: func() bool { return replies.IntN(2) == 0 }}
	receiver := httptest.NewServer(told)
	t.Cleanup(receiver.Close)
	host := receiver.Listener.Addr().String()
	addWebhook(t, dir, host, receiver.URL)
	kills := killsOf(4)
	for k := range kills {
		kill := startServer(t, dir, addr, "--webhook-host", host)
		importOne(t, root, dir, k+1)
		time.Sleep(within(random, 30*time.Millisecond))
		kill()
	}
	told.mu.Lock()
	told.answers = func() bool { return true }
	told.mu.Unlock()
	defer startServer(t, dir, addr, "--webhook-host", host)()
	for n := 1; n <= kills; n++ {
		for end := time.Now().Add(time.Minute); !told.has(n); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("nobody was told of import %d", n)
			}
		}
	}
	told.mu.Lock()
	defer told.mu.Unlock()
	for _, fault := range told.bad {
		t.Error(fault)
	}
}

func addWebhook(t *testing.T, dir, host, url string) {
	t.Helper()
	hosts, err := webhook.ParseHosts(host)
	if err != nil {
		t.Fatal(err)
	}
	f, done := fill(t, dir)
	defer done()
	p, err := f.projects.Create(t.Context(), account.Operator(), "Ward", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.projects.StartWebhooks(webhook.NewSender(hosts, webhook.Options{})); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.projects.AddWebhook(t.Context(), account.Operator(), p.ID, url, []webhooks.Event{webhooks.ImportFinished}); err != nil {
		t.Fatal(err)
	}
}

// importOne imports a note beside the server.
func importOne(t *testing.T, root, dir string, n int) {
	t.Helper()
	name := filepath.Join(root, fmt.Sprintf("n%d.txt", n))
	if err := os.WriteFile(name, fmt.Appendf(nil, "Seen on Monday, visit %d.\n", n), 0o600); err != nil {
		t.Fatal(err)
	}
	hideRun(t, "import", "--project", "Ward", "--data", dir, name)
}
