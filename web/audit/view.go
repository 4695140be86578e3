// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/publishing"
	"hide/web/ui"
)

// auditsView is the page of audits.
type auditsView struct {
	Project  project.Overview
	Audits   []audit.Audit // newest first
	Shown    audit.Audit   // the one that the address names, or the newest
	Drawing  audit.Drawing
	Bundles  []sanitize.Bundle // newest first
	Findings audit.Findings    // of the audit shown, for people who may read notes
	Notice   string
	Form     sampleSize
	Forecast *greedy.Estimate // of its run: identifiers that remain in the notes of the audit shown; nil when unknown
}

// sampleSize is the form that draws a sample.
type sampleSize struct{ Bundle, Random, Picked int }

func defaultSample() sampleSize {
	return sampleSize{Random: audit.RandomNotes, Picked: audit.DoubtfulNotes}
}

// population is the number of notes that a sample stands for: the unfinished ones, or all
// when every note is finished.
func (v auditsView) population() int {
	if open := v.Project.Documents - v.Project.Done; open > 0 {
		return open
	}
	return v.Project.Documents
}

// tooFewWords warns of a sample that is too small for a useful result; it is "" otherwise.
func (v auditsView) tooFewWords() string {
	return audit.Few(v.population(), v.Form.Random, v.Form.Picked)
}

// boundWords gives the upper bounds that samples of several sizes support when people find
// nothing; it is "" when the default sample has all notes. The number of doubtful notes is
// that of the form.
func (v auditsView) boundWords() string {
	all, text := v.population(), ""
	for _, random := range []int{audit.RandomNotes, 100, 3} {
		if random+v.Form.Picked >= all {
			continue
		}
		bound := ui.Number(audit.Shows(all, random, v.Form.Picked))
		if text == "" {
			text = fmt.Sprintf("after %s, up to %s of %s", ui.Count(random, "random note", "random notes"), bound, ui.Number(all))
			continue
		}
		text += fmt.Sprintf("; after %d, up to %s", random, bound)
	}
	return text
}

// noteView is a note of a sample, to be read.
type noteView struct {
	Project project.Overview
	audit.Text
	Words    []noteWord
	Findings audit.Findings // when all notes are read
	Notice   string

	Unseen      bool   // the answer came before anybody could have read the note
	Empty       bool   // the answer had no mark and no "None left"
	Contradicts bool   // the answer had marks and "None left"
	ReadToEnd   bool   // the person ticked that the note was read to its end
	Conflict    string // the answer that somebody else has saved meanwhile, in words
}

// conflictWords says who else has answered for the note, and how.
func (v noteView) conflictWords() string {
	who := cmp.Or(v.By, "Somebody")
	if len(v.Marks) == 0 {
		return who + " has answered “None left” for this note meanwhile."
	}
	return who + " has marked " + ui.Count(len(v.Marks), "word", "words") + " of this note meanwhile."
}

// noteWord is a piece of a redacted text: a word that can be marked, a placeholder, or the
// text between them.
type noteWord struct {
	Text   string
	Label  annotate.Label // of a placeholder
	Number int            // of a word, in the order of annotate.Tokenize; -1 for other pieces
	Marked bool
}

// wordsOf cuts a redacted text into words, placeholders and the text between them.
func wordsOf(t audit.Text) []noteWord {
	var out []noteWord
	number := 0
	for _, piece := range publishing.Pieces(t.Text) {
		tokens := annotate.Tokenize(piece.Text)
		if piece.Label != "" {
			out = append(out, noteWord{Text: piece.Text, Label: piece.Label, Number: -1})
			number += len(tokens)
			continue
		}
		done := annotate.ByteOff(0)
		for _, token := range tokens {
			if token.Start > done {
				out = append(out, noteWord{Text: piece.Text[done:token.Start], Number: -1})
			}
			out = append(out, noteWord{Text: piece.Text[token.Start:token.End], Number: number, Marked: slices.Contains(t.Marks, number)})
			done = token.End
			number++
		}
		if int(done) < len(piece.Text) {
			out = append(out, noteWord{Text: piece.Text[done:], Number: -1})
		}
	}
	return out
}

// nextNoteURL is the address that redirects to the next unread note of an audit.
func nextNoteURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/read?audit=%d", number))
}

func noteURL(id project.ID, number, index int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/%d/%d", number, index))
}

// choose shows the audit with this number, or the newest for "".
func (v *auditsView) choose(number string) error {
	at, err := ui.NamedOrNewest("audit", number, v.Audits, func(a audit.Audit) int { return a.Number })
	if err == nil && len(v.Audits) > 0 {
		v.Shown = v.Audits[at]
	}
	return err
}

// chooseBundle preselects the redaction model with this number in the form, or the newest
// for "".
func (v *auditsView) chooseBundle(number string) error {
	at, err := ui.NamedOrNewest("redaction model", number, v.Bundles, func(b sanitize.Bundle) int { return b.Number })
	if err == nil && len(v.Bundles) > 0 {
		v.Form.Bundle = v.Bundles[at].Number
	}
	return err
}

// others lists the audits that are not shown, newest first.
func (v auditsView) others() []audit.Audit {
	return slices.DeleteFunc(slices.Clone(v.Audits), func(a audit.Audit) bool { return a.Number == v.Shown.Number })
}

// newest reports whether the audit shown is the newest, which people read first.
func (v auditsView) newest() bool { return v.Shown.Number == v.Audits[0].Number }

// othersWords is the title of their list.
func (v auditsView) othersWords() string {
	if v.newest() {
		return "Earlier audits"
	}
	return "Other audits"
}

// estimates are the result of the audit shown and the forecast of its run.
func (v auditsView) estimates() []estimate {
	r := v.Shown.Result
	rows := []estimate{{"Result of the audit", r.Remaining}}
	if v.Forecast != nil {
		rows = append(rows, estimate{"Forecast of the run", *v.Forecast})
	}
	return rows
}

// estimate is a named estimate of the remaining identifiers.
type estimate struct {
	Name      string
	Remaining greedy.Estimate
}

// intervalChart shows estimates as points, each with a line to its upper bound. The axis
// starts at zero.
type intervalChart struct {
	Desc string
	W, H float64
	Rows []interval
	Ends []axisLabel
}

type interval struct {
	Name            string
	Y, At, Low, End float64
}

type axisLabel struct {
	X    float64
	Text string
}

const (
	chartLeft, chartWidth = 8, 320
	rowHeight             = 44
)

func chartOf(rows []estimate) intervalChart {
	most := 1.0
	for _, r := range rows {
		most = max(most, math.Ceil(r.Remaining.AtMost), r.Remaining.Value)
	}
	x := func(n float64) float64 { return chartLeft + chartWidth*n/most }
	c := intervalChart{W: chartLeft + chartWidth + 24, H: float64(len(rows)*rowHeight + 30)}
	for i, r := range rows {
		c.Rows = append(c.Rows, interval{r.Name, float64(i*rowHeight + 34), x(r.Remaining.Value), x(r.Remaining.Value), x(max(r.Remaining.Value, r.Remaining.AtMost))})
		c.Desc += fmt.Sprintf("%s: %s%s. ", r.Name, words.Amount(r.Remaining.Value), outcome.UpperBoundWords(r.Remaining))
	}
	c.Ends = []axisLabel{{x(0), "0"}, {x(most), words.Amount(most)}}
	return c
}
