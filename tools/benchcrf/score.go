// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
)

// score counts right spans: start, end and label.
type score struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
}

// scoreSuite tags the test file with the model that CRFsuite learnt as it comes.
func (b bench) scoreSuite(ctx context.Context) (score, error) {
	out, err := output(ctx, b.crfsuite, []string{"tag", "-r", "-m", b.path("model0"), b.path("test.crf")})
	if err != nil {
		return score{}, err
	}
	return scoreTagged(string(out))
}

// scoreTagged reads lines of gold and predicted label; an empty line ends a
// document.
func scoreTagged(text string) (score, error) {
	var s score
	var gold, predicted []string
	count := func() {
		have := map[entity]bool{}
		for _, e := range entities(gold) {
			have[e] = true
		}
		found := entities(predicted)
		for _, e := range found {
			if have[e] {
				s.TP++
			}
		}
		s.FP += len(found)
		s.FN += len(have)
		gold, predicted = gold[:0], predicted[:0]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			count()
			continue
		}
		g, p, ok := strings.Cut(line, "\t")
		if !ok {
			return s, fmt.Errorf("a line that is no pair of labels")
		}
		gold, predicted = append(gold, g), append(predicted, p)
	}
	count()
	s.FP, s.FN = s.FP-s.TP, s.FN-s.TP
	s.Precision, s.Recall = share(s.TP, s.TP+s.FP), share(s.TP, s.TP+s.FN)
	s.F1 = share(2*s.TP, 2*s.TP+s.FP+s.FN)
	return s, nil
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// entity is tokens [start, end) of one label.
type entity struct {
	start, end int
	label      string
}

// entities reads BIO labels. CRFsuite may let I follow O or another label, which
// hide never does: such an I begins an entity, as the CoNLL scorer has it.
func entities(labels []string) []entity {
	var found []entity
	open := false
	for i, l := range labels {
		kind, label, _ := strings.Cut(l, "-")
		switch {
		case kind == "I" && open && found[len(found)-1].label == label:
			found[len(found)-1].end = i + 1
		case kind == "B" || kind == "I":
			found = append(found, entity{i, i + 1, label})
			open = true
		default:
			open = false
		}
	}
	return found
}
