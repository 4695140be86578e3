// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"

	"hide/internal/annotate"
)

// prodigyKind is the answers of Prodigy.
func prodigyKind() kind {
	return kind{
		Format: Format{
			Name: "prodigy", Title: "Prodigy JSONL", Files: "one answer per line: text, spans, answer, meta", Endings: []string{".jsonl", ".json"}, Ending: ".jsonl",
			Holds:  everything,
			Remark: "Answers other than accept are left out and counted. The id and the patient are in meta.",
		},
		claims: func(p *probe) bool { return isProdigy(p.record) },
		read:   jsonReader("prodigy", parseProdigy),
		write: oneFile("", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
			line, err := toJSON(d)
			if err != nil {
				return err
			}
			return encode(out, struct {
				Text   string     `json:"text"`
				Spans  []jsonSpan `json:"spans"`
				Answer string     `json:"answer"`
				Meta   any        `json:"meta"`
			}{d.Text, line.Spans, "accept", struct {
				ID string `json:"id"`
				beside
			}{d.Name, besideOf(d)}})
		}, ""),
	}
}

// isProdigy reports whether a record has a field that only Prodigy writes, or its tokens.
func isProdigy(s *shape) bool {
	return s.has("text") && !s.has("data") && (s.hasAny("answer", "_input_hash", "_task_hash") || s.has("tokens", "spans") && s.types["tokens"] == "[]object")
}

// prodigySpan is a span with its tokens. The last token belongs to it.
type prodigySpan struct {
	wireSpan
	first, last json.RawMessage
}

func parseProdigy(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem) {
	var rec record
	var spans, tokens json.RawMessage
	answer := "accept"
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem {
		switch key {
		case "text":
			return r.field(&rec, key, value)
		case "spans":
			spans = value
		case "tokens":
			tokens = value
		case "answer":
			if value[0] != '"' {
				return notA("answer", "string")
			}
			answer = stringOf(value)
		case "id":
			return r.field(&rec, key, value)
		case "meta":
			return r.meta(&rec, value)
		}
		return nil // numbers and settings of the program
	})
	if p != nil {
		return d, false, p
	}
	if answer != "accept" {
		r.remarks.add(1, "record", "not answered with accept, left out")
		return d, true, nil
	}
	all, p := prodigySpans(spans, tokens)
	if p != nil {
		return d, false, p
	}
	return rec.with(r, all, codePoints)
}

func (r *reader) meta(rec *record, value json.RawMessage) *Problem {
	if value[0] != '{' {
		return nil
	}
	return walkObject(value, func(key string, value json.RawMessage) *Problem { return r.aside(rec, key, value) })
}

// prodigySpans reads the spans. Those without positions are where their tokens are.
func prodigySpans(raw, tokens json.RawMessage) ([]given, *Problem) {
	var spans jsonSpans
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	ends, p := tokenEnds(tokens)
	if p != nil {
		return nil, p
	}
	p = walkArray(raw, func(value json.RawMessage) *Problem {
		var s prodigySpan
		p := walkObject(value, func(key string, value json.RawMessage) *Problem {
			switch key {
			case "token_start":
				s.first = value
			case "token_end":
				s.last = value
			}
			return s.field(key, value)
		})
		if p != nil {
			p.located = false
			return p.inSpan(len(spans.all) + 1)
		}
		if s.start == nil && s.end == nil {
			s.start, s.end = at(ends, s.first, 0), at(ends, s.last, 1)
		}
		return spans.put(s.wireSpan)
	})
	return spans.all, p
}

// at is the start or the end of a token; nil for none.
func at(ends [][2]json.RawMessage, token json.RawMessage, side int) json.RawMessage {
	n, fine := position(token)
	if !fine || n < 0 || int(n) >= len(ends) {
		return nil
	}
	return ends[n][side]
}

// tokenEnds lists the start and end of every token.
func tokenEnds(raw json.RawMessage) (ends [][2]json.RawMessage, p *Problem) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	p = walkArray(raw, func(value json.RawMessage) *Problem {
		var w wireSpan
		if len(ends) == maxTokens {
			return tooManyTokens()
		}
		if p := walkObject(value, w.field); p != nil {
			p.located = false
			return p
		}
		ends = append(ends, [2]json.RawMessage{w.start, w.end})
		return nil
	})
	return ends, p
}
