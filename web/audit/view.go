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

// samplesView is everything the page of audits shows.
type samplesView struct {
	Project   project.Overview
	Audits    []audit.Audit // newest first
	Shown     audit.Audit   // the one that was asked for, else the newest
	Drawing   audit.Drawing
	Bundles   []sanitize.Bundle // newest first
	Findings  audit.Findings    // of the audit shown, for those who may read notes
	Said      string
	Asked     sampleAsked      // of the form
	Predicted *greedy.Estimate // names left in the documents of the audit shown, by its run; nil when unknown
}

// sampleAsked is the form that draws a sample.
type sampleAsked struct{ Bundle, Random, Picked int }

func usualSample() sampleAsked {
	return sampleAsked{Random: audit.RandomNotes, Picked: audit.DoubtfulNotes}
}

// waiting is how many notes a sample would be of.
func (v samplesView) waiting() int {
	if open := v.Project.Documents - v.Project.Done; open > 0 {
		return open
	}
	return v.Project.Documents
}

// few says what the notes asked for can tell when an audit cannot rest on so few.
func (v samplesView) few() string {
	return audit.Few(v.waiting(), v.Asked.Random, v.Asked.Picked)
}

// showsWords say what samples without a finding would leave open; "" where the usual one
// has all notes. Of the most doubtful it takes as many as the form asks for.
func (v samplesView) showsWords() string {
	all, said := v.waiting(), ""
	for _, random := range []int{audit.RandomNotes, 100, 3} {
		if random+v.Asked.Picked >= all {
			continue
		}
		may := ui.Number(audit.Shows(all, random, v.Asked.Picked))
		if said == "" {
			said = fmt.Sprintf("after %s up to %s of %s notes", ui.Count(random, "random one", "random ones"), may, ui.Number(all))
			continue
		}
		said += fmt.Sprintf(", after %d up to %s", random, may)
	}
	return said
}

// sampleView is a note to be read.
type sampleView struct {
	Project project.Overview
	audit.Text
	Words    []sampleWord
	Findings audit.Findings // when all notes are read
	Said     string
	Unseen   bool   // it was answered before it can have been read
	Empty    bool   // it was sent without a mark and without "None left"
	Torn     bool   // it was sent with marks and with "None left"
	Finished bool   // who sent it so says that it was read to its end
	Theirs   string // what somebody else has found in it meanwhile, in words; "" mostly
}

// foundWords say who has answered for the note, and what.
func (v sampleView) foundWords() string {
	who := cmp.Or(v.By, "Somebody")
	if len(v.Marks) == 0 {
		return who + " has found nothing in this note meanwhile."
	}
	return who + " has marked " + ui.Count(len(v.Marks), "word", "words") + " of this note meanwhile."
}

// sampleWord is a piece of a redacted text: a word that can be marked, a
// placeholder, or what stands between them.
type sampleWord struct {
	Text   string
	Label  annotate.Label // of a placeholder
	Number int            // of a word, as annotate.Tokenize counts; -1 for the others
	Marked bool
}

// wordsOf cuts a redacted text into words, placeholders and what is between.
func wordsOf(t audit.Text) []sampleWord {
	var out []sampleWord
	number := 0
	for _, piece := range publishing.Pieces(t.Text) {
		tokens := annotate.Tokenize(piece.Text)
		if piece.Label != "" {
			out = append(out, sampleWord{Text: piece.Text, Label: piece.Label, Number: -1})
			number += len(tokens)
			continue
		}
		done := annotate.ByteOff(0)
		for _, token := range tokens {
			if token.Start > done {
				out = append(out, sampleWord{Text: piece.Text[done:token.Start], Number: -1})
			}
			out = append(out, sampleWord{Text: piece.Text[token.Start:token.End], Number: number, Marked: slices.Contains(t.Marks, number)})
			done = token.End
			number++
		}
		if int(done) < len(piece.Text) {
			out = append(out, sampleWord{Text: piece.Text[done:], Number: -1})
		}
	}
	return out
}

// sampleNextURL leads to the next note of an audit.
func sampleNextURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/read?audit=%d", number))
}

func sampleURL(id project.ID, number, index int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/%d/%d", number, index))
}

// choose shows the audit with this number, for "" the newest.
func (v *samplesView) choose(number string) error {
	at, err := ui.NamedOrNewest("audit", number, v.Audits, func(a audit.Audit) int { return a.Number })
	if err == nil && len(v.Audits) > 0 {
		v.Shown = v.Audits[at]
	}
	return err
}

// chooseBundle preselects the bundle with this number in the form, for "" the newest.
func (v *samplesView) chooseBundle(number string) error {
	at, err := ui.NamedOrNewest("bundle", number, v.Bundles, func(b sanitize.Bundle) int { return b.Number })
	if err == nil && len(v.Bundles) > 0 {
		v.Asked.Bundle = v.Bundles[at].Number
	}
	return err
}

// others are the audits that are not shown, newest first.
func (v samplesView) others() []audit.Audit {
	return slices.DeleteFunc(slices.Clone(v.Audits), func(a audit.Audit) bool { return a.Number == v.Shown.Number })
}

// newest reports whether the audit shown is the newest, which is the one to read.
func (v samplesView) newest() bool { return v.Shown.Number == v.Audits[0].Number }

// othersWords head their list.
func (v samplesView) othersWords() string {
	if v.newest() {
		return "Earlier audits"
	}
	return "Other audits"
}

// found is the estimate of the audit shown beside what was predicted.
func (v samplesView) found() []sampleRow {
	r := v.Shown.Result
	rows := []sampleRow{{"By the audit", r.Remaining}}
	if v.Predicted != nil {
		rows = append(rows, sampleRow{"Predicted by the run", *v.Predicted})
	}
	return rows
}

// sampleRow is an estimate of the identifiers left.
type sampleRow struct {
	Name string
	Left greedy.Estimate
}

// sampleChart draws rows as points, each with a line to what it is at most, from zero.
type sampleChart struct {
	Desc string
	W, H float64
	Rows []sampleMark
	Ends []sampleEnd
}

type sampleMark struct {
	Name            string
	Y, At, Low, End float64
}

type sampleEnd struct {
	X    float64
	Text string
}

const (
	sampleLeft, sampleMost = 8, 320
	sampleRowHeight        = 44
)

func chartOf(rows []sampleRow) sampleChart {
	most := 1.0
	for _, r := range rows {
		most = max(most, math.Ceil(r.Left.AtMost), r.Left.Value)
	}
	x := func(n float64) float64 { return sampleLeft + sampleMost*n/most }
	c := sampleChart{W: sampleLeft + sampleMost + 24, H: float64(len(rows)*sampleRowHeight + 30)}
	for i, r := range rows {
		c.Rows = append(c.Rows, sampleMark{r.Name, float64(i*sampleRowHeight + 34), x(r.Left.Value), x(r.Left.Value), x(max(r.Left.Value, r.Left.AtMost))})
		c.Desc += fmt.Sprintf("%s: %s%s. ", r.Name, words.Amount(r.Left.Value), outcome.UpperBoundWords(r.Left))
	}
	c.Ends = []sampleEnd{{x(0), "0"}, {x(most), words.Amount(most)}}
	return c
}
