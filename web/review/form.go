// SPDX-License-Identifier: Apache-2.0

package review

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"hide/internal/project"
	"hide/internal/project/review"
	"hide/web/publishing"
)

// The sample that the form proposes.
const (
	usualRandom   = 60
	usualDoubtful = 10
)

// firstSample is what the form proposes: the usual sample, or what the candidate has.
func (v view) firstSample() review.Sampling {
	how := review.Sampling{Random: usualRandom, Doubtful: usualDoubtful}
	if v.Candidate.Model() == 0 { // nothing says which are doubtful
		how.Doubtful = 0
	}
	if v.Plan == nil {
		return how
	}
	how.Random = min(usualRandom, v.Plan.Passages)
	if how.Random < 1 { // fewer than the doubtful ones
		how = review.Sampling{Random: 1}
	}
	return how
}

// dateForm is how browsers send the value of a date field.
const dateForm = "2006-01-02"

// readAsk reads the form that prepares a review.
func readAsk(form url.Values) (candidate int, ask review.Ask, err error) {
	if candidate, err = strconv.Atoi(form.Get("candidate")); err != nil {
		return 0, ask, project.Invalidf("freeze a candidate on the page “Publish” first", "a review needs a candidate")
	}
	ask = review.Ask{Question: form.Get("question"), Agenda: publishing.Lines(form.Get("agenda")), Recipients: publishing.Lines(form.Get("recipients"))}
	if form.Get("until") != "" {
		ask.Until, err = readDay(form.Get("until"))
	}
	return candidate, ask, err
}

// readDay is the end of a day in the time zone of the server.
func readDay(text string) (time.Time, error) {
	day, err := time.ParseInLocation(dateForm, text, time.Local)
	if err != nil {
		return day, project.Invalidf("enter a day, such as 2027-03-31", "%q is not a day", text)
	}
	return day.AddDate(0, 0, 1).Add(-time.Second), nil
}

// readSampling reads the form that commits to a draw.
func readSampling(form url.Values) (how review.Sampling, err error) {
	for name, to := range map[string]*int{"random": &how.Random, "doubtful": &how.Doubtful, "plants": &how.Plants, "readers": &how.Readers} {
		if *to, err = strconv.Atoi(strings.TrimSpace(form.Get(name))); err != nil {
			return how, project.Invalidf("enter whole numbers", "%q is not a whole number", form.Get(name))
		}
	}
	how.Anytime = form.Get("anytime") != ""
	return how, nil
}

// readVote reads a vote. A condition counts if its box is ticked.
func readVote(form url.Values) (v review.Vote, err error) {
	v = review.Vote{Choice: review.Choice(form.Get("choice")), Reason: form.Get("reason")}
	ticked := func(name string) bool { return form.Get("if-"+name) != "" }
	if ticked("bound") {
		n, err := strconv.Atoi(strings.TrimSpace(form.Get("bound")))
		if err != nil {
			return v, project.Invalidf("enter a whole number of passages", "the bound %q is not a number", form.Get("bound"))
		}
		v.Conditions.AtMost = &n
	}
	if ticked("until") {
		day, err := readDay(form.Get("until"))
		if err != nil {
			return v, err
		}
		v.Conditions.Until = &day
	}
	if ticked("recipients") {
		if v.Conditions.Recipients = publishing.Lines(form.Get("recipients")); len(v.Conditions.Recipients) == 0 {
			return v, project.Invalidf("enter one recipient on each line, or untick the box", "no recipient is named")
		}
	}
	if ticked("lc") {
		lc, err := strconv.ParseFloat(strings.TrimSpace(form.Get("lc")), 64)
		if err != nil {
			return v, project.Invalidf("enter a number above 0", "the L/C %q is not a number", form.Get("lc"))
		}
		v.Conditions.LC = &lc
	}
	if ticked("others") {
		v.Conditions.Others = publishing.Lines(form.Get("others"))
	}
	return v, nil
}
