// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// drawnStream is a random stream of messages, and the texts that a reader has to find.
type drawnStream struct {
	stream string
	texts  []string
	items  int
}

// drawHL7 draws messages with one observation each, whose text is lines of drawn pieces.
// Separators, line ends, frames and batches differ.
func drawHL7(draw *rand.Rand) (d drawnStream) {
	signs := []byte("|^~\\&#!$@*;:")
	draw.Shuffle(len(signs), func(i, j int) { signs[i], signs[j] = signs[j], signs[i] })
	sep := hl7Separators{signs[0], signs[1], signs[2], signs[3], signs[4], 0}
	end := []string{"\r", "\n", "\r\n"}[draw.IntN(3)]
	framed, batch := draw.IntN(4) == 0, draw.IntN(4) == 0
	var b strings.Builder
	line := func(fields ...string) {
		b.WriteString(strings.Join(fields, string(rune(sep.field))) + end)
	}
	header := string([]byte{sep.component, sep.repetition, sep.escape, sep.sub})
	if batch {
		line("BHS", header, "", "Mercy")
		d.items++
	}
	for n := range 1 + draw.IntN(3) {
		if framed {
			b.WriteByte(mllpOpen)
		}
		line("MSH", header, "", "Mercy", "", "", "", "", "ORU", strconv.Itoa(100+n), "P", "2.5")
		line("PID", "1", "", "77", "", "Miller"+string(rune(sep.component))+"Ann")
		var lines []string
		for range draw.IntN(4) {
			text := drawText(draw, 5)
			lines = append(lines, text)
			if len(lines) > 1 && draw.IntN(4) == 0 {
				line("NTE", "1", "", sep.encodeText(text))
			} else {
				line("OBX", "1", "TX", "7", "", sep.encodeText(text))
			}
			if draw.IntN(3) == 0 {
				line("OBX", "1", "NM", "7", "", "4.5")
			}
		}
		d.items++
		if text := strings.Join(lines, "\n"); text != "" {
			d.texts = append(d.texts, text)
		}
		if framed {
			b.WriteString("\x1c\r")
		}
	}
	if batch {
		line("BTS", "99")
		d.items++
	}
	d.stream = b.String()
	return d
}

func TestHL7RandomMessagesKeepTheirText(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		d := drawHL7(draw)
		items := readHL7(t, d.stream)
		if len(items) != d.items {
			t.Fatalf("%d items, want %d, in %q", len(items), d.items, d.stream)
		}
		if got := noteTexts(items); !slices.Equal(got, d.texts) {
			t.Fatalf("%q is read as %q from %q", d.texts, got, d.stream)
		}
		out, _ := redactHL7(t, items, nil, untouched)
		again := readHL7(t, out)
		if !slices.Equal(noteTexts(again), d.texts) || len(again) != d.items {
			t.Fatalf("%q is read as %q after writing %q", d.texts, noteTexts(again), out)
		}
	}
}

// A mark replaces its characters. Line breaks in it stay, as they are between fields.
func replacedText(text string, marks []Mark) string {
	var b strings.Builder
	at := annotate.ByteOff(0)
	for _, m := range marks {
		b.WriteString(text[at:m.Start])
		told := false
		for _, c := range []byte(text[m.Start:m.End]) {
			switch {
			case c == '\n':
				b.WriteByte('\n')
			case !told:
				b.WriteString(m.With)
				told = true
			}
		}
		at = m.End
	}
	return b.String() + text[at:]
}

func TestHL7MarksReplaceText(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		var stream strings.Builder
		if err := WriteHL7(&stream, Note{Text: "x" + drawText(draw, 12)}); err != nil {
			t.Fatal(err)
		}
		checkHL7Marks(t, draw, stream.String())
		checkHL7Marks(t, draw, report("OBX|1|FT|7||x"+drawEscapes(draw), "NTE|1||"+drawEscapes(draw)))
	}
}

// drawEscapes draws a field as others write it, with escapes that are not closed or unknown.
// Its layout has line breaks only.
func drawEscapes(draw *rand.Rand) string {
	parts := []string{"a", "B c", " ", `\`, `\E`, `\E\`, `.br\`, `\.br\`, `\.sp2\`, `\X`, `\X41\`, `\XC3\`, `\XA9\`, `\H\`, "~", "^", "&", "é", `\T\`, `\temp\`, "{", "rtf"}
	var b strings.Builder
	for range draw.IntN(12) {
		b.WriteString(parts[draw.IntN(len(parts))])
	}
	return b.String()
}

// checkHL7Marks redacts drawn marks of the note of a stream and reads the result again.
func checkHL7Marks(t *testing.T, draw *rand.Rand, stream string) {
	t.Helper()
	item, n := onlyNote(t, stream)
	var marks []Mark
	for at := draw.IntN(3); at < len(n.Text); at += draw.IntN(6) {
		end := min(len(n.Text), at+1+draw.IntN(8))
		for end < len(n.Text) && n.Text[end]&0xC0 == 0x80 { // not inside a character
			end++
		}
		for at < end && n.Text[at]&0xC0 == 0x80 {
			at++
		}
		if at < end {
			marks = append(marks, Mark{annotate.ByteOff(at), annotate.ByteOff(end), []string{"", "[NAME]", `A|\B~`, "é"}[draw.IntN(4)]})
		}
		at = end
	}
	out, _ := redactHL7(t, []*Item{item}, marks, untouched)
	want := replacedText(n.Text, marks)
	if got := strings.Join(noteTexts(readHL7(t, out)), ""); got != want {
		t.Fatalf("%q with %v becomes %q, want %q, in %q", n.Text, marks, got, want, out)
	}
}

// Every component of every field of every known segment has a value of its own. The output
// must have none of them: neither of identities nor of fields that no rule keeps.
func TestHL7IdentitiesAreGoneFromTheOutput(t *testing.T) {
	for _, segment := range slices.Sorted(maps.Keys(hl7Known)) {
		if hl7IsHeader(segment) || segment == "BTS" || segment == "FTS" {
			continue
		}
		for number := 1; number <= 70; number++ {
			for _, typed := range []string{"XX", "TX", "CE", "NM", "DT", "ED"} {
				rule := hl7Known[segment][number]
				if segment == "OBX" && number == 5 {
					rule = hl7ValueRules[typed]
				}
				if (segment != "OBX" || number != 5) && typed != "XX" || rule.action == hl7Redact || segment == "OBX" && number == 2 {
					continue
				}
				checkCanaries(t, segment, number, typed, rule)
			}
		}
	}
}

func checkCanaries(t *testing.T, segment string, number int, typed string, rule hl7Rule) {
	t.Helper()
	var c []string
	for i := range 40 {
		c = append(c, fmt.Sprintf("canary %d a&canary %d b&canary c", i, i))
	}
	value := strings.Join(c, "^") + "~19610514^19610515~canary^canary"
	if rule.action == hl7Observed {
		value = "7^Glucose^L^8^Sugar^L^1^1^" + value // the name of an observation is kept
	}
	if rule.action == hl7Code {
		value = strings.Join(c, "^") + "~19610514^19610515~7^canary"
	}
	stream := report(segment+strings.Repeat("|", number)+value, "PID|1")
	if segment == "OBX" && number == 5 {
		stream = report("OBX||" + typed + "|||" + value)
	}
	var items []*Item
	for item, err := range HL7(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	out, lost := redactHL7(t, items, nil, labelled)
	if strings.Contains(out, "canary") || strings.Contains(out, "1961051") {
		t.Errorf("%s-%d of type %s keeps values: %q", segment, number, typed, out)
	}
	if lost.Identities == 0 && len(lost.Dropped) == 0 {
		t.Errorf("%s-%d of type %s loses values and counts none", segment, number, typed)
	}
}

func TestHL7WritesAMessageBackRedacted(t *testing.T) {
	stream := "\x0b" + strings.Join([]string{
		`MSH|^~\&|LAB|Mercy^1.2^ISO|EHR|Roth Clinic|20080131155500||ORU^R01^ORU_R01|4711-Miller|P|2.5|||AL|NE||8859/1|||prof`,
		"PID|1||4711^^^A^MR^Mercy~123-45-6789^^^^SS||Miller^Ann^^^^^L|Smith|19610514|F|||1 Main St^^Boston^MA^02115^^H",
		"PV1|1|I|4E^136^B^Mercy||||77^Weiss^Karl^^^Dr||",
		"OBR|1|A1^Epic|F2|7^CT Head^L^^^^^^Head of Ann|||200801291530||||||free text|||77^Weiss",
		"OBX|1|TX|1^History^L||Ann Miller, seen by Dr. Weiss||||||F",
		"OBX|2|TX|1^History^L||||||||F",
		`OBX|3|FT|2^Plan for Ann^L||call 617\T\5550100\.br\soon||||||F|||20080131`,
		"OBX|4|NM|9^Glucose^L||4.5|mmol/l^^UCUM|3.9-5.6|N|||F",
		"OBX|5|NM|10^Phone||6175550100",
		"OBX|6|CE|11||B^Blood^L~^typed by Weiss",
		"ZPI|1|Ann Miller's dog",
	}, "\r\n") + "\r\n\x1c\r"
	item, n := onlyNote(t, stream)
	var marks []Mark
	for _, words := range []string{"Ann Miller", "Weiss", "Ann", "617&5550100"} {
		from := 0
		if words == "Ann" {
			from = strings.Index(n.Text, "Plan")
		}
		at := annotate.ByteOff(from + strings.Index(n.Text[from:], words))
		marks = append(marks, Mark{at, at + annotate.ByteOff(len(words)), "[X|X]"})
	}
	want := "\x0b" + strings.Join([]string{
		`MSH|^~\&||[HOSPITAL]||[HOSPITAL]|||ORU^R01^ORU_R01|1|P|2.5|||AL|NE||UNICODE UTF-8|||`,
		"PID|1||[MEDICALRECORD]^^^^MR^[HOSPITAL]~[SSN]^^^^SS||[PATIENT]^^^^^^L|[PATIENT]||F|||[STREET]^^[CITY]^[STATE]^[ZIP]^^H",
		"PV1|1|I|[DEPARTMENT]^[ROOM]^[ROOM]^[HOSPITAL]||||[IDNUM]^[DOCTOR]||",
		"OBR|1|[IDNUM]|[IDNUM]|7^CT Head^L||||||||||||[IDNUM]^[DOCTOR]",
		`OBX|1|TX|1^History^L||[X\F\X], seen by Dr. [X\F\X]||||||F`,
		"OBX|2|TX|1^History^L||||||||F",
		`OBX|3|FT|2^Plan for [X\F\X]^L||call [X\F\X]\.br\soon||||||F|||`,
		"OBX|4|NM|9^Glucose^L||4.5|mmol/l^^UCUM|3.9-5.6|N|||F",
		"OBX|5|NM|10^Phone||",
		"OBX|6|CE|11||B^Blood^L~",
	}, "\r\n") + "\r\n\x1c\r"
	got, lost := redactHL7(t, []*Item{item}, marks, labelled)
	if got != want {
		t.Errorf("written\n%q\nwant\n%q", got, want)
	}
	dropped := map[string]int{"ZPI": 1, "OBR-4": 1, "OBR-13": 1, "OBX-5": 2, "MSH-3": 1, "MSH-5": 1, "MSH-21": 1}
	if !maps.Equal(lost.Dropped, dropped) || lost.Identities != 25 {
		t.Errorf("dropped %v, %d identities", lost.Dropped, lost.Identities)
	}
}

func TestHL7PolicyKeepsAndLeaves(t *testing.T) {
	stream := report("PID|1||4711^^^A^MR||Miller^Ann|||F||2106-3^White|1 Main St^^Boston^MA", "ZPI|1|x", "OBX|1|XX|||y")
	some := Policy{
		Keep:    map[string]bool{"ZPI": true, "OBX-5": true, "PID-10": true, "MSH-3": true, "PID-5": true},
		Replace: func(i annotate.Identity) (string, bool) { return "#", i.Label != "MEDICALRECORD" && i.Label != "STATE" },
	}
	got, lost := redactHL7(t, readHL7(t, stream), nil, some)
	want := strings.Replace(report("PID|1||4711^^^A^MR||#|||F||2106-3^White|#^^#^MA", "ZPI|1|x", "OBX|1||||y"), "Mercy|||20080131155500||ORU^R01|c77", "#|||||ORU^R01|1", 1)
	want = strings.Replace(want, "OBX|1||", "OBX|1|XX|", 1)
	if got != want || len(lost.Dropped) != 0 {
		t.Errorf("%q, want %q; %v", got, want, lost)
	}
	if got, lost := redactHL7(t, readHL7(t, stream), nil, untouched); !strings.Contains(got, "c77") || !strings.Contains(got, "Miller^Ann") || lost.Identities != 0 {
		t.Errorf("a policy that leaves all writes %q", got)
	}
	if got, lost := redactHL7(t, readHL7(t, stream), nil, Policy{}); strings.Contains(got, "Miller") || lost.Identities == 0 {
		t.Errorf("a policy that says nothing writes %q", got)
	}
}

func TestHL7DatesThatStandForOthersAreDates(t *testing.T) {
	for with, want := range map[string]string{"1961-05-20": "19610520", "1961-05": "196105", "1961": "1961", "[DATE]": "", "": ""} {
		p := Policy{Replace: func(annotate.Identity) (string, bool) { return with, true }}
		got, _ := redactHL7(t, readHL7(t, report("PID|1||||||196105141530^M|F")), nil, p)
		if !strings.Contains(got, "PID|1||||||"+want+"|F") {
			t.Errorf("%q is written as %q", with, got)
		}
	}
}

func TestHL7Batch(t *testing.T) {
	stream := "\uFEFFFHS|^~\\&|A|Mercy|||20080131||file of Ann\nBHS|^~\\&||Mercy\n\n" + strings.ReplaceAll(report("OBX|1|TX|||one"), "\r", "\n") +
		"MSH|^~\\&|\nbad\n" + "MSH|!;+@|\nOBX|1|TX|||two;three\nBTS|3|Ann\nFTS|1\n"
	var out strings.Builder
	var records []string
	bad := 0
	for item, err := range HL7(strings.NewReader(stream)) {
		if err != nil {
			bad++
			continue
		}
		records = append(records, item.Record)
		if _, err := item.WriteRedacted(&out, make([][]Mark, len(item.Notes)), labelled); err != nil {
			t.Fatal(err)
		}
	}
	want := "FHS|^~\\&||[HOSPITAL]|||||\nBHS|^~\\&||[HOSPITAL]\nMSH|^~\\&||[HOSPITAL]|||||ORU^R01|1|P|2.5\nOBX|1|TX|||one\nMSH|!;+@|\nOBX|1|TX|||two;three\nBTS|2|\nFTS|1\n"
	if out.String() != want || bad != 1 {
		t.Errorf("%d errors, %q, want %q", bad, out.String(), want)
	}
	if want := []string{"file header", "batch header", "message 1", "message 3", "batch trailer", "file trailer"}; !slices.Equal(records, want) {
		t.Errorf("records are %q", records)
	}
}

func TestHL7LargeObservation(t *testing.T) {
	text := strings.Repeat("A sentence of Ann Miller & others. ", 150_000)
	item, n := onlyNote(t, report("OBX|1|FT|1||"+hl7Default.encode(text)))
	if n.Text != text {
		t.Fatalf("%d bytes become %d", len(text), len(n.Text))
	}
	out, _ := redactHL7(t, []*Item{item}, []Mark{{14, 24, "X"}}, labelled)
	if _, again := onlyNote(t, out); again.Text != text[:14]+"X"+text[24:] {
		t.Error("the redacted text is another")
	}
}

func TestHL7StopsWhereTheCallerDoes(t *testing.T) {
	r := io.MultiReader(strings.NewReader(report()+report()), badReader{})
	for range HL7(r) {
		break
	}
	errors := 0
	for _, err := range HL7(r) {
		if err != nil {
			errors++
		}
	}
	if errors != 1 {
		t.Errorf("a stream that breaks gives %d errors", errors)
	}
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzHL7(f *testing.F) {
	f.Add(report("PID|1||4711^^^A^MR||Miller^Ann", "OBX|1|FT|1^A||a\\.br\\b~c\\X41\\", "NTE|1||x", "OBX|2|ST|2^B||y"))
	f.Add("\x0bMSH|^~\\&|\r\nOBX|1|TX\r\n\x1c\r\n")
	f.Add("MSH|^~\\&|\rOBX||FT|||a\x1c\x1c\r\x1c\r\x0bMSH|^~\\&|\rNTE|||b\x1c\x1c\r")
	f.Add("BHS|^~\\&|\nMSH!@#$%!\nOBX!1!TX!!!{$rtf#x\nBTS|1\n")
	f.Add("\uFEFFFHS|^~\\&|\rMSH|^~\\&#|\rOBX|1|ED|||^a^b^Base64^x\rNTE|||\\P\\\r")
	draw := rand.New(rand.NewPCG(8, 9))
	for range 5 {
		f.Add(drawHL7(draw).stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		var items []*Item
		for item, err := range HL7(strings.NewReader(stream)) {
			if err == nil {
				items = append(items, item)
			}
		}
		out, _ := redactHL7(t, items, nil, labelled)
		var again []*Item
		for item, err := range HL7(strings.NewReader(out)) {
			if e, ok := err.(*Error); ok && e.Code != "truncated" {
				t.Fatalf("%q is refused: %v", out, err)
			}
			if err == nil {
				again = append(again, item)
			}
		}
		if !slices.Equal(noteTexts(again), noteTexts(items)) || len(again) != len(items) {
			t.Fatalf("%q of %q is read as %q from %q", noteTexts(items), stream, noteTexts(again), out)
		}
	})
}

// A separator in a text that nobody escaped puts the rest of the text into the fields of
// codes behind it.
func TestHL7TextsDoNotLeakIntoCodes(t *testing.T) {
	const header = "MSH|^~\\&|A|B|||||ORU^R01|1|P|2.5\rPID|1||77||Miller^Ann\r"
	for line, want := range map[string]string{
		"OBX|1|TX|N||seen|Quint|7|Ruiz|9|Vega|F\r":      "OBX|1|TX|N||seen||||||F\r",
		"OBX|1|ST|N||4.5|mg/dL|1-5|H||N|F\r":            "OBX|1|ST|N||4.5|mg/dL|1-5|H||N|F\r",
		"OBX|1|CE|N||MILLER^A^L|mg/dL|||||F\r":          "OBX|1|CE|N|||mg/dL|||||F\r",
		"DG1|1|I10|J45.0^Asthma^I10~Dr.Miller|||||||\r": "DG1|1|I10|J45.0^Asthma^I10~|||||||\r",
		"DG1|1|I10|J45.0^Asthma Miller^I10|||||||\r":    "DG1|1|I10||||||||\r",
	} {
		out, lost := redactHL7(t, readHL7(t, header+line), nil, labelled)
		if got := out[strings.Index(out, "[PATIENT]\r")+len("[PATIENT]\r"):]; got != want {
			t.Errorf("%q becomes %q", line, got)
		}
		if strings.Contains(line, "Quint") && (lost.Dropped["OBX-6"] != 1 || lost.Dropped["OBX-10"] != 1) {
			t.Errorf("dropped are %v", lost.Dropped)
		}
	}
}
