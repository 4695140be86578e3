// SPDX-License-Identifier: Apache-2.0

package note

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

func decode(t *testing.T, n *project.Note, values url.Values) (annotate.Edit, error) {
	t.Helper()
	f, err := readNoteForm(values)
	if err != nil {
		return annotate.Edit{}, err
	}
	return f.edit(n)
}

func statusOf(err error) int {
	var p *ui.Error
	if errors.As(err, &p) {
		return p.Status
	}
	return 0
}

func TestFormTagsByCodePoints(t *testing.T) {
	text := "👩🏽‍⚕️ saw Zoe\u0308 Weiß"
	e, err := decode(t, noteOf(text, nil), editForm(t, text, "Zoe\u0308 Weiß", "PATIENT", 0))
	if err != nil {
		t.Fatal(err)
	}
	if e.Verb != annotate.VerbTag || len(e.Spans) != 1 || e.Spans[0] != spanOf(t, text, "Zoe\u0308 Weiß", "PATIENT") {
		t.Errorf("edit %+v", e)
	}
}

func TestFormRefusesWordsThatAreNotThere(t *testing.T) {
	text := "👩 saw Ann"
	form := editForm(t, text, "Ann", "PATIENT", 0)
	form.Set("start", "7") // as a browser that counts UTF-16 units would
	form.Set("end", "9")
	_, err := decode(t, noteOf(text, nil), form)
	if statusOf(err) != http.StatusConflict {
		t.Fatalf("error %v, want a conflict", err)
	}
	if strings.Contains(err.Error(), "Ann") || strings.Contains(err.Error(), "nn") && strings.Contains(err.Error(), text) {
		t.Errorf("the refusal quotes the note: %v", err)
	}
	if !strings.Contains(err.Error(), "holds 2 characters") || !strings.Contains(err.Error(), "sent 3") {
		t.Errorf("the refusal gives no lengths: %v", err)
	}
}

func TestFormAcceptsLineEndsAsFormsSendThem(t *testing.T) {
	for _, text := range []string{"John\nSmith", "John\r\nSmith", "John\rSmith"} {
		form := editForm(t, text, text, "PATIENT", 0)
		form.Set("surface", "John\r\nSmith")
		if _, err := decode(t, noteOf(text, nil), form); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFormRefusesNonsense(t *testing.T) {
	text := "Ann was here"
	n := noteOf(text, []annotate.Span{{Start: 0, End: 3, Label: "PATIENT"}})
	cases := map[string]url.Values{
		"no revision":            {"do": {"remove"}, "id": {"1"}},
		"unknown verb":           {"revision": {"0"}, "do": {"explode"}},
		"nothing selected":       {"revision": {"0"}, "do": {"tag"}, "label": {"DATE"}},
		"out of range":           {"revision": {"0"}, "do": {"tag"}, "start": {"5"}, "end": {"99"}, "surface": {"x"}},
		"empty span":             {"revision": {"0"}, "do": {"tag"}, "start": {"5"}, "end": {"5"}, "surface": {""}},
		"not a number":           {"revision": {"0"}, "do": {"tag"}, "start": {"x"}, "end": {"5"}, "surface": {"x"}},
		"unknown annotation":     {"revision": {"0"}, "do": {"remove"}, "id": {"9"}},
		"removing a suggestion":  {"revision": {"0"}, "do": {"remove"}, "id": {"s0-3-DATE"}},
		"unknown suggestion":     {"revision": {"0"}, "do": {"accept"}, "id": {"s0-3-DATE"}},
		"no id":                  {"revision": {"0"}, "do": {"accept"}},
		"threshold out of range": {"revision": {"0"}, "do": {"accept-above"}, "threshold": {"200"}},
		"no place ticked":        {"revision": {"0"}, "do": {"tag-all"}, "surface": {"Ann"}},
	}
	for name, form := range cases {
		if _, err := decode(t, n, form); statusOf(err) != http.StatusUnprocessableEntity {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestButtonsWorkWithoutScripts(t *testing.T) {
	text := "Ann saw Bob Stone in Ulm"
	suggestion := annotate.Suggestion{Span: spanOf(t, text, "Ulm", "CITY"), Score: 0.8, Model: 3}
	n := noteOf(text, []annotate.Span{spanOf(t, text, "Ann", "PATIENT"), spanOf(t, text, "Bob", "DOCTOR")}, suggestion)
	form := func(do string, ids ...string) url.Values {
		return url.Values{"revision": {"0"}, "do": {do}, "id": ids}
	}
	cases := []struct {
		name string
		form url.Values
		want annotate.Edit
	}{
		{"remove the chosen", form("remove", "1"), annotate.Edit{Verb: annotate.VerbRemove, IDs: []uint64{1}}},
		{"relabel the chosen", form("label DATE", "2"), annotate.Edit{Verb: annotate.VerbRelabel, IDs: []uint64{2}, Label: "DATE"}},
		{"accept the chosen", form("accept", "s21-24-CITY"), annotate.Edit{Verb: annotate.VerbAccept, Suggestions: []annotate.Suggestion{suggestion}}},
		{"reject the chosen", form("reject", "s21-24-CITY"), annotate.Edit{Verb: annotate.VerbReject, Suggestions: []annotate.Suggestion{suggestion}}},
		{"another label for a suggestion", form("label STATE", "s21-24-CITY"), annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{spanOf(t, text, "Ulm", "STATE")}}},
		{"widen", form("widen-right", "2"), annotate.Edit{Verb: annotate.VerbResize, IDs: []uint64{2}, Spans: []annotate.Span{spanOf(t, text, "Bob Stone", "DOCTOR")}}},
		{"finish", form("finish"), annotate.Edit{Verb: annotate.VerbFinish}},
	}
	for _, c := range cases {
		e, err := decode(t, n, c.form)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Verb != c.want.Verb || !slices.Equal(e.IDs, c.want.IDs) || e.Label != c.want.Label ||
			!slices.Equal(e.Spans, c.want.Spans) || !slices.Equal(e.Suggestions, c.want.Suggestions) {
			t.Errorf("%s: got %+v, want %+v", c.name, e, c.want)
		}
	}
}

func TestAcceptAboveTakesOnlyWhatReachesTheScore(t *testing.T) {
	text := "Ann Bob Ulm"
	n := noteOf(text, nil,
		annotate.Suggestion{Span: spanOf(t, text, "Ann", "PATIENT"), Score: 0.95, Model: 12},
		annotate.Suggestion{Span: spanOf(t, text, "Bob", "DOCTOR"), Score: 0.80, Model: 12},
		annotate.Suggestion{Span: spanOf(t, text, "Ulm", "CITY"), Score: 0.799, Model: 12},
	)
	form := url.Values{"revision": {"0"}, "do": {"accept-above"}, "threshold": {"80"}, "model": {"12"}}
	e, err := decode(t, n, form)
	if err != nil || len(e.Suggestions) != 2 {
		t.Errorf("accepts %d, want 2 (%v)", len(e.Suggestions), err)
	}
	for _, model := range []string{"11", "13", "0", ""} {
		form.Set("model", model)
		if e, err := decode(t, n, form); statusOf(err) != http.StatusConflict || len(e.Suggestions) != 0 {
			t.Errorf("model %q: accepts %d (%v)", model, len(e.Suggestions), err)
		}
	}
}

func TestFormRefusesAMarkWithOtherWords(t *testing.T) {
	text := "Ann saw Bob in Ulm"
	n := noteOf(text, []annotate.Span{spanOf(t, text, "Ann", "PATIENT")}, annotate.Suggestion{Span: spanOf(t, text, "Ulm", "CITY"), Score: 0.8})
	for do, id := range map[string]string{
		"accept": "s15-18-CITY", "reject": "s15-18-CITY", "label STATE": "s15-18-CITY", "remove": "1", "label DATE": "1", "widen-right": "1",
	} {
		form := url.Values{"revision": {"0"}, "do": {do}, "id": {id}, "surface": {"Bob"}}
		if _, err := decode(t, n, form); statusOf(err) != http.StatusConflict {
			t.Errorf("%s of other words: %v", do, err)
		}
		form["surface"] = []string{map[string]string{"1": "Ann"}[id]}
		if id != "1" {
			form["surface"] = []string{"Ulm"}
		}
		if _, err := decode(t, n, form); err != nil {
			t.Errorf("%s: %v", do, err)
		}
	}
}

func TestTagAllTakesTickedPlacesOnly(t *testing.T) {
	text := "Okafor, okafor, OKAFOR."
	values := url.Values{"revision": {"0"}, "do": {"tag-all"}, "label": {"DOCTOR"}, "surface": {"Okafor"}, "place": {"8-14", "16-22"}}
	e, err := decode(t, noteOf(text, nil), values)
	if err != nil || len(e.Spans) != 2 || e.Spans[1].Surface(text) != "OKAFOR" {
		t.Fatalf("edit %+v, %v", e, err)
	}
	values["place"] = []string{"6-12"}
	if _, err := decode(t, noteOf(text, nil), values); statusOf(err) != http.StatusConflict {
		t.Errorf("a place with other words: %v", err)
	}
}

func TestEdgesMoveByWordAndByCharacter(t *testing.T) {
	const text = "Dr. Frank Okafor-Lee, MD"
	cases := []struct {
		do, from, want string
		exact          bool
	}{
		{"widen-right", "Okafor", "Okafor-", false},
		{"widen-right", "Okafor-", "Okafor-Lee", false},
		{"widen-left", "Frank", ". Frank", false},
		{"narrow-left", "Frank Okafor", "Okafor", false},
		{"narrow-right", "Frank Okafor", "Frank", false},
		{"widen-right", "Oka", "Okafor", false}, // first to the end of its own word
		{"widen-left", "kafor", "Okafor", false},
		{"widen-right", "Frank", "Frank ", true},
		{"narrow-left", "Frank", "rank", true},
		{"narrow-right", "Frank", "Fran", true},
		{"widen-left", "rank", "Frank", true},
		{"narrow-left", "Frank", "", false}, // nothing would be left
		{"widen-left", "Dr", "", false},     // nothing to take in
		{"widen-right", "MD", "", true},
	}
	for _, c := range cases {
		got, ok := edges[c.do].move(text, spanOf(t, text, c.from, "DOCTOR"), c.exact)
		if !ok && c.want == "" {
			continue
		}
		if !ok || got.Surface(text) != c.want {
			t.Errorf("%s of %q: %q, %v; want %q", c.do, c.from, text[max(got.Start, 0):max(got.End, got.Start)], ok, c.want)
		}
	}
}

func TestWideningStopsAtTheNextSpan(t *testing.T) {
	text := "Ann Bob"
	n := noteOf(text, []annotate.Span{spanOf(t, text, "Ann", "PATIENT"), spanOf(t, text, "Bob", "DOCTOR")})
	if _, err := decode(t, n, url.Values{"revision": {"0"}, "do": {"widen-right"}, "id": {"1"}}); statusOf(err) != http.StatusUnprocessableEntity {
		t.Errorf("widening over another span: %v", err)
	}
}

func FuzzNoteForm(f *testing.F) {
	f.Add("tag", "0", "3", "Ann", "1", "90")
	f.Add("accept", "x", "-1", "", "s0-3-DATE", "NaN")
	f.Add("label DATE", "x", "-1", "Ann", "1", "")
	f.Add("tag-all", "9223372036854775807", "1", "Ann", "", "1e400")
	f.Fuzz(func(t *testing.T, do, start, end, surface, id, threshold string) {
		n := noteOf("Ann 👩 was\r\nhere", []annotate.Span{{Start: 0, End: 3, Label: "PATIENT"}})
		e, err := decode(t, n, url.Values{
			"revision": {"0"}, "do": {do}, "start": {start}, "end": {end}, "surface": {surface}, "id": {id},
			"threshold": {threshold}, "place": {start + "-" + end}, "label": {"DATE"},
		})
		if err == nil && annotate.CheckSpans(n.Document.Text, e.Spans) != nil {
			t.Errorf("%s made spans that do not fit", do)
		}
	})
}

// The list beside a note announces the next one, and finishing the note opens that one.
func TestFinishingOpensTheNoteThatTheListAnnounced(t *testing.T) {
	f := newFakeNotes("Ann.", "Bob.", "Carl.")
	s := newServer(t, f)
	if body := s.Get(account.Annotator, "/p/p1/notes/1").Body.String(); !strings.Contains(body, `data-note="2">note-2</a>`) {
		t.Error("the list does not announce a note by its name")
	}
	w := s.Post(account.Annotator, "/p/p1/notes/1/edit", url.Values{"revision": {"0"}, "do": {"finish"}, "next": {"3"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/notes/3" {
		t.Errorf("finishing answers %d and leads to %q", w.Code, w.Header().Get("Location"))
	}
}

// A note that a colleague finished, or deleted, while the list announced it is not opened.
func TestFinishingSkipsAnAnnouncedNoteThatNeedsNobodyAnyMore(t *testing.T) {
	f := newFakeNotes("Ann.", "Bob.", "Carl.")
	s := newServer(t, f)
	s.Post(account.Annotator, "/p/p1/notes/3/edit", url.Values{"revision": {"0"}, "do": {"finish"}})
	for doc, gone := range map[string]string{"1": "3", "2": "9"} {
		w := s.Post(account.Annotator, "/p/p1/notes/"+doc+"/edit", url.Values{"revision": {"0"}, "do": {"finish"}, "next": {gone}})
		if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to == "/p/p1/notes/"+gone {
			t.Errorf("finishing note %s answers %d and leads to %q", doc, w.Code, to)
		}
	}
}
