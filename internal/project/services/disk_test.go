// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"sync/atomic"
	"testing"

	"hide/internal/disk"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/policy"
)

// TestAnAlmostFullDiskRefusesWhatWritesMuch: edits, removals and reading go on, and all is
// as before once there is space.
func TestAnAlmostFullDiskRefusesWhatWritesMuch(t *testing.T) {
	b := projecttest.New(t)
	var full atomic.Bool
	b.Disk = disk.WatchWith(func(string) (disk.Space, error) {
		if full.Load() {
			return disk.Space{Free: 4, Total: 100}, nil
		}
		return disk.Space{Free: 40, Total: 100}, nil
	})
	b.Reopen()
	id, ctx, by := b.NewProject(projecttest.Notes(4), true), t.Context(), projecttest.Broker
	b.MustImport(id, projecttest.Plain("Rose walks."), false)
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	_, imported := b.Import(ctx, by, id, projecttest.JSONL(projecttest.Plain("Rose stands.")), project.ImportOptions{})
	_, ran := b.StartSanitize(ctx, by, id, sanitize.Params{LC: []float64{10}, Folds: 4})
	for what, err := range map[string]error{
		"import":  imported,
		"run":     ran,
		"resume":  b.ResumeSanitize(ctx, by, id, 1),
		"links":   b.StartLinking(ctx, by, id, links.Options{}),
		"draft":   b.PrepareDraft(ctx, by, id, draft.Settings{Policy: p, Subset: draft.Subset{Finished: true}}),
		"release": b.StartPublishTable(ctx, by, id, release.Publish, release.TableSettings{K: 2}, 5),
	} {
		t.Run(what, func(t *testing.T) { projecttest.WantKind(t, err, project.Full) })
	}
	n := b.MustEdit(by, id, 5, 0, projecttest.Tag(0, 4, "PATIENT"))
	if err := b.UndoImport(ctx, by, id, 1, "undo import 1"); err != nil && project.KindOf(err) == project.Full {
		t.Errorf("undo: %v", err)
	}
	full.Store(false)
	if n.Layer.Revision != 1 {
		t.Errorf("revision %d", n.Layer.Revision)
	}
	b.MustImport(id, projecttest.Plain("Rose walks.", "Rose stands.")[1:], false)
}
