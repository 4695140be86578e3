// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/signing"
	"hide/internal/publish/verify"
)

// A release gets only the recipients that its review allows, can be superseded and withdrawn
// for a reason, and the signed status of the project tells the people who have a copy.
func TestAWithdrawnReleaseIsToldByTheStatusFile(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx, number := t.Context(), b.candidate.Number
	b.advance(review.Voting)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve, Conditions: review.Conditions{Recipients: []string{"Dr. Weiss", "Dr. Ng"}}}))
	b.advance(review.Decided)
	b.must(b.publish("Dr. Weiss"))
	if err := b.AddRecipient(ctx, projecttest.Broker, b.id, number, "Dr. Ko"); err == nil || !strings.Contains(err.Error(), "not among the approved") {
		t.Errorf("a recipient that nobody approved: %v", err)
	}
	b.must(b.AddRecipient(ctx, projecttest.Broker, b.id, number, " Dr.  Ng "))
	if err := b.AddRecipient(ctx, projecttest.Broker, b.id, number, "Dr. Ng"); err == nil {
		t.Error("a recipient is on record twice")
	}
	b.must(b.SetRule(ctx, projecttest.Broker, b.id, project.Rule{}))
	b.must(b.StartPublish(ctx, projecttest.Broker, b.id, release.Publish, 1, release.Despite{Uncertified: "a test"}))
	newer, _ := b.Published(b.id)

	status := func() []byte {
		t.Helper()
		var out bytes.Buffer
		b.must(b.WriteStatus(ctx, members[0], b.id, &out))
		if bytes.Contains(out.Bytes(), []byte("Weiss")) {
			t.Error("the status tells one recipient about another")
		}
		return out.Bytes()
	}
	key, err := signing.Key(b.Core)
	b.must(err)
	verified, err := verify.Release(os.DirFS(b.Dir(b.id, b.candidate.Name)))
	b.must(err)
	check := func(file []byte) *verify.Report {
		t.Helper()
		r := *verified.Common() // without a problem
		r.CheckStatus(file, key.Public().(ed25519.PublicKey))
		return &r
	}
	first := status()
	if r := check(first); !r.OK || r.Status == nil || r.Status.Status != "valid" {
		t.Errorf("a valid release: %+v %s", r.Status, problemsOf(r))
	}
	for i := range first {
		changed := bytes.Clone(first)
		changed[i] ^= 4
		if r := check(changed); r.OK {
			t.Fatalf("byte %d of the status can be changed", i)
		}
	}
	for who, err := range map[string]error{
		"a reviewer":            b.WithdrawRelease(ctx, members[0], b.id, number, "why"),
		"nobody with a reason":  b.WithdrawRelease(ctx, projecttest.Broker, b.id, number, " "),
		"an older one":          b.SupersedeRelease(ctx, projecttest.Broker, b.id, newer.Number, number, "better"),
		"one that is not there": b.SupersedeRelease(ctx, projecttest.Broker, b.id, number, 99, "better"),
	} {
		if err == nil {
			t.Errorf("%s withdraws a release, or supersedes it", who)
		}
	}
	b.must(b.SupersedeRelease(ctx, projecttest.Broker, b.id, number, newer.Number, "more is redacted"))
	if r := check(status()); !r.OK || r.Status.Status != "superseded" || r.Status.Newer != newer.Name || r.Status.Reason != "more is redacted" {
		t.Errorf("a superseded release: %+v %s", r.Status, problemsOf(r))
	}
	b.must(b.WithdrawRelease(ctx, projecttest.Broker, b.id, number, "a name was found"))
	if r := check(status()); r.OK || !strings.Contains(problemsOf(r), "status: the release was withdrawn on") || !strings.Contains(problemsOf(r), "a name was found") {
		t.Errorf("a withdrawn release: %s", problemsOf(r))
	}
	var zip bytes.Buffer
	if err := b.WriteRelease(ctx, projecttest.Broker, b.id, number, &zip); project.KindOf(err) != project.Invalid || zip.Len() > 0 {
		t.Errorf("a withdrawn release is handed out: %v", err)
	}
	if err := b.AddRecipient(ctx, projecttest.Broker, b.id, number, "Dr. Weiss"); err == nil {
		t.Error("a withdrawn release gets a recipient")
	}
	if _, _, err := b.SigningKey(ctx, account.User{ID: "u", Role: account.Reviewer}); project.KindOf(err) != project.Forbidden {
		t.Errorf("a reviewer sees the key: %v", err)
	}
}
