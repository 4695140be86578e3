// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"hide/internal/publish/ledger"
	"hide/internal/store"
)

// ledgerFlags locate the privacy budgets: in a file of their own, or in a data folder.
type ledgerFlags struct {
	file, head string
	data       *dataFlags
}

func (e *env) ledgerFlags(f *flag.FlagSet) *ledgerFlags {
	v := &ledgerFlags{data: e.dataFlags(f, "ledger", "in")}
	f.StringVar(&v.file, "ledger", "", "ledger `FILE` with the privacy budgets (default: the ledger of the data folder)")
	f.StringVar(&v.head, "head", "", "`FILE` with a copy of the ledger's last hash, outside of the ledger (default: FILE.head or FOLDER.budget)")
	return v
}

// withLedger opens the ledger while fn runs; create makes one if it does not exist.
func (v *ledgerFlags) withLedger(ctx context.Context, create bool, fn func(*ledger.Ledger) error) error {
	return v.with(ctx, ledger.Options{Create: create}, fn)
}

func (v *ledgerFlags) with(ctx context.Context, o ledger.Options, fn func(*ledger.Ledger) error) error {
	if err := v.checkBeside(o); err != nil {
		return err
	}
	o.Head, o.Actor = v.head, operator(ctx).ID
	if v.file != "" {
		l, err := ledger.OpenFile(v.file, o)
		if err != nil {
			return explainLedger(err)
		}
		return errors.Join(fn(l), l.Close())
	}
	return v.data.withStore(func(st *store.Store) error {
		l, err := ledger.InStore(st, o)
		if err != nil {
			return explainLedger(err)
		}
		return errors.Join(fn(l), l.Close())
	})
}

// checkBeside refuses to change the ledger that a server has open: two could not agree on
// what is spent.
func (v *ledgerFlags) checkBeside(o ledger.Options) error {
	if v.data.shared == nil || o.Look {
		return nil
	}
	return withHint(errors.New("the server that has this data folder open writes its privacy budgets"),
		"use the page Privacy budget of the project, or stop the server first")
}

// explainLedger adds the next step to an error.
func explainLedger(err error) error {
	var account *ledger.NoAccountError
	var same *ledger.SameUnitsError
	var unit *ledger.OtherUnitError
	var restored *ledger.RestoredError
	switch {
	case errors.As(err, &restored):
		return withHint(restored, "give a reason for opening it anyway, which is recorded and shown in every later release: --despite-restore WORDS")
	case errors.As(err, &same):
		return withHint(err, "use the lineage that has the budget; for different people with the same keys: hide ledger apart --lineage NAME --from OTHER --reason WORDS")
	case errors.As(err, &unit):
		return withHint(err, "name the same column as \"key\"; another unit needs its own lineage")
	case errors.Is(err, ledger.ErrNotBegun):
		return withHint(err, "create it: hide ledger open --lineage NAME --limit EPSILON")
	case errors.Is(err, ledger.ErrBehind), errors.Is(err, ledger.ErrNoHead):
		return withHint(err, "restore the newest ledger and its head; if they are lost, hide ledger recover charges the epsilon that may have been spent")
	case errors.As(err, &account):
		return withHint(err, "open one: hide ledger open --lineage NAME --limit EPSILON")
	case errors.Is(err, fs.ErrNotExist):
		return withHint(err, "create one: hide ledger open --ledger FILE --lineage NAME --limit EPSILON")
	}
	return err
}

func (e *env) epsilon(name, s string) (ledger.Micro, error) {
	m, err := ledger.ParseEpsilon(s)
	if err != nil {
		return 0, e.usage("--%s: %v", name, err)
	}
	return m, nil
}

// despiteHelp is the help of --despite-restore.
const despiteHelp = "The reason for opening a budget although a backup was restored here and later spending is unknown. It is recorded permanently and shown in every later release."

// changeLedger makes one change to the account of --lineage and shows it. declare adds
// flags, of which required must be given, and returns the change; create makes a ledger
// if it does not exist.
func (e *env) changeLedger(ctx context.Context, args []string, create bool, required []string, declare func(*flag.FlagSet) func(l *ledger.Ledger, lineage string) error) error {
	f := e.flags()
	v := e.ledgerFlags(f)
	lineage := f.String("lineage", "", "`NAME` of the dataset; use the same name when the dataset grows")
	change := declare(f)
	if _, err := e.parse(f, args, 0, 0, append([]string{"lineage"}, required...)...); err != nil {
		return err
	}
	if limit := f.Lookup("limit"); limit != nil {
		if _, err := e.epsilon("limit", limit.Value.String()); err != nil {
			return err
		}
	}
	return v.withLedger(ctx, create, func(l *ledger.Ledger) error {
		if err := change(l, *lineage); err != nil {
			return explainLedger(err)
		}
		a, err := l.Account(*lineage)
		if err != nil {
			return err
		}
		return e.result(a, a.Write)
	})
}

func runLedgerOpen(ctx context.Context, e *env, args []string) error {
	return e.changeLedger(ctx, args, true, []string{"limit"}, func(f *flag.FlagSet) func(*ledger.Ledger, string) error {
		unit := f.String("unit", "patient", "`UNIT` of protection: adding or removing one must not be noticeable")
		limit := f.String("limit", "", "total `EPSILON` that may ever be spent on the dataset")
		despite := f.String("despite-restore", "", "`WORDS`: "+despiteHelp)
		return func(l *ledger.Ledger, lineage string) error {
			m, err := ledger.ParseEpsilon(*limit)
			if err != nil {
				return err
			}
			return l.Open(ledger.Opening{Lineage: lineage, Unit: *unit, Limit: m, Despite: *despite})
		}
	})
}

func runLedgerDeclare(ctx context.Context, e *env, args []string) error {
	return e.changeLedger(ctx, args, false, []string{"partition", "parts"}, func(f *flag.FlagSet) func(*ledger.Ledger, string) error {
		partition := f.String("partition", "", "`COLUMN` that divides the people into disjoint parts by a public rule")
		parts := f.String("parts", "", "`VALUES` of the column, separated by commas, from a public list")
		return func(l *ledger.Ledger, lineage string) error { return l.Declare(lineage, *partition, splitList(*parts)) }
	})
}

func runLedgerWeak(ctx context.Context, e *env, args []string) error {
	return e.changeLedger(ctx, args, false, []string{"what"}, func(f *flag.FlagSet) func(*ledger.Ledger, string) error {
		what := f.String("what", "", "`WORDS` for the release, which is not differentially private")
		return func(l *ledger.Ledger, lineage string) error { return l.Weak(lineage, *what) }
	})
}

func runLedgerRaise(ctx context.Context, e *env, args []string) error {
	return e.changeLedger(ctx, args, false, []string{"limit", "reason"}, func(f *flag.FlagSet) func(*ledger.Ledger, string) error {
		limit := f.String("limit", "", "new total `EPSILON`, higher than before")
		reason := f.String("reason", "", "reason in `WORDS`, which is recorded permanently and shown in every later release")
		return func(l *ledger.Ledger, lineage string) error {
			m, err := ledger.ParseEpsilon(*limit)
			if err != nil {
				return err
			}
			return l.Raise(lineage, m, *reason, "")
		}
	})
}

func runLedgerApart(ctx context.Context, e *env, args []string) error {
	return e.changeLedger(ctx, args, false, []string{"from", "reason"}, func(f *flag.FlagSet) func(*ledger.Ledger, string) error {
		from := f.String("from", "", "`NAME` of the other dataset, about other people with the same keys")
		reason := f.String("reason", "", "reason in `WORDS`, which is recorded permanently and shown in every later release of both")
		return func(l *ledger.Ledger, lineage string) error { return l.Apart(lineage, []string{*from}, *reason, "") }
	})
}

// splitList splits at commas and trims blanks.
func splitList(s string) []string {
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func runLedgerShow(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.ledgerFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	return v.with(ctx, ledger.Options{Look: true}, func(l *ledger.Ledger) error {
		all := struct {
			Head     ledger.Head      `json:"head"`
			Accounts []ledger.Account `json:"accounts"`
		}{l.Head(), l.Accounts()}
		return e.result(all, func(w io.Writer) { ledger.WriteAccounts(w, all.Accounts) })
	})
}

func runLedgerVerify(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.ledgerFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var s ledger.Summary
	err := v.withLedger(ctx, false, func(l *ledger.Ledger) (err error) {
		s, err = l.Verify()
		return explainLedger(err)
	})
	if errors.Is(err, ledger.ErrUnused) {
		return e.result(s, func(w io.Writer) { ledger.WriteAccounts(w, nil) })
	}
	if err != nil {
		return err
	}
	return e.result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%d entries form an unbroken chain, %d stored releases are unchanged, and the head outside agrees\nhead %s\n", s.Entries, s.Answers, s.Head.Hash)
	})
}

func runLedgerRecover(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.ledgerFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	charges, err := v.recover(ctx)
	if err != nil {
		return err
	}
	return e.result(charges, func(w io.Writer) {
		for _, c := range charges {
			fmt.Fprintf(w, "%s: epsilon %v charged\n", c.Lineage, c.Micro)
		}
		fmt.Fprintln(w, "the ledger can be used again")
	})
}

func (v *ledgerFlags) recover(ctx context.Context) (charges []ledger.Charge, err error) {
	o := ledger.Options{Head: v.head, Actor: operator(ctx).ID}
	if err := v.checkBeside(o); err != nil {
		return nil, err
	}
	if v.file != "" {
		return ledger.RecoverFile(v.file, o)
	}
	err = v.data.withStore(func(st *store.Store) (err error) {
		charges, err = ledger.RecoverInStore(st, o)
		return err
	})
	return charges, err
}
