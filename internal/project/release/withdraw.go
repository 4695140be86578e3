// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/signing"
	"hide/internal/publish/evidence"
	"hide/internal/store"
)

// Receipt records that somebody got a release.
type Receipt struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	By   string    `json:"by"` // account of the broker who recorded it
}

// Withdrawal says why a release must not be used any more.
type Withdrawal struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	By     string    `json:"by"` // account
	// Newer is the release to be used instead, 0 if there is none: then this one is withdrawn.
	Newer int `json:"newer,omitempty"`
}

// Valid reports whether a release may still be used.
func (r Release) Valid() bool { return r.Withdrawn == nil }

// IsWithdrawn reports whether nobody may use a release any more.
func (r Release) IsWithdrawn() bool { return r.Withdrawn != nil && r.Withdrawn.Newer == 0 }

// State is the release's in signed files.
func (r Release) State() evidence.State {
	w := r.Withdrawn
	switch {
	case w == nil:
		return evidence.State{Status: evidence.Valid}
	case w.Newer == 0:
		return evidence.State{Status: evidence.Withdrawn, Reason: w.Reason, Since: &w.At}
	}
	return evidence.State{Status: evidence.Superseded, Reason: w.Reason, Since: &w.At, Newer: releaseName(w.Newer)}
}

// Published is when it went on record. A candidate was made before it was published.
func (r Release) Published() time.Time {
	if r.PublishedAt != nil {
		return *r.PublishedAt
	}
	return r.Created
}

// Given lists who got a release, with the day that is on record.
func (r Release) Given() (out []evidence.Recipient) {
	for _, name := range r.Recipients {
		at := r.Published()
		if i := slices.IndexFunc(r.Receipts, func(one Receipt) bool { return one.Name == name }); i >= 0 {
			at = r.Receipts[i].At
		}
		out = append(out, evidence.Recipient{Name: name, At: at.UTC()})
	}
	return out
}

// WithdrawRelease says that nobody may use a release any more. It cannot be undone. The files
// stay where they are; recipients learn of it from the status file.
func (s *Service) WithdrawRelease(ctx context.Context, by account.User, id project.ID, number int, reason string) error {
	return s.end(by, id, number, Withdrawal{Reason: reason}, "withdraw release")
}

// SupersedeRelease says that a newer release is to be used instead of one.
func (s *Service) SupersedeRelease(ctx context.Context, by account.User, id project.ID, number, newer int, reason string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	n, err := s.storedRelease(id, newer)
	if err != nil {
		return err
	}
	switch {
	case newer <= number:
		return project.Invalidf("name a release that was published later", "%s is not newer than release %d", n.Name, number)
	case n.IsWithdrawn():
		return project.Invalidf("name another release", "%s is withdrawn itself", n.Name)
	}
	return s.end(by, id, number, Withdrawal{Reason: reason, Newer: newer}, "supersede release")
}

func (s *Service) end(by account.User, id project.ID, number int, w Withdrawal, action string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	w.Reason = strings.Join(strings.Fields(w.Reason), " ")
	if w.Reason == "" || !project.FitsName(w.Reason, mostReason) {
		return project.Invalidf(fmt.Sprintf("write why, in at most %d characters: recipients read it", mostReason), "a reason is missing or too long")
	}
	w.At, w.By = s.projects.Now().UTC().Truncate(time.Second), by.ID
	detail := w.Reason
	if w.Newer > 0 {
		detail = "by " + releaseName(w.Newer) + ": " + w.Reason
	}
	return s.changeRelease(by, id, number, action, detail, func(r *Release) error {
		if r.IsWithdrawn() {
			return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("%s is withdrawn already, since %s", r.Name, r.Withdrawn.At.Format("2 January 2006")), Hint: "publish a new release"}
		}
		r.Withdrawn = &w
		return nil
	})
}

// AddRecipient records that somebody gets a release that is out. If a review decided about it,
// the approval must allow it.
func (s *Service) AddRecipient(ctx context.Context, by account.User, id project.ID, number int, name string) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	one, err := cleanRecipients([]string{name})
	if err == nil && len(one) == 0 {
		err = project.Invalidf("write who gets it", "the name of the recipient is missing")
	}
	if err != nil {
		return err
	}
	if err := s.mayGet(ws, number, one); err != nil {
		return err
	}
	now := s.projects.Now().UTC().Truncate(time.Second)
	return s.changeRelease(by, id, number, "add recipient", one[0], func(r *Release) error {
		switch {
		case !r.Valid():
			return project.Invalidf("give a newer release", "%s is withdrawn or superseded: nobody may get it any more", r.Name)
		case slices.Contains(r.Recipients, one[0]):
			return project.Invalidf("name somebody else", "%s has %s already", one[0], r.Name)
		case len(r.Recipients) >= mostRecipients:
			return project.Invalidf("name an institution instead of its people", "a release has at most %d recipients", mostRecipients)
		}
		r.Recipients = append(r.Recipients, one[0])
		r.Receipts = append(r.Receipts, Receipt{one[0], now, by.ID})
		return nil
	})
}

// mayGet asks the review of a release, if it has one.
func (s *Service) mayGet(ws *workspace, number int, recipients []string) error {
	r, err := s.storedRelease(ws.ID, number)
	if err != nil || r.Review == 0 || s.decided == nil {
		return err
	}
	c, err := s.StoredCandidate(ws.ID, number)
	if project.KindOf(err) == project.NotFound {
		return nil
	}
	if err == nil {
		_, err = s.decided.Approval(ws.Workspace, c, recipients)
	}
	return err
}

// changeRelease changes the record of a release in one transaction with its audit row.
func (s *Service) changeRelease(by account.User, id project.ID, number int, action, detail string, fn func(*Release) error) error {
	key := store.Key(uint64(number))
	err := s.projects.Update(id, project.EventBy(by, action, id.Object("releases", number), detail), func(tx *store.Tx) error {
		r, err := store.GetJSON[Release](tx, bucketReleases, key)
		if errors.Is(err, store.ErrNotFound) {
			return noRelease(id, number)
		}
		if err != nil {
			return err
		}
		return errors.Join(fn(&r), store.PutJSON(tx, bucketReleases, key, r))
	})
	s.projects.Tell(id, project.TopicPublish)
	return err
}

func noRelease(id project.ID, number int) error {
	return project.NotFoundf("project %s has no release %d", id, number)
}

// storedRelease reads a release as it is on record, for a caller that has entered the project.
func (s *Service) storedRelease(id project.ID, number int) (Release, error) {
	r, err := project.GetJSON[Release](s.projects, id, bucketReleases, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		err = noRelease(id, number)
	}
	return r, err
}

// ReleaseOf is the release of a candidate, nil while it is not published, for a caller that has entered
// the project.
func (s *Service) ReleaseOf(id project.ID, candidate int) (*Release, error) {
	r, err := s.storedRelease(id, candidate)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	return &r, err
}

// WriteStatus writes the signed status of all releases of a project, for their recipients.
func (s *Service) WriteStatus(ctx context.Context, by account.User, id project.ID, w io.Writer) error {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return err
	}
	all, err := s.Recorded(id)
	if err != nil {
		return err
	}
	st := evidence.Status{Project: string(id), Issued: s.projects.Now().UTC().Truncate(time.Second), Releases: []evidence.ReleaseStatus{}}
	for _, r := range all {
		st.Releases = append(st.Releases, evidence.ReleaseStatus{Number: r.Number, Name: r.Name, SHA256: r.SHA256, State: r.State()})
	}
	key, err := signing.Key(s.projects)
	if err != nil {
		return err
	}
	file, err := evidence.SignStatus(st, key)
	if err != nil {
		return err
	}
	if err := s.projects.Record(id, project.EventBy(by, "take status", id.Object("releases"))); err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// SigningKey is the public key that checks evidence packs and status files, in base64, and its
// fingerprint. It is for brokers and administrators, who hand it on.
func (s *Service) SigningKey(ctx context.Context, by account.User) (public, fingerprint string, err error) {
	if by.Disabled || !by.Role.Can(account.ManageWork) {
		return "", "", &project.Error{Kind: project.Forbidden, Message: "the public key of this installation is for brokers and administrators", Hint: "ask one of them"}
	}
	key, err := signing.Key(s.projects)
	if err != nil {
		return "", "", err
	}
	return evidence.PublicKey(key), signing.Fingerprint(key.Public().(ed25519.PublicKey)), nil
}
