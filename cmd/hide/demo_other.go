// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package main

import "os"

// linkSignal never asks: there is no such signal here.
func linkSignal() <-chan os.Signal { return nil }

func linkCommand() string { return "" }

// runInBackground has nothing to do here.
func runInBackground() {}
