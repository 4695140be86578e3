// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"hide/internal/lab/sweep"
	"hide/internal/publish/joint"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
)

// publishedJoint is what hide publish joint says.
type publishedJoint struct {
	Out      string        `json:"out"`
	Manifest string        `json:"manifest_sha256"`
	Warnings []string      `json:"warnings"`
	Report   joint.Report  `json:"report"`
	Verified *verify.Joint `json:"verified"` // against the originals, before the folder appeared
}

func (e *env) publishJoint(ctx context.Context, v jointFlags, view *joint.View) error {
	s := v.settings(view.Config)
	p, err := view.Partition(ctx, s)
	if err != nil {
		return jointHint(err)
	}
	r, err := view.Recode(ctx, p)
	if err != nil {
		return jointHint(err)
	}
	report, err := r.Report(ctx, s, p, v.exposure)
	if err != nil {
		return jointHint(err)
	}
	risk := release.Content{Name: "risk.svg", Write: func(w io.Writer) error { return sweep.DrawRisk(w, report.Risk) }}
	var written joint.Written
	words := fmt.Sprintf("notes of %d patients with their attributes, k = %d, %s", report.Persons, report.K, filepath.Base(v.out))
	err = v.weak.release(words, func() (err error) {
		written, err = r.Release(release.Random()).Write(ctx, v.out, joint.Origin{Tool: toolVersion(), Created: time.Now()}, report, risk)
		return err
	})
	if err != nil {
		return fmt.Errorf("publish joint: %w", err)
	}
	if err := e.keepJoint(v, view, written); err != nil {
		return err
	}
	said := publishedJoint{Out: v.out, Manifest: written.SHA256, Report: report, Warnings: report.Warnings(), Verified: written.Verified}
	e.warn(said.Warnings)
	return e.result(said, said.write)
}

func (p publishedJoint) write(w io.Writer) {
	p.Report.WriteText(w)
	fmt.Fprintf(w, "verified against the originals: %d sensitive terms, %d leaks; the words of %d suppressed terms stand elsewhere in notes of the same person\n", p.Verified.Compared, p.Verified.Leaks, p.Verified.Elsewhere)
}

// keepJoint writes what the broker keeps of a release.
func (e *env) keepJoint(v jointFlags, view *joint.View, written joint.Written) error {
	for name, write := range map[string]func(io.Writer) error{
		v.mapping:   func(w io.Writer) error { _, err := w.Write(written.Mapping); return err },
		v.originals: view.WriteOriginals,
	} {
		if name == "" {
			continue
		}
		if err := e.writeTo(name, write); err != nil {
			return withHint(err, "the release in "+v.out+" stands")
		}
	}
	return nil
}
