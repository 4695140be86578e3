// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// GenderOf is the gender of people who bear a given name, and Unknown if both bear it or
// nothing is known of it. It goes by lists, then by endings that the lists do not
// contradict, then by the parts of a compound name, then by the names that it is short for.
func GenderOf(given string) Gender {
	folded := foldWord(given)
	if g, ok := lists().gender[folded]; ok {
		return g
	}
	if lists().given[folded] {
		if g := genderByEnding(folded); g != Unknown {
			return g
		}
	}
	if words := nameWords(given); len(words) > 1 {
		for _, part := range words {
			if g := GenderOf(part); g != Unknown {
				return g
			}
		}
	}
	var found Gender
	for _, full := range lists().full[folded] {
		g := lists().gender[full]
		if found != Unknown && g != found {
			return Unknown
		}
		found = g
	}
	return found
}

// genderEndings has endings of names that nearly all people of one gender bear.
var genderEndings = []struct {
	gender  Gender
	endings []string
}{
	{Female, []string{"ina", "ella", "etta", "isha", "iana", "issa", "ette", "elle", "lyn", "lynn", "line", "inda", "lia", "nia", "cia", "slava",
		"bella", "rita", "lena", "eiko", "miko", "riko", "ssia", "etha", "gard", "trud", "hild"}},
	{Male, []string{"ino", "ardo", "berto", "aldo", "iano", "ulio", "ando", "endo", "isto", "ullah", "uddin", "slav", "mir", "fred", "bert",
		"hard", "rich", "helm", "taro", "hiro", "suke", "erto", "cio", "ndro", "ito", "vich", "mund", "olfo"}},
}

// genderByEnding is the gender that the ending of a name shows.
func genderByEnding(name string) Gender {
	for _, table := range genderEndings {
		for _, ending := range table.endings {
			if len(name) >= len(ending)+2 && strings.HasSuffix(name, ending) {
				return table.gender
			}
		}
	}
	return Unknown
}
