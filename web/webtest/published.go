// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"context"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/webhooks"
)

// Published holds the runs, bundles, audits and releases of the project of a [Frame].
// Fakes embed it beside the frame. Tests set the lists before pages read them.
type Published struct {
	RunList     []*sanitize.Run
	BundleList  []sanitize.Bundle
	AuditList   []audit.Audit
	ReleaseList []release.Release
	Read        release.Sampled // of every bundle and candidate
	Status      release.Status
	Others      release.Earlier // releases of the same patients
	Records     release.Counted
	Open        audit.OpenFindings
	Labels      []annotate.Label // that every release leaves readable
	Warnings    []string         // of a release, besides those of its run

	Started []int           // bundles that publishing was started with
	Despite release.Despite // what the last start confirmed
}

// MadePublished is a project of 480 notes, 216 of them finished, with the run of
// [MadeRun], two bundles of it and a release.
func MadePublished() (*Frame, *Published) {
	f, p := MadeUnpublished()
	p.RunList = []*sanitize.Run{MadeRun()}
	p.BundleList = []sanitize.Bundle{
		{Number: 2, Run: 3, LC: 10, Created: MadeAt.Add(30 * time.Minute), Rounds: 2, SHA256: "ab", Bytes: 2_400_000},
		{Number: 1, Run: 3, LC: 2, Created: MadeAt.Add(20 * time.Minute), Rounds: 1, SHA256: "cd", Bytes: 1_200_000},
	}
	p.ReleaseList = []release.Release{MadeRelease()}
	return f, p
}

// MadeUnpublished is the project of [MadePublished] before its first run.
func MadeUnpublished() (*Frame, *Published) {
	f := NewFrame()
	f.Overview.Labels = annotate.I2B2()
	f.Overview.Documents, f.Overview.Done = 480, MadeDocuments
	return f, &Published{}
}

// NewestRun is the number of the first run of the list.
func (p *Published) NewestRun(context.Context, account.User, project.ID) (int, error) {
	if len(p.RunList) == 0 {
		return 0, nil
	}
	return p.RunList[0].Number, nil
}

// Runs lists the runs.
func (p *Published) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	var out []sanitize.Run
	for _, r := range p.RunList {
		out = append(out, *r)
	}
	return out, nil
}

// Run finds a run.
func (p *Published) Run(_ context.Context, _ account.User, _ project.ID, number int) (*sanitize.Run, error) {
	for _, r := range p.RunList {
		if r.Number == number {
			return r, nil
		}
	}
	return nil, &project.Error{Kind: project.NotFound, Message: "there is no such run"}
}

// TargetPlan is of a random sample of 60 patients.
func (p *Published) TargetPlan(_ context.Context, _ account.User, _ project.ID, t target.Target) (target.Plan, error) {
	plan, err := target.NewPlan(60, true, t)
	if err != nil {
		err = project.Invalidf("", "%v", err)
	}
	return plan, err
}

// Bundles lists the bundles.
func (p *Published) Bundles(context.Context, account.User, project.ID) ([]sanitize.Bundle, error) {
	return p.BundleList, nil
}

// SampleAudits lists the audits of earlier versions.
func (p *Published) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, error) {
	return p.AuditList, nil
}

// Webhooks are none, and are off.
func (p *Published) Webhooks(context.Context, account.User, project.ID) (webhooks.Webhooks, error) {
	return webhooks.Webhooks{}, nil
}

// SampleRead is what people have read, with the doubt of the first run and the newest audit that
// holds.
func (p *Published) SampleRead(_ context.Context, _ account.User, _ project.ID, about release.About) (release.Sampled, error) {
	out := p.Read
	out.Audits = len(p.AuditList)
	if len(p.RunList) > 0 {
		out.Doubt = p.RunList[0].ForecastDoubt()
	}
	for _, a := range p.AuditList {
		if a.Result != nil && !a.Changed && out.Old == nil && (about.Run > 0 && a.Run == about.Run || about.Bundle > 0 && a.Bundle == about.Bundle) {
			out.Old = a.Result
		}
	}
	return out, nil
}

// OpenFindings are what audits found and a release would publish.
func (p *Published) OpenFindings(context.Context, account.User, project.ID, int) (audit.OpenFindings, error) {
	return p.Open, nil
}

// Readable are the labels that a release leaves readable.
func (p *Published) Readable(context.Context, account.User, project.ID, int) ([]annotate.Label, error) {
	return p.Labels, nil
}

// PublishWarnings are the warnings of the run of a bundle, and the other ones.
func (p *Published) PublishWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error) {
	for _, b := range p.BundleList {
		if b.Number == bundle {
			r, err := p.Run(ctx, by, id, b.Run)
			if err != nil {
				return nil, err
			}
			return append(r.Warnings(), p.Warnings...), nil
		}
	}
	return nil, &project.Error{Kind: project.NotFound, Message: "there is no such redaction model"}
}

// EarlierReleases are the other releases of the same patients.
func (p *Published) EarlierReleases(context.Context, account.User, project.ID, release.Kind) (release.Earlier, error) {
	return p.Others, nil
}

// Publishing is the state of the job that publishes.
func (p *Published) Publishing(context.Context, account.User, project.ID) (release.Status, error) {
	return p.Status, nil
}

// Counted is Records.
func (p *Published) Counted(context.Context, account.User, project.ID) (release.Counted, error) {
	return p.Records, nil
}

// StartPublish notes the bundle and the confirmations.
func (p *Published) StartPublish(_ context.Context, _ account.User, _ project.ID, _ release.Ending, bundle int, despite release.Despite) error {
	p.Started, p.Despite = append(p.Started, bundle), despite
	return nil
}

// Releases lists the releases.
func (p *Published) Releases(context.Context, account.User, project.ID) ([]release.Release, error) {
	return p.ReleaseList, nil
}

// Release finds a release.
func (p *Published) Release(_ context.Context, _ account.User, _ project.ID, number int) (release.Release, error) {
	for _, r := range p.ReleaseList {
		if r.Number == number {
			return r, nil
		}
	}
	return release.Release{}, &project.Error{Kind: project.NotFound, Message: "there is no such release"}
}

// ReleaseSample is two notes, the first with placeholders.
func (p *Published) ReleaseSample(context.Context, account.User, project.ID, int, int) ([]audit.ReleasedText, error) {
	return []audit.ReleasedText{
		{ID: "note-0001", Text: "DISCHARGE SUMMARY\n\n[PATIENT] was seen by Dr. [DOCTOR] on [DATE] for Parkinson's disease [sic].\n  Plan: metoprolol 25 mg.",
			Redactions: []audit.ReleasedAt{{Start: 19, End: 28, Label: "PATIENT"}, {Start: 45, End: 53, Label: "DOCTOR"}, {Start: 57, End: 63, Label: "DATE"}}},
		{ID: "note-0002", Text: "No acute events overnight."},
	}, nil
}

// WriteRelease writes a few bytes in place of a zip file.
func (p *Published) WriteRelease(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	_, err := io.WriteString(w, "PK")
	return err
}

// WriteBundle writes a few bytes in place of a bundle.
func (p *Published) WriteBundle(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	_, err := io.WriteString(w, "bundle")
	return err
}

// SigningKey is a made-up key.
func (p *Published) SigningKey(context.Context, account.User) (public, fingerprint string, err error) {
	return "cHVibGlj", "0123456789abcdef", nil
}
