// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"hide/internal/publish/ledger"
	"hide/internal/publish/strong"
)

// strongFlags are those of the commands that publish a file with strong privacy.
type strongFlags struct {
	in, config, out, epsilon, limit, unit, project, despite string
	ledger                                                  *ledgerFlags
}

func (e *env) strongFlags(f *flag.FlagSet, table string) *strongFlags {
	v := &strongFlags{ledger: e.ledgerFlags(f)}
	f.StringVar(&v.in, "in", "", "`FILE` with "+table)
	f.StringVar(&v.config, "config", "", "`FILE`, JSON: lineage, domain and method, all of it public; see docs/differential-privacy.md")
	f.StringVar(&v.out, "out", "", "`FOLDER` to write, which must not exist")
	f.StringVar(&v.epsilon, "epsilon", "", "`EPSILON` to spend, at most six decimal places")
	f.StringVar(&v.limit, "limit", "", "`EPSILON` that the lineage may spend, ever: opens its account when it has none")
	f.StringVar(&v.unit, "unit", "patient", "`WHAT` an account that --limit opens protects")
	f.StringVar(&v.despite, "despite-restore", "", "with --limit, "+despiteUsage)
	f.StringVar(&v.project, "project", "", "`PROJECT`, by id or name, whose patients and budget these are, instead of --in: the release is put on record in it, and --out is a zip file of it")
	return v
}

// published by one of the commands.
type strongPublished struct {
	Folder   string         `json:"folder"`
	SHA256   string         `json:"manifest_sha256"`
	Replayed bool           `json:"replayed"`
	Account  ledger.Account `json:"account"`
	strong.Manifest
}

// run publishes what was named and writes the release.
func (v *strongFlags) run(ctx context.Context, e *env, f *flag.FlagSet, args []string, parse strongParser, start projectStarter) error {
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if v.project != "" {
		return v.publishProject(ctx, e, f, start, writeProjectStrong)
	}
	if err := e.required(f, "in", "config", "out", "epsilon"); err != nil {
		return err
	}
	return v.publish(ctx, e, parse, func(l *ledger.Ledger, r strong.Release) error { return v.write(ctx, e, l, r) })
}

// asked reads what is to be spent, and on what.
func (v *strongFlags) asked(e *env) (eps ledger.Micro, config []byte, err error) {
	if eps, err = e.epsilon("epsilon", v.epsilon); err != nil {
		return 0, nil, err
	}
	if err := free(v.out); err != nil {
		return 0, nil, err
	}
	config, err = os.ReadFile(v.config)
	return eps, config, err
}

// publish reads and publishes, and hands what came of it to then while the ledger
// is open.
func (v *strongFlags) publish(ctx context.Context, e *env, parse strongParser, then func(*ledger.Ledger, strong.Release) error) error {
	eps, config, err := v.asked(e)
	if err != nil {
		return err
	}
	lineage, publish, err := parse(config)
	if err != nil {
		return fmt.Errorf("%s: %w", v.config, err)
	}
	table, err := os.ReadFile(v.in)
	if err != nil {
		return err
	}
	meta := strong.Meta{Tool: toolVersion(), Now: time.Now}
	if meta.Opening, err = v.opening(e, lineage); err != nil {
		return err
	}
	return v.ledger.withLedger(meta.Opening != nil, func(l *ledger.Ledger) error {
		if err := v.sameAccount(l, meta.Opening); err != nil {
			return err
		}
		r, err := publish(ctx, l, table, eps, meta)
		if err != nil {
			return explainLedger(fmt.Errorf("publish %s: %w", v.in, err))
		}
		return then(l, r)
	})
}

// strongParser reads a configuration, and says whose account pays and what
// publishes.
type strongParser func(config []byte) (lineage string, publish strongPublisher, err error)

type strongPublisher func(context.Context, *ledger.Ledger, []byte, ledger.Micro, strong.Meta) (strong.Release, error)

// opening is the account that --limit opens once nothing else is refused; nil without.
func (v *strongFlags) opening(e *env, lineage string) (*ledger.Opening, error) {
	if v.limit == "" {
		return nil, nil
	}
	limit, err := e.epsilon("limit", v.limit)
	return &ledger.Opening{Lineage: lineage, Unit: v.unit, Limit: limit, Despite: v.despite}, err
}

// sameAccount refuses to open an account that there is with another limit.
func (v *strongFlags) sameAccount(l *ledger.Ledger, o *ledger.Opening) error {
	if o == nil {
		return nil
	}
	a, err := l.Account(o.Lineage)
	if err == nil && (a.Limit != o.Limit || a.Unit != o.Unit) {
		return withHint(fmt.Errorf("%q has an account already, with a limit of %v for each %s", o.Lineage, a.Limit, a.Unit), "leave out --limit; a limit is only lifted on record: hide ledger raise")
	}
	return nil
}

func (v *strongFlags) write(ctx context.Context, e *env, l *ledger.Ledger, r strong.Release) error {
	sum, err := r.Write(ctx, v.out)
	if err != nil {
		return withHint(err, "the release is stored in the ledger: the same request again writes it at no cost")
	}
	a, err := l.Account(r.Manifest.Receipt.Lineage)
	if err != nil {
		return err
	}
	out := strongPublished{v.out, sum, r.Replayed, a, r.Manifest}
	return e.result(out, func(w io.Writer) { writeStrong(w, out) })
}

func writeStrong(w io.Writer, p strongPublished) {
	if p.Replayed {
		fmt.Fprintf(w, "%s: this was asked for before; the same release again, at no cost\n", p.Folder)
	} else {
		fmt.Fprintf(w, "%s: %s, epsilon %v\n", p.Folder, p.Kind, p.Epsilon)
	}
	fmt.Fprintf(w, "%s: %v of %v spent, %v left\n\n%s\n\n", p.Account.Lineage, p.Account.Spent, p.Account.Limit, p.Account.Left, p.Promise)
	for _, warning := range p.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	for _, x := range p.Errors[:min(mostErrors, len(p.Errors))] {
		fmt.Fprintf(w, "expected error, %s: %s", x.Question, amount(x.Release))
		for _, name := range []string{"identity", "one marginal each", "identity, cut off at 0", strong.Uniform, strong.UniformMost, "each sequence counted", "only prefixes this length"} {
			if b, ok := x.Baselines[name]; ok {
				fmt.Fprintf(w, "; %s %s", name, amount(b))
			}
		}
		fmt.Fprintln(w)
	}
	if more := len(p.Errors) - mostErrors; more > 0 {
		fmt.Fprintf(w, "and %d more, in the manifest\n", more)
	}
	writeTrends(w, p.Trends)
	fmt.Fprintf(w, "manifest.json %s\n", p.SHA256)
}

// writeTrends writes what was computed from a release, at no cost.
func writeTrends(w io.Writer, trends []strong.Trend) {
	for _, t := range trends {
		fmt.Fprintf(w, "trend, %s: %s, off by %s on average; it cost nothing more\n", t.Of, slopeWords(t.Value), slopeWords(t.Off))
	}
}

func slopeWords(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// mostErrors are printed.
const mostErrors = 32

// amount writes a count so that it can be read, however large it is.
func amount(x float64) string {
	if math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func runPublishCube(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.strongFlags(f, "a table, CSV")
	return v.run(ctx, e, f, args, func(raw []byte) (string, strongPublisher, error) {
		c, err := strong.ParseCube(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m strong.Meta) (strong.Release, error) {
			return strong.PublishCube(ctx, l, c, strong.CSV(table), eps, m)
		}, err
	}, startProjectCube)
}

func runPublishSequences(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.strongFlags(f, "sequences, one a line, symbols with blanks between")
	return v.run(ctx, e, f, args, func(raw []byte) (string, strongPublisher, error) {
		c, err := strong.ParseSequences(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m strong.Meta) (strong.Release, error) {
			return strong.PublishSequences(ctx, l, c, strong.Lines(table), eps, m)
		}, err
	}, startProjectSequences)
}
