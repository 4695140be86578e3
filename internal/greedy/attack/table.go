// SPDX-License-Identifier: Apache-2.0

package attack

// Kind is the name of an attacker, in requests and results.
type Kind string

// The attackers.
const (
	Uniform    Kind = "uniform"
	Classifier Kind = "classifier"
	Ranked     Kind = "ranked"
	Best       Kind = "best"
	Stacked    Kind = "stacked"
	Transfer   Kind = "transfer"
	Dictionary Kind = "dictionary"
	Repeat     Kind = "repeat"
)

// Labels reports whether the attacker learns from documents that it labels.
func (k Kind) Labels() bool { return k == Classifier || k == Ranked || k == Best || k == Stacked }

// Kinds are all there are, in the order of [Table].
func Kinds() []Kind {
	var kinds []Kind
	for _, e := range Table() {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// Entry says what a kind is.
type Entry struct {
	Kind  Kind
	About string // in one line
}

// Table lists the attackers. All that is said of them anywhere comes from here.
func Table() []Entry {
	return []Entry{
		{Uniform, "looks at tokens at random (the papers' U_A)"},
		{Classifier, "the papers' h_A: the learner whose labels err least; what it marks first, in no order"},
		{Ranked, "each learner by its P(sensitive), highest first"},
		{Best, "for each budget the learner of ranked that finds most"},
		{Stacked, "all learners together: by the mean of their log-odds"},
		{Transfer, "each learner trained on another corpus, by P(sensitive)"},
		{Dictionary, "no training: what patterns and announcements find first, then capitalised words of lists"},
		{Repeat, "knows surfaces that were redacted: where they stand whole first, then their words, then what adjoins a placeholder"},
	}
}
