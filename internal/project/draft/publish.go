// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish"
	"hide/internal/publish/policy"
	"hide/internal/store"
	"hide/internal/words"
)

// mostSigner is how many characters the name under a statement has at most.
const mostSigner = 120

// PublishDraft starts to publish the notes of the draft, or to freeze them as a candidate. It
// is refused while places wait for a decision, if the draft is stale or was published already,
// and if something is missing that the basis of the policy needs: a signed statement, a
// confirmed checklist, or a certificate and a review.
func (s *Service) PublishDraft(ctx context.Context, by account.User, id project.ID, ending release.Ending, a Answers) error {
	ws, l, unlock, err := s.lock(s.enter(by, account.Sanitize, id))
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.mayPublish(ws, l, ending); err != nil {
		return err
	}
	signed, err := sign(l.Policy.Basis.Needs(), a, s.projects.Now())
	if err != nil {
		return err
	}
	keep, err := s.keeps(ws.ID, l)
	if err != nil {
		return err
	}
	d := release.Drafted{
		Draft: l.Number, Policy: l.resolved(), Bundle: l.Bundle, Docs: l.Docs, Subset: l.Subset.Words(), Like: l.Like,
		Signed: signed, Agreed: l.Policy.Basis.Needs().Checklist, Warnings: warnings(l), Keep: keep,
		Despite: release.Despite{Uncertified: a.Uncertified, Found: a.Found, Unlinked: a.Unlinked},
		Inputs: func(ctx context.Context, numbers map[annotate.DocumentID]string) iter.Seq2[publish.Input, error] {
			return s.inputs(ctx, ws, l.record, numbers)
		},
	}
	if err := s.release.StartDrafted(ctx, by, id, ending, d); err != nil {
		return err
	}
	return s.recordSigned(by, l, id, signed)
}

// recordSigned puts a signature into the audit trail.
func (s *Service) recordSigned(by account.User, l *loaded, id project.ID, signed *publish.Signed) error {
	if signed == nil {
		return nil
	}
	return s.projects.Record(id, project.EventBy(by, "sign statement", l.object(id), string(l.Policy.Basis), "as", signed.By))
}

// mayPublish refuses a draft that is not ready.
func (s *Service) mayPublish(ws *workspace, l *loaded, ending release.Ending) error {
	if err := undecided(l.index); err != nil {
		return err
	}
	stale, err := s.stale(ws, l.record)
	if err != nil {
		return err
	}
	if stale != "" {
		return &project.Error{Kind: project.Stale, Message: "the draft is out of date: " + stale, Hint: "prepare it again; what people decided is kept"}
	}
	name, err := s.publishedAs(ws, l.Number)
	if err != nil || name == "" || ending == release.Freeze {
		return err
	}
	return &project.Error{Kind: project.Stale, Message: name + " was made of this draft already", Hint: "prepare another draft"}
}

// undecided refuses places that wait for a decision, by label.
func undecided(x *index) error {
	_, problems, _, byLabel := x.counts()
	if problems == 0 {
		return nil
	}
	counts := map[annotate.Label]int{}
	var labels []annotate.Label
	for _, c := range byLabel {
		if c.Problems > 0 && counts[c.Label] == 0 {
			labels = append(labels, c.Label)
		}
		counts[c.Label] += c.Problems
	}
	each := make([]string, len(labels))
	for i, l := range labels {
		each[i] = fmt.Sprintf("%d %s", counts[l], l)
	}
	return project.Invalidf("decide about them in the release table", "%s of the draft without a decision: %s", words.Count(problems, "place", "places"), strings.Join(each, ", "))
}

// sign checks what a person says to what a basis needs.
func sign(needs policy.Needs, a Answers, now time.Time) (*publish.Signed, error) {
	var missing []string
	for i, item := range needs.Checklist {
		if !slices.Contains(a.Agreed, item) {
			missing = append(missing, fmt.Sprint(i+1))
		}
	}
	if len(missing) > 0 {
		return nil, project.Obstructed(project.NotConfirmed, "confirm what the agreement with the recipient says", "items of the checklist are not confirmed: %s of %d", strings.Join(missing, ", "), len(needs.Checklist))
	}
	if needs.Statement == "" {
		return nil, nil
	}
	name := strings.Join(strings.Fields(a.Statement), " ")
	if name == "" || !project.FitsName(name, mostSigner) {
		return nil, project.Obstructed(project.NotSigned, "read it, and type your name to sign it", "the statement is not signed: %q", needs.Statement)
	}
	return &publish.Signed{Text: needs.Statement, By: name, At: now.UTC().Truncate(time.Second)}, nil
}

// warnings are the reasons for caution that the settings of a draft give.
func warnings(l *loaded) (out []string) {
	if l.KeepKnown {
		out = append(out, "Known identifiers are replaced only where the redaction model or a person found them: the release was made without replacing the others.")
	}
	if l.Bundle == 0 {
		out = append(out, "No redaction model was used: the text holds every identifier that the annotators missed and that structured data does not tell.")
	}
	if l.Policy.Has(policy.ShiftDate) {
		out = append(out, l.Policy.Shift.Words())
	}
	if l.Like > 0 {
		same := "Numbers of notes"
		if l.Policy.Hides() {
			same += " and invented values"
		}
		out = append(out, fmt.Sprintf("%s are those of release %d: a person with both releases can join them.", same, l.Like))
	}
	return out
}

// inputs yields the notes of a draft with their replacements. It fails if the draft has changed
// since it was published.
func (s *Service) inputs(ctx context.Context, ws *workspace, r record, numbers map[annotate.DocumentID]string) iter.Seq2[publish.Input, error] {
	return func(yield func(publish.Input, error) bool) {
		seen := 0
		for d, err := range ws.Documents(ctx, r.Docs) {
			if err == nil && d.ID != r.Docs[seen] {
				err = errChanged
			}
			in := publish.Input{Document: d.ID, Name: d.Name, Text: d.Text, Group: d.Person(), Identities: d.About(), ID: numbers[d.ID]}
			if err == nil {
				in.Known = publish.FindKnown(d.Text, d.About(), func(annotate.Identity) annotate.Label { return "" })
				in.Replacements, err = s.replacements(ws.ID, r, d.ID)
			}
			if !yield(in, err) || err != nil {
				return
			}
			seen++
		}
		if seen < len(r.Docs) {
			yield(publish.Input{}, errChanged)
		}
	}
}

// replacements are what becomes of the identifiers of a note.
func (s *Service) replacements(id project.ID, r record, doc annotate.DocumentID) ([]publish.Replacement, error) {
	var n storedNote
	err := s.projects.View(id, func(tx *store.Tx) error {
		version, err := tx.Get(bucketDraft, versionKey)
		if errors.Is(err, store.ErrNotFound) || err == nil && string(version) != r.version() {
			return errChanged
		}
		if err == nil {
			n, err = store.GetJSON[storedNote](tx, bucketPlaces, placeKey(r.Number, doc))
		}
		return err
	})
	out := make([]publish.Replacement, len(n.Decisions))
	for i, d := range n.Decisions {
		out[i] = publish.Replacement{Start: d.Start, End: d.End, Label: d.Label, Action: d.Action, Text: d.Replacement}
	}
	return out, err
}

// keeps is what the store keeps of a release with invented text, so that a later one can have
// the same.
func (s *Service) keeps(id project.ID, l *loaded) (release.Kept, error) {
	if !l.Policy.Hides() {
		return nil, nil
	}
	var key keptKey
	var books []keptBook
	err := s.projects.View(id, func(tx *store.Tx) (err error) {
		if key.Key, err = tx.Get(bucketDraft, secretKey); errors.Is(err, store.ErrNotFound) {
			return project.Invalidf("prepare the draft again", "the key of the surrogates was destroyed")
		}
		if err != nil {
			return err
		}
		return tx.Scan(bucketPatients, store.Key(l.Number), func(_, raw []byte) error {
			p, err := store.DecodeJSON[storedPatient](bucketPatients, raw)
			books = append(books, keptBook{p.Group, p.Docs, p.Book})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	key.Patients = len(books)
	rawKey, err1 := json.Marshal(key)
	rawBooks, err2 := json.Marshal(books)
	return release.Kept{bucketKeys: rawKey, bucketBooks: rawBooks}, errors.Join(err1, err2)
}
