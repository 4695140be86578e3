// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/annotate/message"
	"hide/internal/ndjson"
	"hide/internal/outfile"
	"hide/internal/parallel"
	"hide/internal/publish"
	"hide/internal/words"
)

// redactFlags are the flags of hide redact.
type redactFlags struct {
	bundle, format, encoding, keep, people, errors string

	workers int
	skip    bool
}

func (v *redactFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.bundle, "bundle", "", "`FILE` of the bundle to redact with")
	f.StringVar(&v.format, "format", "jsonl", "`format` of the input and the output: jsonl, hl7, ccda or fhir")
	f.StringVar(&v.keep, "keep", "", "comma-separated `names` of fields of messages to keep though nobody knows them to be harmless: ZPI,OBX-22,extension")
	f.StringVar(&v.people, "people", "", "with --format fhir: `FILE` of resources with the patients and others that the notes refer to (default: those that come before them)")
	f.StringVar(&v.encoding, "encoding", "", "`encoding` of messages: utf-8, windows-1252, latin-1, utf-16le or utf-16be (default: utf-8); the output is UTF-8")
	f.IntVar(&v.workers, "workers", 0, "redact `N` notes or messages at a time; 0 means one for each processor. The output is the same for any N")
	f.BoolVar(&v.skip, "skip-bad", false, "leave out notes or messages that cannot be read, and redact the others")
	f.StringVar(&v.errors, "errors", "", "new `FILE` for what cannot be read: one line of JSON for each note or message, with its place and the reason, without content")
}

func runRedact(ctx context.Context, e *env, args []string) error {
	var v redactFlags
	f := e.filterFlags()
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0, "bundle"); err != nil {
		return err
	}
	if err := v.check(e, f); err != nil {
		return err
	}
	b, err := readBundle(v.bundle)
	if err != nil {
		return err
	}
	r := &redaction{redactFlags: v, env: e, bundle: b}
	if v.errors == "" {
		return r.run(ctx)
	}
	log, err := os.OpenFile(v.errors, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("--errors %s: %w", v.errors, outfile.Cause(err))
	}
	r.log = log
	return errors.Join(r.run(ctx), log.Close())
}

func (v *redactFlags) check(e *env, f *flag.FlagSet) error {
	if v.workers < 0 {
		return e.usage("--workers: enter a whole number of at least 0")
	}
	if !slices.Contains([]string{"jsonl", "hl7", "ccda", "fhir"}, v.format) {
		return misuse("--format %.20q is not jsonl, hl7, ccda or fhir", v.format)
	}
	if v.format == "jsonl" {
		for _, name := range []string{"encoding", "keep", "people"} {
			if given(f)[name] {
				return misuse("--%s is for messages, with --format hl7, ccda or fhir", name)
			}
		}
	}
	if v.people != "" && v.format != "fhir" {
		return misuse("--people is for --format fhir")
	}
	return outfile.CheckNew(v.errors)
}

// redaction is one run of hide redact.
type redaction struct {
	redactFlags
	env     *env
	bundle  *publish.Bundle
	log     io.Writer // of --errors; nil without it
	refused int
}

func (r *redaction) run(ctx context.Context) error {
	if r.format == "jsonl" {
		return r.lines(ctx)
	}
	return r.messages(ctx)
}

// lines answers each line of standard input.
func (r *redaction) lines(ctx context.Context) error {
	o := ndjson.Options{Bound: r.bound(), Refused: func(bad *ndjson.Refusal) error {
		if r.refused++; r.skip {
			return r.leaveOut(*bad, bad)
		}
		return errors.Join(withHint(bad, bad.Hint), r.record(*bad))
	}}
	if err := r.bundle.Lines(ctx, r.env.stdin, r.env.stdout, o); err != nil {
		return err
	}
	if r.refused > 0 {
		fmt.Fprintf(r.env.stderr, "left out because they cannot be read: %s\n", words.Count(r.refused, "note", "notes"))
	}
	return nil
}

func (r *redaction) bound() parallel.Bound { return parallel.Bound{Workers: r.workers} }

// leaveOut says what is left out: in the file of --errors, or on standard error.
func (r *redaction) leaveOut(bad ndjson.Refusal, err error) error {
	if r.log != nil {
		return r.record(bad)
	}
	fmt.Fprintf(r.env.stderr, "left out: %v\n", err)
	return nil
}

// record adds what cannot be read to the file of --errors.
func (r *redaction) record(bad ndjson.Refusal) error {
	if r.log == nil {
		return nil
	}
	enc := json.NewEncoder(r.log)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(bad); err != nil {
		return fmt.Errorf("--errors %s: %w", r.errors, outfile.Cause(err))
	}
	return nil
}

// messages writes messages to standard output and what it did to standard error.
func (r *redaction) messages(ctx context.Context) (err error) {
	e := r.env
	if e.stdin, err = format.Decode(parallel.Reader(ctx, e.stdin), r.encoding); err != nil {
		return err
	}
	items, err := e.messages(r.format, r.people)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for name := range strings.SplitSeq(r.keep, ",") {
		kept[strings.TrimSpace(name)] = true
	}
	counts, err := r.bundle.Messages(ctx, e.stdout, items, publish.MessageOptions{Keep: kept, Bound: r.bound(), Refused: r.refuseMessage})
	if err != nil {
		return err
	}
	if e.json {
		return json.NewEncoder(e.stderr).Encode(counts)
	}
	counts.Write(e.stderr)
	return nil
}

// refuseMessage is told of messages that cannot be read, and of an input that cannot.
func (r *redaction) refuseMessage(err error) error {
	m, known := errors.AsType[*message.Error](err)
	if !known {
		return fmt.Errorf("standard input: %w", err)
	}
	bad := ndjson.Refusal{Record: m.Record, Offset: m.Offset, Code: m.Code, Reason: m.Reason, Hint: m.Hint}
	if r.skip && !m.Fatal {
		return r.leaveOut(bad, m)
	}
	return errors.Join(fmt.Errorf("standard input: %w", m), r.record(bad))
}

// messages reads standard input in a format of messages.
func (e *env) messages(kind, people string) (iter.Seq2[*message.Item, error], error) {
	switch kind {
	case "hl7":
		return message.HL7(e.stdin), nil
	case "ccda":
		return message.CDA(e.stdin), nil
	}
	known, err := readPeople(people)
	return message.FHIR(e.stdin, known), err
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
