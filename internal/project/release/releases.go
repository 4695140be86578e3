// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/store"
)

// Releases lists the releases, newest first.
func (s *Service) Releases(ctx context.Context, by account.User, id project.ID) ([]Release, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return nil, err
	}
	return s.StoredReleases(id)
}

// StoredReleases are the releases of a project as pages list them, newest first, for
// who has entered it.
func (s *Service) StoredReleases(id project.ID) ([]Release, error) {
	out, err := s.Recorded(id)
	slices.Reverse(out)
	for i := range out {
		s.presentRelease(id, &out[i])
	}
	return out, err
}

// Recorded lists the recorded releases of a project, oldest first.
func (s *Service) Recorded(id project.ID) (all []Release, err error) {
	err = s.projects.View(id, func(tx *store.Tx) (err error) {
		all, err = store.ListJSON[Release](tx, bucketReleases)
		return err
	})
	return all, err
}

// Release describes one release.
func (s *Service) Release(ctx context.Context, by account.User, id project.ID, number int) (Release, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Release{}, err
	}
	var r Release
	err := s.projects.View(id, func(tx *store.Tx) (err error) {
		r, err = store.GetJSON[Release](tx, bucketReleases, store.Key(uint64(number)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Release{}, project.NotFoundf("project %s has no release %d", id, number)
	}
	s.presentRelease(id, &r)
	if err == nil && r.Kind == KindText && !r.Gone && len(r.Warnings) == 0 {
		r.Warnings = s.manifestWarnings(id, r)
	}
	return r, err
}

// manifestWarnings reads the warnings of a release that was recorded without them. It
// returns none if the manifest cannot be read; a download would report that.
func (s *Service) manifestWarnings(id project.ID, r Release) []string {
	var m struct{ Warnings []string }
	text, err := os.ReadFile(filepath.Join(s.Dir(id, r.Name), "manifest.json"))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return slices.DeleteFunc(m.Warnings, func(w string) bool { return slices.Contains(r.Beside, w) })
}

func (s *Service) presentRelease(id project.ID, r *Release) {
	r.By = s.projects.PersonName(r.By)
	_, err := os.Stat(s.Dir(id, r.Name))
	r.Gone = err != nil
}

// ReleaseSample is the redacted text of the first n documents of a release. The order of
// a release is random, so they are a random sample. Releases other than text have none.
func (s *Service) ReleaseSample(ctx context.Context, by account.User, id project.ID, number, n int) ([]audit.ReleasedText, error) {
	r, err := s.Release(ctx, by, id, number)
	if err != nil {
		return nil, err
	}
	if r.Kind != KindText {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(s.Dir(id, r.Name), "notes.jsonl"))
	if err != nil {
		return nil, GoneError(r, err)
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReader(f))
	var out []audit.ReleasedText
	for len(out) < n {
		var t audit.ReleasedText
		if err := dec.Decode(&t); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.Name, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// GoneError is about a release whose files cannot be read.
func GoneError(r Release, err error) error {
	return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("the files of %s cannot be read", r.Name), Hint: "restore them from a backup of the releases folder", Err: err}
}

// WriteMapping writes the re-identification map of a release: the original of each
// released document, and the place of each placeholder in it. Together with the originals
// it lets hide verify check that nothing else was changed. It is as sensitive as the
// originals.
func (s *Service) WriteMapping(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error {
	return s.handOutSealed(by, id, bucketMappings, number, "take mapping", w)
}

// WriteOriginals writes the notes behind a release of notes with fields, with their
// sensitive terms. With the mapping, hide verify compares the release with them. Later
// changes of the notes are not in it.
func (s *Service) WriteOriginals(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error {
	return s.handOutSealed(by, id, bucketOriginals, number, "take originals", w)
}

func (s *Service) handOutSealed(by account.User, id project.ID, bucket string, number int, action string, w io.Writer) error {
	if _, err := s.enter(by, account.ManageWork, id); err != nil {
		return err
	}
	err := s.projects.HandOut(id, bucket, number, project.EventBy(by, action, id.Object("releases", number)), w)
	if errors.Is(err, store.ErrNotFound) {
		return project.NotFoundf("project %s has no originals of release %d", id, number)
	}
	return err
}

// VerifiedAgain verifies the files of a release and returns the sum of its manifest. For
// a release in an older format it checks only the sums.
func VerifiedAgain(dir string) (sum string, err error) {
	found, err := verify.Release(os.DirFS(dir))
	r := found.Common()
	if errors.Is(err, verify.ErrOlder) {
		err = nil
	}
	if err == nil && !r.OK {
		err = errors.New(r.Problems[0].String())
	}
	return r.SHA256, err
}

// unchanged verifies a release again and checks that it is the recorded one: files on a
// disk can be damaged or modified.
func unchanged(dir string, r Release) error {
	sum, err := VerifiedAgain(dir)
	if err == nil && sum == r.SHA256 {
		return nil
	}
	return &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("the files of %s have changed since they were published", r.Name),
		Hint: "do not share them; run hide verify to see what is wrong; publish again, or restore the folder from a copy", Err: err}
}

// WriteRelease verifies the release again and writes it as a zip.
func (s *Service) WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error {
	r, err := s.Release(ctx, by, id, number)
	if err != nil {
		return err
	}
	if r.Gone {
		return GoneError(r, nil)
	}
	dir := s.Dir(id, r.Name)
	if err := unchanged(dir, r); err != nil {
		return err
	}
	ev := project.EventBy(by, "download release", id.Object("releases", number))
	if err := s.projects.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return release.Zip(w, dir)
}
