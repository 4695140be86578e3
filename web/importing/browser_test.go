// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/takeback"
	"hide/web/webtest"
)

func openBrowser(t *testing.T, f *fakeImport) *webtest.Browser {
	h := New(f, webtest.Accounts{})
	return webtest.Open(t, account.Broker, f, h)
}

// inSight fails if an element is not in the window without scrolling, on a telephone and on
// a desk.
func inSight(t *testing.T, v *webtest.Browser, selector string) {
	t.Helper()
	for _, size := range [][2]int{{1280, 800}, {390, 844}} {
		v.Size(size[0], size[1])
		var bottom float64
		v.Eval(fmt.Sprintf(`(scrollTo(0, 0), document.querySelector(%q).getBoundingClientRect().bottom)`, selector), &bottom)
		if bottom <= 0 || bottom > float64(size[1]) {
			t.Errorf("%s ends at %.0f in a window of %dx%d", selector, bottom, size[0], size[1])
		}
	}
}

func TestThePreviewInTheBrowser(t *testing.T) {
	f := newFakeImport()
	f.Overview.Documents = 3
	v := openBrowser(t, f)
	v.Open(v.Base + "/p/p1/import")
	v.Wait("the page's script", `!document.getElementById("import-drop-hint").hidden`)
	v.Axe()
	v.Shots("import")
	v.Eval(`(() => {
		const data = new DataTransfer();
		data.items.add(new File(["Ann was here"], "one.txt"));
		data.items.add(new File(["Bob was here"], "two.txt"));
		document.getElementById("import-drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
	})()`, nil)
	v.WaitText("#import-chosen", "two.txt, 12 bytes")
	v.Click("#import-go")
	v.WaitText("#import-preview", "detected as CSV")
	if f.got["one.txt"] != "Ann was here" || f.got["two.txt"] != "Bob was here" || f.imports != 0 {
		t.Errorf("files %q", f.got)
	}
	v.Axe()
	v.Wait("no question about a sample of nothing", `document.querySelector("[name=random]").offsetParent === null`)
	v.Click("[name=finished]")
	v.Wait("the question about the sample", `document.querySelector("[name=random]").offsetParent !== null`)
	v.Axe()
	v.Click("[name=finished]")
	inSight(t, v, "#import-confirm")
	inSight(t, v, "#import-drop-files")
	v.Shots("import-preview")
	v.Choose("#import-format", "text")
	v.Click("#import-look")
	v.WaitText("#import-preview", "read as plain text")
	v.Choose("#becomes-0", "")
	v.Click("#import-confirm")
	v.WaitText("#import-report", "2 notes imported")
	if to, mapped := f.options.Map.Pairs["NOMBRE"]; !mapped || to != "" || f.imports != 1 {
		t.Errorf("mapping %v, %d imports", f.options.Map.Pairs, f.imports)
	}
	v.Axe()
	v.Shots("import-report")
}

// A long list of labels and of refusals, and hostile names, push nothing out of sight.
func TestALongPreviewInTheBrowser(t *testing.T) {
	f := newFakeImport()
	f.preview.Refused, f.preview.Known = 1207, 7
	for i := range 60 {
		l := annotate.Label(fmt.Sprintf("ETIQUETA_MUY_LARGA_%d", i))
		f.preview.Mapped = append(f.preview.Mapped, project.MappedLabel{LabelCount: format.LabelCount{Label: l, Spans: 60 - i}, To: l, New: true})
		f.preview.Problems = append(f.preview.Problems, format.Problem{File: strings.Repeat("ward-3/", 8) + fmt.Sprint(i) + ".txt", Record: fmt.Sprint("line ", i), Offset: int64(i * 977), Code: "encoding", Reason: "not UTF-8", Hint: "convert the file, or choose its encoding"})
		f.preview.Attributes = append(f.preview.Attributes, format.NameCount{Name: fmt.Sprint("field_", i), Notes: i + 1})
	}
	f.preview.Identities = []format.IdentityCount{{Of: annotate.OfPatient, Label: "PATIENT", Count: 2}, {Of: annotate.OfPatient, Label: "DATE", Count: 2}, {Of: annotate.OfClinician, Label: "DOCTOR", Count: 5}}
	f.preview.Notes = []string{"3 files: byte order mark removed"}
	f.preview.Samples[0].Text = "Ana <b>was</b> here\n\n" + strings.Repeat("Lungs clear. ", 200)
	f.preview.Samples[0].Cut = true
	v := openBrowser(t, f)
	v.Open(v.Base + "/p/p1/import")
	file := filepath.Join(t.TempDir(), "notes.csv")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Upload("#import-files", file)
	v.Click("#import-go")
	v.WaitText("#import-preview", "1,200 records cannot be read")
	v.Axe()
	inSight(t, v, "#import-confirm")
	v.Shots("import-preview-long")
	f.set(&format.Problem{File: "a.zip", Offset: -1, Code: "zip", Reason: "the archive is too large", Hint: "split it"}, nil)
	v.Click("#import-look")
	v.WaitText(`[role="alert"]`, "The archive is too large.")
	v.Axe()
	v.Shots("import-preview-refused")
}

// TestAnImportFromTheDropToTheUndo goes through a real service: a zip, its preview, a label
// that is mapped, the import, its undoing, and the import again.
func TestAnImportFromTheDropToTheUndo(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	h := New(projects, webtest.Accounts{})
	v := webtest.Open(t, account.Broker, projects, h, takeback.New(projects))
	base := v.Base + "/p/" + string(id)
	file := filepath.Join(t.TempDir(), "notas.zip")
	if err := os.WriteFile(file, zipped(t, map[string]string{
		"uno.txt": "Ana fue vista el 3 de mayo.", "uno.ann": "T1\tNOMBRE_SUJETO_ASISTENCIA 0 3\tAna\nT2\tFECHAS 17 26\t3 de mayo\n",
		"dos.txt": "Visto por Luis, celador.", "dos.ann": "T1\tNOMBRE_PERSONAL_SANITARIO 10 14\tLuis\nT2\tOficio 16 23\tcelador\n",
	}), 0o600); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		v.Open(base + "/import")
		v.Upload("#import-files", file)
		v.Click("#import-go")
		v.WaitText("#import-preview", "2 notes with 4 spans in 1 file")
		if round == 0 {
			for i, want := range []string{"DATE", "DOCTOR", "PATIENT", "Oficio"} {
				label := v.Text(fmt.Sprintf(`label[for="becomes-%d"]`, i))
				if got := v.Value(fmt.Sprintf("#becomes-%d", i)); got != want {
					t.Errorf("%s becomes %s, want %s", label, got, want)
				}
			}
			v.Choose("#becomes-3", "PROFESSION")
		} else if got := v.Value("#becomes-3"); got != "PROFESSION" {
			t.Errorf("the project does not remember its mapping: %q", got)
		}
		v.Click("#import-confirm")
		v.WaitText("#import-report", "2 notes imported")
		v.WaitText("#import-report", "Oficio is now PROFESSION: 1 span renamed")
		o, err := projects.Project(t.Context(), webtest.As(account.Broker), id)
		if err != nil || o.Documents != 4 || o.Labels.Has("Oficio") || o.Labels.Has("FECHAS") {
			t.Fatalf("%d notes, %v, %v", o.Documents, o.Labels.Labels(), err)
		}
		if round == 0 {
			v.Click("#import-undo summary")
			v.Type("#import-undo [name=confirm]", "import 2")
			v.Click("#import-undo button")
			v.WaitText(".notice.good", "The import is undone")
		}
	}
	v.Open(base + "/import")
	v.Choose("#export-format", "brat")
	v.Click("#export-go")
	v.WaitText("h1", "Export as")
	v.Axe()
	v.Shots("export")
	folder := t.TempDir()
	v.SaveTo(folder)
	v.Click("#export-file")
	if saved := v.Saved(folder, "*.zip"); !strings.HasSuffix(saved, "brat.zip") {
		t.Errorf("saved %q", saved)
	}
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
