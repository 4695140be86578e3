// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
)

// worked is a document that people edited at random.
func worked(t *testing.T, draw *rand.Rand) annotate.Annotated {
	t.Helper()
	text := "Señora Rose 😀 was seen by Dr. Weiss on 3 May.\r\nRose walks."
	l := &annotate.Layer{State: annotate.New}
	offsets := annotate.NewOffsets(text)
	for i := range 12 {
		start := annotate.RuneOff(draw.IntN(int(offsets.Runes()) - 6))
		span, err := offsets.Span(start, start+annotate.RuneOff(1+draw.IntN(5)), "PATIENT")
		if err != nil {
			t.Fatal(err)
		}
		e := annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{span}}
		switch draw.IntN(6) {
		case 0:
			e = annotate.Edit{Verb: annotate.VerbReject, Suggestions: []annotate.Suggestion{{Span: span, Score: 0.5, Model: 2}}}
		case 1:
			e = annotate.Edit{Verb: annotate.VerbFinish}
		case 2:
			if len(l.Annotations) > 0 {
				e = annotate.Edit{Verb: annotate.VerbRelabel, IDs: []uint64{l.Annotations[0].ID}, Label: "DATE"}
			}
		}
		at := time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)
		_ = l.Apply(text, e, fmt.Sprintf("person %d", i%3), at) // what is refused changes nothing
	}
	return annotate.Annotated{
		Document: annotate.Document{Name: "n", Text: text}, Spans: l.Spans(),
		Work: &annotate.Work{Layer: l, Suggestions: []annotate.Suggestion{{Span: annotate.Span{Start: 0, End: 7, Label: "DATE"}, Score: 0.25, Model: 3}}},
	}
}

func TestWorkIsWrittenAndReadWhole(t *testing.T) {
	draw := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		d := worked(t, draw)
		var out bytes.Buffer
		if err := Write(&out, "jsonl-work", sequence([]annotate.Annotated{d})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"suggestions":[{"start":0,"end":6,"label":"DATE","score":0.25,"model":3}]`) {
			t.Errorf("the suggestions are not apart: %s", out.String())
		}
		docs, report := mustRead(t, Options{}, file("a.jsonl", out.String()))
		if report.Format != "jsonl" || !reflect.DeepEqual(docs[0].Work.Layer, d.Work.Layer) || !reflect.DeepEqual(docs[0].Spans, d.Spans) {
			t.Fatalf("%+v came back as %+v", d.Work.Layer, docs[0].Work.Layer)
		}
	}
}

func TestBadWork(t *testing.T) {
	line := func(work string) []File {
		return []File{file("a.jsonl", `{"id":"1","text":"Rose walks.","spans":[{"start":0,"end":4,"label":"A"}],"work":`+work+`}`)}
	}
	one := `{"start":0,"end":4,"label":"A","id":1,"source":"manual","by":"x","at":"2026-01-02T03:04:05Z"}`
	runBad(t, []badCase{
		{"other spans", line(`{"state":"done","revision":1,"annotations":[]}`), Options{}, "work", "line 1", 0},
		{"span out of range", line(`{"state":"done","revision":1,"annotations":[` + one + `],"rejected":[{"start":0,"end":99,"label":"A"}]}`), Options{}, "work", "line 1", 0},
		{"no label", line(`{"state":"done","revision":1,"annotations":[` + one + `],"rejected":[{"start":0,"end":4,"label":""}]}`), Options{}, "work", "line 1", 0},
		{"unknown state", line(`{"state":"ready","revision":1,"annotations":[` + one + `]}`), Options{}, "work", "line 1", 0},
		{"unknown state before", line(`{"state":"done","revision":1,"annotations":[` + one + `],"history":[{"by":"x","at":"2026-01-02T03:04:05Z","verb":"tag","from":"","to":"new"}]}`), Options{}, "work", "line 1", 0},
		{"an id twice", line(`{"state":"done","revision":1,"annotations":[` + one + `,` + one + `]}`), Options{}, "work", "line 1", 0},
		{"an id without room for another", line(`{"state":"done","revision":1,"annotations":[` + strings.Replace(one, `"id":1`, `"id":18446744073709551615`, 1) + `]}`), Options{}, "work", "line 1", 0},
		{"unknown source", line(`{"state":"done","revision":1,"annotations":[` + strings.Replace(one, "manual", "magic", 1) + `]}`), Options{}, "work", "line 1", 0},
		{"unknown source of a removed one", line(`{"state":"done","revision":1,"annotations":[` + one + `],"history":[{"by":"x","at":"2026-01-02T03:04:05Z","verb":"tag","from":"new","to":"new","removed":[` + strings.Replace(one, "manual", "magic", 1) + `]}]}`), Options{}, "work", "line 1", 0},
		{"control character in an author", line(`{"state":"done","revision":1,"annotations":[` + strings.Replace(one, `"by":"x"`, `"by":"\u001b"`, 1) + `]}`), Options{}, "work", "line 1", 0},
		{"negative revision", line(`{"state":"done","revision":-1,"annotations":[` + one + `]}`), Options{}, "work", "line 1", 0},
		{"unknown field", line(`{"state":"done","revision":1,"annotations":[` + one + `],"mood":1}`), Options{}, "work", "line 1", 0},
		{"not an object", line(`7`), Options{}, "work", "line 1", 0},
	})
}
