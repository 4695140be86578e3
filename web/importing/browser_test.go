// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
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
