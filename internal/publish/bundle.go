// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/target"
	"hide/internal/publish/policy"
)

// Bundle is everything that redacts text, frozen. Its models contain words of the training
// notes: treat a bundle like the notes. It must not be changed once in use, and is then
// safe for concurrent use.
type Bundle struct {
	Ensemble   greedy.Ensemble // finds what is redacted; empty for only the spans that people marked
	Namer      *crf.Model      // labels it
	Policy     Policy
	Provenance Provenance
}

// Provenance is the origin of a bundle.
type Provenance struct {
	Tool      string         `json:"tool"` // version of the program
	Created   time.Time      `json:"created"`
	Project   string         `json:"project"` // its id
	Run       int            `json:"run"`     // of sanitizing
	Mode      greedy.Mode    `json:"mode"`
	LC        float64        `json:"lc"`
	At        float64        `json:"redacts_as,omitzero"` // the larger L/C that a ceiling used instead; 0 for none
	Documents int            `json:"training_documents"`
	Random    int            `json:"training_documents_at_random"` // of these, a random sample: only these represent other notes
	Corpus    string         `json:"corpus"`                       // keyed fingerprint of the documents and spans trained on
	Figures   greedy.Outcome `json:"figures"`                      // the basis of the choice
	Validity  *Validity      `json:"validity,omitempty"`           // of Figures, for the notes of the project; nil in older bundles
	Attuned   float64        `json:"attuned,omitzero"`             // factor of the prior-shift correction of the odds after Figures were measured; 0 and 1 for none
	// Target is the target that the threshold was chosen for, nil for an L/C. LC is then the one
	// for which one classifier has this threshold.
	Target *target.Choice `json:"target,omitempty"`
}

// Ratio is L/C, with the larger one that a ceiling used instead: "10", "10 (as for 30)".
func (p Provenance) Ratio() string {
	if p.At == 0 {
		return fmt.Sprintf("%g", p.LC)
	}
	return fmt.Sprintf("%g (as for %g)", p.LC, p.At)
}

// Check reports why the bundle cannot be used.
func (b *Bundle) Check() error {
	if err := b.Policy.Check(); err != nil {
		return err
	}
	if b.Namer == nil || !slices.ContainsFunc(b.Namer.Labels(), b.names) {
		return fmt.Errorf("no model knows a label of the policy")
	}
	for i, a := range b.Ensemble {
		if a.Classifier == nil {
			return fmt.Errorf("classifier %d is missing", i+1)
		}
		if math.IsNaN(a.Threshold) || a.Threshold < 0 || a.Threshold > 1 {
			return fmt.Errorf("threshold %g of classifier %d is not between 0 and 1", a.Threshold, i+1)
		}
		if err := a.Prices.Check(); err != nil {
			return fmt.Errorf("classifier %d: %w", i+1, err)
		}
	}
	return nil
}

func (b *Bundle) allowed(l annotate.Label) bool { return slices.Contains(b.Policy.Labels, l) }

// names reports whether the policy has a label that the namer predicts.
func (b *Bundle) names(predicted annotate.Label) bool {
	return b.allowed(b.Policy.Names.Of(predicted))
}

// Redact returns the text with placeholders for what the bundle finds and for the spans of
// people, extra, and the redactions in order. The labels of people win. Everything outside
// of the redactions is unchanged, byte for byte. The parts of spans outside of the text are
// ignored.
func (b *Bundle) Redact(text string, extra ...annotate.Span) (string, []Redaction) {
	r := b.redactTogether([]Input{{Text: text, Spans: extra}})[0]
	return r.text, r.redactions
}

// RedactTogether is [Bundle.Redact] of notes that are published together: what is found in
// one note of a Group helps to find the same words in the others.
func (b *Bundle) RedactTogether(docs []Input) (texts []string, redactions [][]Redaction) {
	for _, r := range b.redactTogether(docs) {
		texts, redactions = append(texts, r.text), append(redactions, r.redactions)
	}
	return texts, redactions
}

// redacted is a redacted note.
type redacted struct {
	text       string
	redactions []Redaction
	tokens     int             // of the text, without what a release lists
	kept       []annotate.Span // that a person or a policy decided to keep
	known      KnownCounts
}

func (b *Bundle) redactTogether(ins []Input) []redacted {
	docs := make([]annotate.Note, len(ins))
	for i, in := range ins {
		docs[i] = annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: in.Text, Patient: in.Group}})
		docs[i].Known, docs[i].Identities = in.Structured, in.Identities
	}
	out := make([]redacted, len(ins))
	for i, goes := range b.findAll(ins, docs) {
		m := b.label(docs[i], goes)
		m.cover(docs[i].Tokens, ins[i].Known.redacted())
		m.cover(docs[i].Tokens, ins[i].Spans)
		text, redactions := b.Policy.replace(ins[i].Text, m.spans(ins[i].Text, docs[i].Tokens))
		out[i] = redacted{text: text, redactions: redactions, tokens: m.kept(), known: m.known(docs[i].Tokens, ins[i].Known)}
	}
	return out
}

// findAll runs the classifiers, unless the notes are to be redacted exactly as they say.
func (b *Bundle) findAll(ins []Input, docs []annotate.Note) [][]bool {
	if !slices.ContainsFunc(ins, func(in Input) bool { return in.Exactly }) {
		return b.Ensemble.RedactAll(docs)
	}
	none := make([][]bool, len(docs))
	for i, d := range docs {
		none[i] = make([]bool, len(d.Tokens))
	}
	return none
}

// label gives each redacted token the most probable label of the policy.
func (b *Bundle) label(d annotate.Note, goes []bool) mask {
	m := make(mask, len(goes))
	if !slices.Contains(goes, true) {
		return m
	}
	p, labels := b.Namer.Marginals(d.View())
	for i := range m {
		if goes[i] {
			m[i] = b.mostProbable(p[i], labels)
		}
	}
	return m
}

func (b *Bundle) mostProbable(p []float64, labels []annotate.Label) annotate.Label {
	best, found := -1.0, annotate.Label("")
	for k, label := range labels {
		if p[k] > best && b.names(label) {
			best, found = p[k], b.Policy.Names.Of(label)
		}
	}
	return found
}

// SHA256 is the hash of the bundle's file.
func (b *Bundle) SHA256() (string, error) {
	h := sha256.New()
	if err := b.Encode(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (b *Bundle) steps() []Step {
	steps := make([]Step, len(b.Ensemble))
	for i, a := range b.Ensemble {
		steps[i] = Step{a.Learner, a.Threshold, a.Hard, a.Whole, a.Prices}
	}
	return steps
}

// claims are the claims of a release about the bundle.
func (b *Bundle) claims(sum string) Claims {
	p := b.Provenance
	return Claims{
		Placeholder: b.Policy.Placeholder, Labels: b.Policy.Labels,
		Parameters: Parameters{p.Mode, p.LC, p.At, b.steps()},
		Figures:    Figures{p.Validity, p.Figures},
		Provenance: Origin{Bundle: sum, Run: p.Run, TrainingDocuments: p.Documents, AtRandom: p.Random, Corpus: p.Corpus, Attuned: p.Attuned},
	}
}

// Redaction is a stretch of a note that was replaced.
type Redaction struct {
	Start, End annotate.ByteOff // in the note
	At, AtEnd  annotate.RuneOff // where the replacement stands in the redacted text
	Label      annotate.Label
	Action     policy.Action
}

// mask is the label of each redacted token; "" for the others.
type mask []annotate.Label

// cover gives every token that a span touches the label of the span. A partly covered
// token is redacted whole: half a name can identify.
func (m mask) cover(tokens []annotate.Token, spans []annotate.Span) {
	for _, s := range spans {
		from, to := annotate.Covered(tokens, s)
		for i := from; i < to; i++ {
			m[i] = s.Label
		}
	}
}

// kept is the number of unredacted tokens.
func (m mask) kept() int {
	n := 0
	for _, label := range m {
		if label == "" {
			n++
		}
	}
	return n
}

// spans joins neighbouring redacted tokens of one label into one span, unless there is more
// than white space or more than one line break between them: a placeholder must not
// swallow a paragraph.
func (m mask) spans(text string, tokens []annotate.Token) []annotate.Span {
	var spans []annotate.Span
	for i, label := range m {
		if label == "" {
			continue
		}
		if i > 0 && m[i-1] == label && joins(text[tokens[i-1].End:tokens[i].Start]) {
			spans[len(spans)-1].End = tokens[i].End
			continue
		}
		spans = append(spans, annotate.Span{Start: tokens[i].Start, End: tokens[i].End, Label: label})
	}
	return spans
}

func joins(gap string) bool {
	return strings.Count(gap, "\n") <= 1 && strings.TrimFunc(gap, unicode.IsSpace) == ""
}

// replace puts placeholders in the place of spans, which are in order and do not overlap.
// Everything else stays byte for byte.
func (p Policy) replace(text string, spans []annotate.Span) (string, []Redaction) {
	var b strings.Builder
	redactions := make([]Redaction, 0, len(spans))
	done, runes := annotate.ByteOff(0), 0 // bytes of text behind us, code points written
	for _, s := range spans {
		between := text[done:s.Start]
		placeholder := p.placeholder(s.Label)
		b.WriteString(between)
		b.WriteString(placeholder)
		at := runes + utf8.RuneCountInString(between)
		runes = at + utf8.RuneCountInString(placeholder)
		done = s.End
		redactions = append(redactions, Redaction{s.Start, s.End, annotate.RuneOff(at), annotate.RuneOff(runes), s.Label, policy.Placeholder})
	}
	b.WriteString(text[done:])
	return b.String(), redactions
}

// DefaultPlaceholder is the placeholder format of a policy that names none.
const DefaultPlaceholder = "[LABEL]"

// Policy says what replaces redacted text.
type Policy struct {
	// Placeholder is the format, with the word LABEL for the label. The characters before
	// and after it must be visible and not part of a word, so that a placeholder never
	// merges with its neighbours.
	Placeholder string `json:"placeholder"`
	// Labels are the possible labels of redactions, in the order of the legend.
	Labels []annotate.Label `json:"labels"`
	// Names are the present names of labels that were renamed or merged after the model of
	// labels was trained.
	Names annotate.Renames `json:"names,omitempty"`
}

// Check reports why the policy cannot be used.
func (p Policy) Check() error {
	if err := policy.CheckForm(p.Placeholder); err != nil {
		return err
	}
	if len(p.Labels) == 0 {
		return fmt.Errorf("policy has no labels")
	}
	for i, l := range p.Labels {
		if err := annotate.CheckLabel(l); err != nil {
			return fmt.Errorf("label %d of the policy: %w", i+1, err)
		}
		if slices.Contains(p.Labels[:i], l) {
			return fmt.Errorf("the policy lists label %s twice", l)
		}
	}
	return nil
}

func (p Policy) placeholder(l annotate.Label) string {
	return policy.Fill(p.Placeholder, string(l))
}
