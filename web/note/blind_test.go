// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"io"
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
	"hide/web"
	"hide/web/webtest"
)

// openNotes adds notes without annotations: those of [webtest.Invented] with the numbers
// from to to-1.
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

// trainedWith changes the settings and waits for a model.
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
	server := newServer(t, s)
	base = "/p/" + string(id)
	for doc := 9; doc <= 24; doc++ {
		path := fmt.Sprintf("%s/notes/%d", base, doc)
		if strings.Contains(server.Get(account.Annotator, path).Body.String(), `id="note-blind"`) {
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

// TestNoSuggestionReachesTheBrowserForABlindNote requests a blind note in every possible
// way, and guesses a suggestion.
func TestNoSuggestionReachesTheBrowserForABlindNote(t *testing.T) {
	s, base, blind, other := halfBlind(t)
	server := newServer(t, s)
	if !suggests(server.Get(account.Annotator, other).Body.String()) {
		t.Fatal("the model suggests nothing in a note that is not blind")
	}
	// What the model would suggest: every note has its name at this place.
	guess := url.Values{"revision": {"0"}, "do": {"accept"}, "id": {"s43-47-PATIENT"}}
	above := url.Values{"revision": {"0"}, "do": {"accept-above"}, "threshold": {"0"}, "model": {"0"}}
	old := url.Values{"revision": {"7"}, "do": {"finish"}}
	fragment := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, webtest.Origin+path, nil)
		r.Header.Set("HX-Request", "true")
		return server.Ask(account.Annotator, r)
	}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"page": server.Get(account.Annotator, blind), "page of a broker": server.Get(account.Broker, blind), "chosen span": server.Get(account.Annotator, blind+"?span=s43-47-PATIENT"),
		"fragment": fragment(blind), "a guess accepted": server.PostFragment(account.Annotator, blind+"/edit", guess), "all accepted": server.PostFragment(account.Annotator, blind+"/edit", above),
		"conflict": server.PostFragment(account.Annotator, blind+"/edit", old), "conflict without a script": server.Post(account.Annotator, blind+"/edit", old),
		"matches": server.PostFragment(account.Annotator, blind+"/matches", url.Values{"revision": {"0"}, "id": {"s43-47-PATIENT"}}),
		"undo":    server.PostFragment(account.Annotator, blind+"/undo", url.Values{"revision": {"0"}}),
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
	if body := server.Get(account.Annotator, blind).Body.String(); strings.Contains(body, `<mark data-id`) {
		t.Error("something was annotated by guessing")
	}
	if w := server.PostFragment(account.Annotator, blind+"/edit", url.Values{"revision": {"0"}, "do": {"finish"}}); w.Code >= 400 {
		t.Fatalf("finish: status %d", w.Code)
	}
	if body := server.Get(account.Annotator, blind).Body.String(); !suggests(body) || strings.Contains(body, `id="note-blind"`) {
		t.Error("no suggestion is shown when the note is done")
	}
}

// liveFrames are the first messages to a note's page over its live connection.
func liveFrames(t *testing.T, projects pages, base, note string) []string {
	t.Helper()
	origin := webtest.Serve(t, projects, features(projects)...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	address := "ws" + strings.TrimPrefix(origin, "http") + base + "/live?topics=note,queue,training&doc=" + note[strings.LastIndex(note, "/")+1:]
	cookie := web.CookieName(origin, false) + "=" + string(account.Annotator)
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{"Cookie": {cookie}, "Origin": {origin}})
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

func TestABlindNoteSaysSoAndShowsNoSuggestion(t *testing.T) {
	s, _, blind, other := halfBlind(t)
	v := openBrowser(t, account.Annotator, s)
	v.Open(v.Base + other)
	v.Wait("the page's script", `!document.querySelector("#note-options").hidden`)
	if v.Count("mark[data-suggested]") == 0 {
		t.Error("the other note has no suggestion")
	}
	v.Open(v.Base + blind)
	v.Wait("the page's script", `!document.querySelector("#note-options").hidden`)
	v.WaitText("#note-blind", "no suggestions until it is finished")
	if n := v.Count("mark"); n > 0 {
		t.Errorf("%d marks in a blind note", n)
	}
	v.Axe()
	v.Shots("note-blind")
	v.Press("d")
	v.Wait("the next note", `location.pathname !== "`+blind+`"`)
	v.Open(v.Base + blind)
	if v.Count("#note-blind") > 0 || v.Count("mark[data-suggested]") == 0 {
		t.Error("the note is still blind when it is done")
	}
}
