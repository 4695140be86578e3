// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"math"
	"strconv"
	"strings"
)

// identifierMarks are letters that some systems write before a number and others do not.
var identifierMarks = []string{"mrn", "ssn", "nhc", "nhs", "nss", "pid", "id", "no", "nr", "num"}

// code keeps the letters and digits of a value.
func code(raw string) string {
	folded := fold(withoutFraction(raw))
	w := alphanumeric(folded)
	if isMissing(words(folded)) || isMissing(w) {
		return ""
	}
	return w
}

func cleanCode(raw string, _ Reading) string { return strings.TrimLeft(code(raw), "0") }

// cleanIdentifier keeps letters and digits. Zeros in front go, because spreadsheets drop them.
func cleanIdentifier(raw string, _ Reading) string {
	w := code(raw)
	for _, mark := range identifierMarks {
		if rest, found := strings.CutPrefix(w, mark); found && rest != "" && digits(rest) == rest {
			w = rest
			break
		}
	}
	w = strings.TrimLeft(w, "0")
	if len(w) >= 4 && isRepeated(w) || w == "123456789" {
		return ""
	}
	return w
}

// withoutFraction drops the ".0" that spreadsheets and data frames add to whole numbers.
func withoutFraction(raw string) string {
	raw = strings.TrimSpace(raw)
	if whole, found := strings.CutSuffix(raw, ".0"); found && whole != "" && strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return raw
}

// shortestPhone is the fewest digits that are a telephone number.
const shortestPhone = 5

// cleanPhone keeps the digits of a number without extension, international prefix, and the
// country code of North America.
func cleanPhone(raw string, _ Reading) string {
	lower := strings.ToLower(withoutFraction(raw))
	if i := strings.IndexAny(lower, "xe#"); i > 0 && digits(lower[:i]) != "" { // "x12", "ext. 12", "#12"
		lower = lower[:i]
	}
	d := strings.TrimLeft(digits(lower), "0")
	if len(d) == 11 && d[0] == '1' {
		d = strings.TrimLeft(d[1:], "0")
	}
	if len(d) < shortestPhone || isRepeated(d) {
		return ""
	}
	return d
}

// missingUsers are what people write before the @ if they have no address.
var missingUsers = set(`none noemail no-email nomail na unknown nobody noreply no-reply sinemail sincorreo keine aucun test`)

// cleanEmail is an address in lower case, without its tag.
func cleanEmail(raw string, _ Reading) string {
	folded := strings.TrimPrefix(strings.Trim(fold(raw), " <>;,."), "mailto:")
	if isMissing(words(folded)) {
		return ""
	}
	if folded = strings.Join(strings.Fields(folded), ""); isMissing(words(folded)) { // "un known"
		return ""
	}
	user, domain, found := strings.Cut(folded, "@")
	if !found {
		return clip(folded)
	}
	if base, _, tagged := strings.Cut(user, "+"); tagged && base != "" {
		user = base
	}
	if user == "" && domain == "" || missingUsers[user] {
		return ""
	}
	return clip(user + "@" + domain)
}

// cleanPostcode keeps letters and digits, of ZIP+4 the first five.
func cleanPostcode(raw string, _ Reading) string {
	w := code(raw)
	if len(w) == 9 && digits(w) == w {
		w = w[:5]
	}
	if len(w) > 8 {
		return ""
	}
	w = strings.TrimLeft(w, "0")
	if len(w) >= 4 && strings.Trim(w, "9") == "" {
		return ""
	}
	return w
}

// cleanStreetNumber keeps letters and digits of a number of a house.
func cleanStreetNumber(raw string, _ Reading) string {
	w := code(raw)
	for _, mark := range []string{"no", "nr", "num"} {
		if rest, found := strings.CutPrefix(w, mark); found && hasDigit(rest) {
			w = rest
		}
	}
	return strings.TrimLeft(w, "0")
}

// cleanNumber is the shortest decimal form of a number. "1,5" is 1.5, and "1,500" is 1500.
func cleanNumber(raw string, _ Reading) string {
	s := strings.TrimSpace(raw)
	if i := strings.LastIndexByte(s, ','); i >= 0 {
		if len(s)-i == 4 || strings.IndexByte(s[i:], '.') > 0 {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = strings.ReplaceAll(strings.ReplaceAll(s[:i], ".", ""), ",", "") + "." + s[i+1:]
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(math.Abs(x) < 1e15) || strings.ContainsAny(s, "xX_") {
		return ""
	}
	if x == 0 {
		return "0" // and not -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
