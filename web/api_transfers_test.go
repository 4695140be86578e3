// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"net/http"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web/ui"
)

// apiTransfers are a download that the program does not read and an upload that stands still.
type apiTransfers struct {
	*liveServer
	tokens   *testTokens
	down, up chan error // why they ended
	send     io.Writer  // more of the upload
}

// serveTransfers has a route for each. The token "hide_broker" opens them until it ends; zero
// means never.
func serveTransfers(t *testing.T, ends time.Time) (a *apiTransfers, begun chan bool) {
	t.Helper()
	begun = make(chan bool, 1)
	a = &apiTransfers{tokens: newTestTokens(), down: make(chan error, 1), up: make(chan error, 1)}
	token := a.tokens.known["hide_broker"]
	token.Ends = ends
	a.tokens.known["hide_broker"] = token
	a.liveServer = startLiveOf(t, newTestFeature(), Config{Tokens: a.tokens, API: []APIFeature{testAPI{[]ui.APIRoute{
		{Route: ui.Get("/projects/:project/endless", account.ManageWork, writeOn(a.down)).Streaming(), Scope: account.ScopeExport},
		{Route: ui.Post("/projects/:project/swallow", account.ManageWork, swallow(begun, a.up)).Streaming(), Scope: account.ScopeRedact},
	}}}})
	return a, begun
}

// startTransfers begins both.
func startTransfers(t *testing.T) *apiTransfers {
	t.Helper()
	a, begun := serveTransfers(t, time.Time{})
	answer, err := a.ask(t, http.MethodGet, "endless", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	body, send := io.Pipe()
	t.Cleanup(func() { send.Close() })
	go func() {
		if answer, err := a.ask(t, http.MethodPost, "swallow", body); err == nil {
			answer.Body.Close()
		}
	}()
	if _, err := send.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	<-begun
	a.send = send
	return a
}

func (a *apiTransfers) ask(t *testing.T, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+a.address+"/api/v1/projects/p1/"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer hide_broker")
	return http.DefaultClient.Do(r)
}

// TestTransfersEndWithTheToken: both end at once when the token does, or when the person is no
// longer a member of the project.
func TestTransfersEndWithTheToken(t *testing.T) {
	for what, end := range map[string]func(*apiTransfers){
		"revoked":   func(a *apiTransfers) { a.tokens.revoke("hide_broker") },
		"no member": func(a *apiTransfers) { a.projects.gone.Store(true) },
	} {
		t.Run(what, func(t *testing.T) {
			a := startTransfers(t)
			a.accounts.change("u-broker") // of something else: the token goes on
			if _, err := a.send.Write([]byte("b")); err != nil {
				t.Fatal(err)
			}
			end(a)
			a.accounts.change("u-broker")
			endsSoon(t, "the download", a.down)
			endsSoon(t, "the upload", a.up)
		})
	}
}

// TestATransferEndsAtTheTimeOfItsToken: nothing tells of that time.
func TestATransferEndsAtTheTimeOfItsToken(t *testing.T) {
	a, _ := serveTransfers(t, time.Now().Add(200*time.Millisecond))
	over := make(chan struct{})
	defer close(over)
	go func() { // it does not read, and does not hang up
		if answer, err := a.ask(t, http.MethodGet, "endless", nil); err == nil {
			<-over
			answer.Body.Close()
		}
	}()
	endsSoon(t, "the download", a.down)
}

func endsSoon(t *testing.T, what string, why <-chan error) {
	t.Helper()
	select {
	case err := <-why:
		if err == nil {
			t.Errorf("%s ended without an error", what)
		}
	case <-time.After(5 * endsWithin):
		t.Fatalf("%s goes on", what)
	}
}
