// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish"
	"hide/internal/publish/stream"
	"hide/web/webtest"
)

type modelView struct {
	ID, Run, SHA256 string
	LC              float64
}

// run makes a run and a redaction model of it.
func (b *bench) run() modelView {
	b.t.Helper()
	started := b.post(b.in+"/runs", `{"options":{"lc":"10","folds":"2","learners":"bayes","first":"none","attackers":"none"}}`).status(http.StatusAccepted)
	at := started.Header().Get("Location")
	r := until(b, at, func(r struct{ State, Error string }) bool { return r.State != "running" })
	if r.State != "finished" {
		b.t.Fatalf("the run: %+v", r)
	}
	return read[modelView](b.post(at+"/choose", `{"lc":10}`).status(http.StatusCreated))
}

type redactedView struct {
	ID, Text   string
	Redactions []struct {
		Start, End int
		NoteStart  int `json:"note_start"`
		NoteEnd    int `json:"note_end"`
		Label      string
	}
	Counts   map[string]int
	Model    string
	Warnings []string
}

// TestRunsAndRedaction walks from finished notes to redacted ones, as a program does.
func TestRunsAndRedaction(t *testing.T) {
	b := open(t, webtest.Invented(24))
	m := b.run()
	redact := b.in + "/models/" + m.ID + "/redact"
	if list := b.get(b.in + "/models").status(http.StatusOK); !strings.Contains(list.Body.String(), m.SHA256) {
		t.Errorf("%s", list.Body)
	}
	b.get(b.in + "/runs").status(http.StatusOK)
	one := b.get(b.in + "/runs/" + m.Run).status(http.StatusOK)
	if body := one.Body.String(); !strings.Contains(body, `"residual_tokens":{"value"`) || !strings.Contains(body, `"warnings":["`) || strings.Contains(body, "Abel") {
		t.Errorf("the run: %s", body)
	}
	b.get(b.in+"/runs/9").problem(http.StatusNotFound, "not found")
	b.post(b.in+"/runs/"+m.Run+"/choose", `{"lc":11}`).problem(http.StatusUnprocessableEntity, "invalid")
	b.post(b.in+"/runs/"+m.Run+"/choose", `{}`).status(http.StatusBadRequest)

	t.Run("one note", func(t *testing.T) { oneNote(t, b, redact) })
	t.Run("a stream", func(t *testing.T) { aStream(t, b, redact, m) })
	t.Run("bad lines", func(t *testing.T) { badLines(t, b, redact) })
	t.Run("a bad line in the middle", func(t *testing.T) { badInTheMiddle(t, b, redact) })
	t.Run("at once", func(t *testing.T) { atOnce(t, b, redact) })
	t.Run("messages", func(t *testing.T) { messages(t, b, redact) })
	t.Run("the trail", func(t *testing.T) {
		trail := b.get(b.in + "/audit?limit=1000").Body.String()
		for _, row := range []string{`"action":"redact","object":"p1/bundles/1","detail":"1 note, token t`, `"detail":"begins, format jsonl, token t`, `"detail":"30 notes, token t`} {
			if !strings.Contains(trail, row) {
				t.Errorf("the trail has no %s", row)
			}
		}
		request := func(status string) bool {
			return regexp.MustCompile(`/redact, token t[0-9a-f]+, status ` + status).MatchString(trail)
		}
		if request("200") || !request("422") {
			t.Error("redaction that succeeded has a second row, or a refused one has none")
		}
		if strings.Contains(trail, "Canary") {
			t.Error("the trail has text of a note")
		}
	})
}

func oneNote(t *testing.T, b *bench, redact string) {
	note := `{"id":"7","text":"Zoë 🌡. Lungs clear. Mr. Abel left well after rest. Canarywoman.","identities":[{"of":"patient","label":"PATIENT","value":"Canarywoman"}]}`
	r := read[redactedView](b.post(redact, note).status(http.StatusOK))
	text, original := []rune(r.Text), []rune("Zoë 🌡. Lungs clear. Mr. Abel left well after rest. Canarywoman.")
	if r.ID != "7" || len(r.Redactions) == 0 || strings.Contains(r.Text, "Canarywoman") || len(r.Warnings) == 0 || r.Model == "" {
		t.Fatalf("%+v", r)
	}
	n := 0
	for _, p := range r.Redactions {
		n++
		if string(text[p.Start:p.End]) != "["+p.Label+"]" || p.NoteStart >= p.NoteEnd || p.NoteEnd > len(original) {
			t.Errorf("%+v in %q", p, r.Text)
		}
	}
	if last := r.Redactions[n-1]; string(original[last.NoteStart:last.NoteEnd]) != "Canarywoman" {
		t.Errorf("%+v", last)
	}
	total := 0
	for _, c := range r.Counts {
		total += c
	}
	if total != n {
		t.Errorf("%d redactions, counted %v", n, r.Counts)
	}
	for _, bad := range []string{`{"id":"7"}`, `{"id":"7","text":"Canarywoman","patient":"x"}`, `{"id":"7","text":"a","text":"b"}`, `[`} {
		w := b.wrong(b.broker, http.MethodPost, redact, "application/json", bad)
		if w.Code != http.StatusUnprocessableEntity || strings.Contains(w.Body.String(), "Canary") {
			t.Errorf("%s: %d %s", bad, w.Code, w.Body)
		}
	}
	b.post(strings.Replace(redact, "/1/", "/8/", 1), note).problem(http.StatusNotFound, "not found")
	b.wrong(b.broker, http.MethodPost, redact, "text/csv", note).status(http.StatusUnsupportedMediaType)
	annotator := b.member("Ann", account.Annotator, account.Scopes()...)
	b.as(annotator, http.MethodPost, redact, "application/json", note).status(http.StatusForbidden)
}

// aStream holds the answer against the redaction model itself.
func aStream(t *testing.T, b *bench, redact string, m modelView) {
	var in bytes.Buffer
	for i := range 30 {
		fmt.Fprintf(&in, `{"id":"%d","text":"Lungs clear. Mr. Gruber%d left well after rest."}`+"\n", i, i)
	}
	var file, want bytes.Buffer
	if err := b.Projects.WriteBundle(t.Context(), b.Admin, b.Project, 1, &file); err != nil {
		t.Fatal(err)
	}
	model, err := publish.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	piece := stream.Piece{Name: stream.StandardInput, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(in.Bytes())), nil }}
	if _, err := stream.Redact(t.Context(), model, []stream.Piece{piece}, &want, stream.Options{Format: stream.JSONL}); err != nil {
		t.Fatal(err)
	}
	w := b.as(b.broker, http.MethodPost, redact, "application/x-ndjson", in.String()).status(http.StatusOK)
	if w.Body.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s", w.Body, want.String())
	}
	var warnings []string
	if err := json.Unmarshal([]byte(w.Header().Get("Hide-Warnings")), &warnings); err != nil || len(warnings) == 0 {
		t.Errorf("warnings: %v, %q", err, w.Header().Get("Hide-Warnings"))
	}
	if w := b.as(b.broker, http.MethodPost, redact, "application/x-ndjson", "").status(http.StatusOK); w.Body.Len() != 0 {
		t.Errorf("of nothing: %s", w.Body)
	}
}

func badLines(t *testing.T, b *bench, redact string) {
	bad := "{\"id\":\"1\"}\n" + `{"id":"2","text":"fine"}` + "\n" + `{"id":"3","Text":"Canarywoman"}` + "\n"
	p := b.as(b.broker, http.MethodPost, redact, "application/x-ndjson", bad).problem(http.StatusUnprocessableEntity, "record")
	if p["record"] != "line 1" || p["offset"] != 0. || p["code"] != "json" {
		t.Errorf("%v", p)
	}
	w := b.as(b.broker, http.MethodPost, redact+"?skip_bad=true", "application/x-ndjson", bad).status(http.StatusOK)
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"id":"2"`) || !strings.Contains(lines[2], `"record":"line 3"`) || strings.Contains(w.Body.String(), "Canary") {
		t.Errorf("%q", lines)
	}
	b.as(b.broker, http.MethodPost, redact+"?skip_bad=true", "application/hl7-v2", "").status(http.StatusBadRequest)
}

// talk is a stream on a real server, whose answers can be read before the next note is sent.
type talk struct {
	notes *io.PipeWriter
	lines *bufio.Scanner
	leave func()
}

// talkTo sends the first note and waits for the beginning of the answer.
func talkTo(t *testing.T, b *bench, redact string) talk {
	t.Helper()
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	body, notes := io.Pipe()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+redact, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(webtest.Origin, "http://")
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("Authorization", "Bearer "+b.broker)
	go fmt.Fprintln(notes, `{"id":"first","text":"Mr. Abel left."}`)
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return talk{notes, bufio.NewScanner(answer.Body), cancel}
}

// hears fails unless the next line of the answer has these words.
func (s talk) hears(t *testing.T, words string) {
	t.Helper()
	if !s.lines.Scan() || !strings.Contains(s.lines.Text(), words) {
		t.Fatalf("the answer is %q, %v, want %s", s.lines.Text(), s.lines.Err(), words)
	}
}

// isCut fails if the answer ends as a whole one.
func (s talk) isCut(t *testing.T) {
	t.Helper()
	if s.lines.Scan() || s.lines.Err() == nil {
		t.Errorf("the answer ends as a whole one, or goes on with %q", s.lines.Text())
	}
}

// atOnce reads each answer before it sends the next note, and goes away in the middle.
func atOnce(t *testing.T, b *bench, redact string) {
	s := talkTo(t, b, redact)
	s.hears(t, `"id":"first"`)
	for _, id := range []string{"second", "third"} {
		fmt.Fprintf(s.notes, `{"id":"%s","text":"Well."}`+"\n", id)
		s.hears(t, `"id":"`+id+`"`)
	}
	s.leave()
	s.isCut(t)
	// The row is written when the server has noticed.
	until(b, b.in+"/audit?limit=10", func(trail struct{ Rows []struct{ Detail string } }) bool {
		return slices.ContainsFunc(trail.Rows, func(r struct{ Detail string }) bool { return strings.HasPrefix(r.Detail, "3 notes, token t") })
	})
}

// badInTheMiddle sends a bad line after an answer: the last line says what is wrong with it.
func badInTheMiddle(t *testing.T, b *bench, redact string) {
	s := talkTo(t, b, redact)
	s.hears(t, `"id":"first"`)
	fmt.Fprintln(s.notes, `{"id":"2","Text":"Canarywoman"}`)
	s.hears(t, `{"refused":{"record":"line 2","offset":39,"code":"json","reason":"`)
	if strings.Contains(s.lines.Text(), "Canary") {
		t.Errorf("it quotes the note: %s", s.lines.Text())
	}
	s.isCut(t)
}

func messages(t *testing.T, b *bench, redact string) {
	const message = "MSH|^~\\&|EHR|||20260102||ORU^R01|17|P|2.5\rPID|1||4711^^^H^MR||Silva^Ivo\rOBX|1|TX|1^Note||Mr. Silva walks||||||F\r"
	w := b.as(b.broker, http.MethodPost, redact, "application/hl7-v2", message).status(http.StatusOK)
	if strings.Contains(w.Body.String(), "Silva") || !strings.HasPrefix(w.Body.String(), "MSH|") || w.Header().Get("Content-Type") != "application/hl7-v2" {
		t.Errorf("%v %q", w.Header(), w.Body)
	}
}

// TestTooManyStreamsAreToldToComeBack fills all places with requests that wait.
func TestTooManyStreamsAreToldToComeBack(t *testing.T) {
	b := open(t, webtest.Invented(1))
	var waiting []*io.PipeWriter
	started := make(chan struct{}, 100)
	done := make(chan struct{}, 100)
	const places = 4 // of imports
	for range places {
		body, w := io.Pipe()
		waiting = append(waiting, w)
		r := httptest.NewRequest(http.MethodPost, webtest.Origin+b.in+"/notes?format=jsonl", &begun{Reader: body, started: started})
		r.Header.Set("Content-Type", "application/x-ndjson")
		go func() {
			b.server.Call(b.broker, r)
			done <- struct{}{}
		}()
		<-started
	}
	b.as(b.broker, http.MethodPost, b.in+"/notes?format=jsonl", "application/x-ndjson", "").status(http.StatusServiceUnavailable)
	for _, w := range waiting {
		w.Close()
		<-done
	}
	b.as(b.broker, http.MethodPost, b.in+"/notes?format=jsonl", "application/x-ndjson", `{"id":"x","text":""}`).status(http.StatusCreated)
}

// begun tells when a body is first read.
type begun struct {
	io.Reader
	started chan struct{}
	told    bool
}

func (r *begun) Read(p []byte) (int, error) {
	if !r.told {
		r.told = true
		r.started <- struct{}{}
	}
	return r.Reader.Read(p)
}
