// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"time"
)

// Follow shows the progress of a job that runs elsewhere. It looks at the job again and again,
// and returns when the job has ended or look fails.
func (p Progress) Follow(ctx context.Context, doing string, every time.Duration, look func() (done, total int, detail string, running bool, err error)) error {
	bar := p.Start(doing)
	defer bar.End()
	for {
		done, total, detail, running, err := look()
		if err != nil || !running {
			return err
		}
		bar.Step(done, total, detail)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}
