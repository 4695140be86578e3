// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"errors"

	"hide/internal/publish/value"
)

// Problem is why a person must decide about a place. The codes are stored: do not change them.
type Problem string

// The problems.
const (
	DateUnread         Problem = "date-unread"
	DateAmbiguous      Problem = "date-ambiguous"
	DateImpossible     Problem = "date-impossible"
	DateNoYear         Problem = "date-no-year"
	DateOutOfRange     Problem = "date-out-of-range"
	DateNotFormed      Problem = "date-not-formed"
	AgeUnread          Problem = "age-unread"
	ZIPUnread          Problem = "zip-unread"
	StateUnknown       Problem = "state-unknown"
	Exhausted          Problem = "exhausted"
	RepeatsOriginal    Problem = "replacement-repeats-original"
	TouchesAnother     Problem = "touches-another-span"
	SameWordsUnmarked  Problem = "same-words-unmarked"
	BirthYearUnmarked  Problem = "birth-year-unmarked"
	ChoiceRefused      Problem = "choice-refused"
	SurrogateNotFormed Problem = "surrogate-not-formed"
)

// Problems lists all problems in the order of pages.
func Problems() []Problem {
	return []Problem{DateUnread, DateAmbiguous, DateImpossible, DateNoYear, DateOutOfRange, DateNotFormed, AgeUnread, ZIPUnread, StateUnknown,
		Exhausted, RepeatsOriginal, SurrogateNotFormed, TouchesAnother, SameWordsUnmarked, BirthYearUnmarked, ChoiceRefused}
}

var problemWords = map[Problem]string{
	DateUnread:         "The date cannot be read. Choose a placeholder, or generalize and type the year.",
	DateAmbiguous:      "The date can be read in two ways. Choose a placeholder, or generalize and type the year.",
	DateImpossible:     "There is no such day. Choose a placeholder, or generalize and type the year.",
	DateNoYear:         "The date has no year, and no other date of the patient tells it. Choose a placeholder, or generalize and type the year.",
	DateOutOfRange:     "The date would leave the years 1800 to 2200. Choose a placeholder, or generalize and type the year.",
	DateNotFormed:      "The moved date cannot be written in the form of this one. Choose a placeholder, or generalize and type the year.",
	AgeUnread:          "The age cannot be read. Choose a placeholder, or generalize and type the age.",
	ZIPUnread:          "This is not a ZIP code. Choose a placeholder or type three digits.",
	StateUnknown:       "The state of this city is not known. Choose a placeholder or type the state.",
	Exhausted:          "No invented value fits these words, or none is left. Choose a numbered placeholder.",
	RepeatsOriginal:    "The replacement holds words or digits of the original. Choose a placeholder or type another replacement.",
	SurrogateNotFormed: "No invented value can be written in the form of these words. Choose a placeholder or type the replacement.",
	TouchesAnother:     "The replacement would merge with the one beside it. Choose a placeholder for one of the two.",
	SameWordsUnmarked:  "These words are an identifier elsewhere in the notes of the patient. Keep them or choose an action.",
	BirthYearUnmarked:  "This is the year of birth of a patient over 89. Keep it or choose a placeholder.",
	ChoiceRefused:      "The choice for this place does not fit the policy. Choose again.",
}

// Words explain a problem, with what to do.
func (p Problem) Words() string {
	if words, found := problemWords[p]; found {
		return words
	}
	return string(p)
}

// dateProblem is the problem that an error of package value stands for.
func dateProblem(err error) Problem {
	switch {
	case errors.Is(err, value.ErrAmbiguous):
		return DateAmbiguous
	case errors.Is(err, value.ErrImpossible):
		return DateImpossible
	case errors.Is(err, value.ErrNoYear):
		return DateNoYear
	case errors.Is(err, value.ErrRange):
		return DateOutOfRange
	case errors.Is(err, value.ErrForm):
		return DateNotFormed
	}
	return DateUnread
}
