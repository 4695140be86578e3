// SPDX-License-Identifier: Apache-2.0

package project

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
	"strings"

	"hide/internal/account"
	"hide/internal/publish"
	jointcheck "hide/internal/publish/joint/check"
	strongcheck "hide/internal/publish/strong/check"
	tablecheck "hide/internal/publish/table/check"
	"hide/internal/publish/verify"
	"hide/internal/store"
)

// Releases lists the releases, newest first.
func (s *Service) Releases(ctx context.Context, by account.User, id ID) ([]Release, error) {
	if _, err := s.Enter(by, account.SeeFigures, id); err != nil {
		return nil, err
	}
	return s.releasesOf(id)
}

func (s *Service) releasesOf(id ID) ([]Release, error) {
	var out []Release
	err := s.View(id, func(tx *store.Tx) (err error) {
		out, err = store.ListJSON[Release](tx, bucketReleases)
		return err
	})
	slices.Reverse(out)
	for i := range out {
		s.presentRelease(id, &out[i])
	}
	return out, err
}

// Release describes one release.
func (s *Service) Release(ctx context.Context, by account.User, id ID, number int) (Release, error) {
	if _, err := s.Enter(by, account.SeeFigures, id); err != nil {
		return Release{}, err
	}
	var r Release
	err := s.View(id, func(tx *store.Tx) (err error) {
		r, err = store.GetJSON[Release](tx, bucketReleases, store.Key(uint64(number)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Release{}, NotFoundf("project %s has no release %d", id, number)
	}
	s.presentRelease(id, &r)
	if err == nil && r.Kind == ReleaseText && !r.Gone && len(r.Warnings) == 0 {
		r.Warnings = s.manifestWarnings(id, r)
	}
	return r, err
}

// manifestWarnings are those of a release that was recorded without them; none when
// its manifest cannot be read, which a download would say.
func (s *Service) manifestWarnings(id ID, r Release) []string {
	var m struct{ Warnings []string }
	text, err := os.ReadFile(filepath.Join(s.releaseDir(id, r.Name), "manifest.json"))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return slices.DeleteFunc(m.Warnings, func(w string) bool { return slices.Contains(r.Beside, w) })
}

func (s *Service) presentRelease(id ID, r *Release) {
	r.By = s.opts.PersonName(r.By)
	_, err := os.Stat(s.releaseDir(id, r.Name))
	r.Gone = err != nil
}

// ReleaseSample is the redacted text of the first n documents of a release. The
// order of a release is random, so the first are a random sample. Other releases
// than text have none.
func (s *Service) ReleaseSample(ctx context.Context, by account.User, id ID, number, n int) ([]ReleasedText, error) {
	r, err := s.Release(ctx, by, id, number)
	if err != nil {
		return nil, err
	}
	if r.Kind != ReleaseText {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(s.releaseDir(id, r.Name), "notes.jsonl"))
	if err != nil {
		return nil, releaseGone(r, err)
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReader(f))
	var out []ReleasedText
	for len(out) < n {
		var t ReleasedText
		if err := dec.Decode(&t); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.Name, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func releaseGone(r Release, err error) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf("the files of %s cannot be read", r.Name), Hint: "restore them from a backup of the releases folder", Err: err}
}

// WriteMapping writes who is who in a release: which original each released
// document is, and where each placeholder stands in it. With the originals it
// lets hide verify check that nothing else was changed. It is as sensitive
// as the originals.
func (s *Service) WriteMapping(ctx context.Context, by account.User, id ID, number int, w io.Writer) error {
	return s.handOutSealed(by, id, bucketMappings, number, "take mapping", w)
}

// WriteOriginals writes the notes that a release of notes with fields was made of, with
// the terms that were sensitive in them: with the mapping hide verify compares the
// release with them. Later changes of the notes do not show in it.
func (s *Service) WriteOriginals(ctx context.Context, by account.User, id ID, number int, w io.Writer) error {
	return s.handOutSealed(by, id, bucketOriginals, number, "take originals", w)
}

func (s *Service) handOutSealed(by account.User, id ID, bucket string, number int, action string, w io.Writer) error {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return err
	}
	err := s.handOut(id, bucket, number, EventBy(by, action, id.Object("releases", number)), w)
	if errors.Is(err, store.ErrNotFound) {
		return NotFoundf("project %s has no release %d of which this is kept", id, number)
	}
	return err
}

// verifiedAgain lets the verifier of a release's kind check its files, which gives
// the sum of the manifest.
func verifiedAgain(dir string, kind ReleaseKind) (sum string, err error) {
	switch kind {
	case ReleaseTable:
		report, err := tablecheck.Release(os.DirFS(dir))
		if err == nil && !report.OK {
			err = errors.New(report.Problems[0].String())
		}
		return report.SHA256, err
	case ReleaseJoint:
		report, err := jointcheck.Release(os.DirFS(dir))
		if err == nil && !report.OK {
			err = errors.New(report.Problems[0].String())
		}
		return report.SHA256, err
	case ReleaseCube, ReleaseSequences, ReleaseQuery:
		report, err := strongcheck.Release(os.DirFS(dir))
		if err == nil && !report.OK {
			err = errors.New(strings.Join(report.Problems, "; "))
		}
		return report.SHA256, err
	}
	report, err := verify.Verify(os.DirFS(dir))
	if err == nil && !report.OK && len(report.Problems) > 0 {
		err = errors.New(report.Problems[0].String())
	}
	return report.SHA256, err
}

// unchanged verifies a release again, and that it is the one on record: files on
// a disk can be damaged or meddled with.
func unchanged(dir string, r Release) error {
	sum, err := verifiedAgain(dir, r.Kind)
	if err == nil && sum == r.SHA256 {
		return nil
	}
	return &Error{Kind: Invalid, Message: fmt.Sprintf("the files of %s are not what was published", r.Name),
		Hint: "do not hand them out; hide verify names what is wrong; publish again, or restore the folder from a copy", Err: err}
}

// WriteRelease writes the release as a zip, after verifying it once more.
func (s *Service) WriteRelease(ctx context.Context, by account.User, id ID, number int, w io.Writer) error {
	r, err := s.Release(ctx, by, id, number)
	if err != nil {
		return err
	}
	if r.Gone {
		return releaseGone(r, nil)
	}
	dir := s.releaseDir(id, r.Name)
	if err := unchanged(dir, r); err != nil {
		return err
	}
	ev := EventBy(by, "download release", id.Object("releases", number))
	if err := s.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return publish.Zip(w, dir)
}
