// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hide/internal/annotate"
	"hide/internal/corpus"
	"hide/internal/hospital/invented"
	"hide/internal/lab"
	"hide/internal/lab/attackers"
	"hide/internal/lab/bench"
	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/joint"
	"hide/internal/publish/table/tablefile"
	"hide/internal/splitkeys"
)

func runBenchCRF(ctx context.Context, e *env, args []string) error {
	var o bench.CRFOptions
	f := e.flags()
	bench.CRFTable.Bind(f, &o)
	f.StringVar(&o.File, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	test := f.String("test", "", "annotated `FILE` to score the trained model on, with the same labels")
	dictionaries := f.String("dictionaries", "", dictionariesUsage)
	dump := f.String("dump-attributes", "", "then write CRFsuite's training file of the same features to `FILE`; it holds words of the notes")
	dumpTest := f.String("dump-test", "", "and the same of --test to `FILE`")
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	if *dumpTest != "" && *test == "" {
		return e.usage("--dump-test goes with --test")
	}
	var err error
	if o.Dictionaries, err = corpus.Dictionaries(*dictionaries); err != nil {
		return err
	}
	notes, _, err := corpus.Notes(ctx, o.File)
	if err != nil {
		return err
	}
	readTest := func() ([]annotate.Annotated, error) {
		notes, _, err := corpus.Notes(ctx, *test)
		return notes, err
	}
	if *test == "" {
		readTest = nil
	}
	result, err := bench.CRF(ctx, notes, readTest, o, e.bars())
	if err != nil {
		return e.refused(err)
	}
	for name, write := range map[string]func(context.Context, io.Writer) error{*dump: result.WriteAttributes, *dumpTest: result.WriteTestAttributes} {
		if _, err := outfile.Write(name, func(w io.Writer) error { return write(ctx, w) }); err != nil {
			return err
		}
	}
	return e.result(result, result.Write)
}

// measured is a result that prints itself.
type measured interface{ Write(io.Writer) }

// measured prints a result, or says why there is none.
func (e *env) measured(result measured, err error) error {
	if err != nil {
		return e.refused(err)
	}
	return e.result(result, result.Write)
}

// measurement is a command whose options are all in a table.
func measurement[O any, R measured](t option.Table[O], run func(context.Context, O, lab.Progress) (R, error)) func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error {
		var o O
		f := e.flags()
		t.Bind(f, &o)
		if _, err := e.parse(f, args, 0, 0); err != nil {
			return err
		}
		return e.measured(run(ctx, o, e.bars()))
	}
}

// notesMeasurement is a command that publishes annotated notes, and trains on others or on
// other folds. files are where the options keep the names of both.
func notesMeasurement[O any, R measured](t option.Table[O], files func(*O) (in, from *string), run func(ctx context.Context, notes, from []annotate.Annotated, o O, progress lab.Progress) (R, error)) func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error {
		var o O
		f := e.flags()
		t.Bind(f, &o)
		in, from := files(&o)
		f.StringVar(in, "in", "", "annotated `FILE` to publish: JSONL, brat folder, CoNLL or a zip of these")
		f.StringVar(from, "from", "", "annotated `FILE` to train on, such as another institution's; without it no other notes are read")
		if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
			return err
		}
		notes, _, err := corpus.Notes(ctx, *in)
		var others []annotate.Annotated
		if err == nil && *from != "" {
			others, _, err = corpus.Notes(ctx, *from)
		}
		if err != nil {
			return err
		}
		return e.measured(run(ctx, notes, others, o, e.bars()))
	}
}

func runBenchRetrieval(ctx context.Context, e *env, args []string) error {
	var o attackers.RetrievalOptions
	var view *joint.View
	f := e.flags()
	attackers.RetrievalTable.Bind(f, &o)
	f.StringVar(&o.File, "in", "", "annotated `FILE` with patients and attributes; with --config also CSV with one note per row")
	config := f.String("config", "", "YAML `FILE` with the roles of attributes, as of hide publish joint: also publish notes and table together")
	_, err := e.parse(f, args, 0, 0, "in")
	if err != nil {
		return err
	}
	var notes []annotate.Annotated
	if *config == "" {
		notes, _, err = corpus.Notes(ctx, o.File)
	} else if view, err = e.readJoint(ctx, jointFlags{in: o.File, config: *config, known: true}); err == nil {
		notes = attackers.Documents(view)
	}
	if err != nil {
		return err
	}
	return e.measured(attackers.Retrieval(ctx, notes, view, o, e.bars()))
}

// runBenchLinkage links invented people, or the patients of notes whose truth is given.
func runBenchLinkage(ctx context.Context, e *env, args []string) error {
	var o bench.LinkageOptions
	var split splitkeys.Options
	f := e.flags()
	bench.LinkageTable.Bind(f, &o)
	splitkeys.Table.Bind(f, &split)
	in := f.String("in", "", "link the patients of this annotated `FILE` instead, as of hide generate --split 0.15 --identities")
	truth := f.String("truth", "", "with --in: CSV `FILE` of the person of each note, as hide generate --truth writes it")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if (*in == "") != (*truth == "") {
		return e.usage("--in and --truth belong together")
	}
	if *in == "" {
		if err := e.refuseUnused(f, "without --in", splitkeys.Table.Names()...); err != nil {
			return err
		}
		return e.measured(bench.Linkage(ctx, o, e.bars()))
	}
	if err := e.refuseUnused(f, "with --in", bench.LinkageTable.Names()...); err != nil {
		return err
	}
	notes, _, err := corpus.Notes(ctx, *in)
	if err != nil {
		return err
	}
	people, err := invented.OpenTruth(*truth)
	if err != nil {
		return hinted(*truth, err)
	}
	return e.measured(splitkeys.Measure(ctx, notes, people, split, e.bars()))
}

// runBenchRedact measures hide redact with a bundle, or with one that it trains.
func runBenchRedact(ctx context.Context, e *env, args []string) error {
	var o bench.RedactOptions
	f := e.flags()
	bench.RedactTable.Bind(f, &o)
	bundle := f.String("bundle", "", "`FILE` of the bundle to redact with; without it the default model is trained on generated notes")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if o.File != "" {
		if err := e.refuseUnused(f, "with --in", "tokens"); err != nil {
			return err
		}
	}
	if *bundle != "" {
		if err := e.refuseUnused(f, "with --bundle", "train"); err != nil {
			return err
		}
		var err error
		if o.Bundle, err = readBundle(*bundle); err != nil {
			return err
		}
	}
	return e.measured(bench.Redact(ctx, o, e.bars()))
}

func runBenchTables(ctx context.Context, e *env, args []string) error {
	var o bench.TablesOptions
	f := e.flags()
	bench.TablesTable.Bind(f, &o)
	f.StringVar(&o.File, "in", "", "the Adult `FILE` as the UCI repository has it: 15 columns, no header")
	svg := f.String("svg", "", "`FILE` to draw the precision of count queries by k into")
	folder := f.String("hierarchies", "", "`FOLDER` with adult_hierarchy_*.csv as ARX has them: also time full-domain generalization")
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	if o.Lattice != nil && *folder == "" {
		return e.usage("--lattice needs --hierarchies")
	}
	text, err := os.ReadFile(o.File)
	if err != nil {
		return err
	}
	o.Adult = string(text)
	if *folder != "" {
		o.Hierarchy = func(attribute string) (*hierarchy.Hierarchy, error) {
			h, err := tablefile.ReadHierarchy(filepath.Join(*folder, "adult_hierarchy_"+attribute+".csv"))
			if errors.Is(err, fs.ErrNotExist) {
				err = withHint(err, "--hierarchies needs a file for each of nine attributes, adult_hierarchy_NAME.csv, here of "+attribute)
			}
			return h, err
		}
	}
	result, err := bench.Tables(ctx, o)
	if err != nil {
		return hinted(o.File, err)
	}
	if _, err := outfile.Write(*svg, result.Precision.Draw); err != nil {
		return err
	}
	return e.result(result, result.Write)
}

func runBenchDP(ctx context.Context, e *env, args []string) error {
	var o bench.DPOptions
	f := e.flags()
	bench.DPTable.Bind(f, &o)
	adult := f.String("in", "", "`FILE` with UCI Adult, as UCI has it: no header; \"\" measures sequences only")
	f.StringVar(&o.File, "sequences", "", "`FILE` with sequences, one a line, symbols with blanks between, to measure prefix trees on too")
	figures := f.String("figures", "", "`FOLDER` to write figures 5.3 to 5.16 of the dissertation to, as SVG files and a page, which must not exist")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := outfile.CheckNew(*figures); err != nil {
		return err
	}
	for name, into := range map[string]*string{*adult: &o.Adult, o.File: &o.Sequences} {
		if name == "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		*into = string(text)
	}
	o.Figures = *figures != ""
	result, err := bench.DP(ctx, o, e.bars())
	if err != nil {
		return fmt.Errorf("%s: %w", *adult, err)
	}
	if o.Figures {
		if err := result.WriteFigures(*figures); err != nil {
			return err
		}
	}
	return e.result(result, result.Write)
}
