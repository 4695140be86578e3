// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/transform"
)

// TestSentence: the identifier stands between << and >>, the sentence between [[ and ]].
func TestSentence(t *testing.T) {
	for _, test := range []string{
		"He fell. [[She called <<Ann>>.]] Then he left.",
		"[[<<Ann>> called.]] Then he left.",
		"He fell. [[She called <<Ann>>]]",
		"He fell. [[She called Dr. <<Smith>> at once.]] Fine.",
		"He fell. [[Seen by J. R. <<Smith>> today.]] Fine.",
		"He fell! [[Was it <<Ann>>?]] Fine.",
		"He fell. [[\"<<Ann>> called.\"]] Fine.",
		"[[Temp 37.5 per <<Ann>>, K 4.1.]] Fine.",
		"[[Given 2.5 mg p.o. b.i.d. by <<Ann>>.]] Fine.",
		"He came. [[He saw St. Mary's <<Ann>> vs. nobody.]] Fine.",
		"PMH:\n[[Seen by <<Ann>>]]\nMeds: none",
		"Plan:\n[[1. Call <<Ann>>.]]\n2. Go home.",
		"Plan:\n[[- call <<Ann>>]]\n- go home",
		"[[This line of the note is so long that it was wrapped before the\nname of <<Ann>> could be written.]] Fine.",
		"[[<<Ann>> wrote this line of the note, which is longer than sixty bytes and\ngoes on here.]] Fine.",
		"First paragraph\n\n[[<<Ann>>]]\n\nlast paragraph",
		"First paragraph\r\n\r\n[[<<Ann>>]]\r\n \t\r\nlast paragraph",
		"One. [[Two <<A. Smith. B. Jones>> three.]] Four.",
		"One. [[Two <<Ann\n\nSmith>> three.]] Four.",
		"[[Vista por la Dra. <<García>> en consulta.]] ¿Dolor? No.",
		"Bien. [[Visto el d. 3 por <<García>>.]] ¿Dolor? No.",
		"[[Am 3. März von Hr. <<Maier>> gesehen.]] Gut.",
		"[[Vu le 3 mars par Mme. <<Dupont>>.]] Bien.",
		"[[Rm. 12, <<Ann>>, ext. 5.]] Fine.",
		"[[She is 5 ft. 3 in. tall, says <<Ann>>.]] Fine.",
		"<<Ann>>",
		"",
	} {
		want := strings.NewReplacer("<<", "", ">>", "").Replace(test)
		text := strings.NewReplacer("[[", "", "]]", "").Replace(want)
		marked := strings.NewReplacer("[[", "", "]]", "").Replace(test)
		start := max(0, strings.Index(marked, "<<"))
		end := max(0, strings.Index(marked, ">>")-2)
		from, to := transform.Sentence(text, annotate.ByteOff(start), annotate.ByteOff(end))
		got := text[:from] + "[[" + text[from:to] + "]]" + text[to:]
		if strings.Contains(want, "[[") && got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	f.Add("He fell. Dr. Smith came.\n\nHe left.", 13, 18)
	f.Add("a\r\n \r\nb. C", 0, 1)
	f.Add("1. x\n2. \xff.", 3, 9)
	f.Add("", 0, 0)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		if start < 0 || end < start || end > len(text) {
			return
		}
		from, to := transform.Sentence(text, annotate.ByteOff(start), annotate.ByteOff(end))
		if from < 0 || int(from) > start || int(to) < end || int(to) > len(text) {
			t.Fatalf("[%d:%d] is not within the sentence [%d:%d] of %d bytes", start, end, from, to, len(text))
		}
		if utf8.ValidString(text) && onRunes(text, start, end) && !onRunes(text, int(from), int(to)) {
			t.Fatal("the sentence cuts a character")
		}
		for _, outside := range []string{text[from:start], text[end:to]} {
			if strings.Contains(outside, "\n\n") {
				t.Fatal("the sentence goes beyond a blank line")
			}
		}
		again, last := transform.Sentence(text, from, to)
		if again != from || last != to {
			t.Fatalf("the sentence of the sentence [%d:%d] is [%d:%d]", from, to, again, last)
		}
	})
}

func onRunes(text string, ends ...int) bool {
	for _, at := range ends {
		if at < len(text) && !utf8.RuneStart(text[at]) {
			return false
		}
	}
	return true
}
