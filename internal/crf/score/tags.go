// SPDX-License-Identifier: Apache-2.0

package score

import "hide/internal/annotate"

// Tags counts the tags of tokens as the dissertation does (its tables 4.4 to 4.8): B-NAME
// for the first token of a span, I-NAME for the others, O for all other tokens.
type Tags struct {
	Accuracy Share `json:"accuracy"` // of all tokens, those with the right tag, O included
	Level          // by tag, without O
}

const (
	wayTags     measure = "tags"
	wayAccuracy measure = "accuracy"
)

// tags records the tags of a document.
func (l *ledger) tags(group int, d Prediction, s sides) {
	gold, predicted := tagsOf(d.Tokens, s.gold), tagsOf(d.Tokens, s.predicted)
	tokens(gold, predicted, entry{l, group, wayTags})
	right := 0.0
	for i := range gold {
		if gold[i] == predicted[i] {
			right++
		}
	}
	l.add(group, account{wayAccuracy, anyLabel}, right, 0, float64(len(gold))-right)
}

// tagsOf are the tags of tokens; "" is O.
func tagsOf(tokens []annotate.Token, spans []annotate.Span) []annotate.Label {
	tags, begins := annotate.TokenLabels(tokens, spans)
	for i, label := range tags {
		switch {
		case label == "":
		case begins[i]:
			tags[i] = "B-" + label
		default:
			tags[i] = "I-" + label
		}
	}
	return tags
}

func (b reportData) tags() Tags {
	return Tags{b.special(account{wayAccuracy, anyLabel}), b.level(wayTags)}
}
