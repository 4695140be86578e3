// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"strconv"

	"hide/internal/bootstrap"
	"hide/internal/option"
)

// Replay says how annotation is replayed, and on which notes.
type Replay struct {
	bootstrap.Options
	Holdout  float64 // share of the notes
	Schedule string
}

// ReplayOptions declare how annotation is replayed.
var ReplayOptions = option.Table[Replay]{
	option.Number(option.About{Name: "holdout", Default: "0.2", Value: "SHARE", Help: "The share of the notes to hold out where there is no --test; a patient is never split."},
		option.Above(0).Below(1), func(v *Replay) *float64 { return &v.Holdout }),
	option.Some(option.About{Name: "order", Default: "active,random", Value: "ORDERS", Help: "Orders to compare."},
		[]option.Choice{{Value: string(bootstrap.Active), Help: "that of a project's queue"}, {Value: string(bootstrap.AtRandom)}}, func(v *Replay) *[]bootstrap.Order { return &v.Orders }),
	option.Whole(option.About{Name: "start", Default: strconv.Itoa(bootstrap.BeforeModel), Value: "N", Help: "Train first when N notes are read."},
		option.AtLeast(1), func(v *Replay) *int { return &v.Start }),
	option.One(option.About{Name: "schedule", Default: "geometric", Value: "WHEN", Help: "When to train."},
		[]option.Choice{{Value: "geometric", Help: "when an eighth more notes are read"}, {Value: "even", Help: "with --step"}}, func(v *Replay) *string { return &v.Schedule }),
	option.Whole(option.About{Name: "step", Value: "N", Help: "Train whenever N more notes are read."}, option.AtLeast(0), func(v *Replay) *int { return &v.Step }),
	option.Whole(option.About{Name: "most", Value: "N", Help: "Stop when N notes are read; 0 means all."}, option.AtLeast(0), func(v *Replay) *int { return &v.Most }),
	option.Whole(option.About{Name: "repeats", Default: "1", Value: "N", Help: "Replay each order N times, drawn anew."}, option.AtLeast(1), func(v *Replay) *int { return &v.Repeats }),
	option.Number(option.About{Name: "goal", Default: "0.95", Value: "SHARE", Help: "The share of the F1 of all notes that is to be reached."}, option.Above(0).AtMost(1), func(v *Replay) *float64 { return &v.Goal }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "SEED", Help: "The seed decides orders and which notes are held out."}, func(v *Replay) *uint64 { return &v.Seed }),
}
