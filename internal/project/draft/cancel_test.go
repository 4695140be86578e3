// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
)

// manyNotes are notes of as many patients, so that the attacker needs a moment.
func manyNotes(n int) []annotate.Annotated {
	var docs []annotate.Annotated
	for i := range n {
		var m projecttest.Markup
		m.Text("Mr. ").Span(fmt.Sprint("Abel", i), "PATIENT").Text(" was seen on ").Span("12/25/2018", "DATE")
		for k := range 60 {
			m.Text(fmt.Sprint(" finding", i*k%997))
		}
		name := fmt.Sprint("n-", i)
		docs = append(docs, annotate.Annotated{Spans: m.Spans, Document: annotate.Document{Name: name, Patient: "p" + name, Text: m.String(), Attributes: map[string]string{"seen": fmt.Sprint("finding", i)}}})
	}
	return docs
}

// whenAttacking starts a task and cancels it as soon as the attacker runs. state reports whether
// she does, and whether the task has ended. A machine that is busy may miss the moment, so it
// tries a few times, and counts the tasks that ended before.
func (d *desk) whenAttacking(start func(), state func() (attacking, ended bool), cancel func()) (missed int) {
	d.t.Helper()
	for missed = range 5 {
		start()
		for {
			attacking, ended := state()
			if attacking {
				cancel()
				d.Wait("the end", func() bool { _, ended := state(); return ended })
				return missed
			}
			if ended {
				break
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	d.t.Fatal("the attacker was never seen running")
	return missed
}

func TestAPreparationIsCancelledWhileTheAttackerRuns(t *testing.T) {
	b := projecttest.New(t)
	d := &desk{b, t, b.FinishedProject(manyNotes(100))}
	before := d.prepare(draft.Settings{Policy: named(t, "placeholders")})
	status := func() draft.Status {
		st, err := d.Preparing(t.Context(), projecttest.Broker, d.id)
		d.must(err)
		return st
	}
	d.whenAttacking(
		func() {
			d.must(d.PrepareDraft(t.Context(), projecttest.Broker, d.id, draft.Settings{Policy: named(t, "safe-harbor")}))
		},
		func() (attacking, ended bool) {
			st := status()
			return strings.Contains(st.Doing, "attacker") && st.Running, !st.Running
		},
		func() { d.must(d.CancelPreparing(t.Context(), projecttest.Broker, d.id)) },
	)
	if st := status(); st.Error != "preparing was cancelled" {
		t.Errorf("the state says %q", st.Error)
	}
	if now := d.now(); now.Version != before.Version || now.Policy.Name != "placeholders" || now.Places != before.Places {
		t.Errorf("the draft before is now %s, version %s, with %d places", now.Policy.Name, now.Version, now.Places)
	}
	d.rows(draft.Filter{Note: 1}) // its places are still there
	if after := d.prepare(draft.Settings{Policy: named(t, "safe-harbor")}); after.Attack == nil || after.Places != before.Places {
		t.Errorf("prepared again: %d places, attack %v", after.Places, after.Attack)
	}
}

func TestAPublicationIsCancelledWhileTheAttackerRuns(t *testing.T) {
	b := projecttest.New(t)
	d := &desk{b, t, b.FinishedProject(manyNotes(100))}
	missed := d.whenAttacking(
		func() {
			d.prepare(draft.Settings{Policy: named(t, "placeholders")})
			d.must(d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Publish, draft.Answers{}))
		},
		func() (attacking, ended bool) {
			st, err := d.Publishing(t.Context(), projecttest.Broker, d.id)
			d.must(err)
			return st.Doing == "attacking" && st.Running, !st.Running
		},
		func() { d.must(d.CancelPublish(t.Context(), projecttest.Broker, d.id)) },
	)
	if r, st := d.Published(d.id); r.Number != missed || !strings.Contains(st.Error, "cancelled") {
		t.Fatalf("release %d, state %q", r.Number, st.Error)
	}
	if now := d.now(); now.Published != "" {
		t.Errorf("the draft says that it is published as %s", now.Published)
	}
	if r := d.publish(release.Publish, draft.Answers{}); r.Documents != 100 {
		t.Errorf("published again: %d notes", r.Documents)
	}
}
