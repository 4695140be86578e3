package project

import (
	"slices"

	"context"
	"errors"
	"io"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
)

var errSkeleton = errors.New("being built")

// Service: every method checks by's role first.
type Service struct{}

// projects
func (s *Service) Create(ctx context.Context, by account.User, name string, labels annotate.LabelSet) (Project, error) {
	return Project{}, errSkeleton
}
func (s *Service) Projects(ctx context.Context, by account.User) ([]Overview, error) {
	return nil, errSkeleton
}
func (s *Service) Project(ctx context.Context, by account.User, id ID) (Overview, error) {
	return Overview{}, errSkeleton
}

// import, export
func (s *Service) Import(ctx context.Context, by account.User, id ID, files []format.File, opts ImportOptions) (format.Report, error) {
	return format.Report{}, errSkeleton
}

// Export writes the project's documents with the people's spans. Formats: "jsonl", "brat" (a zip).
func (s *Service) Export(ctx context.Context, by account.User, id ID, formatName string, w io.Writer) error {
	return errSkeleton
}

// queue and notes
func (s *Service) Queue(ctx context.Context, by account.User, id ID, f QueueFilter) (QueuePage, error) {
	return QueuePage{}, errSkeleton
}

// Next chooses the document to annotate next, other than after. Kind NotFound when every document is done.
func (s *Service) Next(ctx context.Context, by account.User, id ID, after annotate.DocumentID) (Choice, error) {
	return Choice{}, errSkeleton
}
func (s *Service) Note(ctx context.Context, by account.User, id ID, doc annotate.DocumentID) (*Note, error) {
	return nil, errSkeleton
}

// Edit, Undo and Redo return the note as it stands after, or a *ConflictError when revision is not the newest.
func (s *Service) Edit(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int, e annotate.Edit) (*Note, error) {
	return nil, errSkeleton
}
func (s *Service) Undo(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int) (*Note, error) {
	return nil, errSkeleton
}
func (s *Service) Redo(ctx context.Context, by account.User, id ID, doc annotate.DocumentID, revision int) (*Note, error) {
	return nil, errSkeleton
}

// training
func (s *Service) Training(ctx context.Context, by account.User, id ID) (Training, error) {
	return Training{}, errSkeleton
}
func (s *Service) Train(ctx context.Context, by account.User, id ID) error { return errSkeleton }
func (s *Service) CancelTraining(ctx context.Context, by account.User, id ID) error {
	return errSkeleton
}

// sanitizing
func (s *Service) StartSanitize(ctx context.Context, by account.User, id ID, p SanitizeParams) (int, error) {
	return 0, errSkeleton
}
func (s *Service) CancelSanitize(ctx context.Context, by account.User, id ID) error {
	return errSkeleton
}
func (s *Service) Runs(ctx context.Context, by account.User, id ID) ([]Run, error) {
	return nil, errSkeleton
} // newest first, without Leaks and Lost
func (s *Service) Run(ctx context.Context, by account.User, id ID, number int) (*Run, error) {
	return nil, errSkeleton
}

// Choose freezes what the run found for this L/C into a bundle and remembers the choice.
func (s *Service) Choose(ctx context.Context, by account.User, id ID, run int, lc float64) (BundleInfo, error) {
	return BundleInfo{}, errSkeleton
}
func (s *Service) Bundles(ctx context.Context, by account.User, id ID) ([]BundleInfo, error) {
	return nil, errSkeleton
}
func (s *Service) WriteBundle(ctx context.Context, by account.User, id ID, number int, w io.Writer) error {
	return errSkeleton
}

// publishing
func (s *Service) StartPublish(ctx context.Context, by account.User, id ID, bundle int) error {
	return errSkeleton
}
func (s *Service) CancelPublish(ctx context.Context, by account.User, id ID) error {
	return errSkeleton
}
func (s *Service) Publishing(ctx context.Context, by account.User, id ID) (PublishStatus, error) {
	return PublishStatus{}, errSkeleton
}
func (s *Service) Releases(ctx context.Context, by account.User, id ID) ([]Release, error) {
	return nil, errSkeleton
}
func (s *Service) Release(ctx context.Context, by account.User, id ID, number int) (Release, error) {
	return Release{}, errSkeleton
}

// ReleaseSample is the redacted text of the first n documents of a release: what a reviewer reads.
func (s *Service) ReleaseSample(ctx context.Context, by account.User, id ID, number, n int) ([]ReleasedText, error) {
	return nil, errSkeleton
}

// WriteRelease writes the release as a zip.
func (s *Service) WriteRelease(ctx context.Context, by account.User, id ID, number int, w io.Writer) error {
	return errSkeleton
}

// audit
// Audit lists the newest rows first, at most limit, older than before (0: from the end). id "" lists every project's and the accounts' rows.
func (s *Service) Audit(ctx context.Context, by account.User, id ID, before uint64, limit int) ([]AuditRow, error) {
	return nil, errSkeleton
}

// Watch sends an event whenever something of the project changes, until ctx ends. A slow watcher misses events but always gets the last of each topic.
func (s *Service) Watch(ctx context.Context, by account.User, id ID) (<-chan Event, error) {
	return nil, errSkeleton
}

// MatchesIn lists the other places of a note where the words of span stand, for
// a preview before tagging them all. Places already annotated are left out.
func (n *Note) MatchesIn(span annotate.Span, fold bool) []annotate.Span {
	taken := n.Layer.Spans()
	return slices.DeleteFunc(annotate.Matches(n.Document.Text, span, fold), func(m annotate.Span) bool {
		return slices.ContainsFunc(taken, m.Overlaps)
	})
}
