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
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/store"
	"hide/internal/words"
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
func (s *Service) Recorded(id project.ID) ([]Release, error) {
	return project.ListJSON[Release](s.projects, id, bucketReleases)
}

// Release describes one release.
func (s *Service) Release(ctx context.Context, by account.User, id project.ID, number int) (Release, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Release{}, err
	}
	r, err := s.storedRelease(id, number)
	if project.KindOf(err) == project.NotFound {
		return Release{}, err
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
	return slices.DeleteFunc(m.Warnings, func(w string) bool { return slices.Contains(r.EarlierWords, w) })
}

func (s *Service) presentRelease(id project.ID, r *Release) {
	r.By = s.projects.PersonName(r.By)
	if r.Withdrawn != nil {
		w := *r.Withdrawn
		w.By = s.projects.PersonName(w.By)
		r.Withdrawn = &w
	}
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
	return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("the files of %s cannot be read", r.Name), Hint: "restore a backup into another folder and copy them from its folder releases", Err: err}
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
		return project.NotFoundf("project %s has no release %d with this file", id, number)
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
	_, dir, err := s.takeable(ctx, by, id, number)
	if err != nil {
		return err
	}
	ev := project.EventBy(by, "download release", id.Object("releases", number))
	if err := s.projects.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return release.Zip(w, dir)
}

// Readable lists, sorted, the annotated labels that a release with the bundle does not
// redact, because its run counted them as not sensitive.
func (s *Service) Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.sanitize.StoredBundle(id, bundle)
	if err != nil {
		return nil, err
	}
	return s.readable(ctx, ws, info)
}

// readable looks for labels excluded by the bundle in every note, finished or not,
// because all notes are published.
func (s *Service) readable(ctx context.Context, ws *workspace, info sanitize.Bundle) ([]annotate.Label, error) {
	used, err := ws.LabelsInUse(ctx)
	if err != nil {
		return nil, err
	}
	var readable []annotate.Label
	for _, l := range info.ExcludedNow(ws.Names(), ws.Labels()) {
		if used[l] {
			readable = append(readable, l)
		}
	}
	slices.Sort(readable)
	return slices.Compact(readable), nil
}

// knownReadable refuses a release unless the caller knows exactly the labels that stay
// readable.
func knownReadable(readable, known []annotate.Label, info sanitize.Bundle) error {
	if slices.Equal(readable, slices.Compact(slices.Sorted(slices.Values(known)))) {
		return nil
	}
	if len(readable) == 0 {
		return project.Invalidf("name no label", "bundle %d redacts all annotations", info.Number)
	}
	return project.Obstructed(project.StaysReadable, "use a bundle of a run that counts them as sensitive, or confirm that exactly these labels stay readable",
		"bundle %d does not redact annotations with the labels %s", info.Number, project.Joined(readable))
}

// recordReadable records which labels are published unredacted.
func (s *Service) recordReadable(ws *workspace, by account.User, readable []annotate.Label, info sanitize.Bundle) error {
	if len(readable) == 0 {
		return nil
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "publish readable", ws.ID.Object("bundles", info.Number), project.Joined(readable)))
}

// Earlier lists the earlier releases of a project's patients, oldest first, and states
// what they mean for another release, in words that the release may carry.
type Earlier struct {
	Releases []Release
	Says     []string
}

// EarlierReleases returns the earlier releases for a release of this kind that is not made
// yet.
func (s *Service) EarlierReleases(ctx context.Context, by account.User, id project.ID, kind Kind) (Earlier, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Earlier{}, err
	}
	return s.earlier(id, kind)
}

func (s *Service) earlier(id project.ID, kind Kind) (Earlier, error) {
	all, err := s.Recorded(id)
	return Earlier{all, earlierWords(kind, all)}, err
}

// Words name the content of a release: "a table".
func (k Kind) Words() string {
	switch k {
	case KindTable:
		return "a table"
	case KindCube:
		return "counts"
	case KindSequences:
		return "sequences"
	case KindQuery:
		return "an answer"
	case KindJoint:
		return "notes with their fields"
	}
	return "text"
}

// earlierWords state the promise of a release of this kind after earlier ones of the same
// patients. Each weak promise assumes that the attacker has only one release (composition
// attacks, Ganta et al. 2008). Epsilon adds up over the strong releases only.
func earlierWords(kind Kind, earlier []Release) []string {
	isStrong := func(r Release) bool { return r.Kind.Strong() }
	weak, paid := slices.DeleteFunc(slices.Clone(earlier), isStrong), slices.DeleteFunc(slices.Clone(earlier), func(r Release) bool { return !isStrong(r) })
	var says []string
	switch {
	case kind.Strong() && len(weak) > 0:
		says = append(says, fmt.Sprintf("Earlier releases of the same patients give weaker guarantees: %s. The guarantee covers this release alone. The budget does not limit what an attacker learns by combining it with the earlier releases.", listed(weak)))
	case len(weak) > 0:
		says = append(says, fmt.Sprintf("Earlier releases of the same patients: %s. %s", listed(weak), together(kind)))
	}
	if len(paid) > 0 && !kind.Strong() {
		says = append(says, fmt.Sprintf("Earlier releases of the same patients were paid from a privacy budget: %s. Their guarantee, epsilon %v in total, covers only those releases. Nothing limits what an attacker learns by combining them with this release.", listed(paid), spentBy(paid)))
	}
	return says
}

// together states the remaining promise of a release that has weak ones beside it.
func together(kind Kind) string {
	if kind == KindText {
		return "The figures hold against an attacker who has this release alone: an earlier release may contain or reveal what is redacted here."
	}
	return "k-anonymity holds against an attacker who has this release alone: an attacker who combines it with an earlier release may narrow a class down to one patient."
}

// listed: "release-1 (a table, 3 May 2026) and release-2 (text, 4 May 2026)".
func listed(all []Release) string {
	each := make([]string, len(all))
	for i, r := range all {
		each[i] = fmt.Sprintf("%s (%s, %s)", r.Name, r.Kind.Words(), r.Published().Format("2 Jan 2006"))
	}
	return words.List(each)
}

// spentBy sums the epsilon of releases. A release that was written again cost nothing
// more.
func spentBy(all []Release) (sum ledger.Micro) {
	paid := map[uint64]bool{}
	for _, r := range all {
		if r.Strong != nil && !paid[r.Strong.Entry] {
			paid[r.Strong.Entry] = true
			sum += r.Strong.Epsilon
		}
	}
	return sum
}
