// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/release"
)

// How many redacted documents a release page shows.
const sampleSize = 5

// releaseView is everything the page of a release shows.
type releaseView struct {
	Project project.Overview
	Release release.Release
	Sample  []audit.ReleasedText
	Told    dp.ReleasedSequences
	Counts  countsTold
	Since   []release.Release // later ones, of the same patients, oldest first
}

// warnings are what its manifest warns of, without the audit, which stands apart.
func (v releaseView) warnings() []string {
	return slices.DeleteFunc(slices.Clone(v.Release.Warnings), func(w string) bool {
		return v.Release.Audit != nil && w == audit.Words(*v.Release.Audit)
	})
}

func (s *Server) releaseShow(c echo.Context) error {
	ctx, u := c.Request().Context(), user(c)
	n, err := runNumber(c.Param("number"))
	if err != nil {
		return err
	}
	o, err := s.project(c)
	if err != nil {
		return err
	}
	v := releaseView{Project: o}
	if v.Release, err = s.projects.Release(ctx, u, o.ID, n); err != nil {
		return err
	}
	if v.Sample, err = s.projects.ReleaseSample(ctx, u, o.ID, n, sampleSize); err != nil {
		return err
	}
	if v.Release.Kind == release.KindSequences {
		if v.Told, err = s.projects.ReleasedSequences(ctx, u, o.ID, n); err != nil {
			return err
		}
	}
	if v.Release.Kind == release.KindCube {
		if v.Counts, err = readCountsTold(c, s.projects, o.ID, n); err != nil {
			return err
		}
	}
	beside, err := s.projects.Beside(ctx, u, o.ID, v.Release.Kind)
	if err != nil {
		return err
	}
	v.Since = slices.DeleteFunc(beside.Releases, func(r release.Release) bool { return r.Number <= n })
	p := Page{Title: fmt.Sprintf("Release %d · %s", n, o.Name), Project: &o, Tab: "publish"}
	if v.Release.Kind != release.KindText {
		return s.page(c, p, structuredRelease(v))
	}
	return s.page(c, p, releasePage(v))
}

// releaseDownload sends the release as a zip. It asks for the release first, so
// that a refusal is still a page.
func (s *Server) releaseDownload(c echo.Context) error {
	ctx, u := c.Request().Context(), user(c)
	n, err := runNumber(c.Param("number"))
	if err != nil {
		return err
	}
	r, err := s.projects.Release(ctx, u, projectID(c), n)
	if err != nil {
		return err
	}
	return attach(c, "application/zip", r.Name+".zip", func(w io.Writer) error {
		return s.projects.WriteRelease(ctx, u, projectID(c), n, w)
	})
}

// releaseSealed sends what is kept of a release beside it, which is as sensitive as the
// notes: who is who, or the notes themselves.
func (s *Server) releaseSealed(what string, write func(context.Context, account.User, project.ID, int, io.Writer) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		n, err := runNumber(c.Param("number"))
		if err != nil {
			return err
		}
		return attach(c, "application/x-ndjson", fmt.Sprintf("release-%d-%s.jsonl", n, what), func(w io.Writer) error {
			return write(c.Request().Context(), user(c), projectID(c), n, w)
		})
	}
}

// bundleDownload sends a bundle: it holds words from the notes, so only people
// who may sanitize get it.
func (s *Server) bundleDownload(c echo.Context) error {
	n, err := runNumber(c.Param("number"))
	if err != nil {
		return err
	}
	return attach(c, "application/octet-stream", fmt.Sprintf("bundle-%d.hide", n), func(w io.Writer) error {
		return s.projects.WriteBundle(c.Request().Context(), user(c), projectID(c), n, w)
	})
}
