// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/project/signing"
	"hide/internal/publish/verify"
)

// TestEvidenceSaysTheTarget, and members see what was measured of it.
func TestEvidenceSaysTheTarget(t *testing.T) {
	b := &board{Bench: projecttest.New(t)}
	b.id = b.NewProject(nil, false)
	_, err := b.Import(t.Context(), projecttest.Broker, b.id, projecttest.JSONL(projecttest.Notes(40)), project.ImportOptions{Finished: true, Random: true})
	b.must(err)
	b.must(b.CancelTraining(t.Context(), projecttest.Annotator, b.id))
	run := b.Ran(b.id, sanitize.Params{LC: []float64{10}, Folds: 2, First: "none", Learners: []string{"bayes"}, TargetShare: 0.2, TargetSure: 0.8})
	chosen, err := b.ChooseTarget(t.Context(), projecttest.Broker, b.id, run.Number)
	b.must(err)
	for _, m := range members {
		_, err := b.SetMember(t.Context(), projecttest.Broker, b.id, m.ID, account.Reviewer)
		b.must(err)
	}
	b.candidate = b.Froze(b.id, func() error {
		return b.StartPublish(t.Context(), projecttest.Broker, b.id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"})
	})
	b.must(b.SetRule(t.Context(), projecttest.Broker, b.id, project.DefaultRule()))
	b.open()
	figures, err := b.ReviewFigures(t.Context(), members[0], b.id, b.number)
	b.must(err)
	if len(figures) != 2 || figures[0].LC >= figures[1].LC {
		t.Errorf("members see the figures of %d settings, want those of L/C 10 and of the target", len(figures))
	}
	b.advance(review.Ended)
	page, file, err := b.Evidence(t.Context(), projecttest.Broker, b.id, b.number)
	b.must(err)
	const promise = "An identifier remains in at most 20 % of the patients (80 % sure)"
	if !bytes.Contains(page, []byte(promise)) || !bytes.Contains(file, []byte(promise)) || bytes.Contains(file, []byte("The target is void")) {
		t.Error("the evidence does not say the target")
	}
	key, err := signing.Key(b.Core)
	b.must(err)
	var r verify.Report
	r.CheckEvidence(file, key.Public().(ed25519.PublicKey))
	if problems := problemsOf(&r); strings.Contains(problems, "arget") {
		t.Errorf("the evidence of a target: %s", problems)
	}
}
