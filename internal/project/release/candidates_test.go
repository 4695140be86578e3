// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/verify"
)

// frozen is a project with a rule and a candidate of its text.
func frozen(t *testing.T) (*projecttest.Bench, project.ID, release.Candidate) {
	t.Helper()
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.Notes(12))
	run := b.Ran(id, sanitize.Params{LC: []float64{1, 10}})
	chosen, err := b.Choose(t.Context(), projecttest.Broker, id, run.Number, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SetRule(t.Context(), projecttest.Broker, id, project.DefaultRule()); err != nil {
		t.Fatal(err)
	}
	return b, id, freeze(t, b, id, chosen.Number)
}

func freeze(t *testing.T, b *projecttest.Bench, id project.ID, bundle int) release.Candidate {
	t.Helper()
	return b.Froze(id, func() error {
		return b.StartPublish(t.Context(), projecttest.Broker, id, release.Freeze, bundle, release.Despite{Uncertified: "a test"})
	})
}

func TestACandidateIsReadButNotPublishedWhileTheRuleNeedsAReview(t *testing.T) {
	b, id, c := frozen(t)
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, c.Bundle, release.Despite{Uncertified: "a test"}); !isObstacle(err, project.NotApproved) {
		t.Errorf("it was published without a review: %v", err)
	}
	text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, c.Number)
	if err != nil || text.Len() != 12 {
		t.Fatal(text, err)
	}
	for i := range text.Len() {
		n, err := text.Note(t.Context(), i)
		if err != nil || n.Text == "" || len(n.Redactions) == 0 {
			t.Errorf("note %d: %+v, %v", i, n, err)
		}
		hits, all, err := text.Search(t.Context(), strings.ToUpper(n.Text[:5]), 1000)
		if err != nil || all == 0 || !strings.EqualFold(hits[0].Found, n.Text[:5]) {
			t.Errorf("searching the first word of note %d finds %d notes, %v", i, all, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(b.ReleasesFolder(), string(id))); err != nil || len(entries) != 0 {
		t.Errorf("freezing left %v in the folder of releases, %v", entries, err)
	}
	onDisk, err := os.ReadFile(filepath.Join(b.Folder, "hide.db"))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := text.Note(t.Context(), 0); bytes.Contains(onDisk, []byte(n.Text)) {
		t.Error("the candidate is stored unencrypted")
	}
}

func isObstacle(err error, want project.Obstacle) bool {
	e, ok := err.(*project.Error)
	return ok && e.Obstacle == want
}

// A candidate is published byte for byte, with a manifest that names its hash, and the
// broker can still compare it with the originals.
func TestACandidateIsPublishedAsItWasFrozen(t *testing.T) {
	b, id, c := frozen(t)
	text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, c.Number)
	if err != nil {
		t.Fatal(err)
	}
	first, err := text.Note(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SetRule(t.Context(), projecttest.Broker, id, project.Rule{}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublishCandidate(t.Context(), projecttest.Broker, id, c.Number, []string{"Dr. Weiss"}, release.Despite{}); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || r.Number != c.Number {
		t.Fatalf("%+v", st)
	}
	dir := b.Dir(id, r.Name)
	got, err := os.ReadFile(filepath.Join(dir, "notes", first.ID+".txt"))
	if err != nil || string(got) != first.Text {
		t.Errorf("the first note differs from the candidate: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for line := range strings.Lines(string(sums)) {
		if !strings.HasSuffix(line, "  manifest.json\n") {
			h.Write([]byte(line))
		}
	}
	if hex.EncodeToString(h.Sum(nil)) != c.Hash {
		t.Error("the hash of the candidate is not that of the released files")
	}
	var mapping, originals bytes.Buffer
	if err := b.WriteMapping(t.Context(), projecttest.Broker, id, r.Number, &mapping); err != nil {
		t.Fatal(err)
	}
	if err := b.Export(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl"}, &originals); err != nil {
		t.Fatal(err)
	}
	result, err := verify.Against(t.Context(), os.DirFS(dir), &mapping, &originals)
	if err != nil || !result.Common().OK || result.Common().Review.Candidate != c.Hash {
		t.Errorf("the verifier finds %+v, %v", result.Common(), err)
	}
	if err := b.StartPublishCandidate(t.Context(), projecttest.Broker, id, c.Number, nil, release.Despite{}); project.KindOf(err) != project.Stale {
		t.Errorf("a second publication: %v", err)
	}
}

func TestACandidateIsStaleAfterAnyChange(t *testing.T) {
	b, id, c := frozen(t)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if why, err := b.Stale(ws, c); why != "" || err != nil {
		t.Fatalf("a fresh candidate is stale: %q, %v", why, err)
	}
	n := b.MustNote(projecttest.Broker, id, 1)
	b.MustEdit(projecttest.Broker, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	if why, err := b.Stale(ws, c); !strings.Contains(why, "annotations have changed") || err != nil {
		t.Errorf("after an edit: %q, %v", why, err)
	}
	if err := b.SetRule(t.Context(), projecttest.Broker, id, project.Rule{}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublishCandidate(t.Context(), projecttest.Broker, id, c.Number, nil, release.Despite{}); !isObstacle(err, project.NotApproved) {
		t.Errorf("a stale candidate was published: %v", err)
	}
}

func TestFilesOfADroppedCandidateAreGone(t *testing.T) {
	b, id, c := frozen(t)
	if err := b.DropCandidate(t.Context(), projecttest.Broker, id, c.Number, "a better one is there"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, c.Number); project.KindOf(err) != project.NotFound || !strings.Contains(err.Error(), "a better one is there") {
		t.Errorf("a dropped candidate is read: %v", err)
	}
	if err := b.StartPublishCandidate(t.Context(), projecttest.Broker, id, c.Number, nil, release.Despite{}); err == nil {
		t.Error("a dropped candidate was published")
	}
}

// A repaired candidate redacts what readers marked, and changes no other word: the texts
// of parent and child differ in the marked words alone.
func TestARepairOnlyRemovesTheMarkedWords(t *testing.T) {
	b, id, c := frozen(t)
	text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, c.Number)
	if err != nil {
		t.Fatal(err)
	}
	var marks []release.Mark
	words := map[string]int{} // of the parent, less those marked
	for i := range text.Len() {
		n, err := text.Note(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		for at, word := range keptWords(n) {
			words[word]++
			if at == 2 || at == 3 { // two marks of one note touch
				from := strings.Index(n.Text, word)
				start := annotate.RuneOff(utf8.RuneCountInString(n.Text[:from]))
				marks = append(marks, release.Mark{Note: i, Start: start, End: start + annotate.RuneOff(utf8.RuneCountInString(word)), Label: "DOCTOR"})
				words[word]--
			}
		}
	}
	child := b.Froze(id, func() error {
		return b.StartRepair(t.Context(), projecttest.Broker, id, c.Number, release.Findings{Found: []release.Found{{Candidate: c.Number, Marks: marks}}})
	})
	if child.Parent != c.Number || child.Hash == c.Hash {
		t.Fatalf("the child is %+v", child)
	}
	again, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, child.Number)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Len() {
		n, err := again.Note(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range keptWords(n) {
			words[word]--
		}
	}
	for word, n := range words {
		if n != 0 {
			t.Errorf("the child has %d fewer of %q than it should have", n, word)
		}
	}
}

// keptWords are the words of a note outside its placeholders.
func keptWords(n candidate.Note) []string {
	runes := []rune(n.Text)
	for i := len(n.Redactions) - 1; i >= 0; i-- {
		r := n.Redactions[i]
		runes = append(append(slices.Clone(runes[:r.Start]), ' '), runes[r.End:]...)
	}
	text := string(runes)
	var out []string
	for _, tok := range annotate.Tokenize(text) {
		out = append(out, text[tok.Start:tok.End])
	}
	return out
}
