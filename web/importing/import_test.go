// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/webtest"
)

// fakeImport reads what it is given and answers as told.
type fakeImport struct {
	*webtest.Frame
	preview project.ImportPreview
	report  project.ImportReport
	lost    []string
	room    error // nil: there is room on the disk

	mu      sync.Mutex // guards what follows
	err     error
	block   chan struct{} // if not nil, work waits until it is closed or cancelled
	options project.ImportOptions
	got     map[string]string
	imports int
}

func (f *fakeImport) CheckRoom() error { return f.room }

func (f *fakeImport) read(ctx context.Context, files []format.File, opts project.ImportOptions) error {
	f.mu.Lock()
	block := f.block
	f.mu.Unlock()
	if block != nil {
		opts.Progress(7)
		select {
		case <-block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	got := map[string]string{}
	for _, file := range files {
		for range 2 { // readers may look twice
			r, err := file.Open()
			if err != nil {
				return err
			}
			content, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				return err
			}
			if int64(len(content)) != file.Size {
				return errors.New("size is wrong")
			}
			got[file.Name] = string(content)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.options, f.got = opts, got
	return f.err
}

func (f *fakeImport) Preview(ctx context.Context, _ account.User, _ project.ID, files []format.File, opts project.ImportOptions) (project.ImportPreview, error) {
	if err := f.read(ctx, files, opts); err != nil {
		return project.ImportPreview{}, err
	}
	return f.preview, nil
}

func (f *fakeImport) Import(ctx context.Context, _ account.User, _ project.ID, files []format.File, opts project.ImportOptions) (project.ImportReport, error) {
	if err := f.read(ctx, files, opts); err != nil {
		return project.ImportReport{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.imports++
	return f.report, nil
}

func (f *fakeImport) Mappings(context.Context, account.User, project.ID) ([]project.LabelMapping, error) {
	return []project.LabelMapping{{Version: 2, Pairs: map[annotate.Label]annotate.Label{"OLD": "DATE"}}}, nil
}

func (f *fakeImport) Export(_ context.Context, _ account.User, _ project.ID, opts project.ExportOptions, w io.Writer) error {
	if f.err != nil {
		return f.err
	}
	_, err := io.WriteString(w, opts.Format+string(opts.Map.Of("PATIENT")))
	return err
}

func (f *fakeImport) ExportLosses(context.Context, account.User, project.ID, project.ExportOptions) ([]string, error) {
	return f.lost, f.err
}

func (f *fakeImport) set(err error, block chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.block = err, block
}

func newFakeImport() *fakeImport {
	f := &fakeImport{Frame: webtest.NewFrame()}
	f.Overview.Labels = annotate.LabelSet(nil).With("PATIENT", "DATE")
	report := format.Report{Format: "csv", Documents: 2, Spans: 5, Bytes: 4096}
	f.report = project.ImportReport{Report: report, Number: 17}
	f.preview = project.ImportPreview{Preview: format.Preview{Report: report, Patients: 1, Without: 1, Columns: []string{"note", "body", "mrn"}}}
	f.preview.Mapped = []project.MappedLabel{
		{LabelCount: format.LabelCount{Label: "NOMBRE", Spans: 3}, To: "NOMBRE", New: true, Proposed: "PATIENT"},
		{LabelCount: format.LabelCount{Label: "DATE", Spans: 2}, To: "DATE"},
	}
	f.preview.Samples = []format.Sample{{Annotated: annotate.Annotated{
		Document: annotate.Document{Name: "a<b>", Text: "Ana <script> was here"}, Spans: []annotate.Span{{Start: 0, End: 3, Label: "NOMBRE"}},
	}}}
	return f
}

// stack is a server with the pages of imports.
type stack struct {
	*webtest.Server
	t        *testing.T
	fake     *fakeImport
	handlers *Handlers
}

func newStack(t *testing.T, f *fakeImport) *stack {
	h := New(f, webtest.Accounts{})
	t.Cleanup(func() {
		if err := h.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return &stack{webtest.New(t, f, h), t, f, h}
}

// send uploads files and gives the address of their page.
func (s *stack) send(fields, files map[string]string) string {
	s.t.Helper()
	answer := s.Upload(s.t, account.Broker, "/p/p1/import", false, fields, files)
	at := answer.Header().Get("Location")
	if answer.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/p/p1/import/") {
		s.t.Fatalf("status %d, %s", answer.Code, answer.Body)
	}
	return at
}

// page asks for a page and wants parts of it.
func (s *stack) page(at string, want ...string) string {
	s.t.Helper()
	answer := s.Get(account.Broker, at)
	body := answer.Body.String()
	for _, w := range want {
		if answer.Code != http.StatusOK || !strings.Contains(body, w) {
			s.t.Errorf("%s: status %d, no %q", at, answer.Code, w)
		}
	}
	return body
}

func (s *stack) post(at string, form url.Values, status int) *httptest.ResponseRecorder {
	s.t.Helper()
	answer := s.Post(account.Broker, at, form)
	if answer.Code != status {
		s.t.Errorf("%s: status %d, want %d", at, answer.Code, status)
	}
	return answer
}

// decided is the form of a preview.
func decided(number string, more ...string) url.Values {
	v := url.Values{"preview": {number}, "label": {"NOMBRE", "DATE"}, "becomes": {"PATIENT", "DATE"}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// emptyTemp reports files that are left in the folder for temporary files.
func emptyTemp(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left (%v)", len(left), err)
	}
}

func TestFilesLeadToAPreviewAndThenToAnImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := newFakeImport()
	s := newStack(t, f)
	at := s.send(map[string]string{"format": "csv", "column-id": " note ", "column-text": "body"}, map[string]string{"a.csv": "x,y\r\n", "ward 3/b.csv": "\x00\xff"})
	s.page(at, "Import 2 notes", "Drop the files", "in 2 files", "read as CSV", "a&lt;b&gt;", "&lt;script&gt;", `<mark data-code="NOMBRE"`,
		`<option value="PATIENT" selected>`, "proposed", `<option value="body" selected>`, "1; 1 note names none")
	if f.imports != 0 || f.got["a.csv"] != "x,y\r\n" || f.got["ward 3/b.csv"] != "\x00\xff" {
		t.Errorf("%d imports, files %q", f.imports, f.got)
	}
	if o := f.options; o.Format != "csv" || o.Columns.ID != "note" || o.Columns.Text != "body" {
		t.Errorf("options of the preview %+v", o)
	}
	s.post(at, decided("1", "finished", "1", "random", "1"), http.StatusSeeOther)
	s.page(at, "2 notes imported", "Import 17", "Undo this import", "import 17", `action="/p/p1/delete/import"`)
	o := f.options
	if o.Format != "csv" || !o.Finished || !o.Random || o.SkipBad || o.Map.Of("NOMBRE") != "PATIENT" || o.Map.Of("OLD") != "DATE" || len(o.Map.Pairs) != 2 {
		t.Errorf("options of the import %+v, %v", o, o.Map)
	}
	s.post(at, decided("1"), http.StatusSeeOther)
	if f.imports != 1 {
		t.Errorf("a second click imports %d times", f.imports)
	}
	emptyTemp(t)
}

func TestAnotherWayOfReadingNeedsNoFiles(t *testing.T) {
	f := newFakeImport()
	s := newStack(t, f)
	at := s.send(nil, map[string]string{"a.csv": "x"})
	s.page(at, "detected as CSV")
	s.post(at+"/again", url.Values{"format": {"text"}, "encoding": {"latin-1"}, "column-patient": {"mrn"}}, http.StatusSeeOther)
	s.page(at, "read as "+titleOf("text"), "latin-1, as chosen", `name="preview" value="2"`)
	if o := f.options; o.Format != "text" || o.Encoding != "latin-1" || o.Columns.Patient != "mrn" || f.got["a.csv"] != "x" {
		t.Errorf("options %+v, files %q", o, f.got)
	}
	s.post(at, decided("1"), http.StatusSeeOther) // of the first preview
	if f.imports != 0 {
		t.Error("an old preview was confirmed")
	}
	for _, bad := range []url.Values{{"format": {"docx!"}}, {"encoding": {"ebcdic"}}} {
		s.post(at+"/again", bad, http.StatusUnprocessableEntity)
	}
	for _, bad := range []url.Values{decided("2", "label", "X"), decided("2", "becomes", "-"), {"preview": {"2"}, "label": {"NOMBRE"}, "becomes": {"<b>"}}, {"preview": {"2"}, "label": {"ELSE"}, "becomes": {"DATE"}}} {
		s.post(at, bad, http.StatusUnprocessableEntity)
	}
	s.post(at, decided("2"), http.StatusSeeOther)
	if f.imports != 1 {
		t.Errorf("%d imports", f.imports)
	}
}

func TestOnlyItsSenderFindsAnUpload(t *testing.T) {
	f := newFakeImport()
	s := newStack(t, f)
	at := s.send(nil, map[string]string{"a.txt": "x"})
	for name, answer := range map[string]*httptest.ResponseRecorder{
		"an administrator": s.Get(account.Admin, at), "another token": s.Get(account.Broker, "/p/p1/import/0123456789abcdef0123456789abcdef"),
		"confirmed by another": s.Post(account.Admin, at, decided("1")), "dropped by another": s.Post(account.Admin, at+"/drop", nil), "read again by another": s.Post(account.Admin, at+"/again", nil),
	} {
		if answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "script&gt;") {
			t.Errorf("%s: status %d", name, answer.Code)
		}
	}
	for _, id := range []project.ID{"p2", ""} {
		if s.handlers.shelf.find(strings.TrimPrefix(at, "/p/p1/import/"), webtest.As(account.Broker).ID, id) != nil {
			t.Errorf("it is found in project %q", id)
		}
	}
	if answer := s.Post(account.Annotator, at, decided("1")); answer.Code != http.StatusForbidden {
		t.Errorf("an annotator: status %d", answer.Code)
	}
	if f.imports != 0 {
		t.Error("something was imported")
	}
	s.page(at, "Import 2 notes")
	s.page("/p/p1/import", "1 file of", "Go on with the preview")
}

func TestADroppedUploadIsGone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newStack(t, newFakeImport())
	at := s.send(nil, map[string]string{"a.txt": "x"})
	answer := s.post(at+"/drop", nil, http.StatusSeeOther)
	s.page(answer.Header().Get("Location"), "The files are dropped")
	for _, path := range []string{at, at + "/again", at + "/drop"} {
		s.post(path, decided("1"), http.StatusNotFound)
	}
	if len(s.handlers.shelf.bytes) != 0 {
		t.Errorf("room is taken: %v", s.handlers.shelf.bytes)
	}
	emptyTemp(t)
}

func TestUploadsExpireAndEndWithTheSessionAndTheServer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := newFakeImport()
	s := newStack(t, f)
	by := webtest.As(account.Broker).ID
	gone := func(at string) bool { return s.Get(account.Broker, at).Code == http.StatusNotFound }
	s.handlers.shelf.life = 0
	at := s.send(nil, map[string]string{"a.txt": "x"})
	for end := time.Now().Add(10 * time.Second); !gone(at); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not expire")
		}
	}
	s.handlers.shelf.life = time.Hour
	at = s.send(nil, map[string]string{"a.txt": "x"})
	s.handlers.shelf.dropOf("u-admin")
	if gone(at) {
		t.Error("it went with somebody else's session")
	}
	s.handlers.shelf.dropOf(by)
	if !gone(at) {
		t.Error("it is there after signing out")
	}
	at = s.send(nil, map[string]string{"a.txt": "x"})
	if err := s.handlers.Close(t.Context()); err != nil || !gone(at) {
		t.Errorf("it is there after the server has stopped: %v", err)
	}
	if answer := s.Upload(t, account.Broker, "/p/p1/import", false, nil, map[string]string{"a.txt": "x"}); answer.Code == http.StatusSeeOther {
		t.Error("a stopped server takes files")
	}
	emptyTemp(t)
}

// signOuts tells of people who sign out, as accounts do.
type signOuts struct{ tell func(string) }

func (s *signOuts) Changes(fn func(string)) (stop func()) {
	s.tell = fn
	return func() { s.tell = nil }
}

func TestSigningOutDropsUploads(t *testing.T) {
	f, accounts := newFakeImport(), &signOuts{}
	h := New(f, accounts)
	s := &stack{webtest.New(t, f, h), t, f, h}
	at := s.send(nil, map[string]string{"a.txt": "x"})
	accounts.tell(webtest.As(account.Broker).ID)
	if answer := s.Get(account.Broker, at); answer.Code != http.StatusNotFound {
		t.Errorf("status %d", answer.Code)
	}
	if err := h.Close(t.Context()); err != nil || accounts.tell != nil {
		t.Errorf("it listens after the end: %v", err)
	}
}

// TestUploadsAreRefusedBeforeTheyAreSentToAFullDisk: the page says why and what to do.
func TestUploadsAreRefusedBeforeTheyAreSentToAFullDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := newFakeImport()
	f.room = &project.Error{Kind: project.Full, Message: "the disk of the data has 4 MB left", Hint: "make space"}
	answer := newStack(t, f).Upload(t, account.Broker, "/p/p1/import", false, nil, map[string]string{"a.txt": "x"})
	if body := answer.Body.String(); answer.Code != http.StatusInsufficientStorage || !strings.Contains(body, "4 MB left") || !strings.Contains(body, "Make space") || f.got != nil {
		t.Errorf("status %d, %s", answer.Code, body)
	}
	emptyTemp(t)
}

func TestUploadsAreBounded(t *testing.T) {
	s := newStack(t, newFakeImport())
	var all []string
	for range mostOfOne + 1 {
		all = append(all, s.send(nil, map[string]string{"a.txt": "x"}))
	}
	if s.Get(account.Broker, all[0]).Code != http.StatusNotFound || s.Get(account.Broker, all[1]).Code != http.StatusOK {
		t.Error("the oldest did not make room for the newest")
	}
	shelf := s.handlers.shelf
	if err := shelf.grow("a", roomOfOne); err != nil {
		t.Fatal(err)
	}
	if err := shelf.grow("a", 1); err == nil {
		t.Error("one person has no limit")
	}
	if err := shelf.grow("b", roomInAll-roomOfOne); err == nil {
		t.Error("there is no limit in all") // the uploads above have a few bytes
	}
	shelf.release("a", roomOfOne)
	if err := shelf.grow("b", roomOfOne); err != nil {
		t.Error(err)
	}
}

func TestLongReadingShowsItsProgressAndCanBeStopped(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := newFakeImport()
	s := newStack(t, f)
	s.handlers.patience = 0
	f.set(nil, make(chan struct{}))
	at := s.send(nil, map[string]string{"a.txt": "x"})
	k := s.handlers.shelf.find(strings.TrimPrefix(at, "/p/p1/import/"), webtest.As(account.Broker).ID, "p1")
	for k.notes.Load() != 7 {
		time.Sleep(time.Millisecond)
	}
	s.page(at, "Reading the files", "7 notes", "Stop, and drop the files")
	if answer := s.Get(account.Broker, at); answer.Header().Get("Refresh") == "" {
		t.Error("the page does not renew itself")
	}
	s.post(at, decided("0"), http.StatusSeeOther) // nothing to confirm yet
	close(f.block)
	k.wait(t.Context())
	s.page(at, "Import 2 notes")

	f.set(nil, make(chan struct{}))
	s.post(at, decided("1"), http.StatusSeeOther)
	s.page(at, "Importing", "of 2")
	s.handlers.shelf.dropOf(webtest.As(account.Broker).ID) // an import goes on after signing out
	s.page(at, "Importing")
	s.post(at+"/drop", nil, http.StatusSeeOther)
	if f.imports != 0 || s.Get(account.Broker, at).Code != http.StatusNotFound {
		t.Errorf("%d imports after a stop", f.imports)
	}
	emptyTemp(t)
}

func TestAPreviewListsEveryRefusal(t *testing.T) {
	f := newFakeImport()
	f.preview.Refused, f.preview.Known = 3, 1
	f.preview.Problems = []format.Problem{
		{File: "a<b>.jsonl", Record: "line 3", Offset: 1207, Code: "span-range", Reason: "span ends behind the text", Hint: "count in code points"},
		{File: "c.txt", Offset: -1, Code: "encoding", Reason: "not UTF-8", Hint: "convert the file"},
		{File: "d.txt", Offset: -1, Code: "duplicate-id", Reason: "known", Hint: "leave it out"},
	}
	s := newStack(t, f)
	at := s.send(nil, map[string]string{"a": "x"})
	s.page(at, "Import 2 notes, without the 3 others", "2 records cannot be read", "1 note is in the project already", "a&lt;b&gt;.jsonl", "line 3", "1207", "Span ends behind the text.", "Count in code points.", "Not UTF-8.", "1 × encoding")
	s.post(at, decided("1"), http.StatusSeeOther)
	if !f.options.SkipBad {
		t.Error("the import does not leave out what the preview leaves out")
	}
}

func TestFilesThatCannotBeReadAreExplained(t *testing.T) {
	f := newFakeImport()
	s := newStack(t, f)
	f.set(&format.Problem{File: "a.zip", Offset: -1, Code: "zip", Reason: "too large", Hint: "split it"}, nil)
	at := s.send(nil, map[string]string{"a.zip": "x"})
	if page := s.page(at, "Nothing was imported", "Too large. Split it.", "Preview again"); strings.Contains(page, `id="import-confirm"`) {
		t.Error("there is something to confirm")
	}
	f.set(nil, nil)
	s.post(at+"/again", nil, http.StatusSeeOther)
	s.page(at, "Import 2 notes")
	f.set(&project.Error{Kind: project.Invalid, Message: "a note came meanwhile", Hint: "look again"}, nil)
	s.post(at, decided("2"), http.StatusSeeOther)
	s.page(at, "The project is unchanged. A note came meanwhile. Look again.", "Import 2 notes")
	f.set(errors.New("disk"), nil)
	s.post(at, decided("2"), http.StatusSeeOther)
	if answer := s.Get(account.Broker, at); answer.Code != http.StatusInternalServerError {
		t.Errorf("an unknown error: status %d", answer.Code)
	}
}

// Where every note is finished, nothing is left to annotate.
func TestAnImportLeadsToWhatIsToDo(t *testing.T) {
	f := newFakeImport()
	s := newStack(t, f)
	for _, c := range []struct {
		done int
		want string
	}{{1, "Start annotating"}, {2, "Sanitize the notes"}} {
		f.Overview.Documents, f.Overview.Done = 2, c.done
		at := s.send(nil, map[string]string{"a": "x"})
		s.post(at, decided("1"), http.StatusSeeOther)
		body := s.page(at)
		for _, link := range []string{"Start annotating", "Look at the notes", "Sanitize the notes"} {
			if strings.Contains(body, link) != (link == c.want || c.done == 2 && link == "Look at the notes") {
				t.Errorf("%d of 2 finished: %q", c.done, link)
			}
		}
	}
}

func TestImportWithoutAFileSaysSo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := newFakeImport()
	answer := newStack(t, f).Upload(t, account.Broker, "/p/p1/import", true, map[string]string{"format": ""}, nil)
	if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), "No file was chosen") || f.got != nil {
		t.Errorf("status %d", answer.Code)
	}
	emptyTemp(t)
}

func TestOtherSitesCannotImport(t *testing.T) {
	f := newFakeImport()
	s := newStack(t, f)
	r := httptest.NewRequest(http.MethodPost, webtest.Origin+"/p/p1/import", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Origin", "https://evil.example")
	if answer := s.Ask(account.Broker, r); answer.Code != http.StatusForbidden || f.got != nil {
		t.Errorf("an upload from another site answers %d", answer.Code)
	}
	if answer := s.Upload(t, account.Annotator, "/p/p1/import", true, nil, map[string]string{"a": "x"}); answer.Code != http.StatusForbidden || f.got != nil {
		t.Errorf("an annotator's upload answers %d", answer.Code)
	}
}

func TestExportSaysWhatItLosesAndIsADownloadOrAnErrorPage(t *testing.T) {
	f := newFakeImport()
	f.Overview.Documents = 3
	s := newStack(t, f)
	f.lost = []string{"4 notes: the patient is left out"}
	s.page("/p/p1/import", "All 3 notes", `<option value="jsonl" selected>`, `<option value="brat">`, "identified text")
	s.page("/p/p1/export?format=brat&map=i2b2-2014-to-names", "4 notes: the patient is left out", "identified text", `href="/p/p1/download/notes/brat?map=i2b2-2014-to-names"`)
	f.lost = nil
	s.page("/p/p1/export?format=jsonl", "Nothing is left out")
	answer := s.Get(account.Broker, "/p/p1/download/notes/jsonl?map=i2b2-2014-to-names")
	if answer.Code != http.StatusOK || answer.Body.String() != "jsonlNAME" || answer.Header().Get("Content-Disposition") != `attachment; filename="p1-jsonl.jsonl"` {
		t.Errorf("status %d, %q, %q", answer.Code, answer.Body, answer.Header().Get("Content-Disposition"))
	}
	if answer := s.Get(account.Broker, "/p/p1/download/notes/brat"); answer.Body.String() != "bratPATIENT" || answer.Header().Get("Content-Type") != "application/zip" {
		t.Errorf("brat: %q", answer.Header().Get("Content-Type"))
	}
	for _, bad := range []string{"/p/p1/export?format=x", "/p/p1/export?format=jsonl&map=x", "/p/p1/download/notes/x"} {
		if answer := s.Get(account.Broker, bad); answer.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d", bad, answer.Code)
		}
	}
	f.err = &project.Error{Kind: project.Forbidden, Message: "not yours"}
	if answer := s.Get(account.Broker, "/p/p1/download/notes/brat"); answer.Code != http.StatusForbidden || answer.Header().Get("Content-Disposition") != "" {
		t.Errorf("a refused export answers %d", answer.Code)
	}
}

func TestPiecesAreTheText(t *testing.T) {
	s := format.Sample{Annotated: annotate.Annotated{Document: annotate.Document{Text: "Zoë met Ann."}, Spans: []annotate.Span{{Start: 0, End: 4, Label: "A"}, {Start: 9, End: 12, Label: "B"}}}}
	if got, want := pieces(s), []piece{{"Zoë", "A"}, {" met ", ""}, {"Ann", "B"}, {".", ""}}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
