// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hide/internal/job"
	"hide/internal/project"
	"hide/web/ui"
)

// Limits of uploads that wait for a decision.
const (
	keptFor   = time.Hour
	mostKept  = 32 // in all
	mostOfOne = 4  // of one person; another one replaces the oldest
	roomInAll = 16 << 30
	roomOfOne = 8 << 30
)

// shelf keeps uploads between the preview and the decision, each for the person who sent it
// and the project it is for. It drops them when they are decided about, after [keptFor], when
// the person signs out, and when the server stops.
type shelf struct {
	life time.Duration
	jobs *job.Runner

	mu    sync.Mutex // guards what follows
	kept  map[string]*kept
	bytes map[string]int64 // on disk, by person
	shut  bool
}

// kept is one upload.
type kept struct {
	token, user string
	project     project.ID
	files       int
	size        int64
	since       time.Time
	timer       *time.Timer
	notes       atomic.Int64 // read so far, by the current work

	mu      sync.Mutex // guards what follows
	up      *upload    // nil once it was dropped or imported
	dropped bool       // no work starts any more
	stage   stage
	work    *job.Job
	options project.ImportOptions // of the preview
	number  int                   // of the preview
	preview project.ImportPreview
	failed  error // of the preview or the import
	done    *importResult
}

// stage is what happens with an upload.
type stage int

const (
	reading   stage = iota // for the preview
	previewed              // waits for a decision
	importing
	imported // the files are gone, the report stays
)

func newShelf(life time.Duration) *shelf {
	return &shelf{life: life, jobs: job.New(), kept: map[string]*kept{}, bytes: map[string]int64{}}
}

// grow asks for room for the files of a person.
func (s *shelf) grow(user string, n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := int64(0)
	for _, b := range s.bytes {
		total += b
	}
	switch {
	case s.shut:
		return errors.New("the server stops")
	case s.bytes[user]+n > roomOfOne:
		return ui.Refuse("Your uploads that wait for a decision hold more than "+ui.ByteWords(roomOfOne)+".", "Import or drop them first.")
	case total+n > roomInAll:
		return ui.Refuse("The uploads of all people that wait for a decision hold more than "+ui.ByteWords(roomInAll)+".", "Try again later.")
	}
	s.bytes[user] += n
	return nil
}

// release gives back the room of a person's files.
func (s *shelf) release(user string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes[user] -= n; s.bytes[user] <= 0 {
		delete(s.bytes, user)
	}
}

// keep takes an upload. It drops the person's oldest one if there are too many.
func (s *shelf) keep(user string, id project.ID, up *upload) (*kept, error) {
	token := make([]byte, 16)
	rand.Read(token) // never fails
	k := &kept{token: hex.EncodeToString(token), user: user, project: id, files: len(up.Files.Files), size: up.Size(), since: time.Now(), up: up, options: up.options}
	if mine := s.of(user, ""); len(mine) >= mostOfOne {
		s.dropIdle(mine[:1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || len(s.kept) >= mostKept {
		return nil, ui.Refuse("Too many uploads wait for a decision.", "Try again later.")
	}
	s.kept[k.token] = k
	k.timer = time.AfterFunc(s.life, func() {
		if !s.dropIdle([]*kept{k}) {
			k.timer.Reset(s.life) // it is being imported
		}
	})
	return k, nil
}

// find is the upload of a person for a project; nil for anybody else.
func (s *shelf) find(token, user string, id project.ID) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[token]; k != nil && k.user == user && k.project == id {
		return k
	}
	return nil
}

// of lists the uploads of a person, for a project or for any (""), oldest first.
func (s *shelf) of(user string, id project.ID) (all []*kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		if k.user == user && (id == "" || k.project == id) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b *kept) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.token, b.token)) })
	return all
}

// dropOf drops the uploads of a person, except those that are being imported.
func (s *shelf) dropOf(user string) { s.dropIdle(s.of(user, "")) }

// dropIdle drops uploads that are not being imported, and reports whether it dropped all.
func (s *shelf) dropIdle(all []*kept) bool {
	dropped := true
	for _, k := range all {
		if k.look().stage == importing {
			dropped = false
			continue
		}
		s.drop(k)
	}
	return dropped
}

// drop stops the work on an upload, waits for its end and removes the files. An import that
// has ended meanwhile stays.
func (s *shelf) drop(k *kept) {
	s.mu.Lock()
	delete(s.kept, k.token)
	s.mu.Unlock()
	k.timer.Stop()
	k.mu.Lock()
	k.dropped = true
	k.mu.Unlock()
	s.jobs.Cancel(k.token)
	k.wait(context.Background())
	s.free(k)
}

// free removes the files of an upload.
func (s *shelf) free(k *kept) {
	k.mu.Lock()
	up := k.up
	k.up = nil
	k.mu.Unlock()
	if up != nil {
		size := up.Size()
		_ = up.Close() // they are unlinked, or the system removes them with its other temporary files
		s.release(k.user, size)
	}
}

// close drops everything.
func (s *shelf) close(ctx context.Context) error {
	s.mu.Lock()
	s.shut = true
	var all []*kept
	for _, k := range s.kept {
		all = append(all, k)
	}
	s.mu.Unlock()
	err := s.jobs.Close(ctx)
	for _, k := range all {
		s.drop(k)
	}
	return err
}

// start begins work on an upload that waits for a decision or was just kept. It reports
// whether it did: of two people or two clicks only one starts it.
func (s *shelf) start(k *kept, from, to stage, change func(), work func(context.Context)) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dropped || k.up == nil || k.stage != from || from == reading && k.work != nil {
		return false
	}
	k.stage, k.failed = to, nil
	k.notes.Store(0)
	change()
	k.work = s.jobs.Submit(k.token, func(ctx context.Context) error {
		work(ctx)
		return nil
	})
	return true
}

// wait waits for the end of the current work, or of ctx.
func (k *kept) wait(ctx context.Context) {
	k.mu.Lock()
	work := k.work
	k.mu.Unlock()
	if work == nil {
		return
	}
	select {
	case <-work.Done():
	case <-ctx.Done():
	}
}

// settle ends a stage with its result. Work that failed in a way that nobody foresaw never
// calls it, and [kept.look] notices.
func (k *kept) settle(to stage, change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stage = to
	change()
}

var errBroken = errors.New("the work on an upload ended early")

// look is a copy of the state that pages show.
func (k *kept) look() (state keptState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.work != nil && (k.stage == reading || k.stage == importing) {
		select {
		case <-k.work.Done():
			k.stage, k.failed = previewed, fmt.Errorf("%w: %w", errBroken, k.work.Err())
		default:
		}
	}
	return keptState{
		token: k.token, files: k.files, size: k.size, since: k.since, until: k.since.Add(keptFor), notes: int(k.notes.Load()),
		stage: k.stage, options: k.options, number: k.number, preview: k.preview, failed: k.failed, done: k.done,
	}
}

// keptState is an upload at a moment.
type keptState struct {
	token        string
	files        int
	size         int64
	since, until time.Time
	notes        int
	stage        stage
	options      project.ImportOptions
	number       int
	preview      project.ImportPreview
	failed       error
	done         *importResult
}
