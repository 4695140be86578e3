// SPDX-License-Identifier: Apache-2.0

package web

import (
	"github.com/a-h/templ"

	"hide/internal/project"
	"hide/web/outcome"
	"hide/web/ui"
)

// Names of what runs have measured under which pages that are not yet a feature know
// them.
var (
	runNumber       = ui.AddressNumber
	runURL          = ui.RunURL
	placesWords     = outcome.PlacesWords
	keptWords       = outcome.KeptWords
	leftWords       = outcome.RemainingWords
	rankedWords     = outcome.RankedWords
	resultAt        = outcome.At
	sofar           = outcome.SoFar
	hasFigures      = outcome.HasFigures
	outcomeBudgets  = outcome.Budgets
	atMost          = outcome.UpperBoundWords
	atMostCell      = outcome.UpperBoundCell
	raised          = outcome.RaisedNote
	limitsNote      = outcome.LimitsNote
	warningNotice   = outcome.Warnings
	shareWords      = ui.ProgressPercent
	publishURL      = ui.PublishURL
	samplesURL      = ui.AuditsURL
	sampleResultURL = ui.AuditURL
	sampleStands    = ui.AuditProgress
	upToTwenty      = ui.UpToTwenty
)

func newestFirst[T any](list []T, number func(T) int) []T { return ui.NewestFirst(list, number) }

func namedOrNewest[T any](kind, asked string, newestFirst []T, number func(T) int) (int, error) {
	return ui.NamedOrNewest(kind, asked, newestFirst, number)
}

func placeURL(id project.ID, l project.Excerpt) templ.SafeURL {
	return ui.PlaceURL(id, l.Document, l.Start, l.End)
}

func contextBefore(l project.Excerpt) string { return ui.Before(l.Before) }
func contextAfter(l project.Excerpt) string  { return ui.After(l.After) }
