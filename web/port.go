// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
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
	Edit(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, revision int, e annotate.Edit) (*project.Note, error)
	Undo(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, revision int) (*project.Note, error)
	Redo(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, revision int) (*project.Note, error)
	Settings(ctx context.Context, by account.User, id project.ID) (project.Settings, error)
	SetSettings(ctx context.Context, by account.User, id project.ID, set project.Settings) error
	StartCurves(ctx context.Context, by account.User, id project.ID, p project.CurveParams) error
	CancelCurves(ctx context.Context, by account.User, id project.ID) error
	Curves(ctx context.Context, by account.User, id project.ID) (project.CurveStatus, error)
	UseSampling(ctx context.Context, by account.User, id project.ID, setting int) error
	Dictionaries(ctx context.Context, by account.User, id project.ID) ([]project.Dictionary, error)
	AddDictionaries(ctx context.Context, by account.User, id project.ID, files []project.DictionaryFile) error
	RemoveDictionary(ctx context.Context, by account.User, id project.ID, name string) error
	BlindNotes(ctx context.Context, by account.User, id project.ID) (project.BlindNotes, error)
	Training(ctx context.Context, by account.User, id project.ID) (project.Training, error)
	ModelCard(ctx context.Context, by account.User, id project.ID) (project.ModelCard, error)
	WriteModel(ctx context.Context, by account.User, id project.ID, w io.Writer) error
	Errors(ctx context.Context, by account.User, id project.ID, f project.ErrorFilter) (project.ErrorsPage, error)
	Train(ctx context.Context, by account.User, id project.ID) error
	CancelTraining(ctx context.Context, by account.User, id project.ID) error
	Runs(ctx context.Context, by account.User, id project.ID) ([]project.Run, error)
	Run(ctx context.Context, by account.User, id project.ID, number int) (*project.Run, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]project.BundleInfo, error)
	WriteBundle(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]project.SampleAudit, project.AuditDrawing, error)
	SampleAuditWaiting(ctx context.Context, by account.User, id project.ID) (int, error)
	SampleAuditNote(ctx context.Context, by account.User, id project.ID, number, index int) (project.AuditText, error)
	MarkSampleAudit(ctx context.Context, by account.User, id project.ID, number, index int, said project.AuditAnswer) error
	SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (project.AuditFindings, error)
	AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []project.LabelledFinding) (int, error)
	StartPublish(ctx context.Context, by account.User, id project.ID, bundle int, despite project.Despite) error
	Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error)
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (project.OpenFindings, error)
	OpenInFinished(ctx context.Context, by account.User, id project.ID) (project.OpenFindings, error)
	CancelPublish(ctx context.Context, by account.User, id project.ID) error
	Publishing(ctx context.Context, by account.User, id project.ID) (project.PublishStatus, error)
	Beside(ctx context.Context, by account.User, id project.ID, kind project.ReleaseKind) (project.Beside, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]project.Release, error)
	Release(ctx context.Context, by account.User, id project.ID, number int) (project.Release, error)
	ReleaseSample(ctx context.Context, by account.User, id project.ID, number, n int) ([]project.ReleasedText, error)
	ReleasedSequences(ctx context.Context, by account.User, id project.ID, number int) (project.ReleasedSequences, error)
	ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]project.CountedTable, error)
	WriteMapping(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteOriginals(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	Identifiers(ctx context.Context, by account.User, id project.ID) (project.Identifiers, error)
	IdentifierValues(ctx context.Context, by account.User, id project.ID, key idview.Key) (project.Identifier, []idview.Value, error)
	SetIdentifiers(ctx context.Context, by account.User, id project.ID, decisions []project.Decision) error
	StartTablePreview(ctx context.Context, by account.User, id project.ID, tried []project.TableSettings) error
	SetPopulation(ctx context.Context, by account.User, id project.ID, file io.Reader, replaces string) (project.Population, error)
	RemovePopulation(ctx context.Context, by account.User, id project.ID, version string) error
	CancelTablePreview(ctx context.Context, by account.User, id project.ID) error
	Budget(ctx context.Context, by account.User, id project.ID) (project.Budget, error)
	OpenBudget(ctx context.Context, by account.User, id project.ID, o project.BudgetOpening) error
	RaiseBudget(ctx context.Context, by account.User, id project.ID, limit ledger.Micro, reason string) error
	PartBudget(ctx context.Context, by account.User, id project.ID, reason string) error
	EstimateCube(ctx context.Context, by account.User, id project.ID, set project.CubeSettings) (project.CubeEstimate, error)
	EstimateQuery(ctx context.Context, by account.User, id project.ID, set project.QuerySettings) (project.QueryEstimate, error)
	StartQuery(ctx context.Context, by account.User, id project.ID, set project.QuerySettings) error
	EstimateSequences(ctx context.Context, by account.User, id project.ID, set project.SequenceSettings) (project.SequenceEstimate, error)
	StartPublishSequences(ctx context.Context, by account.User, id project.ID, set project.SequenceSettings) error
	StartPublishCube(ctx context.Context, by account.User, id project.ID, set project.CubeSettings) error
	StartPublishTable(ctx context.Context, by account.User, id project.ID, set project.TableSettings, people int) error
	StartJointPreview(ctx context.Context, by account.User, id project.ID, set project.JointSettings) error
	CancelJointPreview(ctx context.Context, by account.User, id project.ID) error
	JointPreview(ctx context.Context, by account.User, id project.ID, bundle int) (project.JointPreview, error)
	StartPublishJoint(ctx context.Context, by account.User, id project.ID, choice project.JointChoice, notes, found int) error
	TablePreview(ctx context.Context, by account.User, id project.ID) (project.TablePreview, error)
	Watch(ctx context.Context, by account.User, id project.ID) (<-chan project.Event, error)
}

var _ Legacy = (*project.Service)(nil)
