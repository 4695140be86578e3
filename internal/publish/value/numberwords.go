// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"sync"
)

// Numbers in words, folded, from 0 on; "-" is a number that has no word of its own.
var (
	units = [...]string{
		English: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
		Spanish: "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve",
		French:  "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize - - -",
		German:  "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
	}
	tens = [...]string{ // from 20
		English: "twenty thirty forty fifty sixty seventy eighty ninety",
		Spanish: "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
		French:  "vingt trente quarante cinquante soixante septante octante nonante",
		German:  "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
	}
	moreNumbers = map[string]int{
		"un": 1, "una": 1, "une": 1, "ein": 1, "eine": 1, "einem": 1, "einen": 1, "a": 1, "an": 1,
		"veintiun": 21, "veintiuno": 21, "veintiuna": 21, "veintidos": 22, "veintitres": 23, "veinticuatro": 24, "veinticinco": 25,
		"veintiseis": 26, "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
		"huitante": 80, "zwo": 2,
	}
	hundreds = map[string]bool{"hundred": true, "cien": true, "ciento": true, "cent": true, "hundert": true, "einhundert": true}
)

// numberWords are the words below 100 that stand for themselves, and German ones such as
// "neunundachtzig".
var numberWords = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for l := English; l <= German; l++ {
		for i, w := range strings.Fields(units[l]) {
			all[w] = i
		}
		for i, w := range strings.Fields(tens[l]) {
			all[w] = 20 + 10*i
		}
	}
	delete(all, "-")
	for i, ten := range strings.Fields(tens[German]) {
		for j, one := range strings.Fields(units[German])[1:10] {
			if j == 0 {
				one = "ein"
			}
			all[one+"und"+ten] = 20 + 10*i + j + 1
		}
	}
	for i, w := range strings.Fields(units[German]) {
		all["hundert"+w], all["einhundert"+w], all["hundertund"+w] = 100+i, 100+i, 100+i
	}
	for w, n := range moreNumbers {
		all[w] = n
	}
	return all
})

// numberWord reads a number in words that starts at token i: "eighty-nine", "ochenta y
// nueve", "quatre-vingt-dix-neuf", "one hundred and two". next is the token behind, i for none.
func numberWord(tokens []token, i int) (n, next int) {
	total, last, next := 0, 1000, i
	for j := i; j < len(tokens); {
		n, ok := smallNumber(tokens, j)
		switch {
		case ok && tokens[j].text == "quatre" && isWord(tokens, afterJoin(tokens, j+1), "vingt", "vingts"):
			n, j = 80, afterJoin(tokens, j+1)
		case hundreds[tokens[j].text]:
			total, last, next = 100*max(total, 1), 100, j+1
			j = afterJoin(tokens, next)
			continue
		}
		if !ok || !follows(n, last) {
			break
		}
		total, last, next = total+n, n, j+1
		j = afterJoin(tokens, next)
	}
	return total, next
}

// smallNumber is the number below 100 that one word says.
func smallNumber(tokens []token, i int) (int, bool) {
	if tokens[i].kind != word {
		return 0, false
	}
	n, ok := numberWords()[tokens[i].text]
	return n, ok
}

// follows reports whether a part of a number can follow another: units follow tens, both
// follow hundreds, and in French 10 to 19 follow 60 and 80.
func follows(n, last int) bool {
	switch {
	case last >= 100:
		return true
	case last == 60 || last == 80:
		return 0 < n && n < 20
	case last >= 20 && last%10 == 0:
		return 0 < n && n < 10
	}
	return last == 10 && 7 <= n && n <= 9 // dix-sept
}

// afterJoin skips the hyphen or the "and" inside of a number.
func afterJoin(tokens []token, i int) int {
	if i < len(tokens) && (tokens[i].text == "-" || isWord(tokens, i, "y", "and", "et", "e")) {
		return i + 1
	}
	return i
}

func isWord(tokens []token, i int, words ...string) bool {
	if i < 0 || i >= len(tokens) {
		return false
	}
	for _, w := range words {
		if tokens[i].text == w {
			return true
		}
	}
	return false
}
