// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestAPreviewCountsWhatAnImportWouldBring(t *testing.T) {
	var lines strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, `{"id":"n%d","text":"Ann was here. %s","patient":"p%d","spans":[{"start":0,"end":3,"label":"NAME"}],"attributes":{"ward":"3"}}`+"\n", i, strings.Repeat("é ", 900), i%7)
	}
	lines.WriteString(`{"id":"last","text":"Bob"}` + "\n" + `{"id":"bad"}`)
	p, err := Look(t.Context(), []File{file("a.jsonl", lines.String())}, Options{SkipBad: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Documents != 41 || p.Refused != 1 || p.Patients != 7 || p.Without != 1 {
		t.Errorf("%d notes, %d refused, %d patients, %d notes without", p.Documents, p.Refused, p.Patients, p.Without)
	}
	if len(p.Labels) != 1 || p.Labels[0] != (LabelCount{"NAME", 40}) || len(p.Attributes) != 1 || p.Attributes[0] != (NameCount{"ward", 40}) {
		t.Errorf("labels %v, attributes %v", p.Labels, p.Attributes)
	}
	if len(p.Samples) != samples {
		t.Fatalf("%d samples", len(p.Samples))
	}
	for _, s := range p.Samples {
		if s.Cut && (len(s.Text) > sampleSize || len(s.Text) < sampleSize-4) {
			t.Errorf("a sample has %d bytes", len(s.Text))
		}
		if err := annotate.CheckSpans(s.Text, s.Spans); err != nil {
			t.Errorf("a span of a sample does not fit: %v", err)
		}
	}
	refused := errors.New("known")
	if _, err := Look(t.Context(), []File{file("a.txt", "x")}, Options{}, func(annotate.Annotated) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("the error of accept is %v", err)
	}
}
