// SPDX-License-Identifier: Apache-2.0

// Package drill tries whether a backup can be restored: it restores it into a folder of its
// own, verifies every value, the audit trail, the notes of every project and the files of
// every release, and reports.
//
//	report, err := drill.Run(ctx, file, options, drill.Options{})
//	report.WriteText(os.Stdout)
//
// Reports hold ids and counts, no names.
package drill

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/internal/store"
)

// Options of a drill.
type Options struct {
	Temp    string           // folder for the restored data; "" means beside the data folder
	Without []string         // ids of projects that are known to have lost their secret
	By      account.User     // an administrator
	Version string           // of the program
	Now     func() time.Time // nil means time.Now
}

// Report says what was checked and what was found.
type Report struct {
	OK       bool     `json:"ok"`
	Problems []string `json:"problems,omitempty"`

	Began   time.Time        `json:"began"`
	Seconds float64          `json:"seconds"`
	Backup  store.BackupInfo `json:"backup"`
	Age     string           `json:"age,omitempty"` // of the backup; "" if it does not say

	Values     int    `json:"values"` // decrypted and verified
	AuditRows  uint64 `json:"audit_rows"`
	AuditHead  string `json:"audit_head"`
	NewerRows  uint64 `json:"newer_rows"` // of the data folder, not in the backup
	NewerKnown bool   `json:"newer_rows_known"`

	Projects []Project `json:"projects"`
	Sealed   []string  `json:"projects_without_secret,omitempty"`
	Files    int       `json:"release_files"`
	Bytes    int64     `json:"release_bytes"`
}

// Project is what was found of one project.
type Project struct {
	ID       project.ID `json:"id"`
	Notes    int        `json:"notes"`    // on its list
	Read     int        `json:"read"`     // decrypted and decoded
	Spans    int        `json:"spans"`    // in them
	Releases int        `json:"releases"` // whose files agree with their manifests
}

// Run restores and verifies a backup. A backup that cannot be restored is an error; what is
// wrong in a restored one is in the report. live are the options of the data folder, whose
// key and secrets are read, and of which nothing is changed.
func Run(ctx context.Context, backup io.Reader, live store.Options, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Report{Began: o.Now().UTC().Round(0)}
	err := store.Drill(ctx, backup, live, o.Temp, func(d *store.Drilled) error {
		r.note(d)
		return r.projects(ctx, d.Store, o)
	})
	r.Seconds = o.Now().Sub(r.Began).Seconds()
	r.OK = len(r.Problems) == 0
	return r, err
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *Report) note(d *store.Drilled) {
	r.Backup, r.Files, r.Bytes = d.Info, d.Info.Files, d.Info.FileBytes
	if !d.Info.Made.IsZero() {
		r.Age = r.Began.Sub(d.Info.Made).Round(time.Minute).String()
	}
	r.Values, r.AuditRows, r.AuditHead = d.Values, d.Rows, hex.EncodeToString(d.Head)
	if r.NewerKnown = d.LiveRows > 0; d.LiveRows > r.AuditRows {
		r.NewerRows = d.LiveRows - r.AuditRows
	}
	if d.Info.Rows > 0 && d.Info.Rows != r.AuditRows {
		r.problem("the backup says that it has %d audit rows, and has %d", d.Info.Rows, r.AuditRows)
	}
}

func (r *Report) projects(ctx context.Context, st *store.Store, o Options) (err error) {
	all, err := services.New(st, project.Options{Releases: filepath.Join(st.Dir(), store.FilesFolder), Version: o.Version, Now: o.Now, PersonName: func(id string) string { return id }})
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, all.Close(ending))
	}()
	r.Sealed = st.SealedSpaces()
	for _, id := range r.Sealed {
		if !slices.Contains(o.Without, id) {
			r.problem("project %s cannot be opened: its secret is missing; if the project was destroyed, name it with --without-secret", id)
		}
	}
	list, err := all.Projects(ctx, o.By)
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := r.project(ctx, all, p, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) project(ctx context.Context, all *services.All, p project.Overview, o Options) error {
	found := Project{ID: p.ID, Notes: p.Documents}
	ws, err := all.Enter(o.By, account.ReadNotes, p.ID)
	if err != nil {
		return err
	}
	for d, err := range ws.Documents(ctx, ws.ByGroup()) {
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			r.problem("project %s: a note cannot be read: %v", p.ID, err)
			break
		}
		found.Read++
		found.Spans += len(d.Spans)
	}
	if found.Read != found.Notes {
		r.problem("project %s: %d of %d notes were read", p.ID, found.Read, found.Notes)
	}
	found.Releases, err = r.releases(all, p.ID)
	r.Projects = append(r.Projects, found)
	return err
}

// releases verifies the files of each release on record by its manifest.
func (r *Report) releases(all *services.All, id project.ID) (good int, err error) {
	recorded, err := all.Recorded(id)
	if err != nil {
		return 0, err
	}
	for _, one := range recorded {
		sum, err := release.VerifiedAgain(all.Dir(id, one.Name))
		switch {
		case err == nil && sum == one.SHA256:
			good++
		case r.Backup.Format == 1:
			r.problem("project %s: the files of %s are not in the backup, which an earlier version made", id, one.Name)
		case err != nil:
			r.problem("project %s: the files of %s cannot be verified: %v", id, one.Name, err)
		default:
			r.problem("project %s: the files of %s are not the published ones", id, one.Name)
		}
	}
	return good, nil
}
