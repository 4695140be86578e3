// SPDX-License-Identifier: Apache-2.0

package retrieve

import (
	"fmt"
	"math"
	"slices"

	"hide/internal/greedy/audit"
	"hide/internal/words"
)

// Knowledge is what the attacker has of every patient.
type Knowledge string

// The kinds of knowledge.
const (
	Table    Knowledge = "table"    // structured fields
	Siblings Knowledge = "siblings" // the patient's other notes
	Both     Knowledge = "both"
)

// Words names the knowledge in a sentence.
func (k Knowledge) Words() string {
	switch k {
	case Table:
		return "the table"
	case Siblings:
		return "the other notes of every patient"
	}
	return "the table and the other notes of every patient"
}

// Ranker is how the attacker compares a note with a patient.
type Ranker string

// The rankers.
const (
	BM25  Ranker = "bm25"
	Bayes Ranker = "bayes" // naive Bayes, multinomial, with Laplace's smoothing
)

// guesses is the number of patients that the attacker names in the wider count.
const guesses = 10

// level is the error probability of intervals, which have 95 %.
const level = 0.05

// Result is what attackers link. It holds no word of a note and no patient.
type Result struct {
	Patients int     `json:"patients"`                 // among whom the attacker chooses
	Notes    int     `json:"notes"`                    // for which she ranked the patients
	Released int     `json:"released_notes,omitempty"` // if Notes are a random sample of these; 0 if they are all
	Rows     []Row   `json:"rows"`                     // by knowledge and ranker; no rows for knowledge that she has of no patient
	Chance1  float64 `json:"chance_top1"`              // share that guessing links, a mean over notes
	Chance10 float64 `json:"chance_top10"`
	Blind    Blind   `json:"without_text"`
}

// Row is what one attacker links.
type Row struct {
	Knowledge Knowledge `json:"knowledge"`
	Ranker    Ranker    `json:"ranker"`
	Known     int       `json:"known"`  // notes of whose patient the attacker has this knowledge
	Top1      Rate      `json:"top1"`   // notes whose patient is ranked first
	Top10     Rate      `json:"top10"`  // notes whose patient is among the first ten
	Linked    Rate      `json:"linked"` // patients with at least one note for whom they are ranked first
}

// Rate is a share with its 95 % interval by Clopper and Pearson (1934). Hits are an
// expectation where scores tie; the interval then begins at that of the whole number below
// and ends at that of the whole number above.
type Rate struct {
	Hits  float64 `json:"hits"`
	Of    int     `json:"of"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Blind is an attacker who knows how many notes of each patient are released, and does not
// read them. The best that she can do is to guess, for every note, the patients with the
// most notes.
type Blind struct {
	Top1  float64 `json:"top1"`
	Top10 float64 `json:"top10"`
}

// wholeNumber is how near an expectation must be to a whole number to count as it.
const wholeNumber = 1e-9

func newRate(hits float64, of int) Rate {
	if near := math.Round(hits); math.Abs(hits-near) < wholeNumber {
		hits = near
	}
	r := Rate{Hits: hits, Of: of, Low: 0, High: 1}
	if of > 0 {
		r.Share = hits / float64(of)
		r.Low, _ = audit.ShareInterval(of, int(math.Floor(hits)), level)
		_, r.High = audit.ShareInterval(of, int(math.Ceil(hits)), level)
	}
	return r
}

// result counts the rankings of notes of these patients.
func (c *collection) result(patients []string, ranks []ranking) Result {
	out := Result{Patients: c.patients(), Notes: len(patients)}
	var known [len(knowledges)]int
	for _, r := range ranks {
		out.Chance1 += r.chance.top1 / float64(len(ranks))
		out.Chance10 += r.chance.top10 / float64(len(ranks))
		for k, is := range r.known {
			if is {
				known[k]++
			}
		}
	}
	for k, knowledge := range knowledges {
		if known[k] == 0 || knowledge == Both && min(known[0], known[1]) == 0 {
			continue
		}
		for r, ranker := range rankers {
			row := Row{Knowledge: knowledge, Ranker: ranker, Known: known[k]}
			row.count(patients, func(i int) credit { return ranks[i].credits[k][r] })
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}

// count adds up the credits. Notes are added in order, so that the sum does not depend on
// the number of workers.
func (r *Row) count(patients []string, of func(i int) credit) {
	top1, top10 := 0.0, 0.0
	missed, order := map[string]float64{}, []string(nil)
	for i, patient := range patients {
		c := of(i)
		top1, top10 = top1+c.top1, top10+c.top10
		if _, is := missed[patient]; !is {
			missed[patient], order = 1, append(order, patient)
		}
		missed[patient] *= 1 - c.top1
	}
	linked := 0.0
	for _, p := range order {
		linked += 1 - missed[p]
	}
	r.Top1, r.Top10, r.Linked = newRate(top1, len(patients)), newRate(top10, len(patients)), newRate(linked, len(order))
}

// blind is found from the patients of all released notes.
func blind(patients []string) Blind {
	notes := map[string]int{}
	for _, p := range patients {
		notes[p]++
	}
	var most []int
	for _, n := range notes {
		most = append(most, n)
	}
	slices.Sort(most)
	slices.Reverse(most)
	sum := 0
	for _, n := range most[:min(guesses, len(most))] {
		sum += n
	}
	return Blind{float64(most[0]) / float64(len(patients)), float64(sum) / float64(len(patients))}
}

// Best is the attacker with the most links at the first guess, and among equal ones with
// the most links in ten guesses. It is false if nobody has the knowledge.
func (r Result) Best(k Knowledge) (Row, bool) {
	var best Row
	found := false
	for _, row := range r.Rows {
		better := row.Top1.Hits > best.Top1.Hits || row.Top1.Hits == best.Top1.Hits && row.Top10.Hits > best.Top10.Hits
		if row.Knowledge == k && (!found || better) {
			best, found = row, true
		}
	}
	return best, found
}

// Words says the result in sentences: two for each kind of knowledge, and two about what
// the figures mean.
func (r Result) Words() []string {
	var out []string
	for _, k := range knowledges {
		best, is := r.Best(k)
		if !is {
			continue
		}
		out = append(out, r.firstGuess(best),
			fmt.Sprintf("With %s she names the right patient for %s (%s); guessing would do so for %s. For %s she links at least one note at the first guess (%s).",
				words.Count(guesses, "guess", "guesses"), best.Top10.words("note", "notes"), best.Top10.interval(), words.Percent(r.Chance10),
				best.Linked.words("patient", "patients"), best.Linked.interval()))
	}
	if len(out) == 0 {
		return []string{nothingToCompare}
	}
	if r.Released > 0 {
		out = append(out, fmt.Sprintf("She was tried on a random sample of %s of the %s released notes.", words.Number(r.Notes), words.Number(r.Released)))
	}
	return append(out,
		fmt.Sprintf("An attacker who reads no note and always guesses the patient with the most released notes links %s.", words.Percent(r.Blind.Top1)),
		"Each figure is that of the better of two ways to rank, which an attacker could not know. Other attackers may link more.")
}

const nothingToCompare = "There is no structured field and no other note of any patient, so this attacker has nothing to compare."

// Headline is the sentence about the attacker with the most links at the first guess. An
// attacker who knows more does not always link more: the sum of two scores can be worse than
// one of them.
func (r Result) Headline() string {
	var most Row
	for _, k := range slices.Backward(knowledges[:]) {
		if best, is := r.Best(k); is && (most.Knowledge == "" || best.Top1.Hits > most.Top1.Hits) {
			most = best
		}
	}
	if most.Knowledge == "" {
		return nothingToCompare
	}
	return r.firstGuess(most)
}

func (r Result) firstGuess(best Row) string {
	return fmt.Sprintf("An attacker who has %s links %s to the right patient at the first guess (%s); guessing would link %s.",
		best.Knowledge.Words(), best.Top1.words("note", "notes"), best.Top1.interval(), words.Percent(r.Chance1))
}

// words: "31 of 200 notes".
func (r Rate) words(one, many string) string {
	return words.Amount(r.Hits) + " of " + words.Count(r.Of, one, many)
}

// interval: "15.5 %, 10.8 to 21.2".
func (r Rate) interval() string {
	return words.Percent(r.Share) + ", " + words.OneDecimal(r.Low) + " to " + words.OneDecimal(r.High)
}
