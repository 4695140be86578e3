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
	"strings"
	"text/tabwriter"
	"time"

	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/publish/settings"
)

// strongFlags are the flags of the commands that spend a privacy budget.
type strongFlags struct {
	project, in, config, out string
	epsilon, limit           ledger.Micro
	unit, despite            string
	ledger                   *ledgerFlags
	ending                   ending
	unlinked                 bool
}

var opensBudget = []option.Need{option.With("limit")}

// strongOptions declares them; in and out describe the input and output files.
func strongOptions(in, out string) option.Table[strongFlags] {
	return option.Table[strongFlags]{
		option.Text(option.About{Name: "project", Value: "PROJECT", Help: "The project, by id or name, whose patients and budget are used instead of --in. The release is recorded in it, and --out is a zip file of it."}, func(v *strongFlags) *string { return &v.project }),
		option.Text(option.About{Name: "in", Value: "FILE", Help: in, Needs: ofFile}, func(v *strongFlags) *string { return &v.in }),
		option.Text(option.About{Name: "config", Value: "FILE", Help: "YAML or JSON file with lineage, attributes and method. All of it is public; see docs/differential-privacy.md."}, func(v *strongFlags) *string { return &v.config }),
		option.Text(option.About{Name: "out", Value: "FOLDER", Help: out}, func(v *strongFlags) *string { return &v.out }),
		option.Switch(option.About{Name: "freeze", Help: freezeHelp, Needs: inProject}, func(v *strongFlags) *bool { return (*bool)(&v.ending) }),
		settings.Unlinked(func(v *strongFlags) *bool { return &v.unlinked }).Needing(inProject...),
		settings.Epsilon(option.About{Name: "epsilon", Help: "Epsilon to spend, with at most six decimal places."}, func(v *strongFlags) *ledger.Micro { return &v.epsilon }),
		settings.Epsilon(option.About{Name: "limit", Help: "Total epsilon that may ever be spent on the lineage: opens its budget if it has none."}, func(v *strongFlags) *ledger.Micro { return &v.limit }),
		option.Text(option.About{Name: "unit", Value: "WHAT", Default: "patient", Help: "The unit of protection of the budget that --limit opens.", Needs: ofFile}, func(v *strongFlags) *string { return &v.unit }),
		option.Text(option.About{Name: "despite-restore", Value: "WORDS", Help: despiteHelp, Needs: opensBudget}, func(v *strongFlags) *string { return &v.despite }),
	}
}

// folderHelp says what the commands write.
const folderHelp = "Folder to write, which must not exist."

type strongPublished struct {
	Folder   string         `json:"folder"`
	SHA256   string         `json:"manifest_sha256"`
	Replayed bool           `json:"replayed"`
	Account  ledger.Account `json:"account"`
	dp.Manifest
}

// strongFlags parses the flags and this many arguments; needed are the flags that a file
// requires.
func (e *env) strongFlags(f *flag.FlagSet, t option.Table[strongFlags], args []string, n int, needed ...string) (*strongFlags, []string, error) {
	v := &strongFlags{ledger: e.ledgerFlags(f)}
	t.Bind(f, v)
	rest, err := e.parse(f, args, n, n)
	if err != nil {
		return nil, nil, err
	}
	if v.project != "" {
		for _, name := range []string{"ledger", "head"} {
			if given(f)[name] {
				return nil, nil, e.usage("--project takes no --%s: the budget is the project's", name)
			}
		}
		needed = []string{"config", "epsilon"}
	}
	if err := e.refused(t.Unused(f, v)); err != nil {
		return nil, nil, err
	}
	if err := e.required(f, needed...); err != nil {
		return nil, nil, err
	}
	return v, rest, outfile.CheckNew(v.out)
}

// publishStrong publishes the named input and writes the release.
func (e *env) publishStrong(ctx context.Context, args []string, in string, parse strongParser, start projectStarter) error {
	v, _, err := e.strongFlags(e.flags(), strongOptions(in, folderHelp), args, 0, "in", "config", "out", "epsilon")
	if err != nil {
		return err
	}
	if v.project != "" {
		return v.publishProject(ctx, e, start, writeProjectStrong)
	}
	return v.publish(ctx, parse, func(l *ledger.Ledger, r dp.Release) error { return v.write(ctx, e, l, r) })
}

// publish reads and publishes, and passes the result to then while the ledger is open.
func (v *strongFlags) publish(ctx context.Context, parse strongParser, then func(*ledger.Ledger, dp.Release) error) error {
	config, err := os.ReadFile(v.config)
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
	meta := dp.Meta{Tool: toolVersion(), Now: time.Now}
	if v.limit != 0 {
		meta.Opening = &ledger.Opening{Lineage: lineage, Unit: v.unit, Limit: v.limit, Despite: v.despite} // only after all other checks
	}
	return v.ledger.withLedger(ctx, meta.Opening != nil, func(l *ledger.Ledger) error {
		if err := v.sameAccount(l, meta.Opening); err != nil {
			return err
		}
		r, err := publish(ctx, l, table, v.epsilon, meta)
		if err != nil {
			return explainLedger(fmt.Errorf("publish %s: %w", v.in, err))
		}
		return then(l, r)
	})
}

// strongParser reads a configuration, and returns the account that pays and the function
// that publishes.
type strongParser func(config []byte) (lineage string, publish strongPublisher, err error)

type strongPublisher func(context.Context, *ledger.Ledger, []byte, ledger.Micro, dp.Meta) (dp.Release, error)

// sameAccount refuses to open an existing account with another limit.
func (v *strongFlags) sameAccount(l *ledger.Ledger, o *ledger.Opening) error {
	if o == nil {
		return nil
	}
	a, err := l.Account(o.Lineage)
	if err == nil && (a.Limit != o.Limit || a.Unit != o.Unit) {
		return withHint(fmt.Errorf("%q already has an account, with a limit of %v for each %s", o.Lineage, a.Limit, a.Unit), "omit --limit; to raise a limit on record: hide ledger raise")
	}
	return nil
}

func (v *strongFlags) write(ctx context.Context, e *env, l *ledger.Ledger, r dp.Release) error {
	sum, err := r.Write(ctx, v.out)
	if err != nil {
		return withHint(err, "the release is stored in the ledger: repeat the request to write it, at no cost")
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
		fmt.Fprintf(w, "%s: this request was made before; the same release again, at no cost\n", p.Folder)
	} else {
		fmt.Fprintf(w, "%s: %s, epsilon %v\n", p.Folder, p.Kind, p.Epsilon)
	}
	fmt.Fprintf(w, "%s: %v of %v spent, %v left\n\n%s\n\n", p.Account.Lineage, p.Account.Spent, p.Account.Limit, p.Account.Left, p.Promise)
	for _, warning := range p.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	for _, x := range p.Errors[:min(mostErrors, len(p.Errors))] {
		fmt.Fprintf(w, "expected error, %s: %s", x.Question, amount(x.Release))
		for _, name := range []string{"identity", "one marginal each", "identity, cut off at 0", dp.Uniform, dp.UniformMost, "each sequence counted", "only prefixes this length"} {
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

// writeTrends prints trends computed from a release, at no cost.
func writeTrends(w io.Writer, trends []dp.Trend) {
	for _, t := range trends {
		fmt.Fprintf(w, "trend, %s: %s, mean absolute error %s; at no additional cost\n", t.Of, slopeWords(t.Value), slopeWords(t.Off))
	}
}

func slopeWords(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// mostErrors is how many expected errors are printed.
const mostErrors = 32

// amount writes a count readably, however large it is.
func amount(x float64) string {
	if math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func runPublishCube(ctx context.Context, e *env, args []string) error {
	return e.publishStrong(ctx, args, "CSV file with a table.", func(raw []byte) (string, strongPublisher, error) {
		c, err := dp.ParseCube(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m dp.Meta) (dp.Release, error) {
			return dp.PublishCube(ctx, l, c, dp.CSV(table), eps, m)
		}, err
	}, startProjectCube)
}

func runPublishSequences(ctx context.Context, e *env, args []string) error {
	return e.publishStrong(ctx, args, "File with sequences, one per line, with blanks between symbols.", func(raw []byte) (string, strongPublisher, error) {
		c, err := dp.ParseSequences(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m dp.Meta) (dp.Release, error) {
			return dp.PublishSequences(ctx, l, c, dp.Lines(table), eps, m)
		}, err
	}, startProjectSequences)
}

// answered is the output of hide query.
type answered struct {
	Question string         `json:"question"`
	Columns  []string       `json:"columns"` // the last one is the count
	Rows     [][]string     `json:"rows"`
	Expected float64        `json:"expected_error"`
	Within   float64        `json:"within"` // upper bound (95 %) of the error
	Replayed bool           `json:"replayed"`
	Trends   []dp.Trend     `json:"trends,omitempty"`
	Account  ledger.Account `json:"account"`
}

func runQuery(ctx context.Context, e *env, args []string) error {
	t := strongOptions("CSV file with a table.", folderHelp+" With it, the answer is also written as a release.")
	v, rest, err := e.strongFlags(e.flags(), t, args, 1, "in", "config", "epsilon")
	if err != nil {
		return err
	}
	if v.project != "" {
		return v.publishProject(ctx, e, projectQuestion(rest[0]), writeProjectAnswer)
	}
	return v.publish(ctx, func(raw []byte) (string, strongPublisher, error) {
		c, err := dp.ParseCube(raw)
		return c.Lineage, func(ctx context.Context, l *ledger.Ledger, table []byte, eps ledger.Micro, m dp.Meta) (dp.Release, error) {
			return dp.AnswerQuery(ctx, l, c, rest[0], dp.CSV(table), eps, m)
		}, err
	}, func(l *ledger.Ledger, r dp.Release) error { return v.answer(ctx, e, l, r, rest[0]) })
}

func (v *strongFlags) answer(ctx context.Context, e *env, l *ledger.Ledger, r dp.Release, question string) error {
	if v.out != "" {
		if _, err := r.Write(ctx, v.out); err != nil {
			return withHint(err, "the answer is stored in the ledger: repeat the query, at no cost")
		}
	}
	counted, err := r.Answer()
	if err != nil {
		return err
	}
	a, err := l.Account(r.Manifest.Receipt.Lineage)
	if err != nil {
		return err
	}
	out := answered{question, counted.Columns, counted.Rows, r.Manifest.Errors[0].Release, r.Manifest.Errors[0].Baselines[dp.AtMost], r.Replayed, r.Manifest.Trends, a}
	return e.result(out, func(w io.Writer) { writeAnswer(w, out, r.Manifest.Warnings) })
}

// writeColumns writes rows with a header.
func writeColumns(w io.Writer, names []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{names}, rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush() // cannot fail but as w does
}

func writeAnswer(w io.Writer, a answered, warnings []string) {
	writeColumns(w, a.Columns, a.Rows)
	fmt.Fprintf(w, "mean absolute error of a count %.1f, upper bound (95 %%) %.1f\n", a.Expected, a.Within)
	writeTrends(w, a.Trends)
	for _, warning := range warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if a.Replayed {
		fmt.Fprint(w, "answered before, at no cost; ")
	}
	fmt.Fprintf(w, "%s: %v of %v spent, %v left\n", a.Account.Lineage, a.Account.Spent, a.Account.Limit, a.Account.Left)
}
