// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/project"
	"hide/internal/publish"
)

// A run and a bundle keep the label names of their time. After a rename or merge, a span has
// the present name of its label, and the labels that it comes from are those of the bundle.
// A bundle redacts a span unless all labels that it comes from are excluded: a merge never
// makes text readable that was redacted before. If a label comes from an excluded one and
// from a redacted one, nobody has decided about it, and the bundle is refused.

// renamed are the parameters under the new names of their labels. A label counts as sensitive
// if one of the labels merged into it did.
func (p Params) renamed(r annotate.Renames) Params {
	if len(r) == 0 {
		return p
	}
	p.Labels, p.TargetLabels = renamedLabels(p.Labels, r), renamedLabels(p.TargetLabels, r)
	p.LossByLabel = project.HighestOf(p.LossByLabel, r)
	p.Sampling.Cost = project.HighestOf(p.Sampling.Cost, r)
	return p
}

// renamedLabels are labels under their new names, each once; nil stays nil.
func renamedLabels(all []annotate.Label, r annotate.Renames) []annotate.Label {
	var out []annotate.Label
	for _, l := range all {
		if now := r.Of(l); !slices.Contains(out, now) {
			out = append(out, now)
		}
	}
	return out
}

// Excludes reports whether a release with the bundle publishes text with this label. The
// names must be at least as new as the label.
func (b Bundle) Excludes(names *project.Names, l annotate.Label) bool {
	for _, source := range names.Sources(names.Present().Of(l), b.Names) {
		if !slices.Contains(b.Excluded, source) {
			return false
		}
	}
	return true
}

// ExcludedNow lists the present labels that a release with the bundle does not redact.
func (b Bundle) ExcludedNow(names *project.Names, all annotate.LabelSet) []annotate.Label {
	if len(b.Excluded) == 0 {
		return nil
	}
	return slices.DeleteFunc(all.Labels(), func(l annotate.Label) bool { return !b.Excludes(names, l) })
}

// CheckLabels refuses a bundle that is older than one of the project's labels, or than a
// merge of a redacted with an excluded label, because nobody has decided whether text with
// that label may be published.
func (b Bundle) CheckLabels(names *project.Names, all annotate.LabelSet, policy publish.Policy) error {
	var open []string
	for _, l := range all.Labels() {
		sources := names.Sources(l, b.Names)
		redacted := !slices.ContainsFunc(sources, func(s annotate.Label) bool { return !slices.Contains(policy.Labels, s) })
		if !redacted && !b.Excludes(names, l) {
			open = append(open, string(l))
		}
	}
	if len(open) == 0 {
		return nil
	}
	return project.Invalidf("choose the L/C again in the bundle's run, and publish with the new bundle",
		"bundle %d is older than these labels of the project, or than their merge: %s", b.Number, strings.Join(open, ", "))
}

// Input is a document to be published with the bundle, its spans under the names that the
// bundle writes. Known identifiers are redacted besides what the classifiers find. The
// figures of runs and attackers are measured without that: a release redacts at least what
// they say.
func (b Bundle) Input(names *project.Names, labels annotate.LabelSet, d project.StoredNote) publish.Input {
	spans := slices.Clone(b.Redacted(names, d.Spans))
	for i, s := range spans {
		spans[i].Label = names.Sources(names.Present().Of(s.Label), b.Names)[0]
	}
	return publish.Input{
		Document: d.ID, Name: d.Name, Text: d.Text, Group: d.Person(), Structured: d.Known(), Identities: d.About(),
		Known: publish.FindKnown(d.Text, d.About(), b.knownLabel(names, labels)), Spans: spans,
	}
}

// knownLabel gives identities the label that the bundle writes for them, "" if it excludes
// their label. An identity that no label of the project fits is redacted under the first.
func (b Bundle) knownLabel(names *project.Names, labels annotate.LabelSet) func(annotate.Identity) annotate.Label {
	all := labels.Labels()
	redacted := slices.DeleteFunc(slices.Clone(all), func(l annotate.Label) bool { return b.Excludes(names, l) })
	return func(i annotate.Identity) annotate.Label {
		now, ok := known.LabelIn(all, names.Present().Of(i.Label))
		switch {
		case len(redacted) == 0 || ok && !slices.Contains(redacted, now):
			return ""
		case !ok:
			now = redacted[0]
		}
		return names.Sources(now, b.Names)[0]
	}
}

// Redacted returns the annotations that a release with the bundle redacts.
func (b Bundle) Redacted(names *project.Names, spans []annotate.Span) []annotate.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s annotate.Span) bool { return b.Excludes(names, s.Label) })
}

// OldNames says that the bundle writes earlier names of labels, "" if it does not.
func (b Bundle) OldNames(names *project.Names) string {
	renames := names.Since(b.Names)
	if len(renames) == 0 {
		return ""
	}
	var all []string
	for _, was := range slices.Sorted(maps.Keys(renames)) {
		all = append(all, fmt.Sprintf("%s for %s", was, renames[was]))
	}
	return fmt.Sprintf("Redaction model %d is older than a change of labels, and its placeholders may say %s. To publish the new names, choose the L/C again in run %d.", b.Number, strings.Join(all, ", "), b.Run)
}
