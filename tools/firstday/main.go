// SPDX-License-Identifier: Apache-2.0

// Firstday does on an installed server what a hospital does on its first day: the first
// administrator signs in with the link, makes a project, imports notes, and people edit
// while the server makes backups. It prints what the edits took, and writes what the server
// has acknowledged. After a restore or an upgrade it looks for all of that.
//
//	go -C tools run ./firstday --base http://127.0.0.1:8080 --link LINK --for 3m --acked acked.json
//	go -C tools run ./firstday --base http://127.0.0.1:8080 --check acked.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hide/tools/rig"
)

const (
	admin   = "Ada Warden"
	editors = 4
	every   = 250 * time.Millisecond // between two edits of a person
)

// acked is what the server has acknowledged.
type acked struct {
	Project   string
	Notes     int
	Revisions map[int]int // of the edited notes, by number
}

func main() {
	var d day
	flag.StringVar(&d.server.Base, "base", "http://127.0.0.1:8080", "`URL` of the server")
	link := flag.String("link", "", "the one-time `LINK` of the first administrator")
	flag.IntVar(&d.made.Notes, "notes", 200, "how many notes to import")
	length := flag.Duration("for", time.Minute, "how long people edit")
	file := flag.String("acked", "acked.json", "`FILE` for what the server has acknowledged")
	check := flag.String("check", "", "`FILE` of --acked to look for, and nothing else")
	flag.Parse()
	err := d.check(*check)
	if *check == "" {
		err = d.run(*link, *file, *length)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "firstday:", err)
		os.Exit(1)
	}
}

// day is one day on a server.
type day struct {
	server rig.Server
	made   acked
}

func (d *day) run(link, file string, length time.Duration) error {
	_, code, _ := strings.Cut(strings.TrimSpace(link), "#")
	ada, err := d.server.Accept(admin, code)
	if err != nil {
		return fmt.Errorf("sign in with the link: %w", err)
	}
	if d.made.Project, err = d.project(ada); err != nil {
		return err
	}
	if err := d.bring(ada); err != nil {
		return err
	}
	fmt.Printf("signed in, project %s, %d notes imported\n", d.made.Project, d.made.Notes)
	if err := d.edit(length); err != nil {
		return err
	}
	text, err := json.Marshal(d.made)
	return errors.Join(err, os.WriteFile(file, text, 0o600))
}

var projectPath = regexp.MustCompile(`/p/([a-z0-9]+)`)

func (d *day) project(ada *rig.Person) (string, error) {
	if _, err := ada.Post("/projects", map[string][]string{"name": {"Ward"}}); err != nil {
		return "", err
	}
	page, err := ada.Page("/")
	found := projectPath.FindStringSubmatch(page)
	if err != nil || found == nil {
		return "", fmt.Errorf("no project was made: %w", err)
	}
	return found[1], nil
}

// Each note has words of nine letters and a blank: word n begins at 10 n.
const wordsOfNote = 2_000

func word(n int) string { return fmt.Sprintf("w%08d", n) }

func invented(notes int) []byte {
	var text, all bytes.Buffer
	for n := range wordsOfNote {
		text.WriteString(word(n) + " ")
	}
	for n := range notes {
		fmt.Fprintf(&all, `{"id":"note-%05d","text":"%s%d"}`+"\n", n+1, &text, n)
	}
	return all.Bytes()
}

// bring uploads the notes, confirms the preview, and waits for the last note.
func (d *day) bring(ada *rig.Person) error {
	preview, err := d.upload(ada, invented(d.made.Notes))
	if err != nil {
		return err
	}
	until := func(what string, done func() (bool, error)) error {
		for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
			if ok, err := done(); ok {
				return nil
			} else if err != nil || time.Now().After(end) {
				return fmt.Errorf("%s: it did not come, %w", what, err)
			}
		}
	}
	if err := until("the preview of the import", func() (bool, error) {
		page, err := ada.Page(preview)
		return strings.Contains(page, `id="import-confirm"`), err
	}); err != nil {
		return err
	}
	if _, err := ada.Post(preview, map[string][]string{"preview": {"1"}}); err != nil {
		return err
	}
	return until("the last note", func() (bool, error) {
		answer, err := ada.Get(fmt.Sprintf("/p/%s/notes/%d", d.made.Project, d.made.Notes))
		return err == nil && answer.Status == http.StatusOK, err
	})
}

// upload sends a file with notes and returns the page of its preview.
func (d *day) upload(ada *rig.Person, notes []byte) (preview string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("files", "notes.jsonl")
	if err != nil {
		return "", err
	}
	if _, err := part.Write(notes); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	r, err := http.NewRequest(http.MethodPost, d.server.Base+"/p/"+d.made.Project+"/import", &body)
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Origin", d.server.Base)
	resp, err := ada.HTTP.Do(r)
	if err != nil {
		return "", err
	}
	return resp.Request.URL.Path, resp.Body.Close()
}

// edit lets people tag words at a steady pace, each in a note of their own.
func (d *day) edit(length time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	took, errs := make([][]time.Duration, editors), make([]error, editors)
	revisions := make([]int, editors)
	var all sync.WaitGroup
	for i := range editors {
		all.Go(func() { took[i], revisions[i], errs[i] = d.annotate(ctx, i+1) })
	}
	all.Wait()
	d.made.Revisions = map[int]int{}
	for i, r := range revisions {
		d.made.Revisions[i+1] = r
	}
	times := slices.Concat(took...)
	if err := errors.Join(errs...); err != nil || len(times) == 0 {
		return fmt.Errorf("%d edits were acknowledged: %w", len(times), err)
	}
	slices.Sort(times)
	at := func(share float64) float64 { return times[int(share*float64(len(times)-1))].Seconds() * 1000 }
	fmt.Printf("%d edits in %v, all acknowledged: p50 %.0f ms, p99 %.0f ms, most %.0f ms\n", len(times), length, at(0.5), at(0.99), at(1))
	return nil
}

var (
	revisionMark = regexp.MustCompile(`data-revision=\\?"(\d+)|"revision":\s*(\d+)`)
	keyMark      = regexp.MustCompile(`data-suggestions="([0-9a-f]+)"`)
)

func revisionOf(page string) int {
	highest := 0
	for _, m := range revisionMark.FindAllStringSubmatch(page, -1) {
		n, _ := strconv.Atoi(m[1] + m[2]) // digits
		highest = max(highest, n)
	}
	return highest
}

// annotate tags one word of a note after the other until ctx ends.
func (d *day) annotate(ctx context.Context, note int) (took []time.Duration, revision int, err error) {
	who, err := d.server.SignIn(admin)
	if err != nil {
		return nil, 0, err
	}
	path := fmt.Sprintf("/p/%s/notes/%d", d.made.Project, note)
	page, err := who.Page(path)
	if err != nil {
		return nil, 0, err
	}
	revision = revisionOf(page)
	key := ""
	if m := keyMark.FindStringSubmatch(page); m != nil {
		key = m[1]
	}
	for n := 0; ctx.Err() == nil && n < wordsOfNote; n++ {
		form := map[string][]string{
			"do": {"tag"}, "revision": {strconv.Itoa(revision)}, "label": {"OTHER"}, "shown": {key},
			"surface": {word(n)}, "start": {strconv.Itoa(10 * n)}, "end": {strconv.Itoa(10*n + 9)},
		}
		began := time.Now()
		answer, err := who.Script(path+"/edit", form)
		if err != nil || answer.Status != http.StatusOK {
			return took, revision, fmt.Errorf("an edit of note %d: status %d, %w", note, answer.Status, err)
		}
		took = append(took, time.Since(began))
		revision = max(revision+1, revisionOf(answer.Body[:min(len(answer.Body), 16<<10)]))
		if m := keyMark.FindStringSubmatch(answer.Body); m != nil {
			key = m[1]
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
	return took, revision, nil
}

// check looks for what was acknowledged.
func (d *day) check(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err := errors.Join(err, json.Unmarshal(text, &d.made)); err != nil {
		return err
	}
	ada, err := d.server.SignIn(admin)
	if err != nil {
		return err
	}
	for note, want := range d.made.Revisions {
		page, err := ada.Page(fmt.Sprintf("/p/%s/notes/%d", d.made.Project, note))
		if err != nil {
			return err
		}
		if got := revisionOf(page); got < want {
			return fmt.Errorf("note %d has revision %d, and %d was acknowledged", note, got, want)
		}
	}
	if answer, err := ada.Get(fmt.Sprintf("/p/%s/notes/%d", d.made.Project, d.made.Notes)); err != nil || answer.Status != http.StatusOK {
		return fmt.Errorf("the last note is missing: status %d, %w", answer.Status, err)
	}
	fmt.Printf("all acknowledged edits and %d notes are there\n", d.made.Notes)
	return nil
}
