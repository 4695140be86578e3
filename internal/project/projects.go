// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/store"
)

var infoKey = []byte("info")

// nameLimit is how long a project's name may be, in characters.
const nameLimit = 80

var idPattern = regexp.MustCompile(`^p[1-9][0-9]{0,8}$`)

func validID(id ID) bool { return idPattern.MatchString(string(id)) }

// shown shortens an id for a message: the request may contain anything.
func shown(id ID) string {
	if validID(id) {
		return string(id)
	}
	return "of that name (a project's id looks like p1)"
}

// Create makes an empty project, for people whose account may do so. They become members of
// it, with the role of a broker. A nil label set means [annotate.I2B2].
func (s *Service) Create(ctx context.Context, by account.User, name string, labels annotate.LabelSet) (Project, error) {
	if err := allowAccount(by, account.ManageWork); err != nil {
		return Project{}, err
	}
	name = strings.TrimSpace(name)
	if err := checkName(name); err != nil {
		return Project{}, err
	}
	if labels == nil {
		labels = annotate.I2B2()
	}
	for _, l := range labels {
		if err := annotate.CheckLabel(l.Label); err != nil {
			return Project{}, Invalidf("", "%v", err)
		}
	}
	if err := s.refuseTaken(ctx, by, name); err != nil {
		return Project{}, err
	}
	return s.create(by, name, labels)
}

// refuseTaken keeps the names of projects that a person can see unique and different from
// ids, because people use either to select a project. A project that the person cannot see
// may have the same name: a refusal would tell that it exists.
func (s *Service) refuseTaken(ctx context.Context, by account.User, name string) error {
	if validID(ID(name)) {
		return Invalidf("choose another name", "a name must not look like a project id")
	}
	all, err := s.Projects(ctx, by)
	if err != nil {
		return err
	}
	for _, p := range all {
		if format.SameName(p.Name) == format.SameName(name) {
			return Invalidf("choose another name", "project %s already has this name", p.ID)
		}
	}
	return nil
}

func checkName(name string) error {
	if name == "" || !FitsName(name, nameLimit) {
		return Invalidf("choose another name", "a project's name has 1 to %d visible characters", nameLimit)
	}
	return nil
}

// FitsName reports whether a name has at most limit characters, all of them visible.
func FitsName(name string, limit int) bool {
	unprintable := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	return utf8.RuneCountInString(name) <= limit && !unprintable && utf8.ValidString(name)
}

func (s *Service) create(by account.User, name string, labels annotate.LabelSet) (Project, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := s.freeID()
	if err != nil {
		return Project{}, err
	}
	p := Project{ID: id, Name: name, Labels: labels, Created: s.opts.Now().UTC(), Draw: randomNumber()}
	if err := s.store.CreateSpace(string(id), EventBy(by, "create space", id.Object())); err != nil {
		return Project{}, fmt.Errorf("create project %s: %w", id, err)
	}
	err = s.Update(id, EventBy(by, "create project", id.Object()), func(tx *store.Tx) error {
		return errors.Join(store.PutJSON(tx, bucketProject, infoKey, p), store.PutJSON(tx, bucketProject, ruleKey, s.opts.NewRule), s.found(tx, by, p.Created))
	})
	return p, err
}

func randomNumber() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.BigEndian.Uint64(b[:])
}

// freeID is one more than the highest number ever used. The number of a destroyed project
// is not used again: privacy budgets, releases and the audit trail go by it.
func (s *Service) freeID() (ID, error) {
	ids, err := s.IDs()
	destroyed, destroyedErr := s.Destroyed()
	if err := errors.Join(err, destroyedErr); err != nil {
		return "", err
	}
	for _, d := range destroyed {
		ids = append(ids, d.ID)
	}
	ids = append(ids, s.sealedIDs()...)
	if len(ids) == 0 {
		return "p1", nil
	}
	slices.SortFunc(ids, compareIDs)
	n, err := strconv.Atoi(string(ids[len(ids)-1][1:]))
	return ID("p" + strconv.Itoa(n+1)), err
}

// IDs lists the projects by number, for the program itself: it checks no permission.
func (s *Service) IDs() ([]ID, error) {
	names, err := s.store.Spaces()
	if err != nil {
		return nil, err
	}
	var ids []ID
	for _, name := range names {
		if validID(ID(name)) {
			ids = append(ids, ID(name))
		}
	}
	slices.SortFunc(ids, compareIDs)
	return ids, nil
}

// Projects lists the projects of a person by number.
func (s *Service) Projects(ctx context.Context, by account.User) ([]Overview, error) {
	if by.Disabled {
		return nil, forbidden("see projects")
	}
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	var out []Overview
	for _, id := range ids {
		o, err := s.Project(ctx, by, id)
		if KindOf(err) == NotFound {
			continue // not a member, or interrupted before it got a name
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Project describes one project.
func (s *Service) Project(ctx context.Context, by account.User, id ID) (Overview, error) {
	ws, err := s.EnterAny(by, id, account.ReadNotes, account.SeeFigures)
	if err != nil {
		return Overview{}, err
	}
	return ws.Overview(), nil
}

// Find looks up a project by id or name, for the command line.
func (s *Service) Find(ctx context.Context, by account.User, nameOrID string) (Overview, error) {
	all, err := s.Projects(ctx, by)
	if err != nil {
		return Overview{}, err
	}
	fits := slices.DeleteFunc(all, func(p Overview) bool { return string(p.ID) != nameOrID && p.Name != nameOrID })
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) > 1:
		ids := make([]ID, len(fits))
		for i, p := range fits {
			ids[i] = p.ID
		}
		return Overview{}, Invalidf("give the id of one of them", "%d projects have the name %q: %s", len(fits), nameOrID, Joined(ids))
	}
	if by.Role == account.Admin {
		if err := s.sealed(ID(nameOrID)); err != nil {
			return Overview{}, err
		}
	}
	return Overview{}, &Error{Kind: NotFound, Message: fmt.Sprintf("there is no project %q", nameOrID), Hint: "hide project list shows them all"}
}

// Sealed lists the projects that cannot be opened because their secrets are missing, as
// after a backup was restored without them. Only administrators see them: nobody can read who
// is a member of them.
func (s *Service) Sealed(_ context.Context, by account.User) ([]ID, error) {
	if err := allowAccount(by, account.ManagePeople); err != nil {
		return nil, err
	}
	ids := s.sealedIDs()
	slices.SortFunc(ids, compareIDs)
	return ids, nil
}

func (s *Service) sealedIDs() (ids []ID) {
	for _, space := range s.store.SealedSpaces() {
		ids = append(ids, ID(space))
	}
	return ids
}

// sealed is why a project cannot be opened if its secret is missing, nil if it is not.
func (s *Service) sealed(id ID) error {
	for _, missing := range s.store.Sealed() {
		if missing.Space == string(id) {
			return &Error{Kind: NotFound, Message: fmt.Sprintf("project %s cannot be opened: its secret is missing", id),
				Hint: "an administrator can bring it back: stop hide and run hide project-secret import --in FILE --data FOLDER; if the secret was destroyed, nobody can read the project again", Err: missing}
		}
	}
	return nil
}

// auditPage is the default number of audit rows on a page.
const auditPage = 100

// Audit lists audit rows, newest first, at most limit of them (0 means 100), older than
// the row before (0 means from the newest). An empty id lists the rows of every project in
// which the person may read the trail, and to administrators also those of the accounts.
func (s *Service) Audit(ctx context.Context, by account.User, id ID, before uint64, limit int) ([]AuditRow, error) {
	shows, err := s.TrailOf(by, id)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = auditPage
	}
	rows, err := s.store.AuditRows(before, limit, func(r store.AuditRow) bool { return shows(r.Object) })
	if err != nil {
		return nil, err
	}
	out := make([]AuditRow, len(rows))
	for i, r := range rows {
		out[i] = AuditRow{Seq: r.Seq, At: r.Time, Who: s.Who(r.Actor), Action: r.Action, Object: r.Object, Detail: r.Detail}
	}
	return out, nil
}

// TrailProjects lists the projects whose audit rows a person may read.
func (s *Service) TrailProjects(ctx context.Context, by account.User) ([]Overview, error) {
	all, err := s.Projects(ctx, by)
	return slices.DeleteFunc(all, func(p Overview) bool { return !s.May(by, p.ID, account.ReadAudit) }), err
}

// TrailOf says which objects' rows a person may read, of one project or of all.
func (s *Service) TrailOf(by account.User, id ID) (func(object string) bool, error) {
	if id != "" {
		role, err := s.RoleIn(by, id)
		if err == nil {
			err = allow(role, account.ReadAudit)
		}
		return id.Owns, err
	}
	if by.Role == account.Admin && !by.Disabled {
		return func(string) bool { return true }, nil
	}
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(ids, func(id ID) bool { return !s.May(by, id, account.ReadAudit) })
	if len(own) == 0 {
		err = allowAccount(by, account.ReadAudit)
	}
	return func(object string) bool {
		return slices.ContainsFunc(own, func(id ID) bool { return id.Owns(object) })
	}, err
}

// Who is the name of an actor of audit rows on pages.
func (s *Service) Who(actor string) string {
	if actor == "system" {
		return actor
	}
	return s.opts.PersonName(actor)
}

// FindPerson is the id of the account with a name. Other text stays as it is.
func (s *Service) FindPerson(name string) string {
	if s.opts.People == nil || name == "" {
		return name
	}
	if u, err := s.opts.People.Find(name); err == nil {
		return u.ID
	}
	return name
}

// Backup writes a backup of the data file and the files of releases at this moment, while
// work continues. It is encrypted and useless without the key and the secrets of the
// projects, which it does not hold.
func (s *Service) Backup(ctx context.Context, by account.User, w io.Writer) error {
	if err := allowAccount(by, account.ManagePeople); err != nil {
		return err
	}
	ev := EventBy(by, "backup", store.System)
	if err := s.store.Record(ev); err != nil {
		return err
	}
	return s.store.Backup(ctx, w)
}

// HandOut writes a stored file, numbered in its bucket. The access is recorded in the
// audit trail before the first byte is written.
func (s *Service) HandOut(id ID, bucket string, number int, ev store.Event, w io.Writer) error {
	if err := s.CheckOutgoing(); err != nil {
		return err
	}
	var raw []byte
	err := s.Transact(id, func(tx *store.Tx) (err error) {
		if raw, err = tx.Get(bucket, store.Key(uint64(number))); err != nil {
			return err
		}
		return tx.Audit(ev)
	})
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
