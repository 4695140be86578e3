// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"flag"

	"hide/internal/flagfile"
	"hide/internal/hint"
)

// configFlag is the file with more flags of a server.
type configFlag struct{ path string }

func (c *configFlag) add(f *flag.FlagSet) {
	f.StringVar(&c.path, "config", "", "`FILE` with more of these options, one per line: name = value. The command line counts more")
}

// read sets the flags that the file names, and refuses secrets that everybody can read.
func (c *configFlag) read(e *env, f *flag.FlagSet) error {
	var err error
	if c.path != "" {
		err = flagfile.Read(f, c.path, "config", "json")
	}
	if err = cmp.Or(err, flagfile.CheckSecrets(f)); err != nil {
		return &usageError{text: e.command.name + ": " + err.Error(), hint: cmp.Or(hint.Of(err), "see: hide help "+e.command.name)}
	}
	return nil
}
