// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// hfKind is token classification data of Hugging Face.
func hfKind() kind {
	return kind{
		Format: Format{
			Name: "hf", Title: "Hugging Face token classification JSONL", Files: "one note per line: tokens, ner_tags", Endings: []string{".jsonl", ".json"}, Ending: ".jsonl",
			Holds:  everything,
			Remark: "Tags are strings, or numbers with their names in label_names. Written lines also have text and offsets, so that hide reads them back exactly; of other files tokens are joined by a space.",
		},
		claims: func(p *probe) bool {
			return p.record.hasAny("ner_tags", "tags", "labels") && (p.record.is("tokens", "[]string") || p.record.is("tokens", "[]"))
		},
		read:  jsonReader("hf", parseHF),
		write: oneFile("", writeHF, ""),
		lost: func(d annotate.Annotated) string {
			return sentences(lostInTokens(d), when(len(d.Text) > maxTokens && len(spanTokens(d)) > maxTokens, "the text has more tokens than can be read back"))
		},
	}
}

// maxTokens bounds the tokens of a record, which cost more memory than their text.
const maxTokens = 1 << 20

func tooManyTokens() *Problem {
	return &Problem{Code: "document-too-large", Reason: fmt.Sprintf("more than %d tokens", maxTokens), Hint: "split it into notes"}
}

// is reports whether the record has a field of a type.
func (s *shape) is(field string, of kindOf) bool { return s != nil && s.types[field] == of }

func writeHF(out *bufio.Writer, _ int, d annotate.Annotated) error {
	var line struct {
		ID      string                `json:"id"`
		Tokens  []string              `json:"tokens"`
		Tags    []string              `json:"ner_tags"`
		Text    string                `json:"text"`
		Offsets [][2]annotate.RuneOff `json:"offsets"`
		beside
	}
	line.ID, line.Text, line.beside = d.Name, d.Text, besideOf(d)
	line.Tokens, line.Tags, line.Offsets = []string{}, []string{}, [][2]annotate.RuneOff{}
	offsets := annotate.NewOffsets(d.Text)
	for _, t := range spanTokens(d) {
		start, end := offsets.Range(annotate.Span{Start: t.Start, End: t.End})
		line.Tokens = append(line.Tokens, d.Text[t.Start:t.End])
		line.Tags = append(line.Tags, tagOf(d, t, iob2Tag))
		line.Offsets = append(line.Offsets, [2]annotate.RuneOff{start, end})
	}
	return encode(out, line)
}

// hfRecord is a record in the making.
type hfRecord struct {
	record
	tokens        []string
	tags, names   []string
	numbers       []int // tags as numbers
	offsets       []given
	hasOffsets    bool
	tokensMissing bool
}

func parseHF(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem) {
	h := hfRecord{tokensMissing: true}
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem { return h.field(r, key, value) })
	switch {
	case p != nil:
	case h.tokensMissing:
		p = &Problem{Code: "json", Reason: "no tokens", Hint: "each line has tokens and ner_tags"}
	default:
		p = h.named()
	}
	if p == nil {
		p = h.placeTokens()
	}
	if p != nil {
		return d, false, p
	}
	spans, p := h.spans()
	if p != nil {
		return d, false, p
	}
	return h.with(r, spans, codePoints)
}

func (h *hfRecord) field(r *reader, key string, value json.RawMessage) *Problem {
	switch key {
	case "tokens":
		h.tokensMissing = false
		return stringList(key, value, &h.tokens)
	case "label_names":
		return stringList(key, value, &h.names)
	case "ner_tags", "tags", "labels":
		return h.tagList(key, value)
	case "offsets":
		h.hasOffsets = true
		return walkArray(value, func(value json.RawMessage) *Problem {
			var w wireSpan
			if len(h.offsets) == maxTokens {
				return tooManyTokens()
			}
			if value[0] != '[' {
				return notA(key, "list of lists")
			}
			_ = w.triple(value) // has no label
			start, fine := position(w.start)
			end, fineToo := position(w.end)
			if !fine || !fineToo {
				return spanRange("a position that is not a whole number", 0)
			}
			h.offsets = append(h.offsets, given{start: start, end: end})
			return nil
		})
	}
	return r.field(&h.record, key, value)
}

func stringList(name string, raw json.RawMessage, into *[]string) *Problem {
	if raw[0] != '[' {
		return notA(name, "list")
	}
	return walkArray(raw, func(value json.RawMessage) *Problem {
		if value[0] != '"' {
			return notA(name, "list of strings")
		}
		if len(*into) == maxTokens {
			return tooManyTokens()
		}
		*into = append(*into, stringOf(value))
		return nil
	})
}

func (h *hfRecord) tagList(name string, raw json.RawMessage) *Problem {
	if raw[0] != '[' {
		return notA(name, "list")
	}
	return walkArray(raw, func(value json.RawMessage) *Problem {
		if len(h.tags)+len(h.numbers) == maxTokens {
			return tooManyTokens()
		}
		if value[0] == '"' {
			h.tags = append(h.tags, stringOf(value))
			return nil
		}
		n, fine := position(value)
		if !fine {
			return notA(name, "list of strings or whole numbers")
		}
		h.numbers = append(h.numbers, int(n))
		return nil
	})
}

// named turns tags that are numbers into their names.
func (h *hfRecord) named() *Problem {
	for _, n := range h.numbers {
		if n < 0 || n >= len(h.names) {
			return &Problem{Code: "tag", Reason: "the tags are numbers, and their names are not in the record", Hint: "write the tags as strings, or add a field label_names"}
		}
		h.tags = append(h.tags, h.names[n])
	}
	if len(h.tags) != len(h.tokens) {
		return &Problem{Code: "tag", Reason: fmt.Sprintf("%d tokens and %d tags", len(h.tokens), len(h.tags)), Hint: "each token has one tag"}
	}
	return nil
}

// placeTokens finds where the tokens are: by their offsets in the text, or joined by a
// space.
func (h *hfRecord) placeTokens() *Problem {
	if !h.hasText || !h.hasOffsets {
		h.join()
		return nil
	}
	if len(h.offsets) != len(h.tokens) {
		return &Problem{Code: "json", Reason: fmt.Sprintf("%d tokens and %d offsets", len(h.tokens), len(h.offsets))}
	}
	offsets := annotate.NewOffsets(h.text)
	at := annotate.RuneOff(0)
	for i, o := range h.offsets {
		s, err := offsets.Span(o.start, o.end, "")
		if err != nil || o.start < at {
			return (&Problem{Code: "span-range", Reason: "outside the text, or before the token before it"}).inToken(i)
		}
		if s.Surface(h.text) != h.tokens[i] {
			return surfaceDiffers(h.tokens[i], s).inToken(i)
		}
		at = o.end
	}
	return nil
}

func (p *Problem) inToken(i int) *Problem {
	p.Reason = fmt.Sprintf("token %d: %s", i+1, p.Reason)
	return p
}

func (h *hfRecord) join() {
	h.text, h.hasText = strings.Join(h.tokens, " "), true
	h.offsets = nil
	at := 0
	for _, token := range h.tokens {
		n := utf8.RuneCountInString(token)
		h.offsets = append(h.offsets, given{start: annotate.RuneOff(at), end: annotate.RuneOff(at + n)})
		at += n + 1
	}
}

// spans reads the tags.
func (h *hfRecord) spans() ([]given, *Problem) {
	var s scheme
	for _, tag := range h.tags {
		s.see([]string{"", tag})
	}
	if p := s.check(); p != nil {
		return nil, p
	}
	var open chunks
	for i, tag := range h.tags {
		if p := open.add(&s, tag, int(h.offsets[i].start), int(h.offsets[i].end)); p != nil {
			return nil, p.inToken(i)
		}
	}
	if p := open.close(&s); p != nil {
		return nil, p
	}
	var all []given
	for _, c := range open.done {
		all = append(all, given{start: annotate.RuneOff(c.start), end: annotate.RuneOff(c.end), label: c.label})
	}
	return all, nil
}
