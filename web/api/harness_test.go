// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web/api"
	"hide/web/webtest"
)

// bench is a server with the API over real accounts and services, with a project of finished
// notes and people in it.
type bench struct {
	*webtest.Installation
	t      *testing.T
	server *webtest.Server
	broker string // token with all scopes
	in     string // address of the project
}

func open(t *testing.T, content string) *bench {
	t.Helper()
	b := &bench{Installation: webtest.Install(t, content), t: t}
	b.server = b.ServeAPI(t, api.New(b.Projects, b.Projects, b.Projects))
	b.broker = b.member("Bea", account.Broker, account.Scopes()...)
	b.in = "/api/v1/projects/" + string(b.Project)
	return b
}

// member makes a person with a role in the project, and a token.
func (b *bench) member(name string, role account.Role, scopes ...account.Scope) string {
	b.t.Helper()
	u, _ := b.Person(name, role)
	b.Join(u, role)
	return b.Token(u, scopes...)
}

// answer is what came back.
type answer struct {
	t *testing.T
	*httptest.ResponseRecorder
}

// get asks as the broker.
func (b *bench) get(path string) answer {
	b.t.Helper()
	return b.as(b.broker, http.MethodGet, path, "", "")
}

// post sends JSON as the broker.
func (b *bench) post(path, body string) answer {
	b.t.Helper()
	return b.as(b.broker, http.MethodPost, path, "application/json", body)
}

// as sends a request, and compares it and its answer with the document.
func (b *bench) as(token, method, path, kind, body string) answer {
	b.t.Helper()
	return b.send(token, method, path, kind, body, true)
}

// wrong is as for a request that does not agree with the document.
func (b *bench) wrong(token, method, path, kind, body string) answer {
	b.t.Helper()
	return b.send(token, method, path, kind, body, false)
}

func (b *bench) send(token, method, path, kind, body string, right bool) answer {
	b.t.Helper()
	request := func() *http.Request {
		r := httptest.NewRequest(method, webtest.Origin+path, strings.NewReader(body))
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return r
	}
	a := answer{b.t, b.server.Call(token, request())}
	b.compare(request(), body, a.ResponseRecorder, right)
	return a
}

// compare holds a request, if it is a right one, and its answer against the document.
func (b *bench) compare(r *http.Request, body string, w *httptest.ResponseRecorder, right bool) {
	b.t.Helper()
	d := mustDocument(b.t)
	op, ok := d.operation(r.Method, strings.TrimPrefix(r.URL.Path, "/api/v1"))
	if !ok {
		b.t.Errorf("the document has no %s %s", r.Method, r.URL.Path)
		return
	}
	if right {
		if err := op.checkRequest(r, body); err != nil {
			b.t.Errorf("the document does not have the request %s %s: %v", r.Method, r.URL, err)
		}
	}
	if err := op.checkAnswer(w); err != nil {
		b.t.Errorf("the document does not have the answer %d to %s %s: %v\n%.800s", w.Code, r.Method, r.URL, err, w.Body)
	}
}

// status wants a status.
func (a answer) status(want int) answer {
	a.t.Helper()
	if a.Code != want {
		a.t.Fatalf("status %d, want %d:\n%.1000s", a.Code, want, a.Body)
	}
	return a
}

// problem wants an error of a kind.
func (a answer) problem(status int, kind string) map[string]any {
	a.t.Helper()
	a.status(status)
	p := read[map[string]any](a)
	if got := a.Header().Get("Content-Type"); got != "application/problem+json" || p["kind"] != kind {
		a.t.Fatalf("an answer of type %s, kind %v, want %q:\n%s", got, p["kind"], kind, a.Body)
	}
	return p
}

// read decodes an answer.
func read[T any](a answer) (v T) {
	a.t.Helper()
	if err := json.Unmarshal(a.Body.Bytes(), &v); err != nil {
		a.t.Fatalf("%v:\n%.1000s", err, a.Body)
	}
	return v
}

// until asks for an address until it is as it should be.
func until[T any](b *bench, path string, is func(T) bool) T {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if v := read[T](b.get(path).status(http.StatusOK)); is(v) {
			return v
		}
	}
	b.t.Fatalf("%s is not as it should be after a minute", path)
	panic("unreachable")
}
