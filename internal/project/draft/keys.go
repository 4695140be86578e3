// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/surrogate"
	"hide/internal/store"
)

// keptKey is the key of the surrogates of a release. With the books it lets a later release have
// the same surrogates, and it links the release with its originals. So it is stored encrypted
// and can be destroyed.
type keptKey struct {
	Key      []byte `json:"key"`
	Patients int    `json:"patients"` // who have a book
}

// String says nothing of the key.
func (k keptKey) String() string { return fmt.Sprintf("key of surrogates of %d patients", k.Patients) }

// GoString is String.
func (k keptKey) GoString() string { return k.String() }

// keyOfRelease reads the key of a release.
func (s *Service) keyOfRelease(id project.ID, number int) (keptKey, error) {
	kept, err := project.GetJSON[keptKey](s.projects, id, bucketKeys, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return kept, project.Invalidf("make the release with new surrogates", "release %d has no key of surrogates: it was destroyed, or the release has none", number)
	}
	return kept, err
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
			out = append(out, Key{Release: r.Number, Name: r.Name, Created: r.Created, Patients: kept.Patients})
		}
		return nil
	})
	for i, key := range keys {
		out[i].Shared = slices.DeleteFunc(slices.Clone(shared[key]), func(n int) bool { return n == out[i].Release })
	}
	return out, err
}

// DestroySurrogateKey deletes the key and the books of a release: no later release can have
// the same surrogates, and nobody can compute them from the originals. It also deletes the copies
// of the key in the draft and in candidates. Other releases with the same key keep their copy, see
// [Key.Shared]. It is refused while a draft is prepared or a release is written, because both may
// store the key at their end.
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
	kept, err := s.keyOfRelease(ws.ID, number)
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
		return errors.Join(dropKey(tx, kept.Key), release.DropFrozen(tx, frozen, bucketKeys, bucketBooks), dropKept(tx, store.Key(uint64(number))), tx.Wipe())
	})
	if err == nil {
		err = s.projects.Store().Wipe()
	}
	return err
}

// dropKept deletes the key and the books of a release.
func dropKept(tx *store.Tx, release []byte) error {
	return errors.Join(tx.Delete(bucketKeys, release), tx.Delete(bucketBooks, release))
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
	r, err := store.FindJSON[record](tx, bucketDraft, recordKey)
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
