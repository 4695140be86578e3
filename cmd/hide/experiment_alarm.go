// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/study"
	"hide/internal/project/audit"
)

const alarmsUsage = "also, `N` times, learn from half of --in, drawn at random and then picked as a project's queue picks, and publish the rest; and, with --test, half of that file: count how often the alarm rings, how often the program warns, and how often the expectation and an audit hold the true number left"

// alarmRow is how often a publication was warned of, and what was known of it.
type alarmRow struct {
	Mode      greedy.Mode  `json:"mode"`
	Learner   string       `json:"learner"`
	Learnt    study.Learnt `json:"learnt"`
	LC        float64      `json:"lc"`
	Draws     int          `json:"draws"`
	Rang      int          `json:"rang"`     // draws in which the alarm rang, on texts alone
	Warned    int          `json:"warned"`   // draws in which the program warns: the alarm rang, or notes were not drawn at random
	Left      float64      `json:"residual"` // sensitive tokens left, mean
	Expected  float64      `json:"expected"` // mean
	Predicted heldJSON     `json:"prediction"`
	Found     float64      `json:"audit_expected"` // by audits, mean
	Audited   heldJSON     `json:"audit"`
}

// heldJSON is how often a statement of what is left held.
type heldJSON struct {
	Covered int `json:"covered"`
	AtMost  int `json:"at_most_held"`
}

func (x *experiment) alarms(ctx context.Context) ([]alarmRow, error) {
	if x.more.alarms == 0 {
		return nil, nil
	}
	p := x.env.progress("alarms, draw")
	defer p.end()
	var foreign []annotate.Note
	if x.test != "" {
		foreign = x.published
	}
	var out []alarmRow
	err := x.eachRun(func(params greedy.Params, learner string) error {
		draws, err := drawn(x, "warnings", x.more.alarms, params, learner, p, func(number uint64) ([]study.Warned, error) {
			return study.Warn(ctx, x.docs, foreign, params, study.Audit{Random: audit.RandomNotes, Picked: audit.DoubtfulNotes}, number)
		})
		if err != nil {
			return err
		}
		for _, w := range study.Sum(draws) {
			out = append(out, alarmRow{params.Mode, learner, w.Learnt, w.LC, w.Draws, w.Rang, w.Warned, w.Predicted.Left, w.Expected,
				heldJSON{w.Predicted.Covered, w.Predicted.AtMost}, w.Found, heldJSON{w.Audited.Covered, w.Audited.AtMost}})
		}
		return nil
	})
	return out, err
}

// alarmTable begins with its head.
func (r experimentJSON) alarmTable() [][]string {
	rows := [][]string{{"mode", "learner", "learnt", "L/C", "draws", "drift rang", "program warns", "left", "expected", "covered", "at most held", "by audit", "covered", "at most held"}}
	for _, a := range r.Alarms {
		rows = append(rows, []string{string(a.Mode), a.Learner, string(a.Learnt), csvNumber(a.LC), fmt.Sprint(a.Draws), fmt.Sprint(a.Rang), fmt.Sprint(a.Warned), fmt.Sprintf("%.1f", a.Left),
			fmt.Sprintf("%.1f", a.Expected), fmt.Sprint(a.Predicted.Covered), fmt.Sprint(a.Predicted.AtMost),
			fmt.Sprintf("%.1f", a.Found), fmt.Sprint(a.Audited.Covered), fmt.Sprint(a.Audited.AtMost)})
	}
	return rows
}

func (r experimentJSON) alarmAbout() string {
	return fmt.Sprintf("Learnt from half of the documents: random ones, those that a project's queue picks, or random ones of elsewhere. Drift rang: the alarm, which sees texts alone. Program warns: it rang, or the record of how notes were chosen says that some were picked, which a project always has. An audit reads %d documents at random and the %d most doubtful ones.", audit.RandomNotes, audit.DoubtfulNotes)
}

func (r experimentJSON) writeAlarms(w io.Writer) {
	if r.Alarms == nil {
		return
	}
	fmt.Fprint(w, "\nhow often the alarm rang and the program warns, and how often what was expected and what an audit says held\n\n")
	writeRows(w, r.alarmTable())
	fmt.Fprintln(w, "\n"+r.alarmAbout())
}

func (r experimentJSON) alarmSections() []chart.Section {
	if r.Alarms == nil {
		return nil
	}
	table := r.alarmTable()
	return []chart.Section{{Title: "Alarms and audits", About: r.alarmAbout(), Tables: []chart.Table{{Caption: "Alarms and audits", Head: table[0], Rows: table[1:]}}}}
}

func (r experimentJSON) csvAlarms() []csvLine {
	var lines []csvLine
	for _, a := range r.Alarms {
		base := csvLine{part: "alarms " + string(a.Learnt), mode: string(a.Mode), learner: a.Learner, lc: csvNumber(a.LC)}
		lines = append(lines, base.with("draws", float64(a.Draws)), base.with("rang", float64(a.Rang)), base.with("warned", float64(a.Warned)), base.with("residual", a.Left),
			base.with("expected", a.Expected), base.with("covered", float64(a.Predicted.Covered)), base.with("at_most_held", float64(a.Predicted.AtMost)),
			base.with("audit_expected", a.Found), base.with("audit_covered", float64(a.Audited.Covered)), base.with("audit_at_most_held", float64(a.Audited.AtMost)))
	}
	return lines
}
