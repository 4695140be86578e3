// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/words"
)

// sentence makes a message of a service, lower case without a full stop, read as
// a sentence. "" stays "".
func sentence(message string) string {
	if message == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(message)
	text := string(unicode.ToUpper(first)) + message[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// count writes n with its noun: "1 note", "1,204 notes".
func count(n int, one, many string) string { return words.Count(n, one, many) }

// number groups the digits of n: 14334 is "14,334".
func number(n int) string { return words.Number(n) }

// listed joins words: "date, phone and url".
func listed[S ~string](names []S) string { return words.List(names) }

// byteWords writes a size in binary units, rounded: "64 MB".
func byteWords(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	size, i := float64(n), 0
	for size >= 1024 && i < len(units)-1 {
		size, i = size/1024, i+1
	}
	return fmt.Sprintf("%.0f %s", size, units[i])
}

// moment writes a time for people: "20 Nov 2026, 18:05".
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2 Jan 2006, 15:04")
}

// day writes a date for people: "20 Nov 2026".
func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2 Jan 2006")
}

// machineTime is moment for the datetime attribute.
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
