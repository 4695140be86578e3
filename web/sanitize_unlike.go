// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/project/sanitize"
)

// unlikeWords say why figures of the runs compared do not stand for the same thing;
// none when they do.
func (v sanitizeView) unlikeWords() []string {
	var out []string
	if v.differ(func(a, b *sanitize.Run) bool { return !sameKinds(a.Params, b.Params) }) {
		kinds := make([]string, len(v.compared()))
		for i, r := range v.compared() {
			kinds[i] = "run " + strconv.Itoa(r.Number) + " " + kindsCounted(r.Params)
		}
		out = append(out, "These runs count different kinds: "+strings.Join(kinds, ", ")+". Names left, and what they are out of, cannot be compared.")
	}
	if v.differ(otherNotes) {
		out = append(out, "These runs are not over the same documents, or not with the same marks in them: what differs may be due to that.")
	}
	return out
}

// differ reports whether a run beside the one shown does.
func (v sanitizeView) differ(unlike func(a, b *sanitize.Run) bool) bool {
	return slices.ContainsFunc(v.Others, func(r *sanitize.Run) bool { return unlike(v.Run, r) })
}

func sameKinds(a, b sanitize.Params) bool {
	ours, theirs := a.Counted(), b.Counted()
	slices.Sort(ours)
	slices.Sort(theirs)
	return (ours == nil) == (theirs == nil) && slices.Equal(ours, theirs) && redactsNear(a) == redactsNear(b)
}

func kindsCounted(p sanitize.Params) string {
	if p.Labels == nil && redactsNear(p) {
		return "all kinds and words that give somebody away"
	}
	return cmp.Or(p.CountedWords(), "all kinds")
}

// redactsNear reports whether words that give somebody away count as well.
func redactsNear(p sanitize.Params) bool { return p.Context != nil && p.Context.Redact }

// otherNotes reports whether runs read other documents or other marks. Earlier versions
// did not keep what they read.
func otherNotes(a, b *sanitize.Run) bool {
	return a.Documents != b.Documents || a.Corpus != "" && b.Corpus != "" && a.Corpus != b.Corpus
}
