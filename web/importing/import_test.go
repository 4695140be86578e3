// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/webtest"
)

// fakeImport reads what it is given and answers as told.
type fakeImport struct {
	*webtest.Frame
	report  project.ImportReport
	err     error
	options project.ImportOptions
	got     map[string]string
	exports string
}

func (f *fakeImport) Import(_ context.Context, _ account.User, _ project.ID, files []format.File, opts project.ImportOptions) (project.ImportReport, error) {
	f.options, f.got = opts, map[string]string{}
	for _, file := range files {
		for range 2 { // readers may look twice
			r, err := file.Open()
			if err != nil {
				return project.ImportReport{}, err
			}
			content, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err != nil {
				return project.ImportReport{}, err
			}
			if int64(len(content)) != file.Size {
				return project.ImportReport{}, errors.New("size is wrong")
			}
			f.got[file.Name] = string(content)
		}
	}
	return f.report, f.err
}

func (f *fakeImport) Export(_ context.Context, _ account.User, _ project.ID, name string, w io.Writer) error {
	if f.err != nil {
		return f.err
	}
	_, err := io.WriteString(w, f.exports+name)
	return err
}

func newFakeImport() *fakeImport {
	return &fakeImport{Frame: webtest.NewFrame(), report: project.ImportReport{Report: format.Report{Format: "text", Documents: 2, Spans: 5, Bytes: 4096}, Number: 17}}
}

// uploadForm sends fields and files as a browser does, to the form of the page.
func uploadForm(t *testing.T, s *webtest.Server, role account.Role, header bool, fields map[string]string, files map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	return s.Upload(t, role, "/p/p1/import", header, fields, files)
}

func newServer(t *testing.T, f *fakeImport) *webtest.Server { return webtest.New(t, f, New(f)) }

func openBrowser(t *testing.T, role account.Role, f *fakeImport) *webtest.Browser {
	return webtest.Open(t, role, f, New(f))
}

func TestImportTakesFilesAndOptions(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	f := newFakeImport()
	fields := map[string]string{
		"format": "csv", "skip": "1", "finished": "1", "random": "1", "column-id": " note ", "column-text": "body", "column-patient": "mrn",
	}
	answer := uploadForm(t, newServer(t, f), account.Broker, false, fields, map[string]string{"a.csv": "x,y\r\n", "ward 3/b.csv": "\x00\xff"})
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "Import 17: 2 notes imported") {
		t.Fatalf("status %d", answer.Code)
	}
	if f.got["a.csv"] != "x,y\r\n" || f.got["ward 3/b.csv"] != "\x00\xff" {
		t.Errorf("files %q", f.got)
	}
	o := f.options
	if o.Format != "csv" || !o.SkipBad || !o.Finished || !o.Random || o.Columns.ID != "note" || o.Columns.Text != "body" || o.Columns.Patient != "mrn" || o.Columns.Attributes != nil {
		t.Errorf("options %+v", o)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left (%v)", len(left), err)
	}
}

// Where every note is finished, nothing is left to annotate.
func TestAnImportLeadsToWhatIsToDo(t *testing.T) {
	f := newFakeImport()
	s := newServer(t, f)
	for _, c := range []struct {
		done int
		want string
	}{{1, "Start annotating"}, {2, "Sanitize the notes"}} {
		f.Overview.Documents, f.Overview.Done = 2, c.done
		body := uploadForm(t, s, account.Broker, true, nil, map[string]string{"a": "x"}).Body.String()
		for _, link := range []string{"Start annotating", "Look at the notes", "Sanitize the notes"} {
			if strings.Contains(body, link) != (link == c.want || c.done == 2 && link == "Look at the notes") {
				t.Errorf("%d of 2 finished: %q", c.done, link)
			}
		}
	}
}

func TestOnlyFinishedNotesAreARandomSample(t *testing.T) {
	f := newFakeImport()
	s := newServer(t, f)
	if answer := uploadForm(t, s, account.Broker, true, map[string]string{"random": "1"}, map[string]string{"a": "x"}); answer.Code != http.StatusOK || f.options.Random {
		t.Errorf("status %d, options %+v", answer.Code, f.options)
	}
	uploadForm(t, s, account.Broker, true, map[string]string{"finished": "1"}, map[string]string{"a": "x"})
	if f.options.Random {
		t.Error("finished notes are a random sample unasked")
	}
	page := s.Get(account.Broker, "/p/p1/import").Body.String()
	if !strings.Contains(page, `name="random"`) || !strings.Contains(page, "are a random sample of the notes to be published") {
		t.Error("the page does not ask")
	}
}

func TestImportListsEveryRefusal(t *testing.T) {
	f := newFakeImport()
	f.report.Refused, f.report.Documents = 2, 0
	f.report.Problems = []format.Problem{
		{File: "a<b>.jsonl", Record: "line 3", Offset: 1207, Code: "span-range", Reason: "span ends behind the text", Hint: "count in code points"},
		{File: "c.txt", Offset: -1, Code: "encoding", Reason: "not UTF-8", Hint: "convert the file"},
	}
	f.err = &project.Error{Kind: project.Invalid, Message: "nothing was imported", Hint: "look at the list"}
	for _, script := range []bool{true, false} {
		answer := uploadForm(t, newServer(t, f), account.Broker, script, nil, map[string]string{"a": "x"})
		body := answer.Body.String()
		if answer.Code != http.StatusUnprocessableEntity || strings.Contains(body, "<html") == script {
			t.Errorf("script %v: status %d", script, answer.Code)
		}
		for _, want := range []string{"Nothing was imported", "The project is unchanged", "a&lt;b&gt;.jsonl", "line 3", "1207", "Span ends behind the text.", "Count in code points.", "Not UTF-8.", "1 × encoding"} {
			if !strings.Contains(body, want) {
				t.Errorf("script %v: no %q", script, want)
			}
		}
	}
	f.err = &f.report.Problems[1]
	if answer := uploadForm(t, newServer(t, f), account.Broker, true, nil, map[string]string{"a": "x"}); answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("a bare problem answers %d", answer.Code)
	}
}

func TestImportWithoutAFileSaysSo(t *testing.T) {
	f := newFakeImport()
	answer := uploadForm(t, newServer(t, f), account.Broker, true, map[string]string{"format": ""}, nil)
	if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), "No file was chosen") || f.got != nil {
		t.Errorf("status %d", answer.Code)
	}
}

func TestAnImportedNoteCanBeExportedFromThePageAsItStands(t *testing.T) {
	f := newFakeImport()
	f.Overview.Documents = 3
	f.report.Documents = 3
	var got strings.Builder
	if err := importDone(importView{f.Overview, &importResult{ImportReport: f.report}}).Render(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.String(), `id="export"`) || strings.Contains(got.String(), "nothing to export") {
		t.Error(got.String())
	}
}

func TestOtherSitesCannotImport(t *testing.T) {
	f := newFakeImport()
	s := newServer(t, f)
	r := httptest.NewRequest(http.MethodPost, webtest.Origin+"/p/p1/import", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Origin", "https://evil.example")
	if answer := s.Ask(account.Broker, r); answer.Code != http.StatusForbidden || f.got != nil {
		t.Errorf("an upload from another site answers %d", answer.Code)
	}
	if answer := uploadForm(t, s, account.Annotator, true, nil, map[string]string{"a": "x"}); answer.Code != http.StatusForbidden || f.got != nil {
		t.Errorf("an annotator's upload answers %d", answer.Code)
	}
}

func TestExportIsADownloadOrAnErrorPage(t *testing.T) {
	f := newFakeImport()
	s := newServer(t, f)
	answer := s.Get(account.Broker, "/p/p1/download/annotations.jsonl")
	if answer.Code != http.StatusOK || answer.Body.String() != "jsonl" || answer.Header().Get("Content-Disposition") != `attachment; filename="p1-annotations.jsonl"` {
		t.Errorf("status %d, %q, %q", answer.Code, answer.Body, answer.Header().Get("Content-Disposition"))
	}
	if answer := s.Get(account.Broker, "/p/p1/download/brat.zip"); answer.Body.String() != "brat" || answer.Header().Get("Content-Type") != "application/zip" {
		t.Errorf("brat: %q", answer.Header().Get("Content-Type"))
	}
	f.err = &project.Error{Kind: project.Forbidden, Message: "not yours"}
	if answer := s.Get(account.Broker, "/p/p1/download/brat.zip"); answer.Code != http.StatusForbidden || answer.Header().Get("Content-Disposition") != "" {
		t.Errorf("a refused export answers %d", answer.Code)
	}
}

func TestImportInTheBrowser(t *testing.T) {
	f := newFakeImport()
	f.Overview.Documents = 3
	f.report.Problems = []format.Problem{{File: "notes.csv", Record: "row 7", Offset: 512, Code: "empty", Reason: "the text is empty", Hint: "leave the row out"}}
	f.report.Refused = 1
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/import")
	v.Wait("the page's script", `!document.getElementById("import-drop-hint").hidden`)
	v.Axe()
	v.Wait("no question about a sample of nothing", `document.querySelector("[name=random]").offsetParent === null`)
	v.Click("[name=finished]")
	v.Wait("the question about the sample", `document.querySelector("[name=random]").offsetParent !== null`)
	v.Axe()
	v.Click("[name=finished]")
	v.Shots("import")
	file := filepath.Join(t.TempDir(), "notes.csv")
	if err := os.WriteFile(file, []byte("row_id,subject_id,\"text\"\n1,2,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Upload("#import-files", file)
	v.WaitText("#import-columns-hint", "notes.csv has 3 columns: row_id, subject_id, text")
	if id, text := v.Value(`input[name="column-id"]`), v.Value(`input[name="column-text"]`); id != "row_id" || text != "text" {
		t.Errorf("guessed %q and %q", id, text)
	}
	other := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Upload("#import-files", other)
	v.WaitText("#import-columns-hint", "Enter names from the first line")
	if id := v.Value(`input[name="column-id"]`); id != "" {
		t.Errorf("the column of a file that is not chosen: %q", id)
	}
	v.Upload("#import-files", file)
	v.WaitText("#import-columns-hint", "notes.csv has 3 columns")
	f.Change(func(o *project.Overview) { o.Documents = 5 })
	v.Click("#import-go")
	v.WaitText("#import-report", "2 notes imported")
	v.WaitText("#import-report", "row 7")
	v.WaitText("#export", "All 5 notes")
	v.Wait("the focus at the report", `document.activeElement.id === "import-report"`)
	if f.options.Columns.Patient != "subject_id" || !strings.HasPrefix(f.got["notes.csv"], "row_id") {
		t.Errorf("columns %+v, files %d", f.options.Columns, len(f.got))
	}
	v.Axe()
	v.Shots("import-report")
}

func TestDroppedFilesAreSent(t *testing.T) {
	f := newFakeImport()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/import")
	v.Wait("the page's script", `!document.getElementById("import-drop-hint").hidden`)
	v.Eval(`(() => {
		const data = new DataTransfer();
		data.items.add(new File(["Ann was here"], "one.txt"));
		data.items.add(new File(["Bob was here"], "two.txt"));
		document.getElementById("import-drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
	})()`, nil)
	v.WaitText("#import-chosen", "two.txt, 12 bytes")
	v.Click("#import-go")
	v.WaitText("#import-report", "2 notes imported")
	if f.got["one.txt"] != "Ann was here" || f.got["two.txt"] != "Bob was here" {
		t.Errorf("files %q", f.got)
	}
}
