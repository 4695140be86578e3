// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"math"
	"slices"
	"time"

	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/words"
)

// Conditions are what an approval depends on. The zero value is none.
type Conditions struct {
	AtMost     *int       `json:"at_most,omitempty"`   // passages that may still hold an identifier, by the certificate
	Until      *time.Time `json:"until,omitempty"`     // it has to be published before
	Recipients []string   `json:"recipients,omitzero"` // nobody else may get it; nil for no limit, empty for nobody
	LC         *float64   `json:"lc,omitempty"`        // the candidate must have been made with at least this L/C
	Others     []string   `json:"others,omitempty"`    // in words; the broker has to say how each was met
}

// None reports whether there are no conditions.
func (c Conditions) None() bool {
	return c.AtMost == nil && c.Until == nil && c.Recipients == nil && c.LC == nil && len(c.Others) == 0
}

func (c Conditions) check(now time.Time) error {
	switch {
	case c.AtMost != nil && *c.AtMost < 0:
		return project.Invalidf("enter a number of passages", "a bound is 0 or more")
	case c.Until != nil && !c.Until.After(now):
		return project.Invalidf("choose a later day", "the day until which the approval is to hold has passed")
	case c.LC != nil && (!(*c.LC > 0) || math.IsInf(*c.LC, 1)):
		return project.Invalidf("enter a number above 0", "an L/C is above 0")
	}
	for _, o := range c.Others {
		if err := fits(o, textLimit, "condition"); err != nil {
			return err
		}
	}
	return nil
}

// and are the conditions of both: the stricter number, the earlier day, the recipients that
// both allow.
func (c Conditions) and(o Conditions) Conditions {
	if o.AtMost != nil && (c.AtMost == nil || *o.AtMost < *c.AtMost) {
		c.AtMost = o.AtMost
	}
	if o.Until != nil && (c.Until == nil || o.Until.Before(*c.Until)) {
		c.Until = o.Until
	}
	if o.LC != nil && (c.LC == nil || *o.LC > *c.LC) {
		c.LC = o.LC
	}
	if o.Recipients != nil {
		if c.Recipients == nil {
			c.Recipients = slices.Clone(o.Recipients)
		} else {
			c.Recipients = slices.DeleteFunc(slices.Clone(c.Recipients), func(r string) bool { return !slices.Contains(o.Recipients, r) })
		}
	}
	for _, other := range o.Others {
		if !slices.Contains(c.Others, other) {
			c.Others = append(slices.Clip(c.Others), other)
		}
	}
	return c
}

// Words list the conditions, one a line.
func (c Conditions) Words() (out []string) {
	if c.AtMost != nil {
		out = append(out, fmt.Sprintf("at most %s may still hold an identifier (certificate, 95 %%)", words.Count(*c.AtMost, "passage", "passages")))
	}
	if c.LC != nil {
		out = append(out, fmt.Sprintf("L/C is at least %g", *c.LC))
	}
	switch {
	case c.Recipients != nil && len(c.Recipients) == 0:
		out = append(out, "no recipient: the approving members allow different ones")
	case c.Recipients != nil:
		out = append(out, "only these recipients: "+words.List(c.Recipients))
	}
	if c.Until != nil {
		out = append(out, "published before "+c.Until.Format("2 January 2006"))
	}
	return append(out, c.Others...)
}

// missing is what a decided session lacks to let a candidate be published to recipients,
// nothing if it may be.
func (s *Session) missing(c release.Candidate, bound *int, recipients []string, now time.Time) (out []string) {
	d := s.Decision
	switch {
	case s.Current(now) == Expired:
		return []string{fmt.Sprintf("review %d ended on %s without a decision", s.Number, s.Until.Format("2 January 2006"))}
	case d == nil:
		return []string{fmt.Sprintf("review %d is %s: it has not decided yet", s.Number, s.State)}
	case d.Outcome == Refused:
		return []string{fmt.Sprintf("review %d refused it", s.Number)}
	case d.Outcome != Approved:
		return []string{fmt.Sprintf("review %d did not approve it: too few members approved", s.Number)}
	case c.Hash != s.Hash:
		return []string{fmt.Sprintf("review %d approved another candidate, with the hash %s", s.Number, s.Hash[:min(12, len(s.Hash))])}
	case now.After(d.Until):
		return []string{fmt.Sprintf("the approval of review %d lapsed on %s", s.Number, d.Until.Format("2 January 2006"))}
	}
	want := d.Conditions
	if want.AtMost != nil && (bound == nil || *bound > *want.AtMost) {
		has := "there is no certificate"
		if bound != nil {
			has = "the certificate says at most " + words.Number(*bound)
		}
		out = append(out, fmt.Sprintf("at most %s may still hold an identifier, and %s", words.Count(*want.AtMost, "passage", "passages"), has))
	}
	if want.LC != nil && c.LC < *want.LC {
		out = append(out, fmt.Sprintf("L/C must be at least %g, and the candidate was made with %g", *want.LC, c.LC))
	}
	if want.Recipients != nil {
		if len(want.Recipients) == 0 {
			return append(out, "the approving members allow different recipients: nobody may get it")
		}
		if len(recipients) == 0 {
			out = append(out, "name the recipients: only "+words.List(want.Recipients)+" may get it")
		}
		for _, r := range recipients {
			if !slices.Contains(want.Recipients, r) {
				out = append(out, r+" is not among the approved recipients: "+words.List(want.Recipients))
			}
		}
	}
	for i, o := range want.Others {
		if !slices.ContainsFunc(d.Met, func(m Met) bool { return m.Condition == i }) {
			out = append(out, "say how this condition was met: "+o)
		}
	}
	return out
}
