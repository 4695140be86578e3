// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// readHL7 reads a stream that must be good.
func readHL7(t testing.TB, stream string) (items []*Item) {
	t.Helper()
	for item, err := range HL7(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

// redactHL7 writes all items; marks are those of their notes.
func redactHL7(t testing.TB, items []*Item, marks []Mark, p Policy) (string, Lost) {
	t.Helper()
	var b bytes.Buffer
	total := Lost{Dropped: map[string]int{}}
	for _, item := range items {
		var all [][]Mark
		for range item.Notes {
			all = append(all, marks)
		}
		lost, err := item.WriteRedacted(&b, all, p)
		if err != nil {
			t.Fatal(err)
		}
		total.Identities += lost.Identities
		for name, n := range lost.Dropped {
			total.Dropped[name] += n
		}
	}
	return b.String(), total
}

func noteTexts(items []*Item) (texts []string) {
	for _, item := range items {
		for _, n := range item.Notes {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// labelled replaces every identifier by its label.
var labelled = Policy{Replace: func(i annotate.Identity) (string, bool) { return "[" + string(i.Label) + "]", true }}

// untouched leaves every identifier.
var untouched = Policy{Replace: func(annotate.Identity) (string, bool) { return "", false }}

// drawText makes a text of pieces that are difficult to write.
func drawText(draw *rand.Rand, most int) string {
	parts := []string{"a", "B c", " ", "\n", "\n\n", "|", "^", "~", `\`, "&", "#", `\E\`, `\.br\`, `\X41\`, `\H\`, "\r", "\t", "\x00", "\x0b", "\x1c", "é", "😀", "MSH|", `{\rtf1 x`, "JVBERi0x", `""`, "\u00a0", "\ufeff", "/-="}
	var b strings.Builder
	for range draw.IntN(most + 1) {
		b.WriteString(parts[draw.IntN(len(parts))])
	}
	return b.String()
}

// identityLines are identities as comparable strings, sorted, each once.
func identityLines(list []annotate.Identity) (out []string) {
	for _, i := range list {
		out = append(out, fmt.Sprintf("%s %s %q", i.Of, i.Label, i.Value))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func drawIdentities(draw *rand.Rand) (list []annotate.Identity) {
	people := []annotate.Whose{annotate.OfPatient, annotate.OfRelative, annotate.OfClinician, annotate.OfPlace}
	labels := annotate.I2B2()
	good := []string{"Ann Mary Miller", "Miller", "617-555-0100", "1961-05-14", "1961-05", "12 Main St", "a@b.example", "7", "Box 3"}
	for range draw.IntN(8) {
		value := good[draw.IntN(len(good))]
		if draw.IntN(3) == 0 {
			value = drawText(draw, 4)
		}
		if value != "" {
			list = append(list, annotate.Identity{Of: people[draw.IntN(4)], Label: labels[draw.IntN(len(labels))].Label, Value: value})
		}
	}
	return list
}

func TestHL7ReadsWhatWriteHL7Writes(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := Note{ID: "n" + drawText(draw, 3), Patient: drawText(draw, 2), Text: drawText(draw, 12), Identities: drawIdentities(draw)}
		if n.Text == "" || n.Patient == `""` {
			continue
		}
		var b bytes.Buffer
		if err := WriteHL7(&b, n, n); err != nil {
			t.Fatal(err)
		}
		items := readHL7(t, b.String())
		if len(items) != 2 || len(items[1].Notes) != 1 {
			t.Fatalf("two notes become %d items: %q", len(items), b.String())
		}
		got := items[1].Notes[0]
		if got.Text != n.Text || got.ID != n.ID || got.Patient != n.Patient {
			t.Fatalf("%q %q %q comes back as %q %q %q", n.ID, n.Patient, n.Text, got.ID, got.Patient, got.Text)
		}
		want := n.Identities
		for _, i := range got.Identities {
			if i.Of == annotate.OfPatient && i.Value == n.Patient {
				want = append(want, i) // the key is a number of the patient
			}
		}
		if !slices.Equal(identityLines(got.Identities), identityLines(want)) {
			t.Fatalf("%q come back as %q in %q", identityLines(n.Identities), identityLines(got.Identities), b.String())
		}
	}
}
