// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/release"
	"hide/internal/publish/shard"
	"hide/internal/publish/verify"
)

const (
	firstNote  = `{"id":"1","text":"Seen by [NAME].","redactions":[{"start":8,"end":14,"label":"NAME"}]}` + "\n"
	secondNote = `{"id":"2","text":"Well.","redactions":[]}` + "\n"
)

// forge writes a release whose sums are right: only its claims and its notes can be wrong.
func forge(t *testing.T, notes []string, c shard.Claims) string {
	t.Helper()
	for i, text := range notes {
		if i < len(c.Shards) && c.Shards[i].SHA256 == "" {
			sum := sha256.Sum256([]byte(text))
			c.Shards[i].Bytes, c.Shards[i].SHA256 = int64(len(text)), hex.EncodeToString(sum[:])
		}
	}
	dir := filepath.Join(t.TempDir(), "r")
	m := release.Manifest{Kind: release.Bulk, Version: "1", Created: time.Unix(1, 0), Statement: shard.Statement, Claims: c}
	if _, err := release.Write(t.Context(), dir, m, []release.Content{release.Bytes("notes.jsonl", []byte(strings.Join(notes, "")))}, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVerifyRecomputesTheClaimsOfAMergedRelease(t *testing.T) {
	for name, c := range map[string]struct {
		change func(notes []string, c *shard.Claims)
		want   string
	}{
		"nothing":          {func([]string, *shard.Claims) {}, ""},
		"notes":            {func(_ []string, c *shard.Claims) { c.Counts.Notes++ }, "claims 3 notes, there are 2"},
		"notes of a shard": {func(_ []string, c *shard.Claims) { c.Shards[0].Notes++; c.Counts.Notes++ }, "the part of shard 0 has 1 notes, 2 are claimed"},
		"refused":          {func(_ []string, c *shard.Claims) { c.Counts.Refused++ }, "claims 3 records left out, those of the shards are 2"},
		"below zero":       {func(_ []string, c *shard.Claims) { c.Shards[0].Refused, c.Shards[1].Refused = 3, -1 }, "claims a number below zero for shard 1"},
		"redactions":       {func(_ []string, c *shard.Claims) { c.Counts.Redactions["NAME"]++ }, "claims wrong numbers of redactions"},
		"unknown label":    {func(_ []string, c *shard.Claims) { c.Labels = []annotate.Label{"DATE"} }, "line 1 of shard 0: redaction 1 has an unknown label"},
		"no placeholder":   {func(notes []string, _ *shard.Claims) { notes[0] = strings.Replace(firstNote, "[NAME]", "J. Doe", 1) }, "does not hold its placeholder"},
		"another form":     {func(_ []string, c *shard.Claims) { c.Placeholder = "<LABEL>" }, "does not hold its placeholder"},
		"no form":          {func(_ []string, c *shard.Claims) { c.Placeholder = "LABEL" }, "has no form of placeholder"},
		"a field more": {func(notes []string, _ *shard.Claims) {
			notes[1] = `{"id":"2","text":"","name":"x","redactions":[]}` + "\n"
		}, "line 1 of shard 1: not as expected"},
		"other spaces":     {func(notes []string, _ *shard.Claims) { notes[1] = strings.Replace(secondNote, ":", ": ", 1) }, "is not written as it should be"},
		"no end":           {func(notes []string, _ *shard.Claims) { notes[1] = strings.TrimSpace(secondNote) }, "it has no end"},
		"a shard is short": {func(_ []string, c *shard.Claims) { c.Shards[1].Bytes, c.Shards[1].SHA256 = 5, c.Bundle }, "does not have the SHA-256"},
		"bytes after": {func(_ []string, c *shard.Claims) {
			c.Shards = c.Shards[:1]
			c.Counts = shard.Counts{Notes: 1, Redactions: c.Counts.Redactions}
		}, "bytes after the last shard"},
	} {
		notes := []string{firstNote, secondNote}
		claims := shard.Claims{
			Format: "jsonl", Placeholder: "[LABEL]", Labels: []annotate.Label{"NAME"}, Bundle: strings.Repeat("a", 64),
			Counts: shard.Counts{Notes: 2, Refused: 2, Redactions: map[annotate.Label]int{"NAME": 1}},
			Shards: []shard.Claimed{{Notes: 1}, {Notes: 1, Refused: 2}},
		}
		c.change(notes, &claims)
		r, err := verify.Release(os.DirFS(forge(t, notes, claims)))
		if err != nil {
			t.Fatal(name, err)
		}
		said := slices.ContainsFunc(r.Common().Problems, func(p verify.Problem) bool { return strings.Contains(p.What, c.want) })
		if r.Common().OK != (c.want == "") || c.want != "" && !said {
			t.Errorf("%s: %v", name, r.Common().Problems)
		}
	}
}
