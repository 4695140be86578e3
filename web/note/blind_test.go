// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/web/webtest"
)

// openNotes adds notes that nobody has annotated: those of invented, from on.
func openNotes(t *testing.T, s *services.All, id project.ID, from, to int) {
	t.Helper()
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(webtest.Invented(to)), "\n") {
		if i >= from {
			bare, _, _ := strings.Cut(line, `,"spans"`)
			b.WriteString(bare + "}\n")
		}
	}
	file := format.File{Name: "open.jsonl", Size: int64(b.Len()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(b.String())), nil
	}}
	by := webtest.As(account.Broker)
	if _, err := s.Import(t.Context(), by, id, []format.File{file}, project.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

// trainedWith waits for a model under the settings that change makes.
func trainedWith(t *testing.T, s *services.All, id project.ID, change func(*project.Settings)) {
	t.Helper()
	by := webtest.As(account.Broker)
	set, err := s.Settings(t.Context(), by, id)
	if err != nil {
		t.Fatal(err)
	}
	change(&set)
	if err := s.SetSettings(t.Context(), by, id, set); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if tr, err := s.Training(t.Context(), by, id); err == nil && tr.Model > 0 && !tr.Running && !tr.Queued {
			return
		}
	}
	t.Fatal("no model came")
}

// halfBlind is a project whose model suggests at once, with open notes: one that is
// blind and one that is not.
func halfBlind(t *testing.T) (s *services.All, base string, blind, other string) {
	t.Helper()
	s, id := webtest.RealNotes(t, t.TempDir(), webtest.Invented(8))
	openNotes(t, s, id, 8, 24)
	trainedWith(t, s, id, func(set *project.Settings) { set.Blind, set.MinRecall = 0.5, 0 })
	web := newServer(t, s)
	base = "/p/" + string(id)
	for doc := 9; doc <= 24; doc++ {
		path := fmt.Sprintf("%s/notes/%d", base, doc)
		if strings.Contains(web.Get(account.Annotator, path).Body.String(), `id="note-blind"`) {
			blind = path
		} else {
			other = path
		}
	}
	if blind == "" || other == "" {
		t.Fatal("all notes are of one kind")
	}
	return s, base, blind, other
}

// suggests reports whether anything in an answer comes from a suggestion.
func suggests(body string) bool {
	for _, sign := range []string{"data-suggested", "suggested,", `data-answer="accept"`, `class="score"`, "1 suggestion"} {
		if strings.Contains(body, sign) {
			return true
		}
	}
	return false
}

// TestNoSuggestionReachesTheBrowserForABlindNote asks for a blind note in every way
// in which a note can be asked for, and guesses what would be suggested.
func TestNoSuggestionReachesTheBrowserForABlindNote(t *testing.T) {
	s, base, blind, other := halfBlind(t)
	web := newServer(t, s)
	if !suggests(web.Get(account.Annotator, other).Body.String()) {
		t.Fatal("the model suggests nothing in a note that is not blind")
	}
	// What the model would say: every note has its name at this place.
	guess := url.Values{"revision": {"0"}, "do": {"accept"}, "id": {"s43-47-PATIENT"}}
	above := url.Values{"revision": {"0"}, "do": {"accept-above"}, "threshold": {"0"}, "model": {"0"}}
	old := url.Values{"revision": {"7"}, "do": {"finish"}}
	fragment := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, webtest.Origin+path, nil)
		r.Header.Set("HX-Request", "true")
		return web.Ask(account.Annotator, r)
	}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"page": web.Get(account.Annotator, blind), "page of a broker": web.Get(account.Broker, blind), "chosen span": web.Get(account.Annotator, blind+"?span=s43-47-PATIENT"),
		"fragment": fragment(blind), "a guess accepted": postFragment(web, account.Annotator, blind+"/edit", guess), "all accepted": postFragment(web, account.Annotator, blind+"/edit", above),
		"conflict": postFragment(web, account.Annotator, blind+"/edit", old), "conflict without a script": web.Post(account.Annotator, blind+"/edit", old),
		"matches": postFragment(web, account.Annotator, blind+"/matches", url.Values{"revision": {"0"}, "id": {"s43-47-PATIENT"}}),
		"undo":    postFragment(web, account.Annotator, blind+"/undo", url.Values{"revision": {"0"}}),
	} {
		if suggests(w.Body.String()) {
			t.Errorf("%s: a suggestion is in the answer (status %d)", what, w.Code)
		}
	}
	for _, frame := range liveFrames(t, s, base, blind) {
		if suggests(frame) {
			t.Error("a suggestion is in a live part")
		}
	}
	if body := web.Get(account.Annotator, blind).Body.String(); strings.Contains(body, `<mark data-id`) {
		t.Error("something was annotated by guessing")
	}
	if w := postFragment(web, account.Annotator, blind+"/edit", url.Values{"revision": {"0"}, "do": {"finish"}}); w.Code >= 400 {
		t.Fatalf("finish: status %d", w.Code)
	}
	if body := web.Get(account.Annotator, blind).Body.String(); !suggests(body) || strings.Contains(body, `id="note-blind"`) {
		t.Error("no suggestion is shown when the note is done")
	}
}

// liveFrames is what a page of a note gets over its live connection at first.
func liveFrames(t *testing.T, projects allProjects, base, note string) []string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	origin := "http://" + l.Addr().String()
	s, err := New(Config{Accounts: fakeAccounts{}, Projects: projects, Legacy: projects, Features: everything(projects), PublicOrigin: origin, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: s.Handler()}}
	server.Start()
	defer server.Close()
	defer s.stopLive()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	address := "ws" + strings.TrimPrefix(server.URL, "http") + base + "/live?topics=note,queue,training&doc=" + note[strings.LastIndex(note, "/")+1:]
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{"Cookie": {s.cookie + "=" + string(account.Annotator)}, "Origin": {origin}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var frames []string
	for range 3 {
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		_, message, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, string(message))
	}
	return frames
}
