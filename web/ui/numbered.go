// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/project"
)

// Runs, bundles, audits and releases have numbers, and pages of their own.

// AddressNumber reads the number of one of them from an address.
func AddressNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, echo.ErrNotFound
	}
	return n, nil
}

// NewestFirst sorts a copy of a list by descending number.
func NewestFirst[T any](list []T, number func(T) int) []T {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b T) int { return cmp.Compare(number(b), number(a)) })
	return out
}

// NamedOrNewest finds the index of the item whose number the address names, in a list
// that starts with the newest; without a number it is the newest. The error for an
// unknown number lists the known ones.
func NamedOrNewest[T any](kind, asked string, newestFirst []T, number func(T) int) (int, error) {
	if asked == "" {
		return 0, nil
	}
	var there []string
	for i, one := range newestFirst {
		is := strconv.Itoa(number(one))
		if is == asked {
			return i, nil
		}
		there = append(there, is)
	}
	slices.Reverse(there)
	hint := "known numbers: " + Listed(UpToTwenty(there))
	if len(there) == 0 {
		hint = "there is no " + kind + " yet"
	}
	return 0, &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("there is no %s %q", kind, OneLine(asked, 20)), Hint: hint}
}

// RunURL is the page of a run.
func RunURL(id project.ID, run int) templ.SafeURL {
	return ProjectURL(id, fmt.Sprintf("/sanitize/%d", run))
}

// PublishURL is the page that publishes notes with a redaction model.
func PublishURL(id project.ID, bundle int) templ.SafeURL {
	return ProjectURL(id, fmt.Sprintf("/publish?bundle=%d", bundle))
}

// CurvesURL is the page of sampling curves.
func CurvesURL(id project.ID) templ.SafeURL { return ProjectURL(id, "/curves") }

// LinksURL is the page that links the records of patients.
func LinksURL(id project.ID) templ.SafeURL { return ProjectURL(id, "/links") }

// AuditsURL is the page of audits of earlier versions, with the newest.
func AuditsURL(id project.ID) templ.SafeURL { return ProjectURL(id, "/audits") }

// AuditURL is the page of audits of earlier versions with this one.
func AuditURL(id project.ID, number int) templ.SafeURL {
	return ProjectURL(id, fmt.Sprintf("/audits?audit=%d", number))
}

// ProgressPercent writes the share of a task that is finished for its progress bar.
func ProgressPercent(share float64) string { return Percent(min(max(share, 0), 1)) }

// ProgressValue is the same share as the value of a progress bar whose max is 1: 0.250.
func ProgressValue(share float64) string {
	return strconv.FormatFloat(min(max(share, 0), 1), 'f', 3, 64)
}

// Ratio writes an L/C: 10, 2.5.
func Ratio(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }

// UpToTwenty is a list for a sentence: of more than 20 items the first 20, and how many
// more there are.
func UpToTwenty(names []string) []string {
	const most = 20
	if len(names) <= most {
		return names
	}
	return append(names[:most:most], Number(len(names)-most)+" more")
}
