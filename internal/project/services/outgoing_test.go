// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/account"
	"hide/internal/hint"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/policy"
	"hide/internal/publish/stream"
)

// copies are copies of the audit trail that a test lets fall behind.
type copies struct{ behind atomic.Bool }

func (c *copies) Check() error {
	if c.behind.Load() {
		return hint.Add(errors.New("the copy to syslog is 7 rows behind"), "mend it")
	}
	return nil
}

// TestNothingLeavesWhileACopyOfTheTrailIsFarBehind: exports, releases and downloads are
// refused, while edits, training and reading go on. All is as before afterwards.
func TestNothingLeavesWhileACopyOfTheTrailIsFarBehind(t *testing.T) {
	b, late := projecttest.New(t), &copies{}
	b.Copies = late
	id, bundle := b.OpenNotes()
	ctx, by := t.Context(), projecttest.Broker
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(ctx, by, id, release.Publish, bundle, release.Despite{Uncertified: "a test"}); err != nil {
		t.Fatal(err)
	}
	published, status := b.Published(id)
	if published.Number == 0 {
		t.Fatalf("no release: %+v", status)
	}
	frozen := b.Froze(id, func() error {
		return b.StartPublish(ctx, by, id, release.Freeze, bundle, release.Despite{Uncertified: "a test"})
	})
	prepared := b.PrepareDraft(ctx, by, id, draft.Settings{Policy: p, Subset: draft.Subset{Finished: true}})
	if prepared != nil {
		t.Fatal(prepared)
	}
	b.Wait("the draft", func() bool { return b.WriteDraftTable(ctx, by, id, io.Discard) == nil })

	out := map[string]func() error{
		"Export":         func() error { return b.Export(ctx, by, id, project.ExportOptions{Format: "jsonl"}, io.Discard) },
		"WriteModel":     func() error { return b.WriteModel(ctx, by, id, io.Discard) },
		"WriteBundle":    func() error { return b.WriteBundle(ctx, by, id, bundle, io.Discard) },
		"WriteRelease":   func() error { return b.WriteRelease(ctx, by, id, published.Number, io.Discard) },
		"WriteReleaseAs": func() error { return b.WriteReleaseAs(ctx, by, id, published.Number, "jsonl", io.Discard) },
		"RedactStream": func() error {
			_, err := b.RedactStream(ctx, by, id, sanitize.Redaction{Bundle: bundle}, strings.NewReader(""), io.Discard, stream.Options{Format: "jsonl"})
			return err
		},
		"redact a note": func() error {
			_, err := b.RedactNote(ctx, by, id, sanitize.Redaction{Bundle: bundle}, []byte(`{"id": "1", "text": "Rose"}`))
			return err
		},
		"WriteMapping":    func() error { return b.WriteMapping(ctx, by, id, published.Number, io.Discard) },
		"WriteOriginals":  func() error { return b.WriteOriginals(ctx, by, id, published.Number, io.Discard) },
		"WriteDraftTable": func() error { return b.WriteDraftTable(ctx, by, id, io.Discard) },
		"WriteCandidateFile": func() error {
			return b.WriteCandidateFile(ctx, projecttest.Reviewer, id, frozen.Number, frozen.Files[0].Path, io.Discard)
		},
		"publish": func() error {
			return b.StartPublish(ctx, by, id, release.Publish, bundle, release.Despite{Uncertified: "a test"})
		},
		"table": func() error {
			return b.StartPublishTable(ctx, by, id, release.Publish, release.TableSettings{K: 2}, 16)
		},
	}
	late.behind.Store(true)
	for what, call := range out {
		t.Run(what, func(t *testing.T) {
			err := call()
			projecttest.WantKind(t, err, project.Unrecorded)
			if words := project.ErrorWords(err); !strings.Contains(words, "7 rows behind") {
				t.Error(words)
			}
		})
	}
	b.MustEdit(projecttest.Annotator, id, 12, 0, projecttest.Tag(0, 1, "PATIENT"))
	b.MustNote(projecttest.Annotator, id, 12)
	if _, err := b.StartSanitize(ctx, by, id, sanitize.Params{LC: []float64{10}, Folds: 2}); err != nil {
		t.Errorf("a run: %v", err)
	}
	if err := b.Backup(ctx, account.User{ID: "u-admin", Role: account.Admin}, io.Discard); err != nil {
		t.Errorf("a backup: %v", err)
	}
	late.behind.Store(false)
	for what, call := range out {
		if err := call(); project.KindOf(err) == project.Unrecorded {
			t.Errorf("%s afterwards: %v", what, err)
		}
	}
	everyWriterIsAsked(t, b, out)
}

// everyWriterIsAsked finds use cases that write for somebody and are not in the test above.
func everyWriterIsAsked(t *testing.T, b *projecttest.Bench, asked map[string]func() error) {
	free := []string{
		"Backup",      // encrypted
		"WriteStatus", // says which releases are withdrawn: nothing of notes
		"WriteTrail",  // has no text of notes, and says who has seen what
		"HandOut",     // asked by WriteBundle and others
	}
	all := reflect.ValueOf(*b.All)
	for i := range all.NumField() {
		service := all.Field(i)
		for j := range service.NumMethod() {
			name := service.Type().Method(j).Name
			if slices.Contains(parameters(service.Method(j).Type()), writerType) && asked[name] == nil && !slices.Contains(free, name) {
				t.Errorf("%s writes for somebody: let it ask CheckOutgoing, or say why not in this test", name)
			}
		}
	}
}
