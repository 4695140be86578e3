// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hide/internal/outfile"
	"hide/internal/publish"
	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
	"hide/internal/words"
)

// redactFlags are the flags of hide redact.
type redactFlags struct {
	stream.Options
	bundle, keep, people, key, errors string

	in         []string
	shard, out string
	again      bool
}

func (v *redactFlags) declare(f *flag.FlagSet) {
	f.Lookup("json").Usage = "print the manifest of a shard, or on standard error the counts of messages, as one JSON object"
	f.StringVar(&v.bundle, "bundle", "", "`FILE` of the bundle to redact with")
	f.StringVar(&v.Format, "format", stream.JSONL, "`format` of the input and the output: jsonl, hl7, ccda or fhir; or text, a note a file, whose output is jsonl")
	f.StringVar(&v.keep, "keep", "", "comma-separated `names` of fields of messages to keep though nobody knows them to be harmless: ZPI,OBX-22,extension")
	f.StringVar(&v.people, "people", "", "with --format fhir: `FILE` of resources with the patients and others that the notes refer to (default: those that come before them)")
	f.StringVar(&v.key, "key", "", "with --format fhir: `FILE` of 64 digits from 0 to f, which decide the pseudonyms of ids: runs with the same key agree (default: a random key)")
	f.StringVar(&v.Encoding, "encoding", "", "`encoding` of messages or text: utf-8, windows-1252, latin-1, utf-16le or utf-16be (default: utf-8); the output is UTF-8")
	f.IntVar(&v.Workers, "workers", 0, "redact `N` notes or messages at a time; 0 means one for each processor. The output is the same for any N")
	f.BoolVar(&v.Skip, "skip-bad", false, "leave out notes or messages that cannot be read, and redact the others")
	f.StringVar(&v.errors, "errors", "", "new `FILE` for what cannot be read: one line of JSON for each note or message, with its place and the reason, without content")
	f.Func("in", "read the files that this `PATTERN` matches, and not standard input: 'notes/*.jsonl'; may be given again", func(p string) error {
		v.in = append(v.in, p)
		return nil
	})
	f.StringVar(&v.shard, "shard", "", "with --in: redact this part of the input only, `I/N`, counted from 0: 3/16 is the fourth of 16 (default: 0/1)")
	f.StringVar(&v.out, "out", "", "with --in: `FOLDER` for the output of the shard and its manifest; a shard that is done is not done again")
	f.BoolVar(&v.again, "again", false, "with --in: redact a shard that is done, and replace its files")
}

func runRedact(ctx context.Context, e *env, args []string) error {
	var v redactFlags
	f := e.filterFlags()
	v.declare(f)
	more, err := e.parse(f, args, 0, 1<<20, "bundle")
	if err != nil {
		return err
	}
	if v.in = append(v.in, more...); len(more) > 0 && len(v.in) == len(more) {
		return e.usage("unexpected argument %q", more[0])
	}
	number, err := v.check(e, f)
	if err != nil {
		return err
	}
	b, err := readBundle(v.bundle)
	if err != nil {
		return err
	}
	if v.Key, err = shard.ReadKey(v.key); err != nil {
		return err
	}
	known, sum, err := shard.ReadPeople(v.people, v.Key)
	if err != nil {
		return err
	}
	v.People = known
	if len(v.in) > 0 {
		return e.redactShard(ctx, v, &shard.Job{Bundle: b, Version: toolVersion(), Options: v.Options, People: sum, Number: number, Dir: v.out, Again: v.again, Now: time.Now})
	}
	return e.redactStream(ctx, b, v)
}

func (v *redactFlags) check(e *env, f *flag.FlagSet) (number shard.Number, err error) {
	if v.Workers < 0 {
		return number, e.usage("--workers: enter a whole number of at least 0")
	}
	if !slices.Contains(stream.Formats(), v.Format) {
		return number, misuse("--format %.20q is not jsonl, text, hl7, ccda or fhir", v.Format)
	}
	for name, formats := range map[string]string{"encoding": "text, hl7, ccda or fhir", "keep": "hl7, ccda or fhir", "people": stream.FHIR, "key": stream.FHIR} {
		if given(f)[name] && !strings.Contains(formats, v.Format) {
			return number, misuse("--%s goes with --format %s", name, formats)
		}
	}
	v.Keep = stream.Names(v.keep)
	if len(v.in) == 0 {
		return number, cmp.Or(e.refuseUnused(f, "without --in", "shard", "out", "again"), outfile.CheckNew(v.errors))
	}
	if v.out == "" {
		return number, e.usage("--in goes with --out, the folder for the output")
	}
	if number, err = shard.ParseNumber(cmp.Or(v.shard, "0/1")); err != nil {
		return number, e.usage("--shard: %v", err)
	}
	return number, e.refuseUnused(f, "with --in, whose folder gets a file of errors with --skip-bad", "errors")
}

// redactStream redacts standard input.
func (e *env) redactStream(ctx context.Context, b *publish.Bundle, v redactFlags) (err error) {
	v.LeftOut = func(bad stream.Refusal) { fmt.Fprintf(e.stderr, "left out: %v\n", &bad) }
	if v.errors != "" {
		log, err := os.OpenFile(v.errors, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("--errors %s: %w", v.errors, outfile.Cause(err))
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		v.Errors = log
	}
	in := stream.Piece{Name: stream.StandardInput, ID: "1", Open: func() (io.ReadCloser, error) { return io.NopCloser(e.stdin), nil }}
	counts, err := stream.Redact(ctx, b, []stream.Piece{in}, e.stdout, v.Options)
	switch {
	case err != nil:
		return err
	case counts.Messages != nil && e.json:
		return json.NewEncoder(e.stderr).Encode(counts.Messages)
	case counts.Messages != nil:
		counts.Messages.Write(e.stderr)
	case counts.Refused > 0:
		fmt.Fprintf(e.stderr, "left out because they cannot be read: %s\n", words.Count(counts.Refused, "note", "notes"))
	}
	return nil
}

// redactShard redacts a shard of files.
func (e *env) redactShard(ctx context.Context, v redactFlags, job *shard.Job) (err error) {
	if job.Files, err = shard.Find(v.in); err != nil {
		return err
	}
	m, done, err := job.Do(ctx)
	if err != nil {
		return err
	}
	if done {
		fmt.Fprintf(e.stderr, "shard %d of %d is done already: nothing was written\n", m.Shard, m.Of)
	}
	return e.result(m, func(w io.Writer) { m.Summarize(w, v.out) })
}

// runReleaseMerge makes one release of shards.
func runReleaseMerge(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	out := f.String("out", "", "`FOLDER` for the release, which must not exist")
	dirs, err := e.parse(f, args, 1, 1<<20, "out")
	if err != nil {
		return err
	}
	merged, err := shard.Merge(ctx, dirs, *out, toolVersion(), time.Now())
	if err != nil {
		return err
	}
	return e.result(merged, merged.Summarize)
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
