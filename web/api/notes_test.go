// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/web/webtest"
)

type summary struct {
	ID, Name, State string
	Spans, Tokens   int
}

type listed struct {
	Notes    []summary
	Matching int
	Next     string
}

type state struct {
	Revision int
	State    string
	Spans    []struct {
		ID, Label, Text, Source string
		Start, End              int
	}
	Suggestions []struct {
		Label, Text, From string
		Start, End        int
		Score             float64
	}
	Text string
}

type report struct {
	Import, Format        string
	Notes, Spans, Refused int
	Known                 int
	Problems              []struct{ File, Record, Code, Reason string }
	Labels                []struct{ Label, Becomes string }
}

func TestNotesAreImportedFromEveryKindOfBody(t *testing.T) {
	b := open(t, webtest.Invented(1))
	line := func(id string) string { return fmt.Sprintf(`{"id":"%s","text":"Zoë 🌡 38.2"}`+"\n", id) }
	for kind, body := range map[string]string{"application/x-ndjson": line("a") + line("b"), "application/octet-stream": line("c") + line("d")} {
		if r := read[report](b.as(b.broker, http.MethodPost, b.in+"/notes?format=jsonl", kind, body).status(http.StatusCreated)); r.Notes != 2 || r.Import == "" {
			t.Errorf("%s: %+v", kind, r)
		}
	}
	r := read[report](b.post(b.in+"/notes", "{\n \"id\": \"e\", \"text\": \"Seen by\\nDr. Weiss\",\n \"spans\": [{\"start\": 12, \"end\": 17, \"label\": \"DOCTOR\"}]\n}").status(http.StatusCreated))
	if r.Notes != 1 || r.Spans != 1 {
		t.Errorf("one note: %+v", r)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, name := range []string{"f.txt", "g.txt"} {
		part, err := w.CreateFormFile("files", name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(part, "No acute events.")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := read[report](b.as(b.broker, http.MethodPost, b.in+"/notes", w.FormDataContentType(), form.String()).status(http.StatusCreated)); r.Notes != 2 {
		t.Errorf("files: %+v", r)
	}
	if r := read[report](b.as(b.broker, http.MethodPost, b.in+"/notes?name=h.txt", "text/plain", "Rest at home.").status(http.StatusCreated)); r.Notes != 1 {
		t.Errorf("a text: %+v", r)
	}
	var names []string
	for _, n := range read[listed](b.get(b.in + "/notes").status(http.StatusOK)).Notes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	if want := []string{"a", "b", "c", "d", "e", "f.txt", "g.txt", "h.txt", "note-0"}; !slices.Equal(names, want) {
		t.Errorf("the project has %q, want %q", names, want)
	}
}

func TestBadNotesAreRefusedWithTheirPlace(t *testing.T) {
	b := open(t, webtest.Invented(1))
	body := `{"id":"x","text":"fine"}` + "\n" + `{"id":"y","text":"Canarywoman","spans":[{"start":0,"end":99,"label":"PATIENT"}]}` + "\n"
	at := b.in + "/notes?format=jsonl&name=in.jsonl"
	p := b.as(b.broker, http.MethodPost, at, "application/x-ndjson", body).problem(http.StatusUnprocessableEntity, "record")
	if p["file"] != "in.jsonl" || p["record"] != "line 2" || p["offset"] != 25. || p["code"] == "" || strings.Contains(fmt.Sprint(p), "Canary") {
		t.Errorf("got %v", p)
	}
	if n := read[listed](b.get(b.in + "/notes")); n.Matching != 1 {
		t.Errorf("a refused import left %d notes", n.Matching)
	}
	if r := read[report](b.as(b.broker, http.MethodPost, at+"&preview=true&skip_bad=true", "application/x-ndjson", body+`{"id":"note-0","text":"again"}`).status(http.StatusOK)); r.Notes != 1 || r.Refused != 2 || r.Known != 1 || r.Import != "" || len(r.Problems) != 2 {
		t.Errorf("preview: %+v", r)
	}
	if n := read[listed](b.get(b.in + "/notes")); n.Matching != 1 {
		t.Errorf("a preview left %d notes", n.Matching)
	}
	if r := read[report](b.as(b.broker, http.MethodPost, at+"&skip_bad=true", "application/x-ndjson", body).status(http.StatusCreated)); r.Notes != 1 || r.Refused != 1 {
		t.Errorf("without the bad one: %+v", r)
	}
}

// TestRequestsAreReadStrictly has what a lenient reader would guess about.
func TestRequestsAreReadStrictly(t *testing.T) {
	b := open(t, webtest.Invented(1))
	const jsonKind, note = "application/json", `{"id":"1","text":""}`
	for _, c := range []struct {
		method, path, kind, body string
		status                   int
	}{
		{"POST", "/notes?prewiev=true", jsonKind, note, 400},
		{"POST", "/notes?preview=yes", jsonKind, note, 400},
		{"POST", "/notes?preview=true&preview=false", jsonKind, note, 400},
		{"POST", "/notes?random=true", jsonKind, note, 400},
		{"POST", "/notes?format=xls", "text/plain", note, 400},
		{"POST", "/notes?encoding=ebcdic", "text/plain", note, 400},
		{"POST", "/notes?name=../x", "text/plain", note, 400},
		{"POST", "/notes", "", note, 415},
		{"POST", "/notes", jsonKind, `{"id":"1","Id":"2","text":""}`, 400},
		{"POST", "/notes", jsonKind, note + note, 400},
		{"POST", "/notes", "multipart/form-data; boundary=b", "--b--\r\n", 400},
		{"POST", "/notes", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\ncut", 400},
		{"POST", "/notes", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\njsonl\r\n--b--\r\n", 400},
		{"POST", "/notes/1/edits", "text/plain", `{"revision":1,"do":"finish"}`, 415},
		{"POST", "/notes/1/edits", jsonKind, `{"revision":1,"do":"finish","force":true}`, 400},
		{"POST", "/notes/1/edits", jsonKind, `{"revision":1,"revision":2,"do":"finish"}`, 400},
		{"POST", "/notes/1/edits", jsonKind, `{"do":"finish"}`, 400},
		{"POST", "/notes/1/edits", jsonKind, `{"revision":0,"do":"delete"}`, 400},
		{"POST", "/notes/1/edits", jsonKind, `{"revision":0,"do":"tag","reopens":true}`, 400},
		{"GET", "/notes?limit=0", "", "", 400},
		{"GET", "/notes?limit=501", "", "", 400},
		{"GET", "/notes?cursor=-1", "", "", 400},
		{"GET", "/notes?state=done", "", "", 400},
		{"GET", "/notes/x", "", "", 404},
		{"GET", "/notes/99", "", "", 404},
		{"GET", "/export", "", "", 400},
		{"GET", "/export?format=jsonl&map=none", "", "", 400},
		{"POST", "/runs", jsonKind, `{"options":{"lx":"1"}}`, 400},
		{"POST", "/runs", jsonKind, `{"options":{"lc":"minus"}}`, 422},
		{"POST", "/releases", jsonKind, `{"model":"x","notes":1,"warnings":[],"readable":[],"found":0}`, 400},
	} {
		w := b.wrong(b.broker, c.method, b.in+c.path, c.kind, c.body)
		if w.Code != c.status || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s %q: status %d, want %d\n%.300s", c.method, c.path, c.body, w.Code, c.status, w.Body)
		}
	}
	if n := read[listed](b.get(b.in + "/notes")); n.Matching != 1 {
		t.Errorf("refused requests left %d notes", n.Matching)
	}
}

func TestListsOfNotesGoOnWithACursor(t *testing.T) {
	b := open(t, webtest.Invented(7))
	b.as(b.broker, http.MethodPost, b.in+"/notes?format=jsonl", "application/x-ndjson", `{"id":"new","text":"Well."}`).status(http.StatusCreated)
	var all []string
	for path := b.in + "/notes?limit=3"; ; {
		page := read[listed](b.get(path).status(http.StatusOK))
		if page.Matching != 8 || len(page.Notes) > 3 {
			t.Fatalf("%+v", page)
		}
		for _, n := range page.Notes {
			all = append(all, n.ID)
		}
		if page.Next == "" {
			break
		}
		path = b.in + "/notes?limit=3&cursor=" + page.Next
	}
	if want := []string{"1", "2", "3", "4", "5", "6", "7", "8"}; !slices.Equal(all, want) {
		t.Errorf("the pages list %q", all)
	}
	if page := read[listed](b.get(b.in + "/notes?state=new").status(http.StatusOK)); page.Matching != 1 || page.Notes[0].Name != "new" || page.Notes[0].State != "new" {
		t.Errorf("new notes: %+v", page)
	}
	next := read[struct{ Note, Reason string }](b.get(b.in + "/next").status(http.StatusOK))
	if next.Note != "8" || next.Reason == "" {
		t.Errorf("next: %+v", next)
	}
	for range 2 {
		b.post(b.in+"/notes/8/edits", fmt.Sprintf(`{"revision":%d,"do":"finish","undecided":9}`, read[state](b.get(b.in+"/notes/8")).Revision))
	}
	b.get(b.in + "/next").status(http.StatusNoContent)
}

// TestEditsAreMadeOnARevision makes every edit of a note with characters outside of ASCII.
func TestEditsAreMadeOnARevision(t *testing.T) {
	b := open(t, webtest.Invented(1))
	b.post(b.in+"/notes", `{"id":"z","text":"Zoë 🌡 seen by Dr. Weiss and Zoë"}`).status(http.StatusCreated)
	at := b.in + "/notes/2"
	edits := at + "/edits"
	n := read[state](b.get(at).status(http.StatusOK))
	if n.State != "new" || n.Text == "" || len(n.Spans) != 0 {
		t.Fatalf("%+v", n)
	}
	tag := `{"revision":%d,"do":"tag","spans":[{"start":18,"end":23,"label":"DOCTOR","text":"%s"},{"start":0,"end":3,"label":"PATIENT","text":"Zoë"}]}`
	b.post(edits, fmt.Sprintf(tag, n.Revision, "Weisz")).problem(http.StatusConflict, "text")
	b.post(edits, strings.ReplaceAll(fmt.Sprintf(tag, n.Revision, "Weiss"), "23", "230")).status(http.StatusUnprocessableEntity)
	first := n.Revision
	n = read[state](b.post(edits, fmt.Sprintf(tag, n.Revision, "Weiss")).status(http.StatusOK))
	if n.State != "in_progress" || len(n.Spans) != 2 || n.Spans[1].Text != "Weiss" || n.Spans[1].Start != 18 || n.Spans[1].Source != "manual" {
		t.Fatalf("%+v", n)
	}
	conflict := b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"tag","spans":[{"start":18,"end":23,"label":"DATE","text":"Weiss"}]}`, first)).problem(http.StatusConflict, "revision")
	if conflict["revision"] != float64(n.Revision) || conflict["current"] == nil {
		t.Errorf("conflict: %v", conflict)
	}
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"relabel","ids":["%s"],"label":"PATIENT"}`, n.Revision, n.Spans[1].ID)).status(http.StatusOK))
	if n.Spans[1].Label != "PATIENT" {
		t.Errorf("relabelled: %+v", n)
	}
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"undo"}`, n.Revision)).status(http.StatusOK))
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"redo"}`, n.Revision)).status(http.StatusOK))
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"remove","ids":["%s"]}`, n.Revision, n.Spans[1].ID)).status(http.StatusOK))
	if len(n.Spans) != 1 {
		t.Errorf("removed: %+v", n)
	}
	b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"remove","ids":["77"]}`, n.Revision)).status(http.StatusUnprocessableEntity)
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"finish","undecided":%d}`, n.Revision, len(n.Suggestions))).status(http.StatusOK))
	if n.State != "finished" {
		t.Errorf("finished: %+v", n)
	}
	again := `{"revision":%d,"do":"tag","spans":[{"start":18,"end":23,"label":"DOCTOR","text":"Weiss"}],"reopens":%v}`
	b.post(edits, fmt.Sprintf(again, n.Revision, false)).problem(http.StatusConflict, "finished")
	n = read[state](b.post(edits, fmt.Sprintf(again, n.Revision, true)).status(http.StatusOK))
	if n.State != "in_progress" || len(n.Spans) != 2 {
		t.Errorf("opened again: %+v", n)
	}
}

// TestEditsThatCannotBeReadSaySo: such an edit is refused as such on any revision, and an edit
// on a revision that the note never had is not taken for one of somebody who was slower.
func TestEditsThatCannotBeReadSaySo(t *testing.T) {
	b := open(t, webtest.Invented(1))
	b.post(b.in+"/notes", `{"id":"z","text":"Zoë 🌡 seen by Dr. Weiss","spans":[{"start":18,"end":23,"label":"DOCTOR"}]}`).status(http.StatusCreated)
	at := b.in + "/notes/2"
	edits := at + "/edits"
	n := read[state](b.get(at).status(http.StatusOK))
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"remove","ids":["%s"],"reopens":true}`, n.Revision, n.Spans[0].ID)).status(http.StatusOK))
	n = read[state](b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"undo"}`, n.Revision)).status(http.StatusOK))
	for _, c := range []struct{ edit, says string }{
		{`"do":"relabel","ids":["` + n.Spans[0].ID + `"]`, "label: "},
		{`"do":"tag","spans":[{"start":0,"end":3,"label":"","text":"Zoë"}]`, "spans[0].label: "},
		{`"do":"tag","spans":[{"start":3,"end":4,"label":"DOCTOR","text":" "}]`, "spans[0]: "},
		{`"do":"erase"`, "do: "},
		{`"do":"tag"`, "spans: "},
	} {
		for _, revision := range []int{n.Revision - 1, n.Revision} {
			said := b.wrong(b.broker, http.MethodPost, edits, "application/json", fmt.Sprintf(`{"revision":%d,%s}`, revision, c.edit)).status(http.StatusBadRequest).Body.String()
			if !strings.Contains(said, c.says) {
				t.Errorf("%s on revision %d of %d: %s", c.edit, revision, n.Revision, said)
			}
		}
	}
	for _, revision := range []int{-1, n.Revision + 1} {
		p := b.post(edits, fmt.Sprintf(`{"revision":%d,"do":"finish"}`, revision)).problem(http.StatusConflict, "revision")
		if said, _ := p["detail"].(string); !strings.Contains(said, "no revision") || p["current"] == nil {
			t.Errorf("revision %d of %d: %v", revision, n.Revision, p)
		}
	}
}

// TestSuggestionsAreDecided has suggestions from structured data.
func TestSuggestionsAreDecided(t *testing.T) {
	b := open(t, webtest.Invented(1))
	at := b.in + "/notes/"
	for n := 2; ; n++ { // some notes are annotated without suggestions, by a hash with the key of the project
		note := fmt.Sprintf(`{"id":"z%d","patient":"q","text":"🌡 Canarywoman left. Canarywoman came back.","identities":[{"of":"patient","label":"PATIENT","value":"Canarywoman"}]}`, n)
		b.post(b.in+"/notes", note).status(http.StatusCreated)
		if made := read[struct{ Blind bool }](b.get(at + strconv.Itoa(n)).status(http.StatusOK)); !made.Blind {
			at += strconv.Itoa(n)
			break
		}
	}
	type open struct {
		Revision    int
		Suggestions []struct {
			Start, End  int
			Label, Text string
		}
	}
	s := read[open](b.get(at + "/suggestions").status(http.StatusOK))
	if len(s.Suggestions) != 2 || s.Suggestions[0].Start != 2 || s.Suggestions[0].Text != "Canarywoman" {
		t.Fatalf("%+v", s)
	}
	b.post(at+"/edits", fmt.Sprintf(`{"revision":%d,"do":"finish"}`, s.Revision)).problem(http.StatusConflict, "undecided")
	one := func(do string, revision, i int) string {
		x := s.Suggestions[i]
		return fmt.Sprintf(`{"revision":%d,"do":"%s","suggestions":[{"start":%d,"end":%d,"label":"%s"}]}`, revision, do, x.Start, x.End, x.Label)
	}
	n := read[state](b.post(at+"/edits", one("accept", s.Revision, 0)).status(http.StatusOK))
	if len(n.Spans) != 1 || n.Spans[0].Text != s.Suggestions[0].Text || n.Spans[0].Source != "accepted" {
		t.Errorf("accepted: %+v", n)
	}
	n = read[state](b.post(at+"/edits", one("reject", n.Revision, 1)).status(http.StatusOK))
	if len(n.Suggestions) != len(s.Suggestions)-2 {
		t.Errorf("rejected: %+v", n)
	}
	b.post(at+"/edits", one("accept", n.Revision, 1)).status(http.StatusUnprocessableEntity)
}

func TestExportsWarnOfLosses(t *testing.T) {
	b := open(t, webtest.Invented(3))
	w := b.get(b.in + "/export?format=jsonl").status(http.StatusOK)
	if strings.Count(w.Body.String(), "\n") != 3 || w.Header().Get("Hide-Losses") != "" || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%v\n%s", w.Header(), w.Body)
	}
	p := b.get(b.in+"/export?format=brat").problem(http.StatusConflict, "losses")
	if len(p["losses"].([]any)) == 0 {
		t.Errorf("%v", p)
	}
	w = b.get(b.in + "/export?format=brat&accept_losses=true").status(http.StatusOK)
	if !strings.HasPrefix(w.Header().Get("Hide-Losses"), `["`) || !strings.HasPrefix(w.Body.String(), "PK") {
		t.Errorf("%v", w.Header())
	}
}
