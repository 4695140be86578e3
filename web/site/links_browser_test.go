// SPDX-License-Identifier: Apache-2.0

package site

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/verify"
	"hide/web/webtest"
)

// patientsUnderTwoKeys are the notes of 90 people as JSONL. Each third person has a second key,
// with a birth date or names in which something was mistyped, and has often moved.
func patientsUnderTwoKeys() string {
	given := []string{"Anna", "Bernard", "Clara", "David", "Esther", "Frank", "Grace", "Henry", "Irene", "Jacob"}
	family := []string{"Abbott", "Barker", "Carver", "Dawson", "Ellison", "Fletcher", "Goodwin", "Hartley", "Ingram"}
	r := rand.New(rand.NewPCG(27, 4))
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i := range 90 {
		first, last := given[i%10], family[i/10]
		born := fmt.Sprintf("%d-%02d-%02d", 1930+r.IntN(70), 1+r.IntN(12), 1+r.IntN(28))
		fields := map[string]string{"first_name": first, "last_name": last, "birth_date": born, "sex": []string{"F", "M"}[i%2], "zip": fmt.Sprint(30300 + r.IntN(40)), "diagnosis": []string{"asthma", "fracture", "anaemia"}[i%3]}
		write := func(key string) {
			_ = enc.Encode(map[string]any{"id": key + "-1", "patient": key, "text": "Seen by Dr. Weiss for a cough.", "spans": []map[string]any{{"start": 12, "end": 17, "label": "DOCTOR"}}, "attributes": fields})
		}
		write(fmt.Sprint("a-", i))
		if i%3 > 0 {
			continue
		}
		switch i / 3 % 3 {
		case 0:
			fields["zip"], fields["birth_date"] = fmt.Sprint(30300+r.IntN(40)), born[:5]+fmt.Sprintf("%02d-%02d", 1+r.IntN(12), 1+r.IntN(28))
		case 1:
			fields["zip"], fields["last_name"] = fmt.Sprint(30300+r.IntN(40)), family[r.IntN(9)]
			fields["birth_date"] = born[:8] + fmt.Sprintf("%02d", 1+r.IntN(28))
		case 2:
			fields["zip"], fields["first_name"] = fmt.Sprint(30300+r.IntN(40)), first[:1]+"."
			fields["birth_date"] = fmt.Sprint(1930+r.IntN(70)) + born[4:]
		}
		write(fmt.Sprint("b-", i))
	}
	return b.String()
}

// By keyboard alone, but for the choice of the file: notes of people under two keys are imported
// and linked, ten pairs are decided, one decision is undone, and a table counts each person once.
func TestFromTwoKeysToATableOfPeopleByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	v := openBrowser(t, account.Broker, projects)
	base := v.Base + "/p/" + string(id)
	file := filepath.Join(t.TempDir(), "people.jsonl")
	if err := os.WriteFile(file, []byte(patientsUnderTwoKeys()), 0o600); err != nil {
		t.Fatal(err)
	}
	importByKeyboard(v, base, file)

	v.Open(base + "/publish/table")
	v.TabTo(`.kinds a[href$="/links"]`)
	v.Press("Enter")
	v.WaitText("h1", "One record per patient")
	v.TabTo(".links-lead .primary")
	v.Press("Enter")
	v.WaitText("#links-state", "121 records are of")
	v.WaitText("#pair-title", "the same person?")
	v.Axe()
	v.Legible()
	v.Shots("links-real-queue")

	for range 10 {
		decideByKey(v, "s")
	}
	v.Press("u")
	v.WaitText("[role=status]", "The decision was undone.")
	v.Shots("links-real-undone")
	decideByKey(v, "d")
	by := webtest.As(account.Broker)
	decisions, err := projects.LinkDecisions(t.Context(), by, id)
	if err != nil || len(decisions) != 10 || decisions[0].Same || !decisions[1].Same {
		t.Fatalf("%v: %d decisions %+v", err, len(decisions), decisions)
	}
	v.Open(base + "/links/thresholds")
	v.Legible()
	v.Shots("links-real-thresholds")
	v.Open(base + "/links/clusters")
	v.Legible()
	v.Shots("links-real-clusters")
	v.Open(base + "/links/patients")
	v.Shots("links-real-patients")
	folder, patients := t.TempDir(), patientsOf(v, base)
	v.SaveTo(folder)
	publishTableByKeyboard(v, base)
	v.WaitText(".release", fmt.Sprintf("A table of %d patients", patients))
	v.TabTo("#made a")
	v.Press("Enter")
	checkLinkage(t, v.Saved(folder, "*.zip"), patients)
}

// patientsOf is the number of patients that the page of the links gives.
func patientsOf(v *webtest.Browser, base string) (n int) {
	v.Open(base + "/links")
	v.WaitText("#links-state", "121 records are of")
	v.Eval(`Number(document.querySelector("#links-state").textContent.match(/records are of (\d+) patients/)[1])`, &n)
	return n
}

// checkLinkage verifies the release, which says how its records were counted.
func checkLinkage(t *testing.T, zip string, patients int) {
	t.Helper()
	fsys, closer, err := verify.Open(zip)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	result, err := verify.Release(fsys)
	if err != nil || !result.Common().OK {
		t.Fatalf("%v, %v", err, result.Common().Problems)
	}
	l := result.Common().Linkage
	if l == nil || !l.Linked || l.Records != 121 || l.Patients != patients || patients >= 121 || l.LinkageError == nil {
		t.Fatalf("the manifest has the linkage %+v", l)
	}
	if e := l.LinkageError; e.Decided != 10 || e.Missed <= 0 || e.False <= 0 || e.Precision >= 1 || e.Recall >= 1 {
		t.Errorf("the manifest has the linkage error %+v", e)
	}
}

// decideByKey presses the key of an answer, and waits for the page of the next pair.
func decideByKey(v *webtest.Browser, key string) {
	var pair string
	v.Eval(`document.querySelector("#pair-title").textContent.split(":")[0].toLowerCase()`, &pair)
	v.Wait("the keys of the page", `document.readyState === "complete"`)
	v.Press(key)
	v.WaitText("#undo-what", pair)
	v.Wait("the keys of the next page", `document.readyState === "complete"`)
}

// publishTableByKeyboard publishes a table with k = 2.
func publishTableByKeyboard(v *webtest.Browser, base string) {
	v.Open(base + "/publish/table")
	v.Focus("#ks")
	v.Press("Control+a")
	v.Type("#ks", "2")
	v.Press("Enter")
	v.Wait("a preview", `document.querySelector(".confirm input[value='k = 2']") && !document.querySelector("#table-preview progress")`)
	v.Focus(`.confirm input[value="k = 2"]`)
	v.Press("Space")
	v.Focus(`.confirm input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText(".release", "A table of")
}
