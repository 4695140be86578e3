// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"hide/tools/rig"
)

// upload imports one file as the broker's pages do: it sends the file and confirms the
// preview. Its name may hold anything. A preview with nothing to import is a refusal.
func (s *stage) upload(name, format string, content []byte) (rig.Answer, error) {
	root, err := s.server.SignIn("Root")
	if err != nil {
		return rig.Answer{}, err
	}
	if _, err := root.Page("/p/" + projectID + "/import"); err != nil {
		return rig.Answer{}, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if field, value := root.Token(); field != "" {
		if err := form.WriteField(field, value); err != nil {
			return rig.Answer{}, err
		}
	}
	if err := form.WriteField("format", format); err != nil {
		return rig.Answer{}, err
	}
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="files"; filename="` + name + `"`},
		"Content-Type":        {"application/octet-stream"},
	})
	if err != nil {
		return rig.Answer{}, err
	}
	if _, err := part.Write(content); err != nil {
		return rig.Answer{}, err
	}
	if err := form.Close(); err != nil {
		return rig.Answer{}, err
	}
	r, err := http.NewRequest(http.MethodPost, s.server.Base+"/p/"+projectID+"/import", &body)
	if err != nil {
		return rig.Answer{}, err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	sent, err := root.Do(r)
	if err != nil || sent.Status != http.StatusOK {
		return sent, err
	}
	return confirm(root, sent.Path)
}

// confirm imports what a preview shows.
func confirm(root *rig.Person, at string) (rig.Answer, error) {
	preview, err := settled(root, at)
	if err != nil || preview.Status != http.StatusOK {
		return preview, err
	}
	if !strings.Contains(preview.Body, `id="import-confirm"`) {
		preview.Status = http.StatusUnprocessableEntity
		return preview, nil
	}
	if a, err := root.Post(at, url.Values{"preview": {"1"}}); err != nil || a.Status >= 400 {
		return a, err
	}
	return settled(root, at)
}

// settled is a page that renews itself, once it does so no more.
func settled(root *rig.Person, at string) (rig.Answer, error) {
	for {
		a, err := root.Get(at)
		if err != nil || a.Header.Get("Refresh") == "" {
			return a, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// bomb imports a zip of which every entry is below the limits of one entry.
func bomb(_ context.Context, s *stage) (outcome, error) {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	entries := s.size(300, 3000)
	zeros := bytes.Repeat([]byte("0"), 900_000)
	for n := range entries {
		w, err := z.Create(fmt.Sprintf("n%d.txt", n))
		if err != nil {
			return outcome{}, err
		}
		if _, err := w.Write(zeros); err != nil {
			return outcome{}, err
		}
	}
	if err := z.Close(); err != nil {
		return outcome{}, err
	}
	before, err := s.onDisk()
	if err != nil {
		return outcome{}, err
	}
	m, err := s.watchMemory()
	if err != nil {
		return outcome{}, err
	}
	a, err := s.upload("notes.zip", "", file.Bytes())
	if err := errors.Join(err, m.stop()); err != nil {
		return outcome{}, err
	}
	after, err := s.onDisk()
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(after-before < growthMost, "%d KB for %d MB: answer %d, data folder %d to %d MiB, %s", file.Len()>>10, entries*9/10, a.Status, before, after, m)
}

// formula publishes a table with a cell that a spreadsheet would execute.
func formula(ctx context.Context, s *stage) (outcome, error) {
	var rows strings.Builder
	rows.WriteString("mrn,age,remark\n")
	for n := range 20 {
		fmt.Fprintf(&rows, "%d,%d,\"=HYPERLINK(\"\"http://evil.example\"\",\"\"x\"\")\"\n", n, 30+n%5)
	}
	table, config := filepath.Join(s.dir, "t.csv"), filepath.Join(s.dir, "t.yaml")
	settings := "key: mrn\nattributes:\n- {name: mrn, role: direct}\n- {name: age, role: quasi, kind: number}\n- {name: remark, role: insensitive}\nprivacy: {k: 2}\nmethod: {name: mondrian}\n"
	if err := errors.Join(os.WriteFile(table, []byte(rows.String()), 0o600), os.WriteFile(config, []byte(settings), 0o600)); err != nil {
		return outcome{}, err
	}
	release := filepath.Join(s.dir, "release")
	if err := s.hide.Run(ctx, "publish", "table", "--in", table, "--config", config, "--out", release); err != nil {
		return outcome{}, err
	}
	files, err := filepath.Glob(filepath.Join(release, "*.csv"))
	if err != nil || len(files) == 0 {
		return outcome{}, fmt.Errorf("no CSV in the release: %w", err)
	}
	found := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return outcome{}, err
		}
		found += len(regexp.MustCompile(`(?m)(^|,)"?=`).FindAll(text, -1))
	}
	return outcomeOf(found == 0, "%d cells begin with =", found)
}

// library looks for a version with a published weakness in the binary itself.
func library(_ context.Context, s *stage) (outcome, error) {
	info, err := buildinfo.ReadFile(s.hide.Binary)
	if err != nil {
		return outcome{}, err
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/golang/glog" && (strings.HasPrefix(m.Version, "v0.") || strings.HasPrefix(m.Version, "v1.0.") || strings.HasPrefix(m.Version, "v1.1.") || m.Version < "v1.2.4") {
			return outcomeOf(false, "%s %s (GO-2025-3372)", m.Path, m.Version)
		}
	}
	return outcomeOf(true, "no glog before 1.2.4 (GO-2025-3372) among %d modules", len(info.Deps))
}

// twins imports a record that has its name twice, in two cases.
func twins(_ context.Context, s *stage) (outcome, error) {
	a, err := s.upload("twins.jsonl", "jsonl", []byte(`{"id":"twin-one","ID":"twin-two","text":"Seen on Monday."}`+"\n"))
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status >= 400 && a.Status < 500, "answer %d", a.Status)
}

// attribute imports a note with one attribute of many megabytes.
func attribute(_ context.Context, s *stage) (outcome, error) {
	megabytes := s.size(20, 35)
	m, err := s.watchMemory()
	if err != nil {
		return outcome{}, err
	}
	a, err := s.upload("long.jsonl", "jsonl", []byte(`{"id":"long","text":"Seen.","attributes":{"a":"`+strings.Repeat("x", megabytes<<20)+`"}}`+"\n"))
	if err := errors.Join(err, m.stop()); err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status < 500 && m.growth() <= growthMost, "%d MB: answer %d, %s", megabytes, a.Status, m)
}

// oddNames imports files whose names and formats no browser sends.
func oddNames(_ context.Context, s *stage) (outcome, error) {
	broken := 0
	var statuses []string
	for _, odd := range []struct{ name, format string }{
		{"a\x01b.txt", ""}, {"..", ""}, {"\xff\xfe.txt", ""}, {strings.Repeat("n", 5000) + ".txt", ""}, {"a.txt", "nothing"}, {"a.txt", "\x00"},
	} {
		a, err := s.upload(odd.name, odd.format, []byte("Seen on Monday.\n"))
		if err != nil {
			return outcome{}, err
		}
		statuses = append(statuses, fmt.Sprint(a.Status))
		if a.Status >= 500 {
			broken++
		}
	}
	return outcomeOf(broken == 0, "answers %s", strings.Join(statuses, " "))
}

// confusable makes accounts that people or the audit trail take for others.
func confusable(ctx context.Context, s *stage) (outcome, error) {
	var made []string
	_, err := s.stopped(ctx, func() (string, error) {
		if _, err := s.hide.AddPerson(ctx, "Alice", "annotator"); err != nil {
			return "", err
		}
		for what, name := range map[string]string{"Alice with a Cyrillic A": "\u0410lice", "system": "system", "operator": "operator"} {
			if _, err := s.hide.AddPerson(ctx, name, "annotator"); err == nil {
				made = append(made, what)
			}
		}
		return "", nil
	})
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(len(made) == 0, "accepted: %s", strings.Join(append(made, "nothing else"), ", "))
}

// devices exports notes with names that Windows takes for devices.
func devices(_ context.Context, s *stage) (outcome, error) {
	var lines bytes.Buffer
	for _, name := range []string{"CON", "nul", "com1.old", "trailing."} {
		if err := json.NewEncoder(&lines).Encode(map[string]string{"id": name, "text": "Seen on Monday."}); err != nil {
			return outcome{}, err
		}
	}
	a, err := s.upload("devices.jsonl", "jsonl", lines.Bytes())
	if err != nil || a.Status >= 400 {
		return outcome{}, fmt.Errorf("the import was answered with %d: %w", a.Status, err)
	}
	root, err := s.server.SignIn("Root")
	if err != nil {
		return outcome{}, err
	}
	body, err := root.Page("/p/" + projectID + "/download/notes/brat")
	if err != nil {
		return outcome{}, err
	}
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		return outcome{}, err
	}
	var bad []string
	for _, f := range z.File {
		stem, _, _ := strings.Cut(filepath.Base(f.Name), ".")
		if deviceName.MatchString(stem) || strings.Contains(f.Name, "..") {
			bad = append(bad, f.Name)
		}
	}
	return outcomeOf(len(bad) == 0, "%d of %d names: %s", len(bad), len(z.File), strings.Join(bad, " "))
}

var deviceName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
