// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// cardFlags are the flags that say what training cannot know of a model.
type cardFlags struct {
	note, date, dates string
}

func declareCard(f *flag.FlagSet) *cardFlags {
	c := &cardFlags{}
	f.StringVar(&c.note, "note", "", "`TEXT` for the model's card: where the notes are from, who may use the model; nothing that identifies a patient")
	f.StringVar(&c.date, "date", "", "`DAY` of the training for the card, as 2026-01-31; \"\" means today")
	f.StringVar(&c.dates, "dates", "", "`FIRST..LAST` day of the notes for the card, as 2020-01-01..2021-12-31")
	return c
}

// check refuses what a card cannot hold.
func (c *cardFlags) check(e *env) error {
	if len(c.note) > crf.MaxNote || !utf8.ValidString(c.note) {
		return e.usage("--note is UTF-8 of at most %d bytes", crf.MaxNote)
	}
	if c.date == "" {
		c.date = time.Now().Format(time.DateOnly)
	}
	if !isDay(c.date) {
		return e.usage("--date is a day as 2026-01-31")
	}
	first, last, both := strings.Cut(c.dates, "..")
	if c.dates != "" && !(both && isDay(first) && isDay(last) && first <= last) {
		return e.usage("--dates are two days as 2020-01-01..2021-12-31")
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fill completes the card of a model trained on these notes.
func (c *cardFlags) fill(card crf.Card, notes []annotate.Annotated, scores []crf.CardScore) crf.Card {
	card.Program, card.Date, card.Note, card.Scores = toolVersion(), c.date, c.note, scores
	card.Data.First, card.Data.Last, _ = strings.Cut(c.dates, "..")
	patients := map[string]bool{}
	for _, n := range notes {
		if n.Patient != "" {
			patients[n.Patient] = true
		}
	}
	card.Data.Patients = len(patients)
	return card
}
