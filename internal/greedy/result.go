// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"

	"hide/internal/annotate"
)

// Counts are the four outcomes of a classifier on a set of instances (tkde
// section 3). Sensitive is TP+FN, the whole set TP+FP+FN+TN.
type Counts struct {
	TP int `json:"tp"`
	FP int `json:"fp"`
	FN int `json:"fn"`
	TN int `json:"tn"`
}

// Estimate is a figure with its 95 % interval, from resampling documents.
type Estimate struct {
	Value float64 `json:"value"` // expected
	Low   float64 `json:"low"`
	High  float64 `json:"high"`

	// AtMost is an upper bound that a number in as many further documents does not exceed
	// in at least 95 % of publications: the upper end of the interval if that is for
	// further documents too. It is 0 if there is no such bound: for shares, and if
	// nothing is extrapolated.
	AtMost float64 `json:"at_most,omitzero"`
}

// Times is the estimate for a publication of t times as many documents. With n documents
// annotated and m = t*n published, a count has the variance of its mean, m*m*v/n, and
// that of the publication, m*v, where v is that of one document: in all (t*t+t)/2 times
// that of m = n. Bounds of a smaller publication get no narrower than that; those of a
// larger one are scaled as if its documents were equally similar.
func (e Estimate) Times(t float64) Estimate {
	spread := max(t, math.Sqrt((t*t+t)/2))
	scaled := Estimate{Value: t * e.Value, Low: max(0, t*e.Value-spread*(e.Value-e.Low)), High: t*e.Value + spread*(e.High-e.Value)}
	if e.AtMost > 0 {
		scaled.AtMost = t*e.Value + spread*(e.AtMost-e.Value)
	}
	return scaled
}

// Attack is what attackers find in the published text.
type Attack struct {
	Classifier Estimate `json:"classifier"` // TP_A of the papers' attacker: hard labels of the accuracy-optimal classifier

	// Ranked is the number of sensitive tokens among the B best ranked, by budget B. It
	// is nil without a ranked attack: with one group only, and in paper mode in every
	// Round. A Choice of paper mode has it from HeldOut.
	Ranked map[int]Estimate `json:"ranked"`
}

// Category is the missed PHI of one category of sensitive tokens.
type Category struct {
	Label       annotate.Label `json:"label"`      // "" for tokens without one
	Sensitive   int            `json:"sensitive"`  // tokens, the denominator of Left
	Spans       int            `json:"spans"`      // the denominator of SpansLeft
	Missed      Estimate       `json:"left"`       // tokens left
	SpansMissed Estimate       `json:"spans_left"` // spans of which at least one token is left
}

// OverRedacted is the redacted words of one kind that are not sensitive.
type OverRedacted struct {
	Kind     WordKind `json:"kind"`
	Words    int      `json:"words"` // tokens, the denominator of Gone
	Redacted Estimate `json:"gone"`  // tokens redacted
}

// Outcome is what would be published and lost with one choice of classifiers. Shares are
// of tokens.
type Outcome struct {
	LC                float64        `json:"lc"`        // L/C
	Rounds            int            `json:"rounds"`    // classifiers used, |H|
	Tokens            int            `json:"tokens"`    // n = |X|
	Sensitive         int            `json:"sensitive"` // |S|
	Identifiers       int            `json:"names"`     // sensitive spans, the denominator of NamesLeft
	Documents         int            `json:"documents"`
	Informative       int            `json:"informative"`       // sensitive tokens with information, the denominator of InformativeMissed
	Patients          int            `json:"patients"`          // groups: patients, or documents without a patient
	Residual          Estimate       `json:"residual"`          // FN(H): sensitive tokens left
	IdentifiersMissed Estimate       `json:"names_left"`        // whole spans of which at least one token is left
	FalsePositives    Estimate       `json:"false_positives"`   // FP(H): other tokens redacted
	NonsensitiveKept  Estimate       `json:"nonsensitive_kept"` // TN(H)/|N|
	PublishedRatio    Estimate       `json:"published_ratio"`   // |P(H)|/n
	Loss              Estimate       `json:"loss"`              // T(H) = sum_c L_c*FN_c(H) + sum_k C_k*FP_k(H) with C = 1
	InformativeMissed Estimate       `json:"informative_left"`  // sensitive tokens left that are neither punctuation nor common lower-case words
	DocumentsWithLeak Estimate       `json:"documents_with_leak"`
	PatientsWithLeak  Estimate       `json:"patients_with_leak"`
	ByLabel           []Category     `json:"by_label,omitempty"` // by label, nil when no token has one
	ByKind            []OverRedacted `json:"by_kind,omitempty"`  // what goes, in the order of [WordKinds]
	Attack            Attack         `json:"tp_a"`

	// HeldOut is the same, measured on documents that the classifiers were not trained
	// on; only in paper mode, whose own figures are counts on the training data. It is
	// nil if there are too few groups to hold any out.
	HeldOut *Outcome `json:"held_out,omitempty"`
}

// Unseen is o on documents that the classifiers were not trained on: in paper mode the
// other figures are counts on the training data.
func (o Outcome) Unseen() Outcome {
	if o.HeldOut != nil {
		return *o.HeldOut
	}
	return o
}

// MissedIn forecasts the identifiers missed in further documents like those that were
// measured. ok is false without figures that carry over: in paper mode there are none if no
// documents were held out.
func (o Outcome) MissedIn(documents int, mode Mode) (missed Estimate, ok bool) {
	trained := mode == Paper && o.HeldOut == nil
	o = o.Unseen()
	if e := o.IdentifiersMissed.Value; trained || o.Documents == 0 || math.IsNaN(e) || math.IsInf(e, 0) {
		return Estimate{}, false
	}
	return o.IdentifiersMissed.Times(float64(documents) / float64(o.Documents)), true
}

// Round is one pass of GreedySanitize.
type Round struct {
	Number    int     `json:"number"` // k, from 1
	Learner   string  `json:"learner"`
	Threshold float64 `json:"threshold"`          // h_k(x) = 1 where P(sensitive) >= Threshold
	ByPrice   bool    `json:"by_price,omitempty"` // the odds of P(sensitive) are divided by C_k/C first
	Hard      bool    `json:"hard,omitempty"`     // h_k marks by hard labels instead
	Counts    Counts  `json:"counts"`             // of h_k on D_{k-1}: training counts in paper mode, cross-fitted in default
	Worth     float64 `json:"worth"`              // sum_c (L_c/L)*TP_c: h_k pays when Cost < (L/C)*Worth
	Cost      float64 `json:"cost"`               // sum_k (C_k/C)*FP_k
	Accepted  bool    `json:"accepted"`           // h_k joined H; the last round's need not
	Outcome   Outcome `json:"outcome"`            // with h_1..h_k; in paper mode without Attack.Ranked, in greedy-union not measured
}

// Mode names a way to choose H.
type Mode string

// The modes. All but Paper count on documents that the classifiers were not trained on.
const (
	Paper        Mode = "paper"         // Algorithm 1 of the papers: training counts, hard labels
	PaperHoldout Mode = "paper-holdout" // Algorithm 1, but h_k is chosen and counted out of fold
	GreedyUnion  Mode = "greedy-union"  // trained once; the learner and threshold with the best FP/TP join in small steps
	Default      Mode = "default"       // a detector, if given; then rank-robust attacks until none pays
	Cost         Mode = "cost"          // baseline: one classifier, threshold 1/(1+L/C)
	CostWeight   Mode = "cost-weight"   // baseline: one classifier, trained with sensitive tokens L/C times as heavy
)

// Modes are all modes.
func Modes() []Mode { return []Mode{Paper, PaperHoldout, GreedyUnion, Default, Cost, CostWeight} }

// rounds is the default maximum of rounds that redact in a mode.
func (m Mode) rounds() int {
	if m == GreedyUnion {
		return 4 * unionSteps
	}
	return 10
}

// Leak is a missed sensitive span, or a redacted run of other text: the page shows it in
// words.
type Leak struct {
	Document int     `json:"document"` // index into the documents given
	From, To int     // half-open range of tokens
	Score    float64 `json:"score"` // highest cross-fitted P(sensitive) among its tokens
}

// Choice is everything known about one L/C.
type Choice struct {
	LC           float64
	At           float64 // the L/C for which H redacts: LC, or the larger round number that Params.Ceiling required
	Rounds       []Round
	Outcome      Outcome
	Classifiers  Ensemble // H; empty if redacting does not pay
	Leaks        []Leak   // missed sensitive spans, out of fold, highest score first
	OverRedacted []Leak   // redacted runs of other text, out of fold, highest score of the detector first, or of the first learner

	// Certificate has every learner's best attack on the published text, in order of
	// Params.Learners; nil in paper mode. If none pays, neither threshold nor hard
	// labels, H is a local optimum, also against rankings. Default mode ends like this,
	// unless MaxRounds ends it.
	Certificate []Certified

	// Bounds are the papers' theorems for their attacker on documents held out; nil
	// where there are too few groups.
	Bounds []Bound

	// Applied is what Classifiers redact in documents to be published that differ from the
	// annotated ones; nil before [Result.AdaptTo], and for documents that do not differ.
	Applied *Applied
}

// Result is what [Sanitize] found.
type Result struct {
	Mode    Mode
	Choices []Choice      // by LC ascending
	Context []Association // contextual identifiers, if Params.Context is set

	lossByLabel bool // Params.LossByLabel was set
}
