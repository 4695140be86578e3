// SPDX-License-Identifier: Apache-2.0

package api

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hide/internal/annotate"
	"hide/internal/project/release"
	"hide/web/ui"
)

// published is a release.
type published struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Kind      string         `json:"kind"` // "text" or another kind
	Model     string         `json:"model,omitempty"`
	Created   time.Time      `json:"created"`
	Published time.Time      `json:"published"`
	By        string         `json:"by"`
	Notes     int            `json:"notes"`
	Tokens    int            `json:"tokens"`
	Redacted  map[string]int `json:"redacted"` // placeholders by label
	SHA256    string         `json:"sha256"`   // of the manifest
	Verified  bool           `json:"verified"` // the verifier found no problem
	Gone      bool           `json:"gone"`     // its files are missing
	Valid     bool           `json:"valid"`    // it may be used: neither withdrawn nor superseded
	Review    string         `json:"review,omitempty"`
	Warnings  []string       `json:"warnings"`
}

func kindWords(k release.Kind) string {
	if k == release.KindText {
		return "text"
	}
	return string(k)
}

func publishedOf(r release.Release) published {
	out := published{
		ID: strconv.Itoa(r.Number), Name: r.Name, Kind: kindWords(r.Kind), Created: r.Created.UTC(), Published: r.Published().UTC(), By: r.By,
		Notes: r.Documents, Tokens: r.Tokens, Redacted: r.Redacted, SHA256: r.SHA256, Verified: r.Verified, Gone: r.Gone, Valid: r.Valid(),
		Warnings: append([]string{}, r.Warnings...),
	}
	if out.Redacted == nil {
		out.Redacted = map[string]int{}
	}
	out.Model, out.Review = optional(r.Bundle), optional(r.Review)
	return out
}

// optional is a number as an id, "" for none.
func optional(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// listReleases lists the releases, newest first, with the state of publishing.
func (h *Handlers) listReleases(c ui.Context) error {
	all, err := h.releases.Releases(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	out := []published{}
	for _, r := range all {
		out = append(out, publishedOf(r))
	}
	return c.JSON(http.StatusOK, map[string]any{"releases": out})
}

func (h *Handlers) release(c ui.Context) error {
	r, err := h.releaseOf(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, publishedOf(r))
}

func (h *Handlers) releaseOf(c ui.Context) (release.Release, error) {
	n, err := number(c, "release")
	if err != nil {
		return release.Release{}, err
	}
	return h.releases.Release(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
}

// files sends a release as a zip, after the verifier has looked at it again.
func (h *Handlers) files(c ui.Context) error {
	r, err := h.releaseOf(c)
	if err != nil {
		return err
	}
	return ui.Attach(c, "application/zip", r.Name+".zip", func(w io.Writer) error {
		return h.releases.WriteRelease(c.Request().Context(), ui.User(c), ui.ProjectID(c), r.Number, w)
	})
}

// candidate is a release that is made and not published.
type candidate struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Model     string    `json:"model,omitempty"`
	Created   time.Time `json:"created"`
	By        string    `json:"by"`
	Notes     int       `json:"notes"`
	Hash      string    `json:"hash"`
	Published bool      `json:"published"`
	Dropped   bool      `json:"dropped"`
	Stale     string    `json:"stale,omitempty"` // why it is not what would be made today
	Warnings  []string  `json:"warnings"`
}

func (h *Handlers) listCandidates(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	all, err := h.releases.Candidates(ctx, u, id)
	if err != nil {
		return err
	}
	out := []candidate{}
	for _, r := range all {
		stale, err := h.releases.CandidateStale(ctx, u, id, r.Number)
		if err != nil {
			return err
		}
		out = append(out, candidate{
			ID: strconv.Itoa(r.Number), Kind: kindWords(r.Kind), Model: optional(r.Bundle), Created: r.Created.UTC(), By: r.By, Notes: r.Documents,
			Hash: r.Hash, Published: r.Published, Dropped: r.Dropped, Stale: stale, Warnings: append([]string{}, r.Warnings...),
		})
	}
	return c.JSON(http.StatusOK, map[string]any{"candidates": out})
}

// conditions are what a release with a redaction model would carry now. Who publishes repeats
// them: that shows that they were read, and that nothing has changed since.
type conditions struct {
	Notes      int              `json:"notes"`        // that would be published
	Warnings   []string         `json:"warnings"`     // that the release would carry
	Readable   []annotate.Label `json:"readable"`     // labels that stay readable
	Found      int              `json:"found"`        // identifiers that audits found and the release would publish
	Unlinked   int              `json:"unlinked"`     // pairs of records that may be one patient and nobody has decided about
	NeedReason string           `json:"needs_reason"` // why publishing needs a reason; "" if it needs none
}

func (h *Handlers) conditionsOf(c ui.Context, m int) (out conditions, err error) {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return out, err
	}
	out.Notes = o.Documents
	warnings, err := h.releases.PublishWarnings(ctx, u, id, m)
	if err != nil {
		return out, err
	}
	readable, err := h.releases.Readable(ctx, u, id, m)
	if err != nil {
		return out, err
	}
	open, err := h.releases.OpenFindings(ctx, u, id, m)
	if err != nil {
		return out, err
	}
	counted, err := h.releases.Counted(ctx, u, id)
	if err != nil {
		return out, err
	}
	read, err := h.releases.SampleRead(ctx, u, id, release.About{Bundle: m})
	out.Warnings, out.Readable = append([]string{}, warnings...), append([]annotate.Label{}, readable...)
	out.Found, out.Unlinked, out.NeedReason = open.Found, counted.Waiting, read.Lacks()
	return out, err
}

// conditions answers with them, for a redaction model.
func (h *Handlers) conditions(c ui.Context) error {
	m, err := number(c, "model")
	if err != nil {
		return err
	}
	now, err := h.conditionsOf(c, m)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, now)
}

// publishing is a request to publish.
type publishing struct {
	Model     string           `json:"model"`
	Candidate bool             `json:"candidate"` // freeze a candidate for a review instead
	Notes     *int             `json:"notes"`
	Warnings  []string         `json:"warnings"`
	Readable  []annotate.Label `json:"readable"`
	Found     int              `json:"found"`
	Unlinked  bool             `json:"unlinked"`   // publish although records may be of the same patient
	KeepKnown bool             `json:"keep_known"` // known identifiers are redacted only where the model or a person finds them
	Reason    string           `json:"reason"`     // for publishing although the forecast does not hold and nobody has read a sample
}

// publish starts to publish the notes with a redaction model. It is refused, with the present
// conditions, unless the request accepts each of them by name.
func (h *Handlers) publish(c ui.Context) error {
	var asked publishing
	if err := readJSON(c, &asked); err != nil {
		return err
	}
	m, err := numberIn("model", asked.Model)
	if err != nil {
		return err
	}
	now, err := h.conditionsOf(c, m)
	if err != nil {
		return err
	}
	if lacks := asked.lacks(now); len(lacks) > 0 {
		return refused(http.StatusConflict, "Conditions are not accepted", "Nothing was published. These members of the request do not agree with the present conditions: "+ui.Listed(lacks)+".",
			"Read the conditions in this answer. Repeat them in the request if you accept them.", map[string]any{"kind": "conditions", "conditions": now, "lacks": lacks})
	}
	ending := release.Publish
	if asked.Candidate {
		ending = release.Freeze
	}
	despite := release.Despite{Uncertified: asked.Reason, Found: asked.Found, Readable: asked.Readable, KeepKnown: asked.KeepKnown, Unlinked: asked.Unlinked}
	if err := h.releases.StartPublish(c.Request().Context(), ui.User(c), ui.ProjectID(c), ending, m, despite); err != nil {
		return err
	}
	return h.answerPublishing(c, http.StatusAccepted)
}

// lacks lists the members that do not agree with the conditions.
func (p publishing) lacks(now conditions) (names []string) {
	if p.Notes == nil || *p.Notes != now.Notes {
		names = append(names, "notes")
	}
	if !sameSet(p.Warnings, now.Warnings) {
		names = append(names, "warnings")
	}
	if !sameSet(p.Readable, now.Readable) {
		names = append(names, "readable")
	}
	if p.Found != now.Found {
		names = append(names, "found")
	}
	return names
}

func sameSet[S ~string](a, b []S) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// publishCandidate starts to publish an approved candidate. The request repeats its hash: that
// names the bytes that are meant, and not only a number.
func (h *Handlers) publishCandidate(c ui.Context) error {
	n, err := number(c, "candidate")
	if err != nil {
		return err
	}
	var asked struct {
		Hash       string   `json:"hash"`
		Recipients []string `json:"recipients"`
		Unlinked   bool     `json:"unlinked"` // as in publishing; so is Reason
		Reason     string   `json:"reason"`
	}
	if err := readJSON(c, &asked); err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	frozen, err := h.releases.Candidate(ctx, u, id, n)
	if err != nil {
		return err
	}
	if asked.Hash != frozen.Hash {
		return refused(http.StatusConflict, "Another candidate is meant", "Nothing was published. The hash of the request is not that of the candidate.",
			"Compare the hash with the one that was reviewed.", map[string]any{"kind": "hash"})
	}
	despite := release.Despite{Uncertified: asked.Reason, Unlinked: asked.Unlinked}
	if err := h.releases.StartPublishCandidate(ctx, u, id, n, asked.Recipients, despite); err != nil {
		return err
	}
	return h.answerPublishing(c, http.StatusAccepted)
}

// publishingStatus is the state of the running or the last publication.
type publishingStatus struct {
	Running   bool   `json:"running"`
	Kind      string `json:"kind"`
	Done      int    `json:"done"` // of Total notes
	Total     int    `json:"total"`
	Error     string `json:"error,omitempty"`
	Release   string `json:"release,omitempty"`   // that it made
	Candidate string `json:"candidate,omitempty"` // that it froze
}

func (h *Handlers) publishingStatus(c ui.Context) error {
	return h.answerPublishing(c, http.StatusOK)
}

func (h *Handlers) answerPublishing(c ui.Context, status int) error {
	s, err := h.releases.Publishing(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	return c.JSON(status, publishingStatus{s.Running, kindWords(s.Kind), s.Done, s.Total, s.Error, optional(s.Made), optional(s.Frozen)})
}

func (h *Handlers) cancelPublishing(c ui.Context) error {
	return noContent(c, h.releases.CancelPublish(c.Request().Context(), ui.User(c), ui.ProjectID(c)))
}
