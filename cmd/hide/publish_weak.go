// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"

	"hide/internal/publish/ledger"
)

// weakFlags name the account, if there is one, in which a release of files with weak
// privacy is put on record: with it, the account's budget bounds nothing any more.
type weakFlags struct {
	*ledgerFlags
	lineage string
}

func (e *env) weakFlags(f *flag.FlagSet) *weakFlags {
	v := &weakFlags{ledgerFlags: e.ledgerFlags(f)}
	f.StringVar(&v.lineage, "lineage", "", "`NAME` of the dataset in the ledger, if it has a privacy budget: the release is first recorded there")
	return v
}

// check refuses a ledger without a name in it, and any for a project.
func (v *weakFlags) check(e *env, project string) error {
	switch {
	case project != "" && (v.lineage != "" || v.file != "" || v.head != ""):
		return e.usage("--project takes no --lineage, --ledger or --head: the project has its own budget, in which the release is put on record")
	case v.lineage == "" && (v.file != "" || v.head != ""):
		return e.usage("--ledger and --head need --lineage, the name of the dataset in it")
	}
	return nil
}

// release writes a release once it is on record, with its words. What is on record
// and then fails stays there: to say so of a release that nobody has is no harm.
func (v *weakFlags) release(words string, write func() error) error {
	if v.lineage == "" {
		return write()
	}
	return v.withLedger(false, func(l *ledger.Ledger) error {
		if err := l.Weak(v.lineage, words); err != nil {
			return explainLedger(err)
		}
		return write()
	})
}
