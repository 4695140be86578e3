// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// sampleFiles has small files of the formats that are told by their content.
var sampleFiles = []struct{ format, name, content string }{
	{"jsonl", "a.jsonl", `{"id":"1","text":"Rose","spans":[]}`},
	{"jsonl", "a.json", `{"text":"Rose","spans":[{"start":0,"end":4,"label":"NAME"}],"work":null}`},
	{"csv", "a.csv", "id,text\n1,Rose\n"},
	{"csv", "a", "id,text\n1,Rose\n"},
	{"conll", "a.conll", "Rose B-NAME\n"},
	{"conll", "a.txt", "-DOCSTART- id=n patient=_ before=_ O\n\nRose 0 4 _ O\n"},
	{"i2b2-2014", "110-01.xml", i2b2File("Rose", "")},
	{"i2b2-2006", "train.xml", records2006},
	{"i2b2-2006", "train.sgml", records2006},
	{"hide-xml", "a.xml", reports},
	{"hide-xml", "a.sgml", reports},
	{"inline", "a.txt", tagged2},
	{"inline", "a.sgml", "no tags, as it happens"},
	{"inline", "a.sgml", deidRecords},
	{"doccano", "a.jsonl", `{"id":1,"text":"Rose","label":[[0,4,"NAME"]]}`},
	{"doccano", "a.jsonl", `{"id":1,"text":"Rose","entities":[],"relations":[]}`},
	{"labelstudio", "a.json", `[{"id":1,"data":{"text":"x"},"annotations":[]}]`},
	{"labelstudio", "a.json", `{"id":1,"data":{"text":"x"},"predictions":[]}`},
	{"prodigy", "a.jsonl", `{"text":"Rose","spans":[],"answer":"accept"}`},
	{"prodigy", "a.jsonl", `{"text":"Rose","label":"X","_input_hash":1,"_task_hash":2,"tokens":[{"text":"Rose","start":0,"end":4}]}`},
	{"spacy", "a.json", `[["Rose",{"entities":[]}]]`},
	{"spacy", "a.jsonl", `["Rose",{"entities":[]}]`},
	{"hf", "a.jsonl", `{"tokens":["Rose"],"ner_tags":["O"]}`},
	{"hf", "a.json", `{"id":"1","tokens":["Rose"],"labels":[0],"text":"Rose"}`},
	{"uima", "a.json", casFile(`"Rose"`, "")},
	{"physionet", "a.text", deidRecords},
	{"physionet", "a.txt", deidRecords},
}

// claimants are the formats that claim a file.
func claimants(t *testing.T, name, content string) []string {
	t.Helper()
	p, err := newProbe(input{name: name, show: name, open: file(name, content).Open})
	if err != nil {
		if errors.As(err, new(*Problem)) {
			return nil
		}
		t.Fatal(err)
	}
	var all []string
	for _, k := range kinds() {
		if k.claims != nil && k.claims(p) {
			all = append(all, k.Name)
		}
	}
	return all
}

func TestEachFileIsClaimedByOneFormat(t *testing.T) {
	for _, s := range sampleFiles {
		if got := claimants(t, s.name, s.content); !slices.Equal(got, []string{s.format}) {
			t.Errorf("%s of %.40q is claimed by %q, want %s", s.name, s.content, got, s.format)
		}
		docs, report, err := readAll(Options{}, file(s.name, s.content))
		if s.format == "hf" && s.name == "a.json" { // its tags are numbers without names
			continue
		}
		if err != nil || len(docs) == 0 || report.Format != s.format {
			t.Errorf("%s of %.40q: %d documents, %s, %v", s.name, s.content, len(docs), report.Format, err)
		}
	}
}

// Files that writers write are claimed by their own format and no other.
func TestWrittenFilesAreClaimedByTheirFormat(t *testing.T) {
	doc := annotate.Annotated{Document: annotate.Document{Name: "7-1", Text: "Rose left.", Patient: "7"}, Spans: []annotate.Span{{Start: 0, End: 4, Label: "NAME"}}}
	for _, k := range kinds() {
		if k.write == nil || k.claims == nil {
			continue
		}
		var out bytes.Buffer
		if err := Write(&out, k.Name, sequence([]annotate.Annotated{doc})); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"x" + k.Ending: out.String()}
		if k.Ending == ".zip" {
			files = unpack(t, out.Bytes())
		}
		for name, content := range files {
			if _, isPhrases := phraseBase(name); isPhrases {
				continue
			}
			if got := claimants(t, name, content); !slices.Equal(got, []string{k.Name}) {
				t.Errorf("%s of %s is claimed by %q", name, k.Name, got)
			}
		}
	}
}

// A damaged file of any format is read, or refused with a place, by every reader.
func TestDamagedFilesOfAllFormatsAreReadOrRefused(t *testing.T) {
	const odd = "<>\"{}[],:\\|\n &\x00\xff09"
	draw := rand.New(rand.NewPCG(6, 6))
	for range 1200 {
		s := sampleFiles[draw.IntN(len(sampleFiles))]
		content := []byte(s.content)
		for range 1 + draw.IntN(4) {
			i := draw.IntN(len(content))
			switch draw.IntN(4) {
			case 0:
				content[i] = odd[draw.IntN(len(odd))]
			case 1:
				content = append(content[:i], content[min(len(content), i+1+draw.IntN(5)):]...)
			case 2:
				content = slices.Insert(content, i, content[draw.IntN(len(content))])
			default:
				content = content[:i+1]
			}
			if len(content) == 0 {
				content = []byte("x")
			}
		}
		damaged := string(content)
		checkFuzzed(t, s.name, Options{}, damaged)
		other := sampleFiles[draw.IntN(len(sampleFiles))].format
		checkFuzzed(t, strings.TrimSuffix(s.name, ".txt"), Options{Format: other}, damaged)
	}
}
