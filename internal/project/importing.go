// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/parallel"
	"hide/internal/store"
	"hide/internal/words"
)

// importRecord lists the documents of one import. Documents are written in portions of
// importPortion and become visible only once their record is Committed.
type importRecord struct {
	Number    uint64              `json:"number"`
	At        time.Time           `json:"at"`
	By        string              `json:"by"`
	First     annotate.DocumentID `json:"first"` // 0 if it has none yet
	Last      annotate.DocumentID `json:"last"`
	Committed bool                `json:"committed"`
	Mapping   int                 `json:"mapping,omitempty"` // version of the project's mapping of labels that was used; 0 for none
	Report    format.Report       `json:"report"`
}

// importPortion bounds one transaction of an import.
const (
	importPortion      = 500
	importPortionBytes = 8 << 20
)

// intake is an import in progress.
type intake struct {
	service *Service
	ws      *Workspace
	by      account.User
	opts    ImportOptions
	record  importRecord
	portion []annotate.Annotated // read, to be written next
	bytes   int                  // of their texts
	writing chan error           // the portion before, while it is written; nil if none is
	labels  annotate.LabelSet
	mapping *relabel
	taken   int
	renamed map[annotate.Label]int // spans by the earlier name of their label that the file has
	retired map[annotate.Label]int // spans by their retired label
	names   []heldName
	renewed map[string]bool // see findRenewed; known from the commit on
}

// ImportReport is the result of an import.
type ImportReport struct {
	format.Report
	Number uint64 // of the import, by which it can be undone
}

// Import reads files into the project, all or nothing: if it returns an error, the
// project is unchanged. Labels of the files become what the mapping says; those that are new
// to the project are added to its set.
func (s *Service) Import(ctx context.Context, by account.User, id ID, files []format.File, opts ImportOptions) (ImportReport, error) {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return ImportReport{}, err
	}
	if err := s.CheckRoom(); err != nil {
		return ImportReport{}, err
	}
	ws.imports.Lock()
	defer ws.imports.Unlock()
	in, err := s.beginImport(ws, by, opts)
	if err != nil {
		return ImportReport{}, err
	}
	report, err := format.Read(ctx, files, opts.Options, in.take)
	if settled := in.settle(); err == nil {
		err = settled
	}
	if err == nil && report.Documents == 0 {
		err = Invalidf("choose files with notes in them", "nothing was imported: %s", emptyReason(report))
	}
	if err == nil {
		err = in.commit(report)
	}
	if err != nil {
		return ImportReport{Report: report}, errors.Join(err, s.dropImport(ws.ID, in.record))
	}
	if fresh := in.freshLabels(); len(fresh) > 0 {
		report.Notes = append(report.Notes, "new labels in this project: "+shortList(fresh))
	}
	report.Notes = append(append(report.Notes, in.mapping.lines()...), in.relabelled()...)
	return ImportReport{report, in.record.Number}, in.announce()
}

// present gives the spans of a file the present names of their labels.
func (in *intake) present(spans []annotate.Span) []annotate.Span {
	names := in.ws.Names()
	for _, s := range spans {
		if now := names.present.Of(s.Label); now != s.Label {
			in.renamed[s.Label]++
		}
		if now := names.present.Of(s.Label); names.Retired(now) {
			in.retired[now]++
		}
	}
	return names.present.Spans(spans)
}

// relabelled says which labels of the files have other names now, or are retired.
func (in *intake) relabelled() []string {
	var all []string
	for _, was := range slices.Sorted(maps.Keys(in.renamed)) {
		all = append(all, fmt.Sprintf("%s is now %s: %s", was, in.ws.Names().present.Of(was), words.Count(in.renamed[was], "span was", "spans were")+" imported under the new name"))
	}
	for _, l := range slices.Sorted(maps.Keys(in.retired)) {
		all = append(all, fmt.Sprintf("%s is retired: %s", l, words.Count(in.retired[l], "span keeps", "spans keep")+" it all the same"))
	}
	return all
}

// freshLabels lists the labels that the import added.
func (in *intake) freshLabels() []string {
	var fresh []string
	for _, l := range in.labels.Labels() {
		if !in.ws.Labels().Has(l) {
			fresh = append(fresh, string(l))
		}
	}
	return fresh
}

// labelsListed is how many labels a message names.
const labelsListed = 20

// shortList joins the first names of a list.
func shortList(names []string) string {
	if more := len(names) - labelsListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:labelsListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

func emptyReason(r format.Report) string {
	if r.Refused > 0 {
		return fmt.Sprintf("all %d records were refused", r.Refused)
	}
	return "the files contain no documents"
}

func (s *Service) beginImport(ws *Workspace, by account.User, opts ImportOptions) (*intake, error) {
	mapping, err := s.relabel(ws, opts)
	if err != nil {
		return nil, err
	}
	in := &intake{
		mapping: mapping,
		service: s, ws: ws, by: by, opts: opts, labels: ws.info.Labels,
		renamed: map[annotate.Label]int{}, retired: map[annotate.Label]int{},
	}
	in.record = importRecord{At: s.opts.Now().UTC(), By: by.ID}
	err = s.Transact(ws.ID, func(tx *store.Tx) error {
		n, err := tx.Next(bucketImports)
		if err != nil {
			return err
		}
		in.record.Number = n
		if err := store.PutJSON(tx, bucketImports, store.Key(n), in.record); err != nil {
			return err
		}
		return tx.Audit(EventBy(by, "begin import", ws.ID.Object("imports", n)))
	})
	return in, err
}

// take receives the readers' documents. The readers have refused duplicate names among
// the files; take compares them with the project's documents.
func (in *intake) take(doc annotate.Annotated) error {
	if err := in.service.refuseKnown(in.ws, doc.Name); err != nil {
		return err
	}
	doc = in.mapping.document(doc)
	if in.taken++; in.opts.Progress != nil {
		in.opts.Progress(in.taken)
	}
	in.portion = append(in.portion, doc)
	in.bytes += len(doc.Text)
	if len(in.portion) < importPortion && in.bytes < importPortionBytes {
		return nil
	}
	return in.pass()
}

func duplicateName() error {
	return &format.Problem{
		Offset: -1, Code: "duplicate-id",
		Reason: "the project already has a note with this id",
		Hint:   "give every note its own id, or leave out notes that were imported before",
	}
}

// refuseKnown refuses a document whose name the project has.
func (s *Service) refuseKnown(ws *Workspace, name string) error {
	return s.View(ws.ID, func(tx *store.Tx) error {
		_, err := tx.Get(bucketNames, nameKey(tx, name))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return duplicateName()
	})
}

func nameKey(tx *store.Tx, name string) []byte { return tx.HMAC([]byte(format.SameName(name))) }

// pass has the portion written, after the one before. The next one is read meanwhile.
func (in *intake) pass() error {
	if err := in.settle(); err != nil || len(in.portion) == 0 {
		return err
	}
	docs, writing := in.portion, make(chan error, 1)
	in.portion, in.bytes, in.writing = nil, 0, writing
	go func() { writing <- parallel.Guard(func() error { return in.store(docs) }) }()
	return nil
}

// settle waits for the portion that is being written.
func (in *intake) settle() (err error) {
	if in.writing != nil {
		err, in.writing = <-in.writing, nil
	}
	return err
}

// flush writes what was read.
func (in *intake) flush() error {
	if err := in.pass(); err != nil {
		return err
	}
	return in.settle()
}

// store writes documents in one transaction.
func (in *intake) store(docs []annotate.Annotated) error {
	object := in.ws.ID.Object("imports", in.record.Number)
	ev := EventBy(in.by, "import", object, fmt.Sprintf("%d documents", len(docs)))
	err := in.service.Update(in.ws.ID, ev, func(tx *store.Tx) error {
		list := newStatuses(tx)
		for _, doc := range docs {
			if err := in.write(tx, list, doc); err != nil {
				return err
			}
		}
		return errors.Join(list.flush(), store.PutJSON(tx, bucketImports, store.Key(in.record.Number), in.record))
	})
	if err == nil && len(in.names) >= namesHeld {
		err = in.writeNames(0)
	}
	return err
}

func (in *intake) write(tx *store.Tx, list *statuses, doc annotate.Annotated) error {
	n, err := tx.Next(bucketDocuments)
	if err != nil {
		return err
	}
	id := annotate.DocumentID(n)
	in.record.First = cmp.Or(in.record.First, id)
	in.record.Last = id
	doc.Spans = in.present(doc.Spans)
	in.labels = in.labels.With(annotate.Labels([]annotate.Annotated{doc})...)
	layer := in.layer(doc)
	st := &Status{
		Name: doc.Name, Group: doc.Record(), State: layer.State, Annotations: len(layer.Annotations),
		Tokens: len(annotate.Tokenize(doc.Text)), Import: in.record.Number,
		Random: in.opts.Finished && in.opts.Random, Revision: layer.Revision, Labels: countSpans(layer), Counted: true,
	}
	in.hold(tx, doc.Name, id)
	return errors.Join(
		store.PutJSON(tx, bucketDocuments, docKey(id), doc.Document),
		store.PutJSON(tx, bucketLayers, docKey(id), layer),
		list.put(id, *st),
	)
}

// importedPerson stands before the name of a person of another installation, where an
// account stands otherwise: a file must not speak for an account.
const importedPerson = "imported:"

// layer returns the layer of a new document: the one in the file, or a new one with the
// file's spans.
func (in *intake) layer(doc annotate.Annotated) *annotate.Layer {
	if doc.Work != nil {
		l := doc.Work.Layer.Clone().By(func(name string) string { return importedPerson + name })
		l.Rename(in.ws.Names().present)
		if in.opts.Finished {
			l.State = annotate.Done
		}
		return l
	}
	l := &annotate.Layer{State: annotate.New, LastID: uint64(len(doc.Spans))}
	for i, s := range doc.Spans {
		l.Annotations = append(l.Annotations, annotate.Annotation{
			ID: uint64(i) + 1, Span: s, Source: annotate.Imported, By: in.by.ID, At: in.record.At,
		})
	}
	if len(doc.Spans) > 0 {
		l.State = annotate.InProgress
	}
	if in.opts.Finished {
		l.State = annotate.Done
	}
	return l
}

// dropUnfinishedImports removes the documents of imports that a crash or an error
// interrupted.
func (s *Service) dropUnfinishedImports(id ID) error {
	records, err := ListJSON[importRecord](s, id, bucketImports)
	for _, r := range records {
		if err == nil && !r.Committed {
			err = s.dropImport(id, r)
		}
	}
	return err
}

// dropImport deletes an import's documents in portions, and its record last, so that it
// can be interrupted and repeated.
func (s *Service) dropImport(id ID, r importRecord) error {
	for first := r.First; first != 0 && first <= r.Last; first += importPortion {
		last := min(r.Last, first+importPortion-1)
		err := s.Update(id, store.Event{Actor: "system", Action: "drop import", Object: id.Object("imports", r.Number)}, func(tx *store.Tx) error {
			list := newStatuses(tx)
			return errors.Join(dropDocuments(tx, list, first, last), list.flush())
		})
		if err != nil {
			return fmt.Errorf("drop import %d: %w", r.Number, err)
		}
	}
	ev := store.Event{Actor: "system", Action: "forget import", Object: id.Object("imports", r.Number)}
	return s.Update(id, ev, func(tx *store.Tx) error { return tx.Delete(bucketImports, store.Key(r.Number)) })
}

func dropDocuments(tx *store.Tx, list *statuses, first, last annotate.DocumentID) error {
	for doc := first; doc <= last; doc++ {
		d, err := store.GetJSON[annotate.Document](tx, bucketDocuments, docKey(doc))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		err = errors.Join(
			tx.Delete(bucketNames, nameKey(tx, d.Name)),
			tx.Delete(bucketDocuments, docKey(doc)),
			tx.Delete(bucketLayers, docKey(doc)),
			list.drop(doc),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
