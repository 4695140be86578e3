// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate/entities"
)

const oneMention = `{"start":0,"end":4,"label":"PERSON","entity":"e1","identifier":"DIRECT"}`

func TestEntitiesAreRead(t *testing.T) {
	file := "\ufeff" + `{"id":"a","entities":[` + oneMention + `, {"identifier":"NO_MASK","entity":"é","label":"ORG","end":9,"start":2}]}` + "\r\n\n" + `{"entities":[],"id":"b"}`
	got, err := ReadEntities(strings.NewReader(file), "e.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := []entities.Document{
		{ID: "a", Mentions: []entities.Mention{{Start: 0, End: 4, Label: "PERSON", Entity: "e1", Identifier: entities.Direct}, {Start: 2, End: 9, Label: "ORG", Entity: "é", Identifier: entities.NoMask}}},
		{ID: "b"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// badEntities are lines with the code and the start of the reason of their refusal.
var badEntities = []struct{ name, line, code, reason string }{
	{"no JSON", `{"id":"secret"`, "json", "the JSON ends too early"},
	{"two values", `{"id":"secret","entities":[]} {}`, "json", "there is text after"},
	{"a list", `["secret"]`, "json", "not an object"},
	{"no id", `{"entities":[]}`, "id", "the id has 0 bytes"},
	{"id is a number", `{"id":1,"entities":[]}`, "json", `field "id" is not a string`},
	{"no entities", `{"id":"secret"}`, "json", `no field "entities"`},
	{"entities is null", `{"id":"secret","entities":null}`, "json", "not a list"},
	{"unknown field", `{"id":"secret","entities":[],"secret":1}`, "json", "an unknown field"},
	{"a field twice", `{"id":"secret","entities":[],"ID":"x"}`, "json", "fields 1 and 3"},
	{"mention is a number", `{"id":"secret","entities":[7]}`, "json", "mention 1: not an object"},
	{"unknown field of a mention", `{"id":"secret","entities":[` + oneMention + `,{"secret":1}]}`, "json", "mention 2: an unknown field"},
	{"a field is missing", strings.Replace(mentionLine(oneMention), `"entity":"e1",`, "", 1), "json", `mention 1: no field "entity"`},
	{"empty range", strings.Replace(mentionLine(oneMention), `"end":4`, `"end":0`, 1), "span-range", "mention 1: start and end"},
	{"negative", strings.Replace(mentionLine(oneMention), `"start":0`, `"start":-1`, 1), "span-range", "mention 1: start and end"},
	{"a fraction", strings.Replace(mentionLine(oneMention), `"end":4`, `"end":4.0`, 1), "span-range", "mention 1: start and end"},
	{"bad label", strings.Replace(mentionLine(oneMention), "PERSON", "a b", 1), "label", "mention 1: "},
	{"no entity", strings.Replace(mentionLine(oneMention), "e1", "", 1), "entity", "mention 1: the name of the entity has 0 bytes"},
	{"unknown type", strings.Replace(mentionLine(oneMention), "DIRECT", "direct", 1), "identifier", "mention 1: an unknown identifier type"},
	{"invalid UTF-8", "{\"id\":\"\xff\",\"entities\":[]}", "encoding", "invalid UTF-8"},
	{"half a surrogate pair", `{"id":"\ud800","entities":[]}`, "encoding", "half a surrogate pair"},
	{"the id of the first line", `{"id":"first","entities":[]}`, "duplicate-id", "line 1 has the same id"},
	{"UTF-16", "", "encoding", "the file is UTF-16"},
	{"empty", "", "empty-file", "the file contains no record"},
}

func mentionLine(mention string) string { return `{"id":"secret","entities":[` + mention + `]}` }

func TestBadEntitiesAreRefused(t *testing.T) {
	for _, c := range badEntities {
		t.Run(c.name, func(t *testing.T) {
			file, record := `{"id":"first","entities":[]}`+"\n"+c.line, "line 2"
			switch c.name {
			case "UTF-16":
				file, record = "\xff\xfe{", ""
			case "empty":
				file, record = "\n\n", ""
			}
			_, err := ReadEntities(strings.NewReader(file), "e.jsonl")
			var p *Problem
			if !errors.As(err, &p) || p.Code != c.code || !strings.HasPrefix(p.Reason, c.reason) || p.File != "e.jsonl" || p.Record != record {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error quotes the file: %v", err)
			}
			if record != "" && p.Offset < 29 {
				t.Errorf("byte %d is not in line 2", p.Offset)
			}
		})
	}
	if _, err := ReadEntitiesFile("no such file"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing file: %v", err)
	}
}

// Whatever is accepted has the shape that the rest of the program counts on.
func FuzzEntities(f *testing.F) {
	f.Add(mentionLine(oneMention) + "\n")
	for _, c := range badEntities {
		f.Add(c.line)
	}
	f.Fuzz(func(t *testing.T, content string) {
		docs, err := ReadEntities(strings.NewReader(content), "e.jsonl")
		if p := (*Problem)(nil); err != nil && (!errors.As(err, &p) || p.Offset > int64(len(content))) {
			t.Fatalf("the error is no problem of the file: %v", err)
		}
		seen := map[string]bool{}
		for _, d := range docs {
			if d.ID == "" || seen[d.ID] {
				t.Fatal("an id is empty or comes twice")
			}
			seen[d.ID] = true
			for _, m := range d.Mentions {
				if m.Start < 0 || m.End <= m.Start || m.Entity == "" || !m.Identifier.Valid() || m.Label == "" {
					t.Fatalf("a mention is not complete: %v", m)
				}
			}
		}
	})
}
