// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/option"
)

// SamplingHelp says what is written as a [crf.Sampling] in a command.
const SamplingHelp = "o=P (a word that is not sensitive stays with probability P), window=K (it stays within K words of a sensitive one), " +
	"cost=LABEL:C,O:C (a span, or such a word, stays with probability C/max), seed=N; joined by +"

// Sampling is what training leaves out, as one flag.
func Sampling[P any](of func(*P) *crf.Sampling) option.Option[P] {
	return option.Value(option.About{Name: "sampling", Label: "Training words", Value: "SETTINGS", In: option.Command,
		Help: "What the training of every learner leaves out, for more recall and less precision; the other attackers train on all words: " + SamplingHelp},
		of, readSampling,
		func(s crf.Sampling, _ option.Place) string { return s.String() })
}

// readSampling leaves out of an error what the name of the option says already.
func readSampling(text string, _ option.Place) (crf.Sampling, error) {
	s, err := crf.ParseSampling(text)
	if err != nil {
		return s, errors.New(strings.TrimPrefix(err.Error(), "sampling: "))
	}
	return s, nil
}

// SamplingFields are the same as the fields of a page.
func SamplingFields[P any](of func(*P) *crf.Sampling) option.Table[P] {
	in := func(a option.About) option.About {
		a.Group, a.In = GroupLearners, option.Page
		return a
	}
	return option.Of(option.Table[crf.Sampling]{
		option.Share(in(option.About{Name: "sample-share", Label: "Share of non-PHI words to train on", Example: "20 %",
			Help: "All learners then find more PHI, and mark more that is not PHI. Empty for all words."}),
			option.Above(0).AtMost(1), func(s *crf.Sampling) *float64 { return &s.O }),
		option.Whole(in(option.About{Name: "sample-window", Label: "Greatest distance of non-PHI words from PHI", Example: "8",
			Help: "Only non-PHI words within this number of words of PHI are trained on. Empty for any distance."}),
			option.From(1, 1000), func(s *crf.Sampling) *int { return &s.Window }),
		option.Value(in(option.About{Name: "sample-costs", Label: "Cost of missing a label in training", Example: "PATIENT 3, DATE 2",
			Help: "A span is trained on with the probability of its cost over the highest. O stands for non-PHI words, and a label without a number costs 1."}),
			func(s *crf.Sampling) *map[annotate.Label]float64 { return &s.Cost },
			func(text string, _ option.Place) (map[annotate.Label]float64, error) { return ReadCosts(text) },
			func(costs map[annotate.Label]float64, _ option.Place) string { return WriteCosts(costs) }),
	}, of)
}

// otherWords is how people write the label of words that are not sensitive.
const otherWords = "O"

// betweenCosts is what may stand between a label and its number, and after the number. A
// comma before a digit is within a number.
var betweenCosts = regexp.MustCompile(`,$|,([^0-9])|[ ;:=\t\r\n]`)

// ReadCosts reads labels, each with a number above 0: "PATIENT 3, O: 0,5" or "DATE=.5".
func ReadCosts(text string) (map[annotate.Label]float64, error) {
	words := strings.Fields(betweenCosts.ReplaceAllString(text, " $1"))
	if len(words)%2 != 0 {
		return nil, errors.New("enter labels, each with a number")
	}
	var costs map[annotate.Label]float64
	for at := 0; at < len(words); at += 2 {
		label := annotate.Label(words[at])
		if err := annotate.CheckLabel(label); err != nil {
			return nil, err
		}
		if label == otherWords {
			label = ""
		}
		cost, err := option.ReadNumber(words[at+1])
		if err != nil || !option.Above(0).Has(cost) {
			return nil, fmt.Errorf("enter a number above 0 for %s", words[at])
		}
		if _, twice := costs[label]; twice {
			return nil, fmt.Errorf("%s is there twice", words[at])
		}
		if costs == nil {
			costs = map[annotate.Label]float64{}
		}
		costs[label] = cost
	}
	return costs, nil
}

// WriteCosts writes what [ReadCosts] reads.
func WriteCosts(costs map[annotate.Label]float64) string {
	var words []string
	for _, label := range slices.Sorted(maps.Keys(costs)) {
		name := string(label)
		if label == "" {
			name = otherWords
		}
		words = append(words, name+" "+strconv.FormatFloat(costs[label], 'f', -1, 64))
	}
	return strings.Join(words, ", ")
}
