// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"hide/internal/account"
	"hide/internal/disk"
	"hide/internal/hint"
	"hide/internal/job"
	"hide/internal/store"
)

// Options configure a Service.
type Options struct {
	// Releases is the folder that releases are written under. Required.
	Releases string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// PersonName turns an account id into the name that pages show. Nil shows ids.
	PersonName func(id string) string
	// People are the accounts that members are found in. Nil means that members are known by
	// the ids of their accounts only.
	People People
	// Version of the program, for the provenance of bundles and releases.
	Version string
	// Disk is the disk of the data: while it is almost full, imports, runs and releases are
	// refused. Nil means that nobody looks.
	Disk *disk.Guard
	// Copies are the copies of the audit trail in other places: while one is far behind,
	// nothing leaves the program. Nil means that there are none.
	Copies Copies
	// WorkMemory is the memory in bytes that trainings, runs and other long work may use
	// together. 0 means no bound.
	WorkMemory int64
	// NewRule is the publishing rule of new projects. Nil means [DefaultRule].
	NewRule *Rule
}

// Copies are the copies of the audit trail in other places. The error of Check says which one
// is far behind; package hint has the next step.
type Copies interface{ Check() error }

// Service is the core of the use cases. Its methods may be called concurrently.
type Service struct {
	store *store.Store
	jobs  *job.Runner
	opts  Options
	hub   hub

	learner Learner      // nil: no model is trained
	closing atomic.Bool  // Close was called: cancelled work counts as interrupted
	opened  atomic.Int64 // number of decoded documents, for tests

	beforeClose []func() error
	onNotes     []func(*Workspace)
	onChange    []func(ID)

	loads singleflight.Group // of projects, by id

	membering sync.Mutex // held while memberships are read or changed

	mu      sync.Mutex         // guards what follows
	spaces  map[ID]*Workspace  // projects in use
	members map[ID]memberships // as far as somebody has asked
	refused map[ID]error       // see Refuse
	reads   map[readKey]time.Time
}

// New makes a Service over an open store.
func New(st *store.Store, opts Options) (*Service, error) {
	if opts.Releases == "" {
		return nil, errors.New("project: no folder for releases")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.PersonName == nil {
		opts.PersonName = func(id string) string { return id }
	}
	if opts.NewRule == nil {
		rule := DefaultRule()
		opts.NewRule = &rule
	}
	s := &Service{store: st, jobs: job.New(), opts: opts, spaces: map[ID]*Workspace{}, members: map[ID]memberships{}, refused: map[ID]error{}, reads: map[readKey]time.Time{}}
	s.jobs.LimitMemory(opts.WorkMemory)
	if err := s.finishDestroying(); err != nil {
		return s, err
	}
	return s, s.takeInMembers()
}

// CheckRoom refuses work that writes much while the disk is almost full.
func (s *Service) CheckRoom() error {
	if s.opts.Disk == nil {
		return nil
	}
	if full, ok := errors.AsType[*disk.FullError](s.opts.Disk.Check()); ok {
		return &Error{Kind: Full, Message: full.Error(), Hint: full.Next()}
	}
	return nil
}

// CheckOutgoing refuses to hand out notes, models and releases while a copy of the audit
// trail is far behind. Each use case that writes such data for somebody, or publishes, asks it.
func (s *Service) CheckOutgoing() error {
	if s.opts.Copies == nil {
		return nil
	}
	if err := s.opts.Copies.Check(); err != nil {
		return &Error{Kind: Unrecorded, Message: err.Error(), Hint: hint.Of(err)}
	}
	return nil
}

// BeforeClose lets Close call fn first, to store what is in memory alone. It is called before
// any project is used.
func (s *Service) BeforeClose(fn func() error) { s.beforeClose = append(s.beforeClose, fn) }

// Close cancels running jobs and waits for them, at most until ctx ends.
func (s *Service) Close(ctx context.Context) error {
	var err error
	for _, fn := range s.beforeClose {
		err = errors.Join(err, fn())
	}
	s.closing.Store(true)
	return errors.Join(err, s.jobs.Close(ctx))
}

// allow refuses a role that does not grant p.
func allow(role account.Role, p account.Permission) error {
	if !role.Can(p) {
		return forbidden(string(p))
	}
	return nil
}

func forbidden(what string) error {
	return &Error{Kind: Forbidden, Message: "your role may not " + what, Hint: "ask a broker of the project, or an administrator, for another role"}
}

// allowAccount refuses a person whose account may not do p in the installation.
func allowAccount(by account.User, p account.Permission) error {
	if by.Disabled || !by.Role.Can(p) {
		return &Error{Kind: Forbidden, Message: fmt.Sprintf("your role may not %s", p), Hint: "ask an administrator for another role"}
	}
	return nil
}

// Enter checks the person's role in the project, and finds the project. It is the only door
// for people: who is not a member gets the error about a project that does not exist.
func (s *Service) Enter(by account.User, p account.Permission, id ID) (*Workspace, error) {
	return s.EnterAny(by, id, p)
}

// EnterAny is [Service.Enter] for pages that several roles see for different reasons.
func (s *Service) EnterAny(by account.User, id ID, ps ...account.Permission) (*Workspace, error) {
	role, err := s.RoleIn(by, id)
	if err != nil {
		return nil, err
	}
	err = errors.New("project: no permission asked for")
	for _, p := range ps {
		if err = allow(role, p); err == nil {
			return s.Workspace(id)
		}
	}
	return nil, err
}

// Update runs fn in a transaction of the project with its audit row.
func (s *Service) Update(id ID, ev store.Event, fn func(*store.Tx) error) error {
	return s.Transact(id, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Audit(ev)
	})
}

func EventBy(by account.User, action, object string, detail ...string) store.Event {
	return store.Event{Actor: by.ID, Action: action, Object: object, Detail: strings.Join(detail, " ")}
}

func (id ID) Object(parts ...any) string {
	var b strings.Builder
	b.WriteString(string(id))
	for _, p := range parts {
		fmt.Fprintf(&b, "/%v", p)
	}
	return b.String()
}

// The buckets of a project's space.
const (
	bucketProject   = "project"   // "info" -> Project
	bucketDocuments = "documents" // document number -> Document
	bucketNames     = "names"     // keyed hash of a folded name -> document number
	bucketStatuses  = "statuses"  // number of a block -> statuses of its documents
	bucketLayers    = "layers"    // document number -> annotate.Layer
	bucketImports   = "imports"   // import number -> importRecord
	bucketReleases  = "releases"  // release number -> a release, read by package release
)

// View reads a project.
func (s *Service) View(id ID, fn func(*store.Tx) error) error {
	return s.unlessDestroyed(id, s.store.View(string(id), fn))
}

// Read gives what fn reads of a project in one transaction.
func Read[T any](s *Service, id ID, fn func(*store.Tx) (T, error)) (v T, err error) {
	err = s.View(id, func(tx *store.Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// ListJSON reads all values of a bucket of a project.
func ListJSON[T any](s *Service, id ID, bucket string) ([]T, error) {
	return Read(s, id, func(tx *store.Tx) ([]T, error) { return store.ListJSON[T](tx, bucket) })
}

// GetJSON reads one value of a bucket of a project.
func GetJSON[T any](s *Service, id ID, bucket string, key []byte) (T, error) {
	return Read(s, id, func(tx *store.Tx) (T, error) { return store.GetJSON[T](tx, bucket, key) })
}

// Transact changes a project in one transaction, in which fn writes the audit row.
func (s *Service) Transact(id ID, fn func(*store.Tx) error) error {
	if err := s.store.Update(string(id), fn); err != nil {
		return s.unlessDestroyed(id, err)
	}
	for _, changed := range s.onChange {
		changed(id)
	}
	return nil
}

// OnChange lets each transaction that has changed a project call fn, which must return at
// once. It is called before any project is used.
func (s *Service) OnChange(fn func(ID)) { s.onChange = append(s.onChange, fn) }

// Now is the time by the service's clock.
func (s *Service) Now() time.Time { return s.opts.Now() }

// within reports whether something that happened at then is not older than limit. If the
// clock was set back meanwhile, its age is unknown and counts as too old: nothing may last
// until the clock has caught up.
func within(limit time.Duration, then, now time.Time) bool {
	age := now.Sub(then)
	return age >= 0 && age <= limit
}

// Version is the program's, for the provenance of what it makes.
func (s *Service) Version() string { return s.opts.Version }

// ReleasesFolder is the folder that releases are written under.
func (s *Service) ReleasesFolder() string { return s.opts.Releases }

// Store is the underlying store.
func (s *Service) Store() *store.Store { return s.store }

// Closing reports whether the service is shutting down: work cancelled now was
// interrupted.
func (s *Service) Closing() bool { return s.closing.Load() }

// PersonName is the name of an account on pages, "" for nobody.
func (s *Service) PersonName(id string) string {
	if id == "" {
		return ""
	}
	if name, elsewhere := strings.CutPrefix(id, importedPerson); elsewhere {
		return name + " (in an imported file)"
	}
	return s.opts.PersonName(id)
}

// Record writes an audit row about an access that changes nothing in the store.
func (s *Service) Record(id ID, ev store.Event) error {
	return s.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) })
}

// SystemEvent is an audit row about something the program did by itself.
func SystemEvent(action, object, detail string) store.Event {
	return store.Event{Actor: "system", Action: action, Object: object, Detail: detail}
}

// PerProject keeps what a package knows of each project in use. W is a pointer: the compiler
// translates these methods once for all pointers, but again for each struct, with the
// methods that it promotes, and in each package that imports it.
type PerProject[W any] struct {
	mu   sync.Mutex // guards open
	open map[ID]W
}

// All are the values of the projects in use.
func (p *PerProject[W]) All() []W {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.open))
}

// Of returns the value of a project, made at the first call.
func (p *PerProject[W]) Of(ws *Workspace, make func(*Workspace) W) W {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[ID]W{}
	}
	if _, made := p.open[ws.ID]; !made {
		p.open[ws.ID] = make(ws)
	}
	return p.open[ws.ID]
}
