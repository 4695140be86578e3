// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/signing"
	"hide/internal/publish/evidence"
	"hide/internal/publish/verify"
	"hide/internal/testsize"
)

// evidenced is a published candidate with its evidence: an abandoned draw, a repair, a
// condition in words, planted identifiers.
type evidenced struct {
	*board
	page, file []byte
	key        ed25519.PrivateKey
	dir        string // of the release

	selected, plants []string // by readers
}

func newEvidenced(t *testing.T) *evidenced {
	t.Helper()
	b := newBoard(t, project.Rule{Approvals: 2, Quorum: 3, Abstain: true})
	b.draw(review.Sampling{Random: 4}) // nothing is planted in these again
	b.must(b.AbandonDraw(t.Context(), projecttest.Broker, b.id, b.number, "too few passages"))
	b.draw(review.Sampling{Random: 34, Doubtful: 5, Plants: 30, Anytime: true})
	e := &evidenced{board: b}
	notes, unplanted := b.texts(), 0
	b.readAll(func(p review.Passage) []review.Selection {
		if strings.Contains(notes, p.Text) {
			if unplanted++; unplanted%4 != 1 {
				return nil
			}
			found := lastWord(p)
			e.selected = append(e.selected, string([]rune(p.Text)[found.Start:found.End]))
			return []review.Selection{found}
		}
		all := planted(notes, p)
		for _, plant := range all {
			e.plants = append(e.plants, string([]rune(p.Text)[plant.Start:plant.End]))
		}
		return all
	})
	child := b.Froze(b.id, func() error { return b.RepairFound(t.Context(), projecttest.Broker, b.id, b.number) })
	b.must(b.AdoptCandidate(t.Context(), projecttest.Broker, b.id, b.number, child.Number))
	b.candidate = child
	b.advance(review.Voting)
	most := 1000
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve, Reason: "read enough", Conditions: review.Conditions{AtMost: &most, Recipients: []string{"Dr. Weiss", "Dr. Ng"}, Others: []string{"sign the agreement"}}}))
	b.must(b.vote(members[1], review.Vote{Choice: review.Approve}))
	b.must(b.vote(members[2], review.Vote{Choice: review.Abstain}))
	b.must(b.MeetCondition(t.Context(), projecttest.Broker, b.id, b.number, 0, "signed on Monday"))
	b.must(b.publish("Dr. Weiss"))
	e.take()
	var err error
	e.key, err = signing.Key(b.Core)
	b.must(err)
	e.dir = b.Dir(b.id, child.Name)
	return e
}

func (e *evidenced) take() {
	e.T.Helper()
	var err error
	e.page, e.file, err = e.Evidence(e.T.Context(), projecttest.Reviewer, e.id, e.number)
	e.must(err)
}

// texts are the notes of the candidate.
func (b *board) texts() string {
	b.T.Helper()
	text, err := b.TextOf(b.id, b.candidate.Number)
	b.must(err)
	var all strings.Builder
	for n, err := range text.All(b.T.Context()) {
		b.must(err)
		all.WriteString(n.Text + "\n\n")
	}
	return all.String()
}

// planted selects what stands in a passage and not in the notes: whole words and the blank
// beside them.
func planted(notes string, p review.Passage) []review.Selection {
	if strings.Contains(notes, p.Text) {
		return nil
	}
	tokens := annotate.Tokenize(p.Text)
	for n := range len(tokens) {
		for i := 0; i+n < len(tokens); i++ {
			from, to := tokens[i].Start, tokens[i+n].End
			before := strings.TrimSuffix(p.Text[:from], " ") + p.Text[to:]
			after := p.Text[:from] + strings.TrimPrefix(p.Text[to:], " ")
			if strings.Contains(notes, before) || strings.Contains(notes, after) {
				return []review.Selection{selected(p.Text, from, to)}
			}
		}
	}
	return nil
}

func selected(text string, from, to annotate.ByteOff) review.Selection {
	start, end := annotate.NewOffsets(text).Range(annotate.Span{Start: from, End: to})
	return review.Selection{Start: start, End: end, Label: "PATIENT"}
}

// lastWord selects a word that is readable.
func lastWord(p review.Passage) review.Selection {
	for _, tok := range slices.Backward(annotate.Tokenize(p.Text)) {
		if !inside(p.Places, tok) && tok.End-tok.Start > 2 {
			return selected(p.Text, tok.Start, tok.End)
		}
	}
	return review.Selection{}
}

// verified checks a file against the release, and returns the problems.
func (e *evidenced) verified(file []byte, key ed25519.PublicKey) string {
	e.T.Helper()
	found, err := verify.Release(os.DirFS(e.dir))
	e.must(err)
	r := found.Common()
	r.CheckEvidence(file, key)
	problems := problemsOf(r)
	if r.OK != (problems == "") {
		e.T.Error("the report is OK and has problems")
	}
	return problems
}

func problemsOf(r *verify.Report) string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.String())
	}
	return strings.Join(all, "\n")
}

func (e *evidenced) public() ed25519.PublicKey { return e.key.Public().(ed25519.PublicKey) }

// altered signs a changed pack with the right key.
func (e *evidenced) altered(change func(*evidence.Pack)) []byte {
	e.T.Helper()
	var file struct{ Pack evidence.Pack }
	e.must(json.Unmarshal(e.file, &file))
	change(&file.Pack)
	out, err := evidence.Sign(file.Pack, e.key)
	e.must(err)
	return out
}

// One published candidate serves all of these: it takes a second to make.
func TestEvidence(t *testing.T) {
	e := newEvidenced(t)
	t.Run("is verified, and equal each time", e.isVerifiedAndEqualEachTime)
	t.Run("is refused with any byte changed", e.isRefusedWithAnyByteChanged)
	t.Run("is refused with the part that disagrees", e.isRefusedWithThePartThatDisagrees)
	t.Run("is refused for another key or release", e.isRefusedForAnotherKeyOrRelease)
}

func (e *evidenced) isVerifiedAndEqualEachTime(t *testing.T) {
	for name, file := range map[string][]byte{"JSON": e.file, "page": e.page} {
		if problems := e.verified(file, e.public()); problems != "" {
			t.Errorf("the %s is refused: %s", name, problems)
		}
		for _, canary := range e.canaries() {
			if bytes.Contains(bytes.ToLower(file), []byte(strings.ToLower(canary))) {
				t.Errorf("the %s holds %q", name, canary)
			}
		}
	}
	if bytes.Contains(bytes.ReplaceAll(e.page, []byte(`xmlns="http://www.w3.org/2000/svg"`), nil), []byte("http")) || bytes.Count(e.page, []byte("<script")) != 1 {
		t.Error("the page names an address, or runs a script")
	}
	page, file := e.page, e.file
	e.Reopen()
	if e.take(); !bytes.Equal(page, e.page) || !bytes.Equal(file, e.file) {
		t.Error("the pack differs after opening again")
	}
	if _, _, err := e.Evidence(t.Context(), projecttest.Annotator, e.id, e.number); project.KindOf(err) != project.Forbidden {
		t.Errorf("somebody who sees no figures takes the evidence: %v", err)
	}
	rows, err := e.Audit(t.Context(), projecttest.Broker, e.id, 0, 10)
	if err != nil || rows[0].Action != "take evidence" {
		t.Errorf("the newest row of the audit trail is %+v, %v", rows[0], err)
	}
}

// canaries are words of the notes, original identifiers, and everything that readers selected.
func (e *evidenced) canaries() []string {
	out := append([]string{"cough", "fever", "lungs", "advised", "Abelo", "Castro", "7000037", "Ward 7"}, e.selected...)
	for _, plant := range e.plants {
		if len(plant) > 4 { // shorter ones are in hashes
			out = append(out, plant)
		}
	}
	return out
}

func (e *evidenced) isRefusedWithAnyByteChanged(t *testing.T) {
	key := e.public()
	for name, file := range map[string][]byte{"JSON": e.file, "page": e.page} {
		step := len(file)/testsize.Of(600, len(file)) + 1
		for i := 0; i < len(file); i += step {
			changed := bytes.Clone(file)
			changed[i] ^= 1 << (i % 7)
			var r verify.Report
			if r.CheckEvidence(changed, key); !strings.Contains(problemsOf(&r), "evidence: ") || r.Evidence != nil {
				t.Fatalf("%s: byte %d of %d can be changed", name, i, len(file))
			}
		}
	}
	for name, file := range map[string][]byte{
		"a space more":      append(bytes.Clone(e.file), ' '),
		"a shorter file":    e.file[:len(e.file)-1],
		"a field more":      bytes.Replace(e.file, []byte(`,"public_key"`), []byte(`,"more":1,"public_key"`), 1),
		"a field twice":     bytes.Replace(e.file, []byte(`{"schema":`), []byte(`{"schema":"","schema":`), 1),
		"nothing":           nil,
		"a page in a page":  append(bytes.Clone(e.page), e.page...),
		"a page, shortened": e.page[:len(e.page)/2],
	} {
		if problems := e.verified(file, key); problems == "" {
			t.Errorf("%s is accepted", name)
		}
	}
}

func (e *evidenced) isRefusedForAnotherKeyOrRelease(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	e.must(err)
	if problems := e.verified(e.file, public); !strings.Contains(problems, "public key: it was signed with another key") {
		t.Errorf("with another key: %s", problems)
	}
	right := e.key
	e.key = private
	forged := e.altered(func(*evidence.Pack) {})
	e.key = right
	if problems := e.verified(forged, e.public()); !strings.Contains(problems, "public key") {
		t.Errorf("signed with another key: %s", problems)
	}
	own := bytes.Replace(forged, []byte(evidence.PublicKey(private)), []byte(evidence.PublicKey(right)), 1)
	if problems := e.verified(own, e.public()); !strings.Contains(problems, "signature: it does not fit") {
		t.Errorf("signed with another key that it does not name: %s", problems)
	}
	e.must(e.SetRule(t.Context(), projecttest.Broker, e.id, project.Rule{}))
	e.must(e.StartPublish(t.Context(), projecttest.Broker, e.id, release.Publish, 1, release.Despite{Uncertified: "a test"}))
	other, st := e.Published(e.id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	e.dir = e.Dir(e.id, other.Name)
	if problems := e.verified(e.file, e.public()); !strings.Contains(problems, "candidate: the review was about the files with the hash") {
		t.Errorf("of another release: %s", problems)
	}
}

func (e *evidenced) isRefusedWithThePartThatDisagrees(t *testing.T) {
	if problems := e.verified(e.altered(func(*evidence.Pack) {}), e.public()); problems != "" {
		t.Fatalf("an unchanged pack is refused: %s", problems)
	}
	three := 3
	for _, c := range []struct {
		want   string
		change func(*evidence.Pack)
	}{
		{"votes: the decision counts others", func(p *evidence.Pack) { p.Votes[1].Choice, p.Votes[1].Reason = "refuse", "no" }},
		{"votes: u-m2 voted twice", func(p *evidence.Pack) { p.Votes[2] = p.Votes[1] }},
		{"votes: u-broker proposed the release", func(p *evidence.Pack) { p.Votes[0].Name = "u-broker" }},
		{"votes: Somebody is not a member", func(p *evidence.Pack) { p.Votes[0].Name = "Somebody" }},
		{"votes: u-m3 voted for what the rule does not allow", func(p *evidence.Pack) { p.Review.Rule.Abstain = false }},
		{`the votes and the rule give "no quorum"`, func(p *evidence.Pack) { p.Review.Rule.Quorum = 4 }},
		{"votes: the manifest of the release says something else", func(p *evidence.Pack) { p.Votes, p.Decision.Approved = p.Votes[:2], 1; p.Votes[1].Choice = "abstain" }},
		{"conditions: they are not those of the approving votes", func(p *evidence.Pack) { p.Votes[0].Conditions.Recipients = []string{"Dr. Weiss"} }},
		{"conditions: they are not those of the approving votes", func(p *evidence.Pack) { p.Decision.Conditions.Others = nil }},
		{"conditions: the pack does not say how condition 1", func(p *evidence.Pack) { p.Decision.Met = p.Decision.Met[:0] }},
		{"conditions: at most 3 passages", func(p *evidence.Pack) { p.Decision.Conditions.AtMost, p.Votes[0].Conditions.AtMost = &three, &three }},
		{"recipients: Dr. Ko got the release", func(p *evidence.Pack) { p.Release.Recipients[0].Name = "Dr. Ko" }},
		{"valid until: it does not follow", func(p *evidence.Pack) { p.Decision.Until = p.Decision.Until.Add(time.Hour) }},
		{"release: it was published after the approval lapsed", func(p *evidence.Pack) {
			early := p.Decision.At.Add(-time.Hour)
			p.Decision.Until, p.Decision.Conditions.Until, p.Votes[0].Conditions.Until = early, &early, &early
		}},
		{"bound: at most 1 passages are said to be left", func(p *evidence.Pack) { p.Reading.Left = 1 }},
		{"certificate: bound is ", func(p *evidence.Pack) { p.Reading.Certificate.Bound-- }},
		{"certificate: recall.lower is ", func(p *evidence.Pack) { p.Reading.Certificate.Recall.Lower = .99 }},
		{"bound: the decision has another one", func(p *evidence.Pack) { *p.Decision.Bound-- }},
		{"reading: it does not have the parameters", func(p *evidence.Pack) { p.Reading.Reading.Alpha = .1 }},
		{"reading: more passages were repaired", func(p *evidence.Pack) { p.Candidate.Repairs, p.Draws[1].Candidate = nil, p.Candidate.Hash }},
		{"reading: draw 2 is of another candidate", func(p *evidence.Pack) { p.Candidate.Repairs = p.Candidate.Repairs[:0] }},
		{"reading: draw 1 is not one that this review read", func(p *evidence.Pack) { p.Reading.Draw = 1 }},
		{"draws: draw 1 is missing", func(p *evidence.Pack) { p.Draws = p.Draws[1:] }},
		{"draw 2: the commitment is not that", func(p *evidence.Pack) { p.Draws[1].Commitment = p.Draws[0].Commitment }},
		{"draw 2: the commitment is not that", func(p *evidence.Pack) { p.Draws[1].Parameters.Plants = 31 }},
		{"draw 2: the seed does not follow", func(p *evidence.Pack) { p.Draws[1].Seed = p.Draws[0].Seed }},
		{"draw 2: the seed does not follow", func(p *evidence.Pack) { p.Draws[1].Given = "4712" }},
		{"draw 1: the person who committed to it gave the number", func(p *evidence.Pack) { p.Draws[0].GivenBy = p.Draws[0].By }},
		{"draw 2: the order of its passages does not follow", func(p *evidence.Pack) {
			other := 0
			for slices.Contains(p.Draws[1].Doubtful, other) {
				other++
			}
			p.Draws[1].Doubtful[0] = other
		}},
		{"candidate: the review was about the files", func(p *evidence.Pack) { p.Candidate.Hash = p.Candidate.Repairs[0].Hash }},
		{"release: its manifest.json has another SHA-256", func(p *evidence.Pack) { p.Release.SHA256 = p.Candidate.Hash }},
		{"rule: the manifest of the release says something else", func(p *evidence.Pack) { p.Review.Rule.Words = "none" }},
		{"project: the manifest of the release says something else", func(p *evidence.Pack) { p.Project = "p9" }},
		{"decision: the manifest of the release says something else", func(p *evidence.Pack) { p.Decision.At = p.Decision.At.Add(time.Second) }},
		{"release: it was withdrawn on", func(p *evidence.Pack) {
			p.Release.State = evidence.State{Status: evidence.Withdrawn, Reason: "names were found", Since: &p.AsOf}
		}},
		{"review: its state is not that", func(p *evidence.Pack) { p.Review.State = "open" }},
	} {
		if problems := e.verified(e.altered(c.change), e.public()); !strings.Contains(problems, c.want) {
			t.Errorf("want %q, got:\n%s", c.want, problems)
		}
	}
}

// An unfinished review gives no pack; one that ended without a decision gives one that lets
// nothing be published.
func TestEvidenceNeedsAReviewThatIsOver(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	if _, _, err := b.Evidence(t.Context(), projecttest.Broker, b.id, b.number); project.KindOf(err) != project.Stale {
		t.Errorf("evidence of an open review: %v", err)
	}
	b.draw(review.Sampling{Random: 20})
	b.advance(review.Ended)
	page, file, err := b.Evidence(t.Context(), projecttest.Broker, b.id, b.number)
	b.must(err)
	if !bytes.Contains(page, []byte("No decision")) || !bytes.Contains(page, []byte("No random passage has been read")) {
		t.Error("the page does not say that nothing was read or decided")
	}
	key, err := signing.Key(b.Core)
	b.must(err)
	var r verify.Report
	r.CheckEvidence(file, key.Public().(ed25519.PublicKey))
	if problems := problemsOf(&r); !strings.Contains(problems, "did not approve") {
		t.Errorf("the pack of a review without a decision: %s", problems)
	}
}

// Two approvals for different recipients let nobody get it, also after the record was stored.
func TestRecipientsThatExcludeEachOtherLetNobodyGetIt(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.advance(review.Voting)
	for i, m := range members {
		b.must(b.vote(m, review.Vote{Choice: review.Approve, Conditions: review.Conditions{Recipients: []string{fmt.Sprint("Dr. ", i)}}}))
	}
	for _, to := range [][]string{nil, {"Dr. 0"}, {"anybody"}} {
		if err := b.publish(to...); err == nil || !strings.Contains(err.Error(), "allow different recipients") {
			t.Errorf("published to %v: %v", to, err)
		}
	}
}
