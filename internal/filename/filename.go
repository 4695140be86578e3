// SPDX-License-Identifier: Apache-2.0

// Package filename makes file names that Windows, macOS and Linux all accept, from names
// that were never meant for files.
//
//	names := filename.NewSet()
//	path := names.Path("ward 3/CON", ".txt", ".ann") // "ward 3/%43ON"
//
// Ordinary names stay as they are. A character that some system does not accept in its
// place is written as %XX, the value of each of its bytes, and so is a % itself: two names
// stay two, and the first can be read from the second. The first letter of a name that
// Windows keeps for a device is written in this way. A path that is too long is cut and
// ends in ~ and 16 digits of the SHA-256 of the name. A path that is taken already, on
// systems that ignore case or Unicode normal form, gets ~2, ~3 and so on. A ~ of the name
// itself is %7E.
package filename

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/tabular"
)

// MaxPath is the longest path, in bytes. Windows has room for 260 characters, of which the
// folder that a person unpacks to needs some.
const MaxPath = 240

// Set are the paths of one folder or archive.
type Set struct{ taken map[string]bool }

// NewSet is a set of no paths.
func NewSet() *Set { return &Set{map[string]bool{}} }

// Path is a new path for a name, whose slashes separate folders. The caller appends each of
// the extensions to it, and no path with one of them is taken.
func (s *Set) Path(name string, extensions ...string) string {
	room := MaxPath - len("~999999")
	for _, e := range extensions {
		room = min(room, MaxPath-len("~999999")-len(e))
	}
	first := shortened(name, Portable(name), room)
	for n := 1; ; n++ {
		at := first
		if n > 1 {
			at = fmt.Sprintf("%s~%d", first, n)
		}
		if s.free(at) {
			s.taken[tabular.Fold(at)] = true
			return at
		}
	}
}

func (s *Set) free(at string) bool { return !s.taken[tabular.Fold(at)] }

// shortened cuts a path that is too long, and tells it from others that begin alike.
func shortened(name, portable string, room int) string {
	if len(portable) <= room {
		return portable
	}
	sum := sha256.Sum256([]byte(name))
	mark := "~" + hex.EncodeToString(sum[:8])
	cut := portable[:room-len(mark)]
	for !utf8.ValidString(cut) {
		cut = cut[:len(cut)-1]
	}
	if i := strings.LastIndexByte(cut, '%'); i >= len(cut)-2 && i >= 0 {
		cut = cut[:i] // half an escape
	}
	return strings.TrimRight(cut, "/. ") + mark
}

// Portable is a path that every system accepts, apart from its length, and that ends
// neither in a dot nor in a space, so that an extension can follow.
func Portable(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = portable(part)
		if ext := path.Ext(parts[i]); i < len(parts)-1 && len(ext) > 1 {
			// A folder "a.txt" would be in the way of the file "a.txt".
			parts[i] = strings.TrimSuffix(parts[i], ext) + "%2E" + ext[1:]
		}
	}
	return strings.Join(parts, "/")
}

func portable(part string) string {
	var b strings.Builder
	device := isDevice(part)
	for i, r := range part {
		edge := i == 0 || i == len(part)-1
		switch {
		case device && i == 0, r == utf8.RuneError:
			escape(&b, part[i:i+width(part[i:])])
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '-':
			b.WriteRune(r)
		case !edge && (r == '.' || r == ' ' || strings.ContainsRune("+,=@()", r)):
			b.WriteRune(r)
		default:
			escape(&b, string(r))
		}
	}
	if b.Len() == 0 {
		return "%"
	}
	return b.String()
}

// width is the number of bytes of the first character, 1 for an invalid byte.
func width(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

func escape(b *strings.Builder, bytes string) {
	for i := range len(bytes) {
		fmt.Fprintf(b, "%%%02X", bytes[i])
	}
}

// device matches the names that Windows keeps for devices, whatever the extension. It takes
// the digits ¹, ² and ³ for 1, 2 and 3.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])$`)

func isDevice(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	base, _, _ = strings.Cut(base, ":")
	return device.MatchString(strings.TrimRight(base, " "))
}

// Check refuses a path that is not its own [Portable] form or too long. It is for names
// that a program chooses.
func Check(name string) error {
	if Portable(name) != name || len(name) > MaxPath {
		return fmt.Errorf("%q is not a file name on every system", name)
	}
	return nil
}
