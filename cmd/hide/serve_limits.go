// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"

	"github.com/dustin/go-humanize"

	"hide/internal/disk"
	"hide/internal/project"
	"hide/internal/protect"
)

// limitFlags bound what long work of a server may use.
type limitFlags struct{ memory string }

func (l *limitFlags) add(f *flag.FlagSet) {
	f.StringVar(&l.memory, "work-memory", "", "`SIZE`, such as 4GiB, of the memory that trainings, runs and other long work may use together: more ends the newest of them; none means no bound (default: two thirds of the memory of the machine or container)")
}

// options are those of the projects of a server.
func (l *limitFlags) options(e *env, dir string) (project.Options, error) {
	o := project.Options{Disk: disk.Watch(dir)}
	switch l.memory {
	case "":
		o.WorkMemory = protect.Available() / 3 * 2
	case "none":
	default:
		bytes, err := humanize.ParseBytes(l.memory)
		if err != nil || bytes < 1<<20 || bytes > 1<<50 {
			return o, e.usage("--work-memory is not a size such as 512MiB or 4GiB")
		}
		o.WorkMemory = int64(bytes)
	}
	return o, nil
}

// protectMemory keeps keys and text of notes off the disk, and says what is not protected.
func (e *env) protectMemory() {
	if err := protect.Lock(); err != nil {
		report(e.stderr, err)
	}
	if warning := protect.State().Warning(); warning != "" {
		fmt.Fprintln(e.stderr, "hide:", warning)
	}
}
