// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/internal/words"
)

// Sentence makes a sentence of a message in lower case without a full stop.
// "" stays "".
func Sentence(message string) string { return words.Sentence(message) }

// Count writes n with its noun: "1 note", "1,204 notes".
func Count(n int, one, many string) string { return words.Count(n, one, many) }

// Number groups the digits of n: 14334 is "14,334".
func Number(n int) string { return words.Number(n) }

// Listed joins words: "date, phone and url".
func Listed[S ~string](names []S) string { return words.List(names) }

// ByteWords writes a size in binary units, rounded: "64 MB".
func ByteWords(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	size, i := float64(n), 0
	for size >= 1024 && i < len(units)-1 {
		size, i = size/1024, i+1
	}
	return fmt.Sprintf("%.0f %s", size, units[i])
}

// Moment writes a time for people: "20 Nov 2026, 18:05".
func Moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2 Jan 2006, 15:04")
}

// Clock writes the time of a day for people: "18:05".
func Clock(t time.Time) string { return t.Local().Format("15:04") }

// Day writes a date for people: "20 Nov 2026".
func Day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2 Jan 2006")
}

// MachineTime is [Moment] for the datetime attribute.
func MachineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// OneLine folds white space and cuts at limit code points.
func OneLine(s string, limit int) string {
	out := make([]rune, 0, limit)
	space := false
	for _, r := range s {
		if len(out) >= limit {
			return string(out) + "…"
		}
		blank := r == '\n' || r == '\r' || r == '\t' || r == ' '
		if blank && space {
			continue
		}
		space = blank
		if blank {
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}

// Seconds writes how long something took: "12 s", "3 min 5 s".
func Seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// Ago says how long ago t was, roughly.
func Ago(now, t time.Time) string {
	d := max(0, now.Sub(t))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return "on " + Moment(t)
}

// Percent writes a share without decimals where it can: "94 %", "99.6 %".
func Percent(share float64) string { return words.ShortPercent(share) }

// NotRandomWords is about the notes that a model was checked on.
const NotRandomWords = "not all of them from a random sample: other notes may come out worse"

// CheckedModel is the model that the scores are about if it is not the newest, else 0.
func CheckedModel(t training.Status) int {
	if t.Scores.Documents == 0 || t.Scores.Model == t.Model {
		return 0
	}
	return t.Scores.Model
}

// WholePercent writes a share for an interval or a sentence that adds the sign: a
// decimal only near the ends, as in 94 and 99.6.
func WholePercent(v float64) string { return words.PercentDigits(v, 0) }

// LabelWords is a label as a person says it: "location other".
func LabelWords(l annotate.Label) string {
	return strings.ToLower(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(string(l)))
}

// TypedNumber writes a number as somebody would type it: 80, 0.3.
func TypedNumber(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Problem is an error's message and what to do about it, as sentences.
func Problem(err error) string {
	var e *project.Error
	if errors.As(err, &e) && e.Hint != "" {
		return Sentence(e.Message) + " " + Sentence(e.Hint)
	}
	return Sentence(err.Error())
}

// Capitalized is words with a capital letter and without a full stop.
func Capitalized(words string) string { return strings.TrimSuffix(Sentence(words), ".") }
