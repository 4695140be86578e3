// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/ndjson"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/internal/publish/stream"
	"hide/internal/words"
)

// RedactedNote is a note from outside that a redaction model has redacted.
type RedactedNote struct {
	ID         string
	Text       string
	Redactions []RedactedPlace
}

// RedactedPlace is a replaced stretch of a note: its place in the note, and that of the
// placeholder in the redacted text. All positions are in code points.
type RedactedPlace struct {
	Start, End annotate.RuneOff
	At, AtEnd  annotate.RuneOff
	Label      annotate.Label
}

// Redaction says with what notes from outside are redacted.
type Redaction struct {
	Bundle int    // number of the redaction model
	Token  string // id of the access token that asks, for the audit trail; "" for none
}

// says completes the detail of an audit row.
func (r Redaction) says(detail string) string {
	if r.Token != "" {
		detail += ", token " + r.Token
	}
	return detail
}

// RedactNote redacts one note from outside, a JSON object as a line of [stream.JSONL] has it.
// It stores nothing of the note. The use is in the audit trail before the text is returned.
// The person needs the permission to download the redaction model.
func (s *Service) RedactNote(ctx context.Context, by account.User, id project.ID, with Redaction, note []byte) (RedactedNote, error) {
	b, err := s.openToRedact(by, id, with.Bundle)
	if err != nil {
		return RedactedNote{}, err
	}
	doc, bad := ndjson.ParseDoc(note)
	if bad != nil {
		return RedactedNote{}, project.Invalidf(bad.Hint, "the note cannot be read: %s", bad.Reason)
	}
	out := RedactedNote{ID: *doc.ID}
	text, redactions := b.Document(doc)
	offsets := annotate.NewOffsets(*doc.Text)
	out.Text, out.Redactions = text, make([]RedactedPlace, len(redactions))
	for i, r := range redactions {
		start, end := offsets.Range(annotate.Span{Start: r.Start, End: r.End})
		out.Redactions[i] = RedactedPlace{start, end, r.At, r.AtEnd, r.Label}
	}
	return out, s.recordRedacted(by, id, with, stream.Counts{Notes: 1})
}

// RedactStream redacts notes or messages from outside as they come, as hide redact does, and
// writes them in order. It stores nothing of them. The beginning and the end, with the number
// of notes, are in the audit trail. The person needs the permission to download the redaction
// model.
func (s *Service) RedactStream(ctx context.Context, by account.User, id project.ID, with Redaction, in io.Reader, w io.Writer, o stream.Options) (stream.Counts, error) {
	b, err := s.openToRedact(by, id, with.Bundle)
	if err != nil {
		return stream.Counts{}, err
	}
	ev := project.EventBy(by, "redact", id.Object("bundles", with.Bundle), with.says("begins, format "+o.Format))
	if err := s.projects.Record(id, ev); err != nil {
		return stream.Counts{}, err
	}
	piece := stream.Piece{Name: stream.StandardInput, ID: "1", Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil }}
	counts, failed := stream.Redact(ctx, b, []stream.Piece{piece}, w, o)
	if err := s.recordRedacted(by, id, with, counts); err != nil && failed == nil {
		failed = err
	}
	return counts, failed
}

// openToRedact is a redaction model for a person who may download it.
func (s *Service) openToRedact(by account.User, id project.ID, bundle int) (*publish.Bundle, error) {
	if _, err := s.enter(by, account.ManageWork, id); err != nil {
		return nil, err
	}
	if err := s.projects.CheckOutgoing(); err != nil {
		return nil, err
	}
	return s.opened.bundle(s, id, bundle)
}

func (s *Service) recordRedacted(by account.User, id project.ID, with Redaction, counts stream.Counts) error {
	says := words.Count(counts.Notes, "note", "notes")
	if counts.Refused > 0 {
		says += ", " + words.Count(counts.Refused, "record refused", "records refused")
	}
	return s.projects.Record(id, project.EventBy(by, "redact", id.Object("bundles", with.Bundle), with.says(says)))
}

// RedactionWarnings are the reasons for caution with a redaction model: those of its run, what
// of its target no longer holds, and the labels that it leaves readable. If the run is gone,
// that is the warning.
func (s *Service) RedactionWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.StoredBundle(id, bundle)
	if err != nil {
		return nil, err
	}
	out, err := s.runWarnings(ws, by, info)
	if err != nil {
		return nil, err
	}
	if excluded := info.ExcludedNow(ws.Names(), ws.Labels()); len(excluded) > 0 {
		out = append(out, fmt.Sprintf("Text with the label %s stays readable: the run counts it as not sensitive.", project.Joined(excluded)))
	}
	if old := info.OldNames(ws.Names()); old != "" {
		out = append(out, old)
	}
	return out, nil
}

func (s *Service) runWarnings(ws *workspace, by account.User, info Bundle) ([]string, error) {
	run, err := s.run(ws, info.Run)
	if project.KindOf(err) == project.NotFound {
		return []string{"The run of this redaction model is gone: its figures are unknown."}, nil
	}
	if err != nil {
		return nil, err
	}
	out := s.present(ws, by, run).Warnings()
	if info.Target != nil && run.TargetVoid() != "" {
		out = append(out, run.TargetWords())
	}
	return out, nil
}

// mostOpened is how many decoded redaction models stay in memory, in all projects together.
const mostOpened = 4

// openedBundles keeps the decoded redaction models that were used last: decoding takes longer
// than redacting a note.
type openedBundles struct {
	mu  sync.Mutex // guards all
	all []openedBundle
}

type openedBundle struct {
	project project.ID
	sha256  string
	bundle  *publish.Bundle
}

// bundle is a redaction model that can be used now. One that was deleted is dropped.
func (o *openedBundles) bundle(s *Service, id project.ID, number int) (*publish.Bundle, error) {
	info, err := s.StoredBundle(id, number)
	if err != nil {
		if info.SHA256 != "" {
			o.drop(func(one openedBundle) bool { return one.project == id && one.sha256 == info.SHA256 })
		}
		return nil, err
	}
	if b := o.find(id, info.SHA256); b != nil {
		return b, nil
	}
	b, info, err := s.OpenBundle(id, number)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, openedBundle{id, info.SHA256, b})
	o.all = o.all[max(0, len(o.all)-mostOpened):]
	return b, nil
}

// find moves what it finds to the end, where it stays longest.
func (o *openedBundles) find(id project.ID, sum string) *publish.Bundle {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.all, func(one openedBundle) bool { return one.project == id && one.sha256 == sum })
	if i < 0 {
		return nil
	}
	found := o.all[i]
	o.all = append(slices.Delete(o.all, i, i+1), found)
	return found.bundle
}

func (o *openedBundles) drop(which func(openedBundle) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(o.all, which)
}
