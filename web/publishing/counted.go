// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"fmt"
	"net/url"

	"hide/internal/option"
	"hide/internal/project/release"
	envelope "hide/internal/publish/release"
	"hide/internal/publish/settings"
	"hide/internal/words"
	"hide/web/ui"
)

// said is the answer of a person when records look like the same people.
type said struct{ unlinked bool }

var unlinkedOptions = option.Table[said]{settings.Unlinked(func(s *said) *bool { return &s.unlinked })}

// Unlinked reads the answer of [UnlinkedTick].
func Unlinked(values url.Values) bool {
	var s said
	unlinkedOptions.ReadForm(values, &s) // a tick is never wrong
	return s.unlinked
}

func unlinkedForm(ticked bool) []option.Field {
	return unlinkedOptions.Form(&said{ticked}).Fields
}

// UnlinkedRefused is why a form without the tick is refused, "" if it is not.
func UnlinkedRefused(c release.Counted, values url.Values) string {
	if c.Agreement.Records == 0 || Unlinked(values) {
		return ""
	}
	return "Link the records that look like the same people, or tick the box to publish without linking them. Nothing was published."
}

// countedWords say how records are counted, and what a patient who counts twice means.
func countedWords(c release.Counted, twice string) []string {
	out := c.Linkage.Words()
	if c.Linkage.Duplicates != nil && twice != "" {
		out = append(out, twice)
	}
	if c.Since > 0 {
		out = append(out, fmt.Sprintf("%s imported or restored after the records were linked.", ui.Count(c.Since, "note was", "notes were")))
	}
	if c.Waiting > 0 {
		out = append(out, fmt.Sprintf("%s for a decision.", ui.Count(c.Waiting, "pair of records waits", "pairs of records wait")))
	}
	return out
}

func linksWords(c release.Counted) string {
	if c.Linkage.Linked {
		return "One record per patient"
	}
	return "Link the records of one patient"
}

// MissedWords say what missed links mean for the classes of a table, "" if nothing is estimated.
func MissedWords(r *envelope.LinkageRisk) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("; with missed links the smallest class has %s people expected, and some class has fewer than %d with probability %s", words.Amount(r.People), r.K, words.Percent(r.BelowK))
}
