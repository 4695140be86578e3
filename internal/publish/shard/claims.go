// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"fmt"

	"hide/internal/annotate"
	"hide/internal/words"
)

// Claims are what a release of merged shards claims. They hold no name and no hash of the
// input: a hash of a short text lets a reader try names until it fits.
type Claims struct {
	Format      string           `json:"format"`
	Placeholder string           `json:"placeholder"` // a format, with LABEL for the label
	Labels      []annotate.Label `json:"labels"`
	Bundle      string           `json:"bundle_sha256"`
	Counts      Counts           `json:"counts"`
	Shards      []Claimed        `json:"shards"`
}

// Claimed is a shard of the release: these bytes of its file, after those of the shards before.
type Claimed struct {
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Notes   int    `json:"notes"`
	Refused int    `json:"refused"`
}

// Statement is what a release of merged shards says of itself.
const Statement = "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. " +
	"A redaction model replaced what it found by placeholders. The text may still hold identifiers that it did not find: nobody has read a sample."

// warningsOf are further facts for the recipients of a release.
func warningsOf(format string, refused int) []string {
	order := "The messages are in the order of the input."
	switch format {
	case "jsonl":
		order = "The ids of the notes are those of the input, and the notes are in its order."
	case "text":
		order = "The notes are in the order of the names of their files, and their ids are the numbers of these files."
	}
	if refused == 0 {
		return []string{order}
	}
	return []string{order, fmt.Sprintf("%s of the input could not be read and %s not in the release.", words.Count(refused, "record", "records"), isOrAre(refused))}
}

// releaseNames are the names of the one file of a release, by format.
var releaseNames = map[string]string{"jsonl": "notes.jsonl", "hl7": "messages.hl7", "ccda": "documents.xml", "fhir": "resources.fhir"}

func claimsOf(all []*found) Claims {
	s := all[0].Settings
	format := s.Format
	if format == "text" {
		format = "jsonl" // of the output
	}
	c := Claims{Format: format, Placeholder: s.Placeholder, Labels: s.Labels, Bundle: s.Bundle, Counts: Counts{Redactions: map[annotate.Label]int{}}}
	for _, m := range all {
		c.Shards = append(c.Shards, Claimed{m.Output.Bytes, m.Output.SHA256, m.Counts.Notes, m.Counts.Refused})
		c.Counts.Notes += m.Counts.Notes
		c.Counts.Refused += m.Counts.Refused
		for label, n := range m.Counts.Redactions {
			c.Counts.Redactions[label] += n
		}
	}
	return c
}
