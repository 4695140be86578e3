// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"
	"slices"

	"hide/internal/annotate"
)

// Options say how to score.
type Options struct {
	Resamples int    // draws for intervals; 0 for no intervals, 1000 is usual
	Seed      uint64 // of the draws
}

// Report has all measurements of a tagger's output.
type Report struct {
	Unlabelled        bool        `json:"unlabelled,omitempty"` // the tagger predicts no labels: entity, overlap, token and tags count runs
	Entity            Level       `json:"entity"`               // start, end and label
	Overlap           Level       `json:"overlap"`              // label, and a character in common
	Token             Level       `json:"token"`                // label of each token
	Binary            Tally       `json:"binary"`               // each token sensitive or not
	Tags              Tags        `json:"tags"`                 // B- or I- of each token
	Masking           Masking     `json:"masking"`
	Documents         int         `json:"documents"`
	DocumentsWithLeak int         `json:"documents_with_leak"`
	Leaks             Leaks       `json:"leaks"`
	I2B2              I2B2        `json:"i2b2_2014"`
	Calibration       Reliability `json:"calibration"`
	Bootstrap         Draws       `json:"bootstrap"`
}

// Leaks count the sensitive tokens that no prediction covers.
type Leaks struct {
	Documents Share                    `json:"documents"`          // of all documents, those with a leak
	Patients  *Share                   `json:"patients,omitempty"` // of all patients; nil if no document names one
	Tokens    Share                    `json:"tokens"`             // of all sensitive tokens
	Labels    map[annotate.Label]Share `json:"labels"`             // of the sensitive tokens of a label
}

// Draws describe the resampling.
type Draws struct {
	Resamples int    `json:"resamples"` // 0 if there are no intervals
	Seed      uint64 `json:"seed"`
	Groups    int    `json:"groups"`    // patients, and documents without one
	Documents int    `json:"documents"` // in these groups
}

// The ways of counting. Those of i2b2 are in i2b2.go.
const (
	wayEntity       measure = "entity"
	wayOverlap      measure = "overlap"
	wayToken        measure = "token"
	wayBinary       measure = "binary"
	wayLeakDocument measure = "leaking documents"
	wayLeakPatient  measure = "leaking patients"
	wayLeakToken    measure = "leaking tokens"
	wayLeakLabel    measure = "leaking tokens of a label"
)

// Of scores documents.
func Of(docs []Prediction, o Options) Report {
	g := group(docs)
	l := newLedger(g.count)
	leaking := make([]bool, g.count)
	for i, d := range docs {
		if l.document(g.of[i], d) {
			leaking[g.of[i]] = true
		}
	}
	l.patients(docs, g, leaking)
	tokens, spans := l.calibrations(docs, g)
	b := reportData{l, newBootstrap(l, o)}
	r := Report{
		Entity: b.level(wayEntity), Overlap: b.level(wayOverlap), Token: b.level(wayToken), Binary: b.one(account{wayBinary, anyLabel}),
		Tags: b.tags(), Masking: b.masking(),
		Leaks: b.leaks(g), I2B2: b.i2b2(), Documents: len(docs),
		Calibration: Reliability{Tokens: tokens.calibration(b), Spans: spans.calibration(b)},
		Bootstrap:   Draws{len(b.drawn), o.Seed, g.count, len(docs)},
	}
	r.Unlabelled = slices.ContainsFunc(docs, func(d Prediction) bool { return d.Unlabelled })
	r.DocumentsWithLeak = r.Leaks.Documents.Count
	return r
}

// document records one document and reports whether it leaks.
func (l *ledger) document(group int, d Prediction) (leaks bool) {
	at := func(w measure) entry { return entry{l, group, w} }
	s := d.sides()
	exact(s, at(wayEntity))
	overlap(s, at(wayOverlap))
	gold, predicted := d.labels(s)
	tokens(gold, predicted, at(wayToken))
	tokens(binary(gold), binary(predicted), at(wayBinary))
	l.tags(group, d, s)
	named := d.labelled()
	l.masking(group, d, named.gold, named.predicted)
	gold, _ = d.labels(named)
	for i, label := range gold {
		if label == "" {
			continue
		}
		missed := predicted[i] == ""
		leaks = leaks || missed
		l.share(group, account{wayLeakToken, anyLabel}, missed)
		l.share(group, account{wayLeakLabel, label}, missed)
	}
	l.share(group, account{wayLeakDocument, anyLabel}, leaks)
	l.i2b2(group, d, s)
	return leaks
}

// patients records which patients have a document that leaks.
func (l *ledger) patients(docs []Prediction, g grouping, leaking []bool) {
	known := make([]bool, g.count)
	for i, d := range docs {
		if at := g.of[i]; d.Patient != "" && !known[at] {
			known[at] = true
			l.share(at, account{wayLeakPatient, anyLabel}, leaking[at])
		}
	}
}

func (b reportData) leaks(g grouping) Leaks {
	out := Leaks{
		Documents: b.special(account{wayLeakDocument, anyLabel}),
		Tokens:    b.special(account{wayLeakToken, anyLabel}),
		Labels:    map[annotate.Label]Share{},
	}
	if g.patients > 0 {
		patients := b.special(account{wayLeakPatient, anyLabel})
		out.Patients = &patients
	}
	for _, label := range b.labels(wayLeakLabel) {
		out.Labels[label] = b.special(account{wayLeakLabel, label})
	}
	return out
}

// reportData is a ledger with its draws, the source of reports.
type reportData struct {
	*ledger
	*bootstrap
}

func (b reportData) level(w measure) Level {
	level := Level{Labels: map[annotate.Label]Tally{}}
	var all, gold []int
	for _, label := range b.labels(w) {
		c := b.accounts[account{w, label}]
		all = append(all, c)
		t := b.tally(c)
		if t.TP+t.FN > 0 {
			gold = append(gold, c)
		}
		level.Labels[label] = t
	}
	level.Micro = b.tally(all...)
	level.Macro = b.macro(gold)
	return level
}

// tally adds up accounts.
func (b reportData) tally(columns ...int) Tally {
	var t Tally
	for _, c := range columns {
		t.TP += int(b.all[c])
		t.FP += int(b.all[c+1])
		t.FN += int(b.all[c+2])
	}
	t = t.withRatios()
	groups := b.touched(columns, 0, 1, 2)
	if len(b.drawn) == 0 || groups < 2 {
		return t
	}
	t.Interval = &Intervals{
		Precision: b.shareInterval(over(columns, precisionAt(0)), b.touched(columns, 0, 1)),
		Recall:    b.shareInterval(over(columns, recallAt(0)), b.touched(columns, 0, 2)),
		F1:        b.shareInterval(over(columns, f1At(0)), groups),
		Groups:    groups,
	}
	return t
}

// one is the tally of a single account, which may not exist.
func (b reportData) one(a account) Tally {
	if c, known := b.accounts[a]; known {
		return b.tally(c)
	}
	return Tally{}
}

func (b reportData) macro(columns []int) Mean {
	return b.mean(len(columns), columns, meanOver(columns, precisionAt), meanOver(columns, recallAt), meanOver(columns, f1At))
}

// mean is the mean of three figures, with intervals.
func (b reportData) mean(n int, columns []int, precision, recall, f1 func(sums) float64) Mean {
	m := Mean{Over: n}
	if n == 0 {
		return m
	}
	m.Precision, m.Recall, m.F1 = number(precision(b.all)), number(recall(b.all)), number(f1(b.all))
	if groups := b.touched(columns, 0, 1, 2); len(b.drawn) > 0 && groups > 1 {
		m.Interval = &Intervals{b.shareInterval(precision, groups), b.shareInterval(recall, groups), b.shareInterval(f1, groups), groups}
	}
	return m
}

func number(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// special is the share that [ledger.share] recorded.
func (b reportData) special(a account) Share {
	c, known := b.accounts[a]
	if !known {
		return Share{}
	}
	s := Share{Count: int(b.all[c]), Of: int(b.all[c] + b.all[c+2])}
	s.Share = ratio(s.Count, s.Of)
	if groups := b.touched([]int{c}, 0, 2); len(b.drawn) > 0 && groups > 1 {
		i := b.shareInterval(recallAt(c), groups)
		s.Interval = &i
	}
	return s
}
