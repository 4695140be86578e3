// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"time"

	"hide/internal/backup"
	"hide/web/site"
)

// backupFlags are the backups that a server makes on a schedule.
type backupFlags struct {
	to    string
	every time.Duration
	keep  int
}

func (b *backupFlags) add(f *flag.FlagSet) {
	f.StringVar(&b.to, "backup-to", "", "`FOLDER` for backups on a schedule, outside of the data folder; \"\" makes none")
	f.DurationVar(&b.every, "backup-every", 24*time.Hour, "`INTERVAL` between two backups of the schedule")
	f.IntVar(&b.keep, "backup-keep", 14, "`NUMBER` of backups of the schedule to keep")
}

// start makes backups until the function that it returns is called.
func (b *backupFlags) start(ctx context.Context, e *env, data *folder, cfg *site.Config) (stop func(), err error) {
	if b.to == "" {
		return func() {}, nil
	}
	s, err := backup.New(data.store, backup.Options{Folder: b.to, Every: b.every, Keep: b.keep, Log: e.stderr})
	if err != nil {
		return nil, err
	}
	cfg.Backups = s
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	return func() { cancel(); <-done }, nil
}
