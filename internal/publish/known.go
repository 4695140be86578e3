// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/words"
)

// Occurrences are the places in a note of identifiers that structured data gives, see
// package known. What has a label is redacted under it, whatever the classifiers find. What
// has none stays as it is unless a classifier or a person redacts it, and is counted.
type Occurrences []annotate.Span

// FindKnown finds the occurrences of identities in a text. policy gives the label under
// which a placeholder replaces an identity, or "" if it stays readable.
func FindKnown(text string, identities []annotate.Identity, policy func(annotate.Identity) annotate.Label) Occurrences {
	var out Occurrences
	for _, m := range known.Find(text, identities) {
		m.Span.Label = policy(identities[m.Identity])
		out = append(out, m.Span)
	}
	return out
}

// Readable are the occurrences without labels: they are only counted.
func (o Occurrences) Readable() Occurrences {
	out := slices.Clone(o)
	for i := range out {
		out[i].Label = ""
	}
	return out
}

// redacted are the occurrences that a placeholder replaces.
func (o Occurrences) redacted() []annotate.Span {
	return slices.DeleteFunc(slices.Clone(o), func(s annotate.Span) bool { return s.Label == "" })
}

// KnownCounts counts the occurrences of known identifiers in the originals of a release.
type KnownCounts struct {
	Found     int `json:"found"`
	Remaining int `json:"remaining"` // of these, how many are readable in the release, whole or in part
}

// Words are a clause for people: "known identifiers remaining: 0 of 4,112".
func (k KnownCounts) Words() string {
	return "known identifiers remaining: " + words.Number(k.Remaining) + " of " + words.Number(k.Found)
}

func (k KnownCounts) plus(other KnownCounts) KnownCounts {
	return KnownCounts{k.Found + other.Found, k.Remaining + other.Remaining}
}

// known counts the occurrences, and those with a token that is not redacted.
func (m mask) known(tokens []annotate.Token, all Occurrences) (counts KnownCounts) {
	for _, s := range all {
		from, to := annotate.Covered(tokens, s)
		counts.Found++
		if slices.Contains(m[from:to], "") {
			counts.Remaining++
		}
	}
	return counts
}

// KnownLabel is the label of a policy for an identity, the first of the policy if none fits:
// what is known must not stay readable because a project has other labels.
func (p Policy) KnownLabel(i annotate.Identity) annotate.Label {
	if l, ok := known.LabelIn(p.Labels, i.Label); ok {
		return l
	}
	return p.Labels[0]
}
