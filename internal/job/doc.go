// SPDX-License-Identifier: Apache-2.0

// Package job runs long work in the background: training after each finished
// note, sanitizing, publishing.
//
// Work is submitted under a key, such as "p1/train". Of one key at most one job
// runs and at most one waits; submitting again replaces the one that waits,
// because the newest snapshot of the data is the one worth working on. Jobs of
// different keys run side by side.
//
//	r := job.New()
//	j := r.Submit("p1/train", func(ctx context.Context) error { return train(ctx) })
//	<-j.Done()
//	err := j.Err()
//	...
//	err = r.Close(ctx)
//
// A job learns through its context that it is no longer wanted and should return
// within 100 ms. What a job reports while it works is its own affair: the
// function closes over whatever it tells. A panic in a job ends that job only,
// as a [*parallel.PanicError] that says where it happened and never what was in
// hand: the value of a panic may quote a note. [parallel.Guard] does the same for
// any goroutine.
//
// # Caveats
//
// Nothing here survives the process. Who needs to know after a restart what was
// running writes it down before submitting.
package job
