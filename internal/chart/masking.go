// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/words"
)

// AccuracyWords: "98.2 % [97.9–98.5] of 21,000 words have the right tag, plain words included."
func AccuracyWords(r *score.Report) string {
	a := r.Tags.Accuracy
	return fmt.Sprintf("%s of %s words have the right tag, plain words included.", figure(a.Share, a.Interval), words.Number(a.Of))
}

// MaskingWords: "950 of 1,000 spans of PHI are wholly masked (95.0 % [93–97]). Of 1,020
// masked runs, 40 hold words that are not PHI and 12 hold no PHI at all."
func MaskingWords(r *score.Report) string {
	m := r.Masking
	return fmt.Sprintf("%s of %s spans of PHI are wholly masked (%s). Of %s, %s hold words that are not PHI and %s hold no PHI at all.",
		words.Number(m.Spans.Covered.Count), words.Number(m.Spans.Covered.Of), figure(m.Spans.Covered.Share, m.Spans.Covered.Interval),
		words.Count(m.Inside.Of, "masked run", "masked runs"), words.Number(m.Inside.Of-m.Inside.Count), words.Number(m.Alarms.Count))
}

// maskingWays are the figures that learners without labels have, too.
func maskingWays(r *score.Report) []otherWay {
	ways := []otherWay{{"runs", r.Masking.Runs}}
	if r.Unlabelled {
		ways = append(ways, otherWay{"runs that overlap", r.Overlap.Micro})
	}
	return append(ways, otherWay{"words", r.Binary})
}

// tagWays are the tags, the most frequent first.
func tagWays(r *score.Report) []otherWay {
	var ways []otherWay
	for _, tag := range labelsOf(r.Tags.Level) {
		ways = append(ways, otherWay{string(tag), r.Tags.Labels[tag]})
	}
	return ways
}

// maskingRow is a label with its masked spans.
type maskingRow struct {
	name string
	score.SpanMasking
}

// maskingRows are the labels, the most frequent first, and all of them.
func maskingRows(r *score.Report) []maskingRow {
	labels := slices.SortedFunc(maps.Keys(r.Masking.Labels), func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(r.Masking.Labels[b].Covered.Of, r.Masking.Labels[a].Covered.Of), cmp.Compare(a, b))
	})
	var rows []maskingRow
	for _, l := range labels {
		rows = append(rows, maskingRow{string(l), r.Masking.Labels[l]})
	}
	return append(rows, maskingRow{"all", r.Masking.Spans})
}
