// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hide/internal/annotate"
)

// answer is what a tagger says about one document: spans, in code
// points, or a score for each token. Text and labels are there so that the answers
// of hide tag are among those understood; labels make no difference.
type answer struct {
	ID     *string       `json:"id"`
	Text   *string       `json:"text"`
	Spans  *[]answerSpan `json:"spans"`
	Scores *[]float64    `json:"scores"`
}

type answerSpan struct {
	Start *annotate.RuneOff `json:"start"`
	End   *annotate.RuneOff `json:"end"`
	Label string            `json:"label"`
	Score *float64          `json:"score"` // missing means 1
}

// ParseAnswer reads the answer about a text: P(sensitive) of each token as
// [annotate.Tokenize] cuts it. It is strict, and its errors repeat nothing of what
// it reads.
func ParseAnswer(line []byte, id, text string) ([]float64, error) {
	var a answer
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return nil, fmt.Errorf("not an object of \"id\" and \"spans\" or \"scores\": see byte %d", dec.InputOffset())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("unexpected data after the object, at byte %d", dec.InputOffset())
	}
	switch {
	case a.ID == nil || *a.ID != id:
		return nil, fmt.Errorf("\"id\" is not %q", id)
	case a.Text != nil && *a.Text != text:
		return nil, errors.New("\"text\" is not the text asked about")
	case (a.Spans == nil) == (a.Scores == nil):
		return nil, errors.New("it needs \"spans\" or \"scores\", one of them")
	case a.Scores != nil:
		return checkScores(*a.Scores, len(annotate.Tokenize(text)))
	}
	return spanScores(*a.Spans, text)
}

func checkScores(scores []float64, tokens int) ([]float64, error) {
	if len(scores) != tokens {
		return nil, fmt.Errorf("%d scores for %d tokens", len(scores), tokens)
	}
	for k, p := range scores {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("score %d is not from 0 to 1", k)
		}
	}
	return scores, nil
}

// spanScores gives each token the greatest score of the spans that touch it.
func spanScores(spans []answerSpan, text string) ([]float64, error) {
	tokens, offsets := annotate.Tokenize(text), annotate.NewOffsets(text)
	out := make([]float64, len(tokens))
	for k, s := range spans {
		if s.Start == nil || s.End == nil {
			return nil, fmt.Errorf("span %d has no \"start\" or \"end\"", k)
		}
		if *s.Start < 0 || *s.Start >= *s.End || *s.End > offsets.Runes() {
			return nil, fmt.Errorf("span %d is not inside a text of %d code points", k, offsets.Runes())
		}
		score := 1.0
		if s.Score != nil {
			score = *s.Score
		}
		if !(score >= 0 && score <= 1) {
			return nil, fmt.Errorf("the score of span %d is not from 0 to 1", k)
		}
		span, err := offsets.Span(*s.Start, *s.End, "")
		if err != nil {
			return nil, fmt.Errorf("span %d is not a span of the text", k)
		}
		from, to := annotate.Covered(tokens, span)
		for x := from; x < to; x++ {
			out[x] = max(out[x], score)
		}
	}
	return out, nil
}

// TokenStarts numbers the tokens of a text by the byte at which they start.
func TokenStarts(text string) map[annotate.ByteOff]int {
	starts := map[annotate.ByteOff]int{}
	for k, t := range annotate.Tokenize(text) {
		starts[t.Start] = k
	}
	return starts
}
