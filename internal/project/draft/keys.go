// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/surrogate"
	"hide/internal/store"
)

// Surrogates are what a later release needs to have the surrogates of a release again. They
// link the release with its originals, so they are stored encrypted and can be destroyed.
type Surrogates struct {
	Key      []byte          `json:"key"`
	Patients []SurrogateBook `json:"patients"`
}

// SurrogateBook is what was invented for a patient.
type SurrogateBook struct {
	Group string                `json:"group"` // the patient, as [annotate.Document.Group] gives it
	Docs  []annotate.DocumentID `json:"docs"`
	Book  surrogate.Book        `json:"book"`
}

// books are what was invented before, ready to be looked up.
type books struct {
	group map[string]surrogate.Book
	days  map[annotate.DocumentID]int // shift of dates by note
}

func (s Surrogates) books() books {
	b := books{map[string]surrogate.Book{}, map[annotate.DocumentID]int{}}
	for _, one := range s.Patients {
		b.group[one.Group] = one.Book
		for _, doc := range one.Docs {
			b.days[doc] = one.Book.Days
		}
	}
	return b
}

// of is what was invented for a patient. If the patient's records were linked since then under
// another one, only the shift of dates stays: the other entries belong to a record.
func (b books) of(group string, docs []annotate.DocumentID) surrogate.Book {
	if book, ok := b.group[group]; ok {
		return book
	}
	for _, doc := range docs {
		if days := b.days[doc]; days != 0 {
			return surrogate.Book{Days: days}
		}
	}
	return surrogate.Book{}
}

// String says nothing of the key.
func (s Surrogates) String() string { return fmt.Sprintf("surrogates of %d patients", len(s.Patients)) }

// GoString is String.
func (s Surrogates) GoString() string { return s.String() }

// surrogatesOf reads the key and the books of a release.
func (s *Service) surrogatesOf(id project.ID, number int) (Surrogates, error) {
	kept, err := project.GetJSON[Surrogates](s.projects, id, bucketKeys, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return kept, project.Invalidf("make the release with new surrogates", "release %d has no key of surrogates: it was destroyed, or the release has none", number)
	}
	return kept, err
}

// keptKey is the part of [Surrogates] that names the key. The books, which are most of the
// stored value, are not decoded with it.
type keptKey struct {
	Key      []byte     `json:"key"`
	Patients []struct{} `json:"patients"`
}

// SurrogateKeys lists the releases whose key of surrogates is stored, newest first.
func (s *Service) SurrogateKeys(_ context.Context, by account.User, id project.ID) (out []Key, err error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	all, err := s.release.Recorded(ws.ID)
	if err != nil {
		return nil, err
	}
	shared := map[string][]int{} // releases by key
	var keys []string            // by place in out
	err = s.projects.View(id, func(tx *store.Tx) error {
		for _, r := range slices.Backward(all) {
			kept, err := store.GetJSON[keptKey](tx, bucketKeys, store.Key(uint64(r.Number)))
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			key := string(kept.Key)
			keys, shared[key] = append(keys, key), append(shared[key], r.Number)
			out = append(out, Key{Release: r.Number, Name: r.Name, Created: r.Created, Patients: len(kept.Patients)})
		}
		return nil
	})
	for i, key := range keys {
		out[i].Shared = slices.DeleteFunc(slices.Clone(shared[key]), func(n int) bool { return n == out[i].Release })
	}
	return out, err
}

// DestroySurrogateKey deletes the key and the books of a release: no later release can have
// the same surrogates, and nobody can compute them from the originals. The copies of the draft
// and of candidates go too, whether the release was made of them or they are like the release.
// Other releases with the same key keep theirs, see [Key.Shared]. It is refused while a draft
// is prepared or a release is written, because these may hold the key and store it at their end.
func (s *Service) DestroySurrogateKey(_ context.Context, by account.User, id project.ID, number int) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	if !ws.task.Claim(Status{}) {
		return &project.Error{Kind: project.Stale, Message: "a draft is being prepared", Hint: "wait for it, or cancel it, and destroy the key again"}
	}
	defer ws.task.Drop()
	ws.deciding.Lock()
	defer ws.deciding.Unlock()
	err = s.release.WhileIdle(ws.Workspace, func() error { return s.destroyKey(ws, by, number) })
	s.projects.Tell(id, project.TopicPublish)
	return err
}

// destroyKey deletes a key when nothing that runs holds it.
func (s *Service) destroyKey(ws *workspace, by account.User, number int) error {
	kept, err := s.surrogatesOf(ws.ID, number)
	if err != nil {
		return err
	}
	ws.planner, ws.planned = nil, 0
	ws.use(nil)
	frozen := func(content []byte) (bool, error) {
		copied, err := store.DecodeJSON[keptKey](bucketKeys, content)
		return bytes.Equal(copied.Key, kept.Key), err
	}
	err = s.projects.Update(ws.ID, project.EventBy(by, "destroy surrogate key", ws.ID.Object("releases", number)), func(tx *store.Tx) error {
		return errors.Join(dropKey(tx, kept.Key), release.DropFrozen(tx, bucketKeys, frozen), tx.Delete(bucketKeys, store.Key(uint64(number))), tx.Wipe())
	})
	if err == nil {
		err = s.projects.Store().Wipe()
	}
	return err
}

// dropKey deletes the key of the draft and its books if the key is this one.
func dropKey(tx *store.Tx, key []byte) error {
	own, err := tx.Get(bucketDraft, secretKey)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil || !bytes.Equal(own, key):
		return err
	}
	r, err := getJSON[record](tx, bucketDraft, recordKey)
	return errors.Join(err, tx.Delete(bucketDraft, secretKey), dropBooks(tx, r.Number))
}

// dropBooks deletes what was invented for the patients of a draft.
func dropBooks(tx *store.Tx, draft uint64) error {
	return tx.Scan(bucketPatients, store.Key(draft), func(key, raw []byte) error {
		p, err := store.DecodeJSON[storedPatient](bucketPatients, raw)
		if err != nil {
			return err
		}
		p.Earlier, p.Book = surrogate.Book{}, surrogate.Book{}
		return store.PutJSON(tx, bucketPatients, key, p)
	})
}
