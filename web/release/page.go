// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	dppages "hide/web/dp"
	"hide/web/publishing"
	"hide/web/ui"
)

// sampleSize is the number of redacted notes that the page of a release shows.
const sampleSize = 5

// releaseView is the page of a release.
type releaseView struct {
	Project   project.Overview
	Release   release.Release
	Sample    []audit.ReleasedText
	Sequences dp.ReleasedSequences
	Counts    dppages.Counts
	Later     []release.Release // of the same patients, oldest first
	Read      release.Sampled   // by people, of the candidate that it was

	Key    string    // public key of the installation, for brokers
	Error  *ui.Error // of a form
	Reason string    // typed into the form
}

// warnings are the warnings of the manifest without the result of the audit, which the page
// shows first.
func (v releaseView) warnings() []string {
	if v.Release.Audit == nil {
		return v.Release.Warnings
	}
	return without(v.Release.Warnings, audit.Words(*v.Release.Audit))
}

// reading is what people have read of the release. It does not change any more.
func (v releaseView) reading() publishing.Reading {
	r := publishing.Reading{Project: v.Project.ID, Of: "this release", Sampled: v.Read}
	r.Void, r.Old = "", v.Release.Audit
	return r
}

func without(warnings []string, elsewhere ...string) []string {
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return slices.Contains(elsewhere, w) })
}

func (h *Handlers) releaseShow(c ui.Context) error {
	v, err := h.load(c)
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, v)
}

func (h *Handlers) show(c ui.Context, status int, v releaseView) error {
	p := ui.Page{Title: fmt.Sprintf("Release %d · %s", v.Release.Number, v.Project.Name), Project: &v.Project, Tab: "publish"}
	if v.Release.Kind != release.KindText {
		return ui.ShowPageStatus(c, status, p, structuredRelease(v))
	}
	return ui.ShowPageStatus(c, status, p, releasePage(v))
}

func (h *Handlers) load(c ui.Context) (v releaseView, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	n, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return v, err
	}
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return v, err
	}
	v.Project = o
	if v.Release, err = h.projects.Release(ctx, u, o.ID, n); err != nil {
		return v, err
	}
	if v.Sample, err = h.projects.ReleaseSample(ctx, u, o.ID, n, sampleSize); err != nil {
		return v, err
	}
	if v.Release.Kind == release.KindSequences {
		if v.Sequences, err = h.projects.ReleasedSequences(ctx, u, o.ID, n); err != nil {
			return v, err
		}
	}
	if v.Release.Kind == release.KindCube {
		if v.Counts, err = dppages.ReadCounts(c, h.projects, o.ID, n); err != nil {
			return v, err
		}
	}
	if v.Release.Kind.HasText() {
		if v.Read, err = h.projects.SampleRead(ctx, u, o.ID, release.About{Candidate: n}); err != nil {
			return v, err
		}
	}
	earlier, err := h.projects.EarlierReleases(ctx, u, o.ID, v.Release.Kind)
	if err != nil {
		return v, err
	}
	v.Later = slices.DeleteFunc(earlier.Releases, func(r release.Release) bool { return r.Number <= n })
	if u.Role.Can(account.ManageWork) {
		v.Key, _, err = h.out.SigningKey(ctx, u)
	}
	return v, err
}

// releaseDownload sends the release as a zip. It reads the release first, so that an error is
// still answered with a page.
func (h *Handlers) releaseDownload(c ui.Context) error {
	ctx, u := c.Request().Context(), ui.User(c)
	n, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return err
	}
	r, err := h.projects.Release(ctx, u, ui.ProjectID(c), n)
	if err != nil {
		return err
	}
	return ui.Attach(c, "application/zip", r.Name+".zip", func(w io.Writer) error {
		return h.projects.WriteRelease(ctx, u, ui.ProjectID(c), n, w)
	})
}

// releaseSecret sends an encrypted file of a release that is as sensitive as the notes: the
// re-identification map, or the notes themselves.
func (h *Handlers) releaseSecret(name string, write func(context.Context, account.User, project.ID, int, io.Writer) error) func(ui.Context) error {
	return func(c ui.Context) error {
		n, err := ui.AddressNumber(c.Param("number"))
		if err != nil {
			return err
		}
		return ui.Attach(c, "application/x-ndjson", fmt.Sprintf("release-%d-%s.jsonl", n, name), func(w io.Writer) error {
			return write(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, w)
		})
	}
}

// bundleDownload sends a bundle file. It holds words of the notes, so only people who may
// sanitize get it.
func (h *Handlers) bundleDownload(c ui.Context) error {
	n, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return err
	}
	return ui.Attach(c, "application/octet-stream", fmt.Sprintf("bundle-%d.hide", n), func(w io.Writer) error {
		return h.projects.WriteBundle(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, w)
	})
}
