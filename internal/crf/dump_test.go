// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// dumped is one token as CRFsuite reads it.
type dumped struct {
	label      string
	attributes []string // name, or name=value with a space before the = when the value is not 1
}

// readDump splits a file as CRFsuite does: fields end at a tab, names at a colon,
// and a backslash takes the meaning from a colon or backslash after it.
func readDump(t *testing.T, file []byte) (docs [][]dumped) {
	t.Helper()
	var doc []dumped
	for line := range strings.Lines(string(file)) {
		if line == "\n" {
			docs, doc = append(docs, doc), nil
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		token := dumped{label: readField(t, fields[0])}
		for _, field := range fields[1:] {
			token.attributes = append(token.attributes, readField(t, field))
		}
		doc = append(doc, token)
	}
	if doc != nil {
		t.Error("the last document does not end")
	}
	return docs
}

func readField(t *testing.T, field string) string {
	t.Helper()
	var name strings.Builder
	for i := 0; i < len(field); i++ {
		switch c := field[i]; {
		case c == '\\' && i+1 < len(field) && (field[i+1] == ':' || field[i+1] == '\\'):
			i++
			name.WriteByte(field[i])
		case c == ':':
			value, err := strconv.ParseFloat(field[i+1:], 64)
			if err != nil {
				t.Errorf("no value after the colon of %q", field)
			}
			return fmt.Sprintf("%s =%g", name.String(), value)
		default:
			name.WriteByte(c)
		}
	}
	return name.String()
}

func dump(t *testing.T, docs []sequence, o Options) [][]dumped {
	t.Helper()
	var file bytes.Buffer
	if err := Dump(t.Context(), &file, views(docs), o); err != nil {
		t.Fatal(err)
	}
	return readDump(t, file.Bytes())
}

// noted is a sink that remembers names and values in the form of dumped.
type noted struct{ bundles [][]string }

func (n *noted) number(a *attributes, to []int32) { a.each(to, n.bundle) }

func (n *noted) bundle(a *attributes) int32 {
	var list []string
	for i, value := range a.values {
		name := strings.ReplaceAll(string(a.name(i)), "\x00", `\0`)
		if value != 1 {
			name = fmt.Sprintf("%s =%g", name, value)
		}
		list = append(list, name)
	}
	n.bundles = append(n.bundles, list)
	return int32(len(n.bundles) - 1)
}

func TestDumpReadsBackAsTheAttributesOfEachToken(t *testing.T) {
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: `Name: A\B, a\:b C:\` + "\n\\\\ 7:45 ::"}})
	lists := []dictionary.List{{Name: `odd:\name`, Phrases: []string{"Name"}}}
	for _, features := range []Families{HIDE, Default} {
		n := &noted{}
		var want [][]string
		newExtractor(features, Options{Features: features, Dictionaries: lists}.gazetteer(), n).extract(d, func(_ int, bundles []int32) {
			var all []string
			for _, b := range bundles {
				all = append(all, n.bundles[b]...)
			}
			want = append(want, all)
		})
		got := dump(t, []sequence{d}, Options{Features: features, Dictionaries: lists, MinCount: 1})
		if len(got) != 1 || len(got[0]) != len(want) {
			t.Fatalf("%d documents, want one of %d tokens", len(got), len(want))
		}
		for i, token := range got[0] {
			if !slices.Equal(token.attributes, want[i]) {
				t.Errorf("token %d: %q, want %q", i, token.attributes, want[i])
			}
		}
	}
}

func TestDumpWritesTheAttributesThatTrainingCounts(t *testing.T) {
	docs, _ := notes(3, 20)
	for _, o := range []Options{{Features: HIDE}, {Features: HIDE, MinCount: 3}, {}, {MinCount: 1}} {
		o.MaxIterations, o.Pairs = 1, Observed
		_, stats := train(t, docs, o)
		counts, pairs, tokens := map[string]int{}, map[[2]string]bool{}, 0
		for _, doc := range dump(t, docs, o) {
			tokens += len(doc)
			for _, token := range doc {
				for _, name := range token.attributes {
					name, _, _ = strings.Cut(name, " =")
					counts[name]++
					pairs[[2]string{name, token.label}] = true
				}
			}
		}
		if len(counts) != stats.Attributes || tokens != stats.Tokens {
			t.Errorf("%d attributes of %d tokens, in training %d of %d", len(counts), tokens, stats.Attributes, stats.Tokens)
		}
		if want := len(pairs) + (states{labels: labelsOf(docs)}).transitions(); stats.Weights != want {
			t.Errorf("%d weights, %d for what was observed and transitions", stats.Weights, want)
		}
		for name, n := range counts {
			if n < o.withDefaults().MinCount {
				t.Errorf("%q occurs %d times, want at least %d", name, n, o.withDefaults().MinCount)
			}
		}
	}
}

func TestDumpWritesBIOLabels(t *testing.T) {
	docs := []sequence{
		{words: strings.Fields("a b c d e"), labels: []annotate.Label{"X", "X", "X", "", "Y"}, begins: []bool{true, false, true, false, false}},
		{},
		{words: []string{"unlabelled"}},
	}
	labels := func(o Options) (got []string) {
		for _, doc := range dump(t, docs, o) {
			for _, token := range doc {
				got = append(got, token.label)
			}
			got = append(got, "|")
		}
		return got
	}
	if got, want := strings.Join(labels(Options{}), " "), "B-X I-X B-X O B-Y | | O |"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := strings.Join(labels(Options{Binary: true}), " "), "B-PHI I-PHI B-PHI O B-PHI | | O |"; got != want {
		t.Errorf("folded: %s, want %s", got, want)
	}
	docs[0].skip = []bool{true, false, true, true, false}
	if got, want := strings.Join(labels(Options{}), " "), "B-X B-Y | | O |"; got != want {
		t.Errorf("with words skipped: %s, want %s", got, want)
	}
}

func TestDumpRefusesWhatCRFsuiteCannotRead(t *testing.T) {
	for _, word := range []string{"secret\tword", "secret\nword", "secret\xffword"} {
		err := Dump(t.Context(), io.Discard, views([]sequence{{words: []string{"fine"}}, {words: []string{"first", word}}}), Options{Features: Term})
		if err == nil || !strings.Contains(err.Error(), "document 1, token 1") || strings.Contains(err.Error(), "secret") {
			t.Errorf("error is %v", err)
		}
	}
}

func TestDumpReportsAFailingWriter(t *testing.T) {
	docs, _ := notes(4, 2)
	if err := Dump(t.Context(), &fullDisk{100}, views(docs), Options{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error is %v", err)
	}
}
