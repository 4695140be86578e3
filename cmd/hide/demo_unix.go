// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// linkSignal delivers the signal that asks a demo for a new sign-in link, for demos that run
// without a terminal.
func linkSignal() <-chan os.Signal {
	runInBackground()
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	return asked
}

// linkCommand sends that signal.
func linkCommand() string { return fmt.Sprintf("kill -USR1 %d", os.Getpid()) }

// runInBackground lets a program in the background of a terminal go on when it reads from
// it.
func runInBackground() { signal.Ignore(syscall.SIGTTIN) }
