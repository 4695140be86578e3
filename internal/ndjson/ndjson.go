// SPDX-License-Identifier: Apache-2.0

// Package ndjson is the wire between hide and programs that tag or redact text: one JSON
// object a line, a document in, an answer out.
//
//	ndjson.Filter(ctx, os.Stdin, os.Stdout, ndjson.Options{}, func(d ndjson.Doc) any { return answer(d) })
//	scores, err := ndjson.ParseAnswer(line, id, text)
//
// [Filter] is the side that answers, as hide tag and hide redact do. [ReadLines] and
// [ParseAnswer] are the side that asks. Both are strict: what they do not know could be
// what must not get out, and their errors repeat nothing of what they read.
package ndjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/hint"
	"hide/internal/strictjson"
)

// Doc is one document that a filter reads.
type Doc struct {
	ID    *string  `json:"id"`
	Text  *string  `json:"text"`
	Known []string `json:"known,omitempty"` // identifiers of the patient that structured fields gave

	// Identities are what structured data says of people in the text, by label.
	Identities []annotate.Identity `json:"identities,omitempty"`
}

// AllKnown are the values of Known and of the identities.
func (d Doc) AllKnown() []string {
	all := slices.Clone(d.Known)
	for _, i := range d.Identities {
		all = append(all, i.Value)
	}
	return all
}

// ParseDoc reads one document. It is strict: what it does not know could be what must not get
// out. The refusal, nil if there is none, does not say where the document begins.
func ParseDoc(text []byte) (Doc, *Refusal) {
	var d Doc
	var spans []json.RawMessage
	if !utf8.Valid(text) {
		return d, &Refusal{Code: "encoding", Reason: "not UTF-8", Hint: "convert the input to UTF-8"}
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return d, &Refusal{Code: "encoding", Reason: "a byte order mark before the object", Hint: "save the file as UTF-8 without a byte order mark"}
	}
	if err := decodeDoc(text, &d, &spans); err != nil {
		return d, &Refusal{Code: "json", Reason: err.Error(), Hint: cmp.Or(hint.Of(err), `write each note as one line, {"id":"1","text":"..."}, with "known" and "identities" as the only other fields; "spans" are ignored`)}
	}
	if err := checkIdentities(text, d.Identities); err != nil {
		return d, &Refusal{Code: "identities", Reason: err.Error(), Hint: `write an identity as {"of":"patient","label":"PATIENT","value":"..."}`}
	}
	if halfPair(text, spans, *d.ID+*d.Text+strings.Join(d.AllKnown(), "")) {
		return d, &Refusal{Code: "encoding", Reason: "unpaired surrogate", Hint: "the program that wrote the line cut a character in two: correct it there"}
	}
	return d, nil
}

// decodeDoc also returns the spans of annotated notes. Nobody reads them: they may not be
// right, and the redaction finds its own.
func decodeDoc(text []byte, d *Doc, spans *[]json.RawMessage) error {
	line := struct {
		*Doc
		Spans *[]json.RawMessage `json:"spans"`
	}{d, spans}
	dec := json.NewDecoder(bytes.NewReader(text))
	notADoc := func(dec *json.Decoder) error { return notADoc(text, dec.InputOffset()) }
	if err := dec.Decode(&line); err != nil {
		return notADoc(dec)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("unexpected data after the object, at byte %d", dec.InputOffset())
	}
	if err := eachOnce(text, []string{"id", "text", "known", "identities", "spans"}, notADoc); err != nil {
		return err
	}
	if d.ID == nil || d.Text == nil {
		return errors.New("\"id\" or \"text\" is missing")
	}
	return nil
}

// elsewhere are the fields of hide JSONL that no document has.
var elsewhere = []string{"patient", "attributes"}

// notADoc says what is wrong with a line, after byte at of it. It quotes only the names of
// known fields: any other name could be text of a note.
func notADoc(line []byte, at int64) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return hint.Add(errors.New("an empty line"), "remove the line")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) == nil {
		for _, name := range elsewhere {
			if _, ok := fields[name]; ok {
				return hint.Add(fmt.Errorf("the field %q is not allowed, at byte %d of the line", name, at),
					`only "id", "text", "known" and "identities" are read, and "spans" are ignored: remove all other fields, as with jq -c 'del(.patient, .attributes)'`)
			}
		}
	}
	return fmt.Errorf("not an object with the fields \"id\", \"text\" and, if needed, \"known\" and \"identities\": see byte %d of the line", at)
}

// mostIdentities is how many identities a document can have.
const mostIdentities = 1000

// checkIdentities refuses identities with unknown fields or missing ones. line is the
// document that has them.
func checkIdentities(line []byte, all []annotate.Identity) error {
	if len(all) > mostIdentities {
		return fmt.Errorf("more than %d identities", mostIdentities)
	}
	var raw struct{ Identities []json.RawMessage }
	if err := json.Unmarshal(line, &raw); err != nil || len(raw.Identities) != len(all) {
		return errors.New(`"identities" is not a list of objects`)
	}
	for n, i := range all {
		wrong := func(*json.Decoder) error {
			return fmt.Errorf(`identity %d is not an object of "of", "label", "value" and perhaps "from"`, n+1)
		}
		if err := eachOnce(raw.Identities[n], []string{"of", "label", "value", "from"}, wrong); err != nil {
			return err
		}
		if err := annotate.CheckIdentity(i); err != nil {
			return fmt.Errorf("identity %d: %w", n+1, err)
		}
	}
	return nil
}

// eachOnce refuses an object with a field that is not one of names, or is there twice:
// encoding/json takes names in any case, and of two texts the last. wrong is the error for
// anything else.
func eachOnce(object []byte, names []string, wrong func(*json.Decoder) error) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return wrong(dec)
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		name, _ := token.(string)
		if err != nil || !slices.Contains(names, name) {
			return wrong(dec)
		}
		if seen[name] {
			return fmt.Errorf("duplicate key %q, at byte %d", name, dec.InputOffset())
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return wrong(dec)
		}
	}
	return nil
}

// halfPair reports whether decoding put a replacement character in the place of
// an escape such as \ud800. Those of ignored parts of the line do not count.
func halfPair(line []byte, ignored []json.RawMessage, decoded string) bool {
	if !strings.ContainsRune(decoded, utf8.RuneError) {
		return false
	}
	written := func(b []byte) int {
		return bytes.Count(b, []byte("\ufffd")) + bytes.Count(bytes.ToLower(b), []byte(`\ufffd`))
	}
	n := written(line)
	for _, part := range ignored {
		n -= written(part)
	}
	return strings.Count(decoded, "\ufffd") > n
}

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
	if err := strictjson.Twins(line); err != nil {
		return nil, err
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
