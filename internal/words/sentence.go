// SPDX-License-Identifier: Apache-2.0

package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence makes a sentence of a message in lower case without a full stop. "" stays "".
func Sentence(message string) string {
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
