// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"bufio"
	"context"
	"io"
	"os"
)

// Listen calls asked for each line of a terminal and, with an empty line, for each signal,
// until ctx ends or asked returns false. At the end of the terminal it waits for signals
// only; without signals it returns.
func Listen(ctx context.Context, terminal io.Reader, signals <-chan os.Signal, asked func(line string) bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := make(chan string)
	go func() { // reading a terminal cannot be interrupted: the process ends without it
		defer close(lines)
		for scan := bufio.NewScanner(terminal); scan.Scan(); {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		line, ok := "", true
		select {
		case <-ctx.Done():
			return
		case line, ok = <-lines:
		case <-signals:
		}
		if !ok {
			lines = nil
			if signals == nil {
				return
			}
			continue
		}
		if !asked(line) {
			return
		}
	}
}
