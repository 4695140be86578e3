// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/message"
	"hide/internal/ndjson"
	"hide/internal/publish"
)

// redactedLine is what hide redact answers.
type redactedLine struct {
	ID         string          `json:"id"`
	Text       string          `json:"text"`
	Redactions []redactedPlace `json:"redactions"`
}

// redactedPlace is the place of a placeholder, in code points of the answer.
type redactedPlace struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

func runRedact(ctx context.Context, e *env, args []string) error {
	f := e.filterFlags()
	bundle := f.String("bundle", "", "`FILE` of the bundle to redact with")
	kind := f.String("format", "jsonl", "`format` of the input and the output: jsonl, hl7, ccda or fhir")
	keep := f.String("keep", "", "comma-separated `names` of fields of messages to keep though nobody knows them to be harmless: ZPI,OBX-22,extension")
	people := f.String("people", "", "with --format fhir: `FILE` of resources with the patients and others that the notes refer to (default: those that come before them)")
	encoding := f.String("encoding", "", "`encoding` of messages: utf-8, windows-1252, latin-1, utf-16le or utf-16be (default: utf-8); the output is UTF-8")
	skip := f.Bool("skip-bad", false, "leave out messages that cannot be read, and redact the others")
	if _, err := e.parse(f, args, 0, 0, "bundle"); err != nil {
		return err
	}
	b, err := readBundle(*bundle)
	if err != nil {
		return err
	}
	if *kind == "jsonl" {
		for _, name := range []string{"encoding", "keep", "people", "skip-bad"} {
			if given(f)[name] {
				return misuse("--%s is for messages, with --format hl7, ccda or fhir", name)
			}
		}
		return e.redactLines(ctx, b)
	}
	if *people != "" && *kind != "fhir" {
		return misuse("--people is for --format fhir")
	}
	if e.stdin, err = format.Decode(e.stdin, *encoding); err != nil {
		return err
	}
	items, err := e.messages(*kind, *people)
	if err != nil {
		return err
	}
	if items == nil {
		return misuse("--format %.20q is not jsonl, hl7, ccda or fhir", *kind)
	}
	return e.redactMessages(ctx, b, items, *keep, *skip)
}

// messages reads standard input in a format of messages; nil for another format.
func (e *env) messages(kind, people string) (iter.Seq2[*message.Item, error], error) {
	switch kind {
	case "hl7":
		return message.HL7(e.stdin), nil
	case "ccda":
		return message.CDA(e.stdin), nil
	case "fhir":
		known, err := readPeople(people)
		return message.FHIR(e.stdin, known), err
	}
	return nil, nil
}

// readPeople reads the people of a file of FHIR resources; nil without a file.
func readPeople(name string) (*message.People, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	defer f.Close() // only read
	known := &message.People{}
	return known, known.Collect(f)
}

// redactMessages writes messages to standard output and what it did to standard error.
func (e *env) redactMessages(ctx context.Context, b *publish.Bundle, items iter.Seq2[*message.Item, error], keep string, skip bool) error {
	kept := map[string]bool{}
	for name := range strings.SplitSeq(keep, ",") {
		kept[strings.TrimSpace(name)] = true
	}
	counts, err := b.Messages(ctx, e.stdout, items, kept, func(bad error) error {
		if m, known := errors.AsType[*message.Error](bad); known && skip && !m.Fatal {
			fmt.Fprintf(e.stderr, "left out: %v\n", m)
			return nil
		}
		return fmt.Errorf("standard input: %w", bad)
	})
	if err != nil {
		return err
	}
	if e.json {
		return json.NewEncoder(e.stderr).Encode(counts)
	}
	counts.Write(e.stderr)
	return nil
}

// redactLines answers each line of standard input.
func (e *env) redactLines(ctx context.Context, b *publish.Bundle) error {
	return ndjson.Filter(ctx, e.stdin, e.stdout, func(in ndjson.Doc) any {
		texts, redactions := b.RedactTogether([]publish.Input{{Text: *in.Text, Structured: in.AllKnown(), Identities: in.Identities, Known: publish.FindKnown(*in.Text, in.Identities, b.Policy.KnownLabel)}})
		line := redactedLine{ID: *in.ID, Text: texts[0], Redactions: make([]redactedPlace, len(redactions[0]))}
		for i, r := range redactions[0] {
			line.Redactions[i] = redactedPlace{r.At, r.AtEnd, r.Label}
		}
		return line
	})
}

func readBundle(name string) (*publish.Bundle, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	defer f.Close() // only read
	b, err := publish.Decode(f)
	if err != nil {
		return nil, withHint(fmt.Errorf("read bundle %s: %w", name, err), "fetch the bundle again from the sanitize page or with hide sanitize")
	}
	return b, nil
}
