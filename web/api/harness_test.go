// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"hide/internal/account"
	"hide/web/api"
	"hide/web/webtest"
)

// described is the OpenAPI document, and a validator of requests and answers by it.
type described struct {
	*v3.Document
	validator.Validator
}

var document = sync.OnceValues(func() (d described, err error) {
	doc, err := libopenapi.NewDocument(api.Document)
	if err != nil {
		return d, err
	}
	model, err := doc.BuildV3Model()
	if err != nil {
		return d, err
	}
	d.Document = &model.Model
	v, errs := validator.NewValidator(doc)
	d.Validator = v
	return d, errors.Join(errs...)
})

func mustDocument(t *testing.T) described {
	t.Helper()
	d, err := document()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

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
	b.compare(request(), a.ResponseRecorder, right)
	return a
}

// compare holds a request, if it is a right one, and its answer against the document.
func (b *bench) compare(r *http.Request, w *httptest.ResponseRecorder, right bool) {
	b.t.Helper()
	d := mustDocument(b.t)
	if right {
		if ok, errs := d.ValidateHttpRequest(r); !ok {
			b.t.Errorf("the document does not have the request %s %s:", r.Method, r.URL)
			for _, e := range errs {
				b.t.Errorf("%s: %s %+v", e.Message, e.Reason, e.SchemaValidationErrors)
			}
		}
	}
	result := w.Result()
	result.Body = io.NopCloser(bytes.NewReader(w.Body.Bytes()))
	if ok, errs := d.ValidateHttpResponse(r, result); !ok {
		b.t.Errorf("the document does not have the answer %d to %s %s:\n%.800s", w.Code, r.Method, r.URL, w.Body)
		for _, e := range errs {
			b.t.Errorf("%s: %s", e.Message, e.Reason)
			for _, s := range e.SchemaValidationErrors {
				b.t.Errorf("  %s at %s", s.Reason, s.FieldPath)
			}
		}
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
