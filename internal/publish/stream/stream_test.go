// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/hint"
	"hide/internal/publish"
	"hide/internal/publish/publishtest"
	"hide/internal/publish/stream"
)

// bundle is learnt from two sentences.
var bundle = sync.OnceValue(func() *publish.Bundle {
	var docs []annotate.View
	for _, name := range []string{"Weiss", "Berg!"} {
		n := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: "Seen by " + name}, Spans: []annotate.Span{{Start: 8, End: 13, Label: "NAME"}}})
		docs = append(docs, (&n).View())
	}
	b, err := publishtest.Bundle(docs, crf.Options{MaxIterations: 10})
	if err != nil {
		panic(err)
	}
	return b
})

func piece(name string, from int64, text string) stream.Piece {
	return stream.Piece{Name: name, From: from, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(iotest.OneByteReader(strings.NewReader(text))), nil
	}}
}

// TestPiecesAreOneStream cuts notes into pieces anyhow and compares ids, and the place of each
// line that cannot be read, with those of a simple loop.
func TestPiecesAreOneStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 100 {
		var pieces []stream.Piece
		var ids, refused []string
		for i := range rng.IntN(6) {
			var b strings.Builder
			name, from := fmt.Sprintf("file %d", i), rng.Int64N(1000)
			for n := range rng.IntN(4) {
				if rng.IntN(4) == 0 {
					refused = append(refused, fmt.Sprintf("%s %d", name, from+int64(b.Len())))
					b.WriteString(`{"text":"Weiss"}` + "\n")
					continue
				}
				ids = append(ids, fmt.Sprintf("%d-%d", i, n))
				fmt.Fprintf(&b, `{"id":"%d-%d","text":"walks"}`+"\n", i, n)
			}
			text := b.String()
			if rng.IntN(2) == 0 {
				text = strings.TrimSuffix(text, "\n")
			}
			pieces = append(pieces, piece(name, from, text))
		}
		var out, left bytes.Buffer
		counts, err := stream.Redact(t.Context(), bundle(), pieces, &out, stream.Options{Format: stream.JSONL, Workers: 1 + rng.IntN(4), Skip: true, Errors: &left})
		if err != nil || counts.Notes != len(ids) || counts.Refused != len(refused) {
			t.Fatalf("round %d: %+v, %v", round, counts, err)
		}
		var gotIDs, gotRefused []string
		for line := range bytes.Lines(out.Bytes()) {
			var a struct{ ID string }
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatal(err)
			}
			gotIDs = append(gotIDs, a.ID)
		}
		for line := range bytes.Lines(left.Bytes()) {
			var r stream.Refusal
			if err := json.Unmarshal(line, &r); err != nil || r.Record != fmt.Sprintf("byte %d", r.Offset) || bytes.Contains(line, []byte("Weiss")) {
				t.Fatalf("%s, %v", line, err)
			}
			gotRefused = append(gotRefused, fmt.Sprintf("%s %d", r.File, r.Offset))
		}
		if !slices.Equal(gotIDs, ids) || !slices.Equal(gotRefused, refused) {
			t.Fatalf("round %d: %v and %v, want %v and %v", round, gotIDs, gotRefused, ids, refused)
		}
	}
}

const message = "MSH|^~\\&|EHR|||20260102||ORU^R01|17|P|2.5\rPID|1||4711^^^H^MR||Silva^Ivo\rOBX|1|TX|1^Note||walks||||||F\r"

func TestRecordsThatCannotBeRead(t *testing.T) {
	broken := stream.Piece{Name: "a", Open: func() (io.ReadCloser, error) { return nil, errors.New("read a: no permission") }}
	half := stream.Piece{Name: "a", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(iotest.TimeoutReader(strings.NewReader(message))), nil
	}}
	for name, c := range map[string]struct {
		format string
		pieces []stream.Piece
		want   string
		hinted bool
	}{
		"a line":            {"jsonl", []stream.Piece{piece("a", 0, ""), piece("b", 7, "{}")}, `byte 7 of b: "id" or "text" is missing`, true},
		"a line of input":   {"jsonl", []stream.Piece{piece(stream.StandardInput, 0, `{"id":"1","text":""}`+"\n{}")}, `line 2 of standard input: "id" or "text" is missing`, true},
		"a message":         {"hl7", []stream.Piece{piece("a", 0, message), piece("b", 0, "PID|1\r")}, "message 1, segment 1, byte 0 of b: the message does not begin with the segment MSH", true},
		"no file":           {"jsonl", []stream.Piece{broken}, "read a: no permission", false},
		"no file of HL7":    {"hl7", []stream.Piece{broken}, "read a: no permission", false},
		"half a file":       {"jsonl", []stream.Piece{half}, "read a: timeout", false},
		"half a file, HL7":  {"hl7", []stream.Piece{half}, "of a: reading failed: timeout", true},
		"unknown format":    {"xls", nil, `unknown format "xls"`, false},
		"unknown resources": {"fhir", []stream.Piece{piece("a", 0, "{]")}, "of a: ", true},
	} {
		_, err := stream.Redact(t.Context(), bundle(), c.pieces, io.Discard, stream.Options{Format: c.format})
		if err == nil || !strings.Contains(err.Error(), c.want) || c.hinted != (hint.Of(err) != "") {
			t.Errorf("%s: got %v, hint %q", name, err, hint.Of(err))
		}
	}
}

// TestANoteThatCannotBeRedactedIsNamedByItsFile has a model that always fails.
func TestANoteThatCannotBeRedactedIsNamedByItsFile(t *testing.T) {
	failing := &publish.Bundle{Ensemble: greedy.Ensemble{{Learner: "crf"}}}
	for name, want := range map[string]string{"b": "byte 7 of b: panic at ", stream.StandardInput: "line 1 of standard input: panic at "} {
		pieces := []stream.Piece{piece("a", 0, ""), piece(name, 7, `{"id":"1","text":"walks"}`)}
		_, err := stream.Redact(t.Context(), failing, pieces, io.Discard, stream.Options{Format: stream.JSONL})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "walks") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestABadMessageIsLeftOut goes on with the next file.
func TestABadMessageIsLeftOut(t *testing.T) {
	var out bytes.Buffer
	var left []string
	o := stream.Options{Format: stream.HL7, Skip: true, LeftOut: func(r stream.Refusal) { left = append(left, r.Error()) }}
	pieces := []stream.Piece{piece("a", 0, "PID|1\r"+message), piece("b", 0, "PID|2\r"), piece("c", 0, message)}
	counts, err := stream.Redact(t.Context(), bundle(), pieces, &out, o)
	if err != nil || counts.Notes != 2 || counts.Refused != 2 || counts.Messages.Messages != 2 || len(left) != 2 || !strings.Contains(left[1], "byte 0 of b: ") {
		t.Errorf("%+v, %q, %v", counts, left, err)
	}
	if n := strings.Count(out.String(), "MSH|"); n != 2 || strings.Contains(out.String(), "Silva") {
		t.Errorf("%d messages: %q", n, out.String())
	}
}

// TestDocumentsBeginOnALineOfTheirOwn also when they end without a line feed.
func TestDocumentsBeginOnALineOfTheirOwn(t *testing.T) {
	const document = `<?xml version="1.0" encoding="UTF-8"?><ClinicalDocument xmlns="urn:hl7-org:v3"><component><nonXMLBody><text>walks</text></nonXMLBody></component></ClinicalDocument>`
	var out bytes.Buffer
	pieces := []stream.Piece{piece("a", 0, document), piece("b", 0, document+"\n"), piece("c", 0, document)}
	if _, err := stream.Redact(t.Context(), bundle(), pieces, &out, stream.Options{Format: stream.CCDA}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count("\n"+out.String(), "\n<?xml "); got != 3 || strings.Contains(out.String(), "\n\n") || !strings.HasSuffix(out.String(), ">\n") {
		t.Errorf("%d documents begin on a line of their own: %q", got, out.String())
	}
}

// TestATextIsANote reads texts that look like something else, and leaves out those that are not
// in the encoding.
func TestATextIsANote(t *testing.T) {
	texts := []string{"walks\nand \"eats\"\r\n", `{"id":"x","text":"y"}`, "Caf\xe9", "a\u2028<b>\x00", "", "Grüße"}
	for encoding, refused := range map[string]int{"": 1, "windows-1252": 0, "utf-16le": 2} {
		var pieces []stream.Piece
		for i, text := range texts {
			p := piece("file", 0, text)
			p.ID = fmt.Sprint(i)
			pieces = append(pieces, p)
		}
		var out, left bytes.Buffer
		counts, err := stream.Redact(t.Context(), bundle(), pieces, &out, stream.Options{Format: stream.Text, Encoding: encoding, Skip: true, Errors: &left})
		if err != nil || counts.Refused != refused || counts.Notes != len(texts)-refused || strings.Count(left.String(), `{"file":"file","record":"byte 0","offset":0,"code":"encoding"`) != refused {
			t.Fatalf("%s: %+v, %v, %s", encoding, counts, err, left.String())
		}
		for line := range bytes.Lines(out.Bytes()) {
			var a struct{ ID, Text string }
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatal(err)
			}
			if n, _ := strconv.Atoi(a.ID); encoding == "" && !strings.Contains(a.Text, "[NAME]") && a.Text != texts[n] || encoding == "windows-1252" && n == 2 && a.Text != "Café" {
				t.Errorf("%s: note %s is %q", encoding, a.ID, a.Text)
			}
		}
	}
}

func TestRedactEndsWhenInterrupted(t *testing.T) {
	for _, format := range stream.Formats() {
		never, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		in := stream.Piece{Name: stream.StandardInput, Open: func() (io.ReadCloser, error) { cancel(); return io.NopCloser(never), nil }}
		if _, err := stream.Redact(ctx, bundle(), []stream.Piece{in}, io.Discard, stream.Options{Format: format}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", format, err)
		}
		w.Close()
	}
}

func TestNames(t *testing.T) {
	if got := stream.Names(" ZPI,extension,,ZPI ,OBX-22"); !slices.Equal(got, []string{"OBX-22", "ZPI", "extension"}) || stream.Names("") != nil {
		t.Errorf("got %v", got)
	}
}
