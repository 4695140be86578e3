// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/services"
	"hide/internal/project/training"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/web/ui"
)

// Projects is what the frame around every page asks. Each method checks the
// permission of by first.
type Projects interface {
	ui.Projects
	Watch(ctx context.Context, by account.User, id project.ID) (<-chan project.Event, error)
}

// Accounts says who is there.
type Accounts interface {
	Session(token string) (account.User, account.Session, error)
	Peek(token string) (account.User, account.Session, error) // Session without counting as use
	NameOf(id string) (string, error)
}

// Legacy is what pages ask of the use cases that are not yet a feature.
type Legacy interface {
	Projects(ctx context.Context, by account.User) ([]project.Overview, error)
	Project(ctx context.Context, by account.User, id project.ID) (project.Overview, error)
	Queue(ctx context.Context, by account.User, id project.ID, f project.QueueFilter) (project.QueuePage, error)
	Next(ctx context.Context, by account.User, id project.ID, after annotate.DocumentID) (project.Choice, error)
	Note(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (*project.Note, error)
	EditNote(ctx context.Context, by account.User, id project.ID, n *project.Note, revision int, e annotate.Edit) (*project.Note, error)
	NoteState(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (project.NoteState, error)
	Settings(ctx context.Context, by account.User, id project.ID) (project.Settings, error)
	SetSettings(ctx context.Context, by account.User, id project.ID, set project.Settings) error
	StartCurves(ctx context.Context, by account.User, id project.ID, p training.CurveParams) error
	CancelCurves(ctx context.Context, by account.User, id project.ID) error
	Curves(ctx context.Context, by account.User, id project.ID) (training.CurveStatus, error)
	UseSampling(ctx context.Context, by account.User, id project.ID, setting int) error
	Dictionaries(ctx context.Context, by account.User, id project.ID) ([]training.Dictionary, error)
	AddDictionaries(ctx context.Context, by account.User, id project.ID, files []training.DictionaryFile) error
	RemoveDictionary(ctx context.Context, by account.User, id project.ID, name string) error
	BlindNotes(ctx context.Context, by account.User, id project.ID) (training.BlindNotes, error)
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
	ModelCard(ctx context.Context, by account.User, id project.ID) (training.ModelCard, error)
	WriteModel(ctx context.Context, by account.User, id project.ID, w io.Writer) error
	Errors(ctx context.Context, by account.User, id project.ID, f training.ErrorFilter) (training.ErrorsPage, error)
	Train(ctx context.Context, by account.User, id project.ID) error
	CancelTraining(ctx context.Context, by account.User, id project.ID) error
	Runs(ctx context.Context, by account.User, id project.ID) ([]sanitize.Run, error)
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	WriteBundle(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]audit.Audit, audit.Drawing, error)
	SampleAuditWaiting(ctx context.Context, by account.User, id project.ID) (int, error)
	SampleAuditNote(ctx context.Context, by account.User, id project.ID, number, index int) (audit.Text, error)
	MarkSampleAudit(ctx context.Context, by account.User, id project.ID, number, index int, said audit.Answer) error
	SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (audit.Findings, error)
	AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []audit.LabelledFinding) (int, error)
	StartPublish(ctx context.Context, by account.User, id project.ID, bundle int, despite release.Despite) error
	Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error)
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (audit.OpenFindings, error)
	OpenInFinished(ctx context.Context, by account.User, id project.ID) (audit.OpenFindings, error)
	CancelPublish(ctx context.Context, by account.User, id project.ID) error
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	Beside(ctx context.Context, by account.User, id project.ID, kind release.Kind) (release.Beside, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]release.Release, error)
	Release(ctx context.Context, by account.User, id project.ID, number int) (release.Release, error)
	ReleaseSample(ctx context.Context, by account.User, id project.ID, number, n int) ([]audit.ReleasedText, error)
	ReleasedSequences(ctx context.Context, by account.User, id project.ID, number int) (dp.ReleasedSequences, error)
	ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]dp.CountedTable, error)
	WriteMapping(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteOriginals(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	Identifiers(ctx context.Context, by account.User, id project.ID) (release.Identifiers, error)
	IdentifierValues(ctx context.Context, by account.User, id project.ID, key idview.Key) (release.Identifier, []idview.Value, error)
	SetIdentifiers(ctx context.Context, by account.User, id project.ID, decisions []release.Decision) error
	StartTablePreview(ctx context.Context, by account.User, id project.ID, tried []release.TableSettings) error
	SetPopulation(ctx context.Context, by account.User, id project.ID, file io.Reader, replaces string) (release.Population, error)
	RemovePopulation(ctx context.Context, by account.User, id project.ID, version string) error
	CancelTablePreview(ctx context.Context, by account.User, id project.ID) error
	Budget(ctx context.Context, by account.User, id project.ID) (dp.Budget, error)
	OpenBudget(ctx context.Context, by account.User, id project.ID, o dp.BudgetOpening) error
	RaiseBudget(ctx context.Context, by account.User, id project.ID, limit ledger.Micro, reason string) error
	PartBudget(ctx context.Context, by account.User, id project.ID, reason string) error
	EstimateCube(ctx context.Context, by account.User, id project.ID, set dp.CubeSettings) (dp.CubeEstimate, error)
	EstimateQuery(ctx context.Context, by account.User, id project.ID, set dp.QuerySettings) (dp.QueryEstimate, error)
	StartQuery(ctx context.Context, by account.User, id project.ID, set dp.QuerySettings) error
	EstimateSequences(ctx context.Context, by account.User, id project.ID, set dp.SequenceSettings) (dp.SequenceEstimate, error)
	StartPublishSequences(ctx context.Context, by account.User, id project.ID, set dp.SequenceSettings) error
	StartPublishCube(ctx context.Context, by account.User, id project.ID, set dp.CubeSettings) error
	StartPublishTable(ctx context.Context, by account.User, id project.ID, set release.TableSettings, people int) error
	StartJointPreview(ctx context.Context, by account.User, id project.ID, set release.JointSettings) error
	CancelJointPreview(ctx context.Context, by account.User, id project.ID) error
	JointPreview(ctx context.Context, by account.User, id project.ID, bundle int) (release.JointPreview, error)
	StartPublishJoint(ctx context.Context, by account.User, id project.ID, choice release.JointChoice, notes, found int) error
	TablePreview(ctx context.Context, by account.User, id project.ID) (release.TablePreview, error)
	Watch(ctx context.Context, by account.User, id project.ID) (<-chan project.Event, error)
}

var _ Legacy = (*services.All)(nil)
