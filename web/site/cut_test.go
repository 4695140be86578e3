// SPDX-License-Identifier: Apache-2.0

package site

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

// cutProjects fails in the middle of every download.
type cutProjects struct{ *fakeSanitize }

var errCut = errors.New("the disk went away")

// half writes more than any buffer between here and the client holds, or a few
// bytes that all of them hold back.
func half(w io.Writer, small bool) error {
	line := strings.Repeat("a line of a file\n", 4000)
	if small {
		line = "a line\n"
	}
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	return errCut
}

func (cutProjects) Export(_ context.Context, _ account.User, _ project.ID, name string, w io.Writer) error {
	return half(w, name == "brat")
}

func (cutProjects) WriteRelease(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	return half(w, false)
}

func (cutProjects) WriteBundle(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	return half(w, true)
}

// panicking breaks after the first bytes.
type panicking struct{ cutProjects }

func (panicking) Export(_ context.Context, _ account.User, _ project.ID, _ string, w io.Writer) error {
	if err := half(w, false); err == nil {
		return nil
	}
	panic("while writing")
}

// aborting asks net/http to cut the connection.
type aborting struct{ cutProjects }

func (aborting) Export(context.Context, account.User, project.ID, string, io.Writer) error {
	panic(http.ErrAbortHandler)
}

// download asks a running server for a file as a broker.
func download(t *testing.T, projects allProjects, path string) error {
	t.Helper()
	s := newServer(t, projects)
	running := httptest.NewServer(s.Handler())
	defer running.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(webtest.Origin, "http://")
	r.AddCookie(&http.Cookie{Name: s.cookie, Value: string(account.Broker)})
	answer, err := running.Client().Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", path, answer.StatusCode)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func TestACutDownloadDoesNotLookWhole(t *testing.T) {
	for _, path := range []string{
		"/p/p1/download/annotations.jsonl", "/p/p1/download/brat.zip", "/p/p1/releases/1/zip", "/p/p1/bundles/2",
	} {
		if err := download(t, cutProjects{madePublish()}, path); err == nil {
			t.Errorf("%s: half a file arrives without an error", path)
		}
	}
	if err := download(t, panicking{cutProjects{madePublish()}}, "/p/p1/download/annotations.jsonl"); err == nil {
		t.Error("a panic after the first byte ends like a whole file")
	}
	if err := download(t, aborting{cutProjects{madePublish()}}, "/p/p1/download/annotations.jsonl"); err == nil {
		t.Error("a handler that cuts the connection is answered for")
	}
	if err := download(t, madePublish(), "/p/p1/releases/1/zip"); err != nil {
		t.Errorf("a whole file: %v", err)
	}
}
