// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
)

// ofPatient are notes of one patient, and of one in between who is somebody else, of
// the given sizes in bytes.
func ofPatient(sizes ...int) []annotate.Annotated {
	docs := make([]annotate.Annotated, len(sizes))
	for i, size := range sizes {
		docs[i] = annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint(i), Patient: "p", Text: strings.Repeat("word ", size/5)}}
	}
	docs[1].Patient = "q"
	return docs
}

// released are the notes in the parts in which a release redacts them.
func released(t *testing.T, b *bench, ws *project.Workspace) [][]annotate.DocumentID {
	var parts [][]annotate.DocumentID
	var part []publish.Input
	for in, err := range b.Inputs(t.Context(), ws, sanitize.Bundle{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(part) == 0 || !publish.Joins(part, in) {
			parts, part = append(parts, nil), nil
		}
		part = append(part, in)
		parts[len(parts)-1] = append(parts[len(parts)-1], in.Document)
	}
	return parts
}

// A release redacts a patient's many notes in parts; an audit has to show the same.
func TestAnAuditRedactsTogetherWhatAReleaseDoes(t *testing.T) {
	b := newBench(t)
	ws, err := b.Workspace(b.NewProject(ofPatient(300_000, 100, 500_000, 200_000, 900_000, 40_000, 1_200_000, 100), false))
	if err != nil {
		t.Fatal(err)
	}
	parts := released(t, b, ws)
	if got := fmt.Sprint(parts); got != "[[1 3 4] [5 6] [7] [8] [2]]" {
		t.Errorf("a release redacts %s together", got)
	}
	for _, part := range parts {
		for want, doc := range part {
			ins, at, err := b.Together(t.Context(), ws, doc, sanitize.Bundle{})
			if err != nil || at != want || len(ins) != len(part) || ins[at].Document != doc || ins[0].Document != part[0] {
				t.Errorf("note %d is number %d of %d, %v; want %d of %v", doc, at, len(ins), err, want, part)
			}
		}
	}
	short := publish.Input{Group: "p"}
	many := slices.Repeat([]publish.Input{short}, publish.MostTogether)
	if publish.Joins(many, short) || !publish.Joins(many[1:], short) {
		t.Error("there is another limit than the one that is stated")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.Together(ctx, ws, 1, sanitize.Bundle{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody wants it, and it says %v", err)
	}
}
