// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hide/internal/store"
)

// DefaultSpool is by how many rows a copy may be behind before exports are refused.
const DefaultSpool = 100_000

// mostLate is for how long a row may be missing in a copy before exports are refused.
const mostLate = 24 * time.Hour

// Options say where the trail is copied to.
type Options struct {
	File    string    // "" for none
	Syslog  Syslog    // none without an address
	Spool   uint64    // rows that a copy may be behind; 0 means DefaultSpool
	DataDir string    // the file must not be in this folder
	Log     io.Writer // receives a line when a copy begins to fail and when it works again; nil for none

	Now func() time.Time // nil means time.Now

	pace *pace // nil means usualPace; other ones are for tests
}

// pace is how long things take.
type pace struct {
	look       time.Duration // between two looks for new rows
	firstRetry time.Duration // after a failure; doubled after each further one
	lastRetry  time.Duration
	dialWithin time.Duration // for a syslog server to greet
	openFor    time.Duration // a connection ends, and so its rows are confirmed, after this time
	endWithin  time.Duration // for a syslog server to end a connection
	overlap    time.Duration // rows that arrived so long ago are sent again after a failure
	settle     time.Duration // after which a refusal of the last bytes has arrived
}

var usualPace = pace{
	look: time.Second, firstRetry: time.Second, lastRetry: time.Minute,
	dialWithin: 10 * time.Second, openFor: 10 * time.Second, endWithin: time.Minute, overlap: time.Minute, settle: time.Second,
}

// Trail is the audit trail of a store.
type Trail interface {
	Audited() (rows uint64, err error)
	AuditAfter(seq uint64, limit, maxBytes int) ([]store.AuditLine, error)
	AuditCursor(name string) ([]byte, error)
	PutAuditCursor(name string, value []byte) error
}

// target is where one copy goes to.
type target interface {
	name() string // "file" or "syslog"
	key() string  // names its cursor: another place has another one
	// patience is how many rows, and for how long, may be written without being confirmed.
	patience() (rows uint64, age time.Duration)
	// overlap is how long ago rows may have arrived that are sent again after a failure.
	overlap() time.Duration
	// write hands rows over. After an error none of the rows since the last confirm may have
	// arrived, and the caller writes them again.
	write(ctx context.Context, lines []store.AuditLine) error
	// confirm returns nil when all written rows have arrived.
	confirm(ctx context.Context) error
	close() error
}

// Copies are the copies of one trail. Safe for concurrent use.
type Copies struct {
	opts    Options
	targets []target

	mu   sync.Mutex // guards what follows
	each []*copier  // empty before Start
}

// New checks the options. It returns nil if they name no copy. The file must open, and
// certificates must be readable; the syslog server may be down.
func New(o Options) (*Copies, error) {
	o.Spool = cmp.Or(o.Spool, DefaultSpool)
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.pace = cmp.Or(o.pace, &usualPace)
	c := &Copies{opts: o}
	if o.File != "" {
		f, err := newFile(o.File, o.DataDir)
		if err != nil {
			return nil, err
		}
		c.targets = append(c.targets, f)
	}
	if o.Syslog.Addr != "" {
		s, err := newSyslog(o.Syslog, *o.pace)
		if err != nil {
			return nil, errors.Join(err, c.closeTargets())
		}
		c.targets = append(c.targets, s)
	}
	if len(c.targets) == 0 {
		return nil, nil
	}
	return c, nil
}

func (c *Copies) closeTargets() (err error) {
	for _, t := range c.targets {
		err = errors.Join(err, t.close())
	}
	return err
}

// Start copies rows until stop is called, which tries for a few seconds to copy the last ones.
// It is called once, and trail must stay open until stop has returned.
func (c *Copies) Start(ctx context.Context, trail Trail) (stop func(), err error) {
	var each []*copier
	for _, t := range c.targets {
		one, err := newCopier(t, trail, c.opts)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("copy of the audit trail to %s: %w", t.name(), err), c.closeTargets())
		}
		each = append(each, one)
	}
	c.mu.Lock()
	c.each = each
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, one := range each {
		running.Go(func() { one.run(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
		if err := c.closeTargets(); err != nil {
			fmt.Fprintln(c.opts.Log, "hide: copy of the audit trail:", err)
		}
	}, nil
}

// Status says how each copy is doing.
func (c *Copies) Status() []Status {
	c.mu.Lock()
	each := c.each
	c.mu.Unlock()
	all := make([]Status, len(each))
	for i, one := range each {
		all[i] = one.status()
	}
	return all
}

// within reports whether a file is in a folder, as far as links can be followed.
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	at, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false
	}
	info, err := os.Stat(dir)
	for err == nil {
		here, failed := os.Stat(at)
		if failed != nil || os.SameFile(info, here) {
			return failed == nil
		}
		if filepath.Dir(at) == at {
			return false
		}
		at = filepath.Dir(at)
	}
	return false
}
