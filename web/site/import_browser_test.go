// SPDX-License-Identifier: Apache-2.0

package site

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

// mailedNotes are two Spanish notes with spans, and a message.
var mailedNotes = map[string]string{
	"uno.txt": "Ana fue vista el 3 de mayo.", "uno.ann": "T1\tNOMBRE_SUJETO_ASISTENCIA 0 3\tAna\nT2\tFECHAS 17 26\t3 de mayo\n",
	"dos.txt": "Visto por Luis, celador.", "dos.ann": "T1\tNOMBRE_PERSONAL_SANITARIO 10 14\tLuis\nT2\tOficio 16 23\tcelador\n",
	"lab/one.hl7": strings.Join([]string{
		`MSH|^~\&|LAB|ARDEN|HIDE|X|20260101||ORU^R01|C-77|P|2.5.1`, `PID|1||MRN-5512^^^H^MR||Okafor^Zoe||19610514|F`,
		`OBR|1|||18842-5^Discharge summary`, `OBX|1|TX|18842-5^Discharge summary||Zoe Okafor went home well.`,
	}, "\r") + "\r",
}

// TestAnImportFromTheDropToTheUndo drops a zip with messages and annotated notes, maps a
// label, imports, sees what structure says beside a note, undoes the import, imports again
// and exports.
func TestAnImportFromTheDropToTheUndo(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	set := project.DefaultSettings()
	set.Blind = 0 // a note of the blind share shows nothing beside it
	if err := projects.SetSettings(t.Context(), webtest.As(account.Broker), id, set); err != nil {
		t.Fatal(err)
	}
	v := openBrowser(t, account.Broker, projects)
	base := v.Base + "/p/" + string(id)
	file := filepath.Join(t.TempDir(), "notas.zip")
	if err := os.WriteFile(file, zipped(t, mailedNotes), 0o600); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		v.Open(base + "/import")
		v.Upload("#import-files", file)
		v.Click("#import-go")
		v.WaitText("#import-preview", "3 notes with 4 spans in 1 file")
		v.WaitText("#import-preview", "Patient: ")
		if round == 0 {
			v.Axe()
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
		v.WaitText("#import-report", "3 notes imported")
		v.WaitText("#import-report", "Oficio is now PROFESSION: 1 span renamed")
		o, err := projects.Project(t.Context(), webtest.As(account.Broker), id)
		if err != nil || o.Documents != 5 || o.Labels.Has("Oficio") || o.Labels.Has("FECHAS") {
			t.Fatalf("%d notes, %v, %v", o.Documents, o.Labels.Labels(), err)
		}
		if round == 0 {
			v.Click("#import-undo summary")
			v.Type("#import-undo [name=confirm]", "import 2")
			v.Click("#import-undo button")
			v.WaitText(".notice.good", "The import is undone")
		}
	}
	v.Open(base + "/notes")
	v.Eval(`location.assign([...document.querySelectorAll('a[href*="/notes/"]')].find((a) => a.textContent.includes("C-77")).href)`, nil)
	v.WaitText("#note-known", "MRN-5512")
	exported(t, v, base)
}

// exported downloads the project's notes in two formats.
func exported(t *testing.T, v *webtest.Browser, base string) {
	t.Helper()
	folder := t.TempDir()
	v.SaveTo(folder)
	for _, c := range []struct{ format, lost, file string }{{"i2b2-2014", "The identities are left out", "*.zip"}, {"spacy", "The patient is left out", "*.json"}} {
		v.Open(base + "/import")
		v.Choose("#export-format", c.format)
		v.Click("#export-go")
		v.WaitText("h1", "Export as")
		v.Wait(c.lost, fmt.Sprintf(`document.querySelector("#export-lost").innerText.toLowerCase().includes(%q)`, strings.ToLower(c.lost)))
		v.Axe()
		v.Click("#export-file")
		saved, err := os.ReadFile(v.Saved(folder, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if c.format == "spacy" {
			var notes []any
			if err := json.Unmarshal(saved, &notes); err != nil || len(notes) != 5 || !bytes.Contains(saved, []byte("PROFESSION")) {
				t.Errorf("spaCy: %d notes, %v", len(notes), err)
			}
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(saved), int64(len(saved)))
		if err != nil || len(z.File) != 5 {
			t.Fatalf("i2b2: %v", err)
		}
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
