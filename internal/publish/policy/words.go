// SPDX-License-Identifier: Apache-2.0

package policy

import "fmt"

// Words name an action for people.
func (a Action) Words() string {
	switch a {
	case Keep:
		return "keep"
	case Placeholder:
		return "placeholder"
	case Numbered:
		return "numbered placeholder"
	case Generalize:
		return "generalize"
	case ShiftDate:
		return "shift"
	case Surrogate:
		return "surrogate"
	case DropSentence:
		return "drop the sentence"
	}
	return string(a)
}

// Words name a level for people.
func (l Level) Words() string {
	switch l {
	case Year:
		return "the year"
	case Quarter:
		return "the quarter"
	case Month:
		return "the month"
	case Age90:
		return "90+ over 89"
	case Age5:
		return "five-year bands"
	case Age10:
		return "ten-year bands"
	case ZIP3:
		return "three digits"
	case State:
		return "the state"
	}
	return string(l)
}

// Words say in one clause what becomes of a label: "generalize to the year".
func (r Rule) Words() string {
	if r.Action == Generalize {
		return "generalize to " + r.To.Words()
	}
	return r.Action.Words()
}

// Words name a basis for people.
func (b Basis) Words() string {
	switch b {
	case SafeHarbor:
		return "Safe Harbor"
	case LimitedDataSet:
		return "Limited data set"
	case Statistical:
		return "Expert determination"
	}
	return "The project's own"
}

// Words explain a way to repeat.
func (r Repeat) Words() string {
	switch r {
	case Consistent:
		return "the same value has the same surrogate in all notes of a patient"
	case Random:
		return "each place has its own surrogate"
	case Markov:
		return "each place keeps the last surrogate or takes a new one, by chance"
	}
	return string(r)
}

// Words explain a shift, with what it gives up.
func (s Shift) Words() string {
	if s.Weeks {
		return fmt.Sprintf("Dates of a patient move by the same number of weeks, at most %d days either way: intervals and weekdays stay exact. There are only %d possible shifts, and seasons move.", s.Days, 2*(s.Days/7))
	}
	return fmt.Sprintf("Dates of a patient move by the same number of days, at most %d either way: intervals stay exact, weekdays and seasons do not.", s.Days)
}
