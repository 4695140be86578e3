// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"fmt"
	"os"
	"strings"

	"hide/internal/store"
)

// priority is that of each message: facility 13 (log audit), severity 5 (notice).
const priority = 13*8 + 5

// message is a row in the form of RFC 5424. The text is the row as its hash covers it, after
// the byte order mark that the RFC asks for before UTF-8. There is no structured data: the row
// has everything, and nothing needs to be escaped.
func (s *syslog) message(l store.AuditLine) []byte {
	head := fmt.Sprintf("<%d>1 %s %s hide - audit - \ufeff", priority, l.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), s.host)
	return append([]byte(head), l.JSON...)
}

// hostname is the name of this machine as a message may have it, or "-".
func hostname() string {
	name, err := os.Hostname()
	visible := func(r rune) bool { return r > ' ' && r < 0x7f }
	if err != nil || name == "" || len(name) > 255 || strings.ContainsFunc(name, func(r rune) bool { return !visible(r) }) {
		return "-"
	}
	return name
}
