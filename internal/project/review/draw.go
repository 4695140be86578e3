// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/store"
	"hide/internal/words"
)

// Draw is a random sample of a candidate's passages, or one that was begun and abandoned.
// Every draw of a project stays on record, so that nobody can draw until the result is
// pleasant.
type Draw struct {
	Number     int              `json:"number"` // from 1, in its project
	Session    int              `json:"session"`
	Candidate  int              `json:"candidate"`
	Hash       string           `json:"hash"` // of the candidate
	Parameters audit.Parameters `json:"parameters"`
	Readers    int              `json:"readers"` // people who read each passage: 1 or 2

	Labels []annotate.Label `json:"labels"` // that claims are made about: all that the candidate redacts

	Commitment string    `json:"commitment"` // hex; see [audit.Commitment]
	Secret     string    `json:"secret"`     // hex; in the evidence pack once the number is given
	By         string    `json:"by"`         // account of the broker
	At         time.Time `json:"at"`

	Entropy  string     `json:"number_given,omitempty"` // by a member who is not the broker; "" before
	GivenBy  string     `json:"given_by,omitempty"`     // account
	GivenAt  *time.Time `json:"given_at,omitempty"`
	More     int        `json:"more,omitempty"`     // random passages that were added while people read, see [Service.ReadMore]
	Planted  int        `json:"planted"`            // plants that found a place
	Selected []int      `json:"doubtful,omitempty"` // indices of the most doubtful passages

	Abandoned *time.Time `json:"abandoned,omitempty"`
	Why       string     `json:"why,omitempty"`
}

// Begun reports whether passages were drawn.
func (d Draw) Begun() bool { return d.Entropy != "" }

// Limits of a draw.
const (
	mostPlanned  = 20_000
	mostDoubtful = 2_000
	mostPlants   = 1_000
	numberLimit  = 100 // characters of the number that a member gives
)

// Sampling says how a broker wants to sample.
type Sampling struct {
	Random   int  // passages to be drawn at random
	Doubtful int  // of greatest doubt, to be read besides
	Plants   int  // planted identifiers
	Anytime  bool // readers may look at the bound and stop
	Readers  int  // for each passage: 1 or 2; 0 means 1
}

// CommitDraw fixes how the sample of a session is drawn, with a secret that the broker cannot
// change any more. The passages are drawn when another member has given a number.
func (s *Service) CommitDraw(ctx context.Context, by account.User, id project.ID, number int, how Sampling) (Draw, error) {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return Draw{}, err
	}
	now := s.now()
	if err := session.must(now, Prepared, Open); err != nil {
		return Draw{}, err
	}
	if err := s.notStale(ws, &session); err != nil {
		return Draw{}, err
	}
	passages, err := s.passages(id, session.Candidate)
	if err != nil {
		return Draw{}, err
	}
	how.Readers = max(1, how.Readers)
	if err := how.check(passages); err != nil {
		return Draw{}, err
	}
	misses, err := s.misses(ctx, ws, session.Candidate)
	if err != nil {
		return Draw{}, err
	}
	d := Draw{Session: number, Candidate: session.Candidate, Hash: session.Hash, By: by.ID, At: now, Readers: how.Readers}
	if d.Labels, err = s.releases.LabelsOf(ctx, id, session.Candidate); err != nil {
		return Draw{}, err
	}
	d.Parameters = audit.Parameters{Passages: len(passages), Doubtful: how.Doubtful, Planned: how.Random, Plants: how.Plants, Anytime: how.Anytime, Alpha: audit.Alpha}
	if err := d.commit(); err != nil {
		return Draw{}, err
	}
	return d, s.storeDraw(ws, by, &d, misses)
}

// commit chooses the secret.
func (d *Draw) commit() error {
	hash, err := bytes32(d.Hash, fmt.Sprintf("the hash of candidate %d", d.Candidate))
	if err != nil {
		return err
	}
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it ends the program instead
	commitment := audit.Commitment(secret, hash, d.Parameters)
	d.Secret, d.Commitment = hex.EncodeToString(secret[:]), hex.EncodeToString(commitment[:])
	return nil
}

func (d *Draw) secret() ([32]byte, error) {
	return bytes32(d.Secret, fmt.Sprintf("the secret of draw %d", d.Number))
}

// storeDraw puts a new draw on record, and into its session, in one transaction.
func (s *Service) storeDraw(ws *workspace, by account.User, d *Draw, misses []audit.Miss) error {
	check := func(session *Session) (string, error) {
		if err := session.must(d.At, Prepared, Open); err != nil {
			return "", err
		}
		if session.Hash != d.Hash {
			return "", &project.Error{Kind: project.Stale, Message: "the review is about another candidate now", Hint: "commit to a draw of that one"}
		}
		return "", s.noOther(ws.ID, session)
	}
	_, err := s.change(ws, by, d.Session, "commit draw", check, func(tx *store.Tx, session *Session) error {
		n, err := tx.Next(bucketDraws)
		d.Number = int(n)
		session.Draws = append(session.Draws, d.Number)
		return errors.Join(err, store.PutJSON(tx, bucketDraws, store.Key(n), d), store.PutJSON(tx, bucketMisses, store.Key(n), misses),
			tx.Audit(project.EventBy(by, "commit draw", ws.ID.Object("draws", n), fmt.Sprintf("%s, commitment %s", d.Parameters, d.Commitment))))
	})
	return err
}

// noOther refuses a second draw beside one that is under way.
func (s *Service) noOther(id project.ID, session *Session) error {
	for _, n := range session.Draws {
		d, err := s.storedDraw(id, n)
		if err != nil {
			return err
		}
		if d.Abandoned == nil && d.Hash == session.Hash {
			return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("draw %d is under way", n), Hint: "read it to its end, or abandon it: an abandoned draw stays on record"}
		}
	}
	return nil
}

func (how Sampling) check(all []candidate.Passage) error {
	passages := len(all)
	switch {
	case passages == 0:
		return project.Invalidf("review it without reading", "the candidate has no words left to read: everything is redacted")
	case how.Random < 1 || how.Random > mostPlanned || how.Doubtful < 0 || how.Doubtful > mostDoubtful:
		return project.Invalidf(fmt.Sprintf("choose 1 to %s random passages and up to %s doubtful ones", words.Number(mostPlanned), words.Number(mostDoubtful)), "cannot draw %d random and %d doubtful passages", how.Random, how.Doubtful)
	case how.Doubtful > 0 && !slices.ContainsFunc(all, func(p candidate.Passage) bool { return p.Doubt >= 0 }):
		return project.Invalidf("choose random passages alone", "no redaction model says which passages of the candidate are doubtful")
	case how.Random+how.Doubtful > passages:
		return project.Invalidf("choose fewer, or read all of them", "the candidate has %s, and %d are asked for", words.Count(passages, "passage", "passages"), how.Random+how.Doubtful)
	case how.Plants < 0 || how.Plants > min(mostPlants, how.Random+how.Doubtful):
		return project.Invalidf("plant at most one identifier in each passage to read", "cannot plant %d identifiers in %d passages", how.Plants, how.Random+how.Doubtful)
	case how.Readers > 2:
		return project.Invalidf("choose one or two", "a passage is read by one or two people")
	}
	return nil
}

func (s *Service) storedDraw(id project.ID, number int) (Draw, error) {
	d, err := project.GetJSON[Draw](s.projects, id, bucketDraws, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return d, project.NotFoundf("project %s has no draw %d", id, number)
	}
	return d, err
}

// Draws lists all draws of a project, oldest first, for the evidence: abandoned ones too.
// Their secrets are left out, except those of abandoned draws: who knows the secret of a draw
// can tell where identifiers are planted. The evidence pack has it when the review is over.
func (s *Service) Draws(ctx context.Context, by account.User, id project.ID) ([]Draw, error) {
	if _, err := s.look(by, id); err != nil {
		return nil, err
	}
	all, err := project.ListJSON[Draw](s.projects, id, bucketDraws)
	for i := range all {
		all[i] = all[i].public()
	}
	return all, err
}

func (d Draw) public() Draw {
	if !d.Begun() || d.Abandoned == nil {
		d.Secret = ""
	}
	return d
}

// GiveNumber draws the passages: the seed is made of the broker's secret and a number that
// another member gives, such as the last digits of a lottery or of a share price.
func (s *Service) GiveNumber(ctx context.Context, by account.User, id project.ID, number int, text string) (Draw, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return Draw{}, err
	}
	text = strings.TrimSpace(text)
	now := s.now()
	if err := session.must(now, Open); err != nil {
		return Draw{}, err
	}
	if n := utf8.RuneCountInString(text); n < 3 || !project.FitsName(text, numberLimit) {
		return Draw{}, project.Invalidf(fmt.Sprintf("enter 3 to %d digits or letters that nobody could have known", numberLimit), "this number is too short or too long")
	}
	ws.changing.Lock() // one number for a draw, and no game shows its passages meanwhile
	defer ws.changing.Unlock()
	d, err := s.newestDraw(id, &session)
	if err != nil {
		return Draw{}, err
	}
	switch {
	case d.By == by.ID:
		return Draw{}, project.Invalidf("ask another member for a number", "the broker who committed to the draw cannot give the number")
	case d.Begun():
		return Draw{}, &project.Error{Kind: project.Stale, Message: fmt.Sprintf("the number of draw %d was given already", d.Number)}
	}
	d.Entropy, d.GivenBy, d.GivenAt = text, by.ID, &now
	o, shown, err := s.choose(ctx, ws, d)
	if err != nil {
		return Draw{}, err
	}
	if err := s.putDraw(ws, by, "draw", o.draw, "number "+text, shown.put(d.Number)); err != nil {
		return Draw{}, err
	}
	ws.mu.Lock()
	ws.draws[d.Number] = o
	ws.mu.Unlock()
	s.projects.Tell(id, project.TopicReview)
	return o.draw.public(), nil
}

// choose draws the passages, and plants identifiers in those that nobody has seen.
func (s *Service) choose(ctx context.Context, ws *workspace, d Draw) (*openedDraw, shownByDraw, error) {
	sheet, err := s.sheet(ws.ID, d.Candidate)
	if err != nil {
		return nil, shownByDraw{}, err
	}
	notes, err := s.closeSeen(ctx, ws.ID, sheet, d.Candidate, d.Hash)
	if err != nil {
		return nil, shownByDraw{}, err
	}
	o, err := s.openDraw(ctx, ws, d, sheet)
	if err != nil {
		return nil, shownByDraw{}, err
	}
	o.draw.Planted, o.draw.Selected = countPlants(o.shown), o.order[:d.Parameters.Doubtful]
	if d.Parameters.Plants > 0 && o.draw.Planted == 0 {
		return nil, shownByDraw{}, project.Invalidf("let the broker abandon draw "+words.Number(d.Number)+", and commit to one without planted identifiers",
			"no identifier can be planted: people have seen every passage of the sample before")
	}
	seen := o.order[:len(o.shown)]
	return o, shownByDraw{seenOnce{d.Hash, seen, o.notesOf(seen, notes)}, o.closedOnes()}, nil
}

func countPlants(shown []audit.Shown) (n int) {
	for _, one := range shown {
		if one.Plant != nil {
			n++
		}
	}
	return n
}

// putDraw stores a draw, and what belongs to the change, in one transaction.
func (s *Service) putDraw(ws *workspace, by account.User, action string, d Draw, detail string, also ...func(*store.Tx) error) error {
	ev := project.EventBy(by, action, ws.ID.Object("draws", d.Number), detail)
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		for _, one := range also {
			if err := one(tx); err != nil {
				return err
			}
		}
		return store.PutJSON(tx, bucketDraws, store.Key(uint64(d.Number)), d)
	})
}

// newestDraw is the draw of a session that is not abandoned.
func (s *Service) newestDraw(id project.ID, session *Session) (Draw, error) {
	for _, n := range slices.Backward(session.Draws) {
		d, err := s.storedDraw(id, n)
		if err != nil || d.Abandoned == nil {
			return d, err
		}
	}
	return Draw{}, project.NotFoundf("review %d has no draw: the broker has to commit to one first", session.Number)
}

// AbandonDraw ends a draw before its end, for a reason. It stays on record.
func (s *Service) AbandonDraw(ctx context.Context, by account.User, id project.ID, number int, why string) error {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	now := s.now()
	if err := errors.Join(session.must(now, Prepared, Open), fits(why, lineLimit, "reason")); err != nil {
		return err
	}
	ws.changing.Lock()
	defer ws.changing.Unlock()
	d, err := s.newestDraw(id, &session)
	if err != nil {
		return err
	}
	d.Abandoned, d.Why = &now, strings.TrimSpace(why)
	if err := s.putDraw(ws, by, "abandon draw", d, d.Why); err != nil {
		return err
	}
	ws.mu.Lock()
	delete(ws.draws, d.Number)
	ws.mu.Unlock()
	s.projects.Tell(id, project.TopicReview)
	return nil
}
