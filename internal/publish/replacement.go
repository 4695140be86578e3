// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

// Replacement is a stretch of a note and what stands in its place.
type Replacement struct {
	Start, End annotate.ByteOff
	Label      annotate.Label
	// Action is how Text was made. The words of [policy.Keep] stay, whatever Text says: the
	// re-identification map lists them as kept, so that nobody takes them for missed.
	Action policy.Action
	Text   string
}

func (r Replacement) span() annotate.Span {
	return annotate.Span{Start: r.Start, End: r.End, Label: r.Label}
}

// checkReplacements reports why a note cannot be published with its replacements. The errors
// hold no text.
func (w *writer) checkReplacements(in Input) error {
	spans := make([]annotate.Span, len(in.Replacements))
	for i, r := range in.Replacements {
		spans[i] = r.span()
	}
	if !slices.IsSortedFunc(spans, annotate.CompareSpans) {
		return errors.New("its replacements are not in order")
	}
	if err := annotate.CheckSpans(in.Text, spans); err != nil {
		return err
	}
	for i, r := range in.Replacements {
		if err := w.checkReplacement(r); err != nil {
			return fmt.Errorf("replacement %d at byte %d: %w", i+1, r.Start, err)
		}
	}
	return nil
}

func (w *writer) checkReplacement(r Replacement) error {
	if !w.allowed(r.Label) {
		return fmt.Errorf("label %s is not in the policy", r.Label)
	}
	if !slices.Contains(policy.Actions(), r.Action) {
		return fmt.Errorf("unknown action for %s", r.Label)
	}
	if r.Action != policy.Keep && (r.Text == "" || !utf8.ValidString(r.Text)) {
		return fmt.Errorf("the replacement of %s is empty or not UTF-8", r.Label)
	}
	return nil
}

// replaced is a note with its replacements.
func replaced(in Input) redacted {
	var b strings.Builder
	out := redacted{redactions: []Redaction{}}
	done, runes := annotate.ByteOff(0), 0 // bytes of the note behind us, code points written
	from := 0                             // of b, after the last visible replacement
	for _, r := range in.Replacements {
		if r.Action == policy.Keep {
			out.kept = append(out.kept, r.span())
			continue
		}
		between := in.Text[done:r.Start]
		b.WriteString(between)
		at := runes + utf8.RuneCountInString(between)
		runes = at + utf8.RuneCountInString(r.Text)
		if !r.Action.Hidden() {
			out.tokens += len(annotate.Tokenize(b.String()[from:]))
			from = b.Len() + len(r.Text)
		}
		b.WriteString(r.Text)
		done = r.End
		out.redactions = append(out.redactions, Redaction{r.Start, r.End, annotate.RuneOff(at), annotate.RuneOff(runes), r.Label, r.Action})
	}
	b.WriteString(in.Text[done:])
	out.text = b.String()
	out.tokens += len(annotate.Tokenize(out.text[from:]))
	out.known = knownIn(in)
	return out
}

// knownIn counts the occurrences of known identifiers, and those with a token that is
// readable: no replacement covers it whole, or the replacement leaves the words as they are.
func knownIn(in Input) (counts KnownCounts) {
	if len(in.Known) == 0 {
		return counts
	}
	tokens := annotate.Tokenize(in.Text)
	m := make(mask, len(tokens))
	for _, r := range in.Replacements {
		if r.Action == policy.Keep || r.Text == in.Text[r.Start:r.End] {
			continue
		}
		from, to := annotate.Covered(tokens, r.span())
		for i := from; i < to; i++ {
			if r.Start <= tokens[i].Start && tokens[i].End <= r.End {
				m[i] = r.Label
			}
		}
	}
	return m.known(tokens, in.Known)
}
