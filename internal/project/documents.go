// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/store"
)

// Export writes every document of the project with its annotations, in order of import.
func (s *Service) Export(ctx context.Context, by account.User, id ID, opts ExportOptions, w io.Writer) error {
	ws, err := s.mayExport(by, id, opts)
	if err != nil {
		return err
	}
	if err := s.CheckOutgoing(); err != nil {
		return err
	}
	docs := ws.All()
	ev := EventBy(by, "export", id.Object(), opts.Format, fmt.Sprintf("%d documents", len(docs)))
	if err := s.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return format.Write(w, opts.Format, opts.Map.Documents(ws.exported(ctx, docs, opts.Format), nil))
}

// ExportLosses says what the file of an export will not hold of the project's notes, and
// which labels the mapping renames or drops.
func (s *Service) ExportLosses(ctx context.Context, by account.User, id ID, opts ExportOptions) ([]string, error) {
	ws, err := s.mayExport(by, id, opts)
	if err != nil {
		return nil, err
	}
	changed := labels.Changed{}
	lost, err := format.Losses(opts.Format, opts.Map.Documents(ws.exported(ctx, ws.All(), opts.Format), changed))
	if opts.Format == format.WithWork && len(changed) > 0 {
		lost = append(lost, "the work of people is left out of notes whose labels change")
	}
	return append(changed.Lines(), lost...), err
}

// exported yields documents with what the format can hold of them.
func (ws *Workspace) exported(ctx context.Context, docs []annotate.DocumentID, name string) iter.Seq2[annotate.Annotated, error] {
	if name == format.WithWork {
		return ws.worked(ctx, docs)
	}
	return ws.Read(ctx, docs)
}

// worked yields documents with what people did in them and the suggestions that nobody has
// decided about. People have names in place of accounts, which say nothing elsewhere.
func (ws *Workspace) worked(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for d, err := range ws.layered(ctx, docs) {
			if err != nil {
				yield(annotate.Annotated{}, err)
				return
			}
			work := &annotate.Work{Layer: d.layer.By(ws.named)}
			if d.layer.State != annotate.Done {
				work.Suggestions = ws.suggested(d.id, d.Document, d.layer)
			}
			if !yield(annotate.Annotated{Document: d.Document, Spans: d.layer.Spans(), Work: work}, nil) {
				return
			}
		}
	}
}

// named gives the name of an account in a layer, and that of an imported person as the
// file had it.
func (ws *Workspace) named(id string) string {
	if name, elsewhere := strings.CutPrefix(id, importedPerson); elsewhere {
		return name
	}
	return ws.service.PersonName(id)
}

// mayExport finds the project and refuses a format that cannot be written.
func (s *Service) mayExport(by account.User, id ID, opts ExportOptions) (*Workspace, error) {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return nil, err
	}
	if names := format.Writable(); !slices.Contains(names, opts.Format) {
		return nil, Invalidf("use one of "+Joined(names), "unknown export format")
	}
	if err := opts.Map.Check(); err != nil {
		return nil, Invalidf("look at the mapping of the labels", "%v", err)
	}
	return ws, nil
}

func (ws *Workspace) All() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.all.Slice()
}

// AllBut lists the documents that are not in known.
func (ws *Workspace) AllBut(known map[annotate.DocumentID]bool) []annotate.DocumentID {
	return slices.DeleteFunc(ws.All(), func(doc annotate.DocumentID) bool { return known[doc] })
}

// ByGroup sorts the documents so that those of one patient are adjacent.
func (ws *Workspace) ByGroup() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	members := map[uint32][]annotate.DocumentID{}
	for doc := range ws.all.All() {
		if unit := ws.row(doc).unit; unit != 0 {
			members[unit] = append(members[unit], doc)
		}
	}
	docs := make([]annotate.DocumentID, 0, ws.all.Len())
	for doc := range ws.all.All() {
		switch of := members[ws.row(doc).unit]; {
		case of == nil:
			docs = append(docs, doc)
		case of[0] == doc:
			docs = append(docs, of...)
		}
	}
	return docs
}

// Read yields documents with their spans.
func (ws *Workspace) Read(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for d, err := range ws.Documents(ctx, docs) {
			if !yield(d.Annotated, err) || err != nil {
				return
			}
		}
	}
}

// Fetch reads one document and its layer.
func (ws *Workspace) Fetch(doc annotate.DocumentID) (annotate.Document, *annotate.Layer, error) {
	return ws.fetch(doc, ws.Links())
}

func (ws *Workspace) fetch(doc annotate.DocumentID, links *Links) (d annotate.Document, l *annotate.Layer, err error) {
	err = ws.service.View(ws.ID, func(tx *store.Tx) error {
		d, l, err = ws.open(tx, doc, links)
		return err
	})
	if errors.Is(err, store.ErrNotFound) && !ws.Has(doc) {
		return d, l, ws.noNote(doc, err)
	}
	if err != nil {
		err = fmt.Errorf("read document %d of %s: %w", doc, ws.ID, err)
	}
	return d, l, err
}

// open decodes one document and its layer.
func (ws *Workspace) open(tx *store.Tx, doc annotate.DocumentID, links *Links) (annotate.Document, *annotate.Layer, error) {
	ws.service.opened.Add(1)
	d, err := store.GetJSON[annotate.Document](tx, bucketDocuments, docKey(doc))
	if err != nil {
		return d, nil, err
	}
	links.link(&d)
	layer, err := store.GetJSON[annotate.Layer](tx, bucketLayers, docKey(doc))
	layer.Rename(ws.Names().present)
	return d, &layer, err
}

// StoredNote is a document with its number, its annotations and the revision of
// their layer.
type StoredNote struct {
	annotate.Annotated
	ID       annotate.DocumentID
	Revision int
}

// Documents yields documents, each from its own transaction, so that a slow reader
// blocks nothing. It skips documents that were deleted in the meantime. All have the links of
// the beginning: a person whose records are linked meanwhile must not count as two.
func (ws *Workspace) Documents(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[StoredNote, error] {
	return func(yield func(StoredNote, error) bool) {
		for d, err := range ws.layered(ctx, docs) {
			if err != nil {
				yield(StoredNote{}, err)
				return
			}
			if !yield(StoredNote{annotate.Annotated{Document: d.Document, Spans: d.layer.Spans()}, d.id, d.layer.Revision}, nil) {
				return
			}
		}
	}
}

// layeredNote is a document as it is stored.
type layeredNote struct {
	annotate.Document
	id    annotate.DocumentID
	layer *annotate.Layer
}

// layered is [Workspace.Documents] with whole layers.
func (ws *Workspace) layered(ctx context.Context, docs []annotate.DocumentID) iter.Seq2[layeredNote, error] {
	return func(yield func(layeredNote, error) bool) {
		links := ws.Links()
		for _, doc := range docs {
			d, layer, err := ws.fetch(doc, links)
			if errors.Is(err, store.ErrNotFound) && !ws.Has(doc) {
				continue
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(layeredNote{}, err)
				return
			}
			if !yield(layeredNote{d, doc, layer}, nil) {
				return
			}
		}
	}
}

// Corpus is the finished documents of a project at one moment.
type Corpus struct {
	Docs      []StoredNote
	Random    []bool // docs[i] belongs to the random sample
	Help      []Help // whether suggestions were shown in docs[i] before it was finished
	Revisions string // fingerprint of the numbers and contents read
	Content   string // keyed fingerprint of the texts and spans read
	Names     *Names // of the labels of the spans
}

// Snapshot reads the finished documents.
func (ws *Workspace) Snapshot(ctx context.Context) (Corpus, error) {
	return ws.SnapshotOf(ctx, ws.Finished())
}

// SnapshotOf reads some of the finished documents. It reads again if labels or links change
// meanwhile, so that all spans are under the same names, and the fingerprint is that of the links.
func (ws *Workspace) SnapshotOf(ctx context.Context, docs []annotate.DocumentID) (Corpus, error) {
	for {
		links := ws.Links()
		c, err := ws.snapshot(ctx, docs, ws.Names())
		if err != nil || c.Names == ws.Names() && links.Version == ws.Links().Version {
			return c, err
		}
	}
}

func (ws *Workspace) snapshot(ctx context.Context, docs []annotate.DocumentID, names *Names) (Corpus, error) {
	c := Corpus{Names: names}
	sample := ws.RandomSample()
	revisions, content := sha256.New(), sha256.New()
	for d, err := range ws.Documents(ctx, docs) {
		if err != nil {
			return Corpus{}, err
		}
		st, err := ws.Find(d.ID)
		if KindOf(err) == NotFound {
			continue // deleted in the meantime
		}
		if err != nil {
			return Corpus{}, err
		}
		c.Docs = append(c.Docs, d)
		c.Random, c.Help = append(c.Random, sample.Has(d.ID)), append(c.Help, st.Help)
		hashRevision(revisions, d.ID, st.content(d.Revision))
		hashContent(content, d.Annotated)
	}
	hashNames(revisions, c.Names)
	hashLinks(revisions, ws.Links())
	c.Revisions = hex.EncodeToString(revisions.Sum(nil))
	err := ws.service.View(ws.ID, func(tx *store.Tx) error {
		c.Content = hex.EncodeToString(tx.HMAC(content.Sum(nil)))
		return nil
	})
	return c, err
}

func hashRevision(h hash.Hash, doc annotate.DocumentID, revision int) {
	hashNumbers(h, int(doc), revision)
}

// hashNames makes fingerprints differ after a rename or merge of labels.
func hashNames(h hash.Hash, n *Names) {
	if n.Version() > 0 {
		hashNumbers(h, n.Version())
	}
}

// hashLinks makes fingerprints differ after a change of links: folds and counts of patients
// change with it.
func hashLinks(h hash.Hash, l *Links) {
	if l.Version > 0 {
		hashNumbers(h, l.Version)
	}
}

func hashContent(h hash.Hash, d annotate.Annotated) {
	hashNumbers(h, len(d.Text), len(d.Spans))
	h.Write([]byte(d.Text))
	for _, s := range d.Spans {
		hashNumbers(h, int(s.Start), int(s.End), len(s.Label))
		h.Write([]byte(s.Label))
	}
}

func hashNumbers(h hash.Hash, numbers ...int) {
	for _, n := range numbers {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
}

func (c Corpus) RandomNotes() int {
	n := 0
	for _, r := range c.Random {
		if r {
			n++
		}
	}
	return n
}

// Only is the corpus with some of its documents, and with the same fingerprints.
func (c Corpus) Only(keep func(i int) bool) Corpus {
	out := c
	out.Docs, out.Random, out.Help = nil, nil, nil
	for i := range c.Docs {
		if keep(i) {
			out.Docs, out.Random, out.Help = append(out.Docs, c.Docs[i]), append(out.Random, c.Random[i]), append(out.Help, c.Help[i])
		}
	}
	return out
}

// MinRandom is how many random documents are needed to estimate from them alone.
const MinRandom = 10

// Measured is how many documents the estimates are based on: the random sample, or
// all documents if the sample is too small.
func (c Corpus) Measured() int {
	if n := c.RandomNotes(); n >= MinRandom {
		return n
	}
	return len(c.Docs)
}

// Views returns the notes as tokens for training.
func (c Corpus) Views() []annotate.View {
	views := make([]annotate.View, len(c.Docs))
	for i, d := range c.Docs {
		views[i].Note = new(annotate.NewNote(d.Annotated))
	}
	return views
}

// Groups returns each document's group (patient), for folds and resampling.
func (c Corpus) Groups() []string {
	out := make([]string, len(c.Docs))
	for i, d := range c.Docs {
		out[i] = d.Group()
	}
	return out
}

// Undoing a change of a finished note leaves all figures valid. Layer revisions
// only rise, so hide compares the first revision that had the same spans.

// final is the content of a document when it was finished.
type final struct {
	Revision int    `json:"revision"`
	Spans    uint64 `json:"spans"` // fingerprint
}

// mostFinals is how many of them are stored per document.
const mostFinals = 4

// enter updates st after a change of the layer's spans.
func (st *Status) enter(was []annotate.Span, now *annotate.Layer) {
	if st.State == annotate.Done && len(st.Finals) == 0 {
		st.Finals = []final{{st.Revision, spansMark(was)}}
	}
	st.State, st.Annotations, st.Revision, st.Same = now.State, len(now.Annotations), now.Revision, 0
	st.Labels, st.Counted = countSpans(now), true
	if st.State != annotate.Done {
		return
	}
	mark := spansMark(now.Spans())
	if at := slices.IndexFunc(st.Finals, func(f final) bool { return f.Spans == mark }); at >= 0 {
		st.Same = 1 + st.Finals[at].Revision
		return
	}
	st.Finals = append(slices.Clone(st.Finals[max(0, len(st.Finals)+1-mostFinals):]), final{st.Revision, mark})
}

// content distinguishes states of a document with different spans; revision is the
// one they were read at. A different revision is treated as changed.
func (st *Status) content(revision int) int {
	if st.Same > 0 && revision == st.Revision {
		return st.Same - 1
	}
	return revision
}

func spansMark(spans []annotate.Span) uint64 {
	h := sha256.New()
	hashContent(h, annotate.Annotated{Spans: spans})
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Layer reads the annotations of a document, without its text.
func (ws *Workspace) Layer(doc annotate.DocumentID) (l annotate.Layer, err error) {
	err = ws.service.View(ws.ID, func(tx *store.Tx) error {
		l, err = store.GetJSON[annotate.Layer](tx, bucketLayers, docKey(doc))
		return err
	})
	l.Rename(ws.Names().present)
	if err != nil {
		err = fmt.Errorf("read the annotations of document %d of %s: %w", doc, ws.ID, err)
	}
	return l, err
}

// SomeOf draws at most n of the documents at random, in random order. It reorders
// the slice.
func SomeOf(docs []annotate.DocumentID, n int, seed uint64) []annotate.DocumentID {
	rand.New(rand.NewPCG(seed, uint64(len(docs)))).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs[:min(n, len(docs))]
}

// A DocumentRevision is a state of a document.
type DocumentRevision struct {
	Document annotate.DocumentID
	Revision int
}

// DocumentRevisions are the states of those of the documents that the project still has.
func (ws *Workspace) DocumentRevisions(docs []annotate.DocumentID) (all []DocumentRevision) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	for _, doc := range docs {
		if r := ws.row(doc); r != nil {
			all = append(all, DocumentRevision{doc, int(r.revision)})
		}
	}
	return all
}

// Summary is what trainings ask of many documents.
type Summary struct {
	Unit             string // see [Status.Unit]
	Tokens, Revision int
}

// Summaries summarizes documents. It fails if the project does not have one of them.
func (ws *Workspace) Summaries(docs []annotate.DocumentID) ([]Summary, error) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	all := make([]Summary, len(docs))
	for i, doc := range docs {
		r := ws.row(doc)
		if r == nil {
			return nil, ws.noNote(doc, nil)
		}
		all[i] = Summary{ws.unit(doc), int(r.tokens), int(r.revision)}
	}
	return all, nil
}

// RevisionsMark is a fingerprint of document states.
func RevisionsMark(all []DocumentRevision) string {
	h := sha256.New()
	for _, r := range all {
		hashRevision(h, r.Document, r.Revision)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Fingerprint identifies what a page showed, so that a form can say which state it
// was filled in for.
func Fingerprint(format string, of ...any) string {
	h := fnv.New64a()
	fmt.Fprintf(h, format, of...) // never fails
	return strconv.FormatUint(h.Sum64(), 36)
}
