// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"hide/internal/annotate"
	"hide/internal/filename"
)

// textKind is plain text, one note per file.
func textKind() kind {
	return kind{
		Format: Format{
			Name: "text", Title: "plain text", Files: "one note per file, named by its path", Endings: []string{".txt"}, Ending: ".zip",
			Holds: Holds{Name: true, Text: true},
		},
		read:  (*reader).text,
		write: writeTexts,
		lost: func(d annotate.Annotated) string {
			name := strings.TrimSuffix(d.Name, ".txt")
			return sentences(
				when(name == d.Name || filename.NewSet().Path(name, ".txt") != name, lostID),
				when(looksForeign(d.Text), "the text may be detected as another format: choose plain text when you read it"))
		},
	}
}

// writeTexts writes a file for each note. A byte order mark of the text is written twice,
// because readers remove one.
func writeTexts(w io.Writer, docs documents) error {
	return fileEach(".txt", func(out *bufio.Writer, d annotate.Annotated) error {
		if strings.HasPrefix(d.Text, "\ufeff") {
			out.WriteString("\ufeff")
		}
		_, err := out.WriteString(d.Text)
		return err
	})(w, func(yield func(annotate.Annotated, error) bool) {
		for d, err := range docs {
			d.Name = strings.TrimSuffix(d.Name, ".txt")
			if !yield(d, err) {
				return
			}
		}
	})
}

// looksForeign reports whether a text file with this content would not be detected as text.
func looksForeign(text string) bool {
	k, p := detect(input{name: "x.txt", open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	return p != nil || k.Name != "text" || unlikeText([]byte(text)) != ""
}

// text reads a file that is one document. Unless the format was chosen, the whole file must
// look like text.
func (r *reader) text(in input) error {
	r.used("text", "")
	w := place{file: in.show, offset: -1}
	text, bom, p := whole(in)
	if p == nil && r.opts.Format == "" {
		if odd := unlikeText([]byte(text)); odd != "" {
			p = &Problem{Code: "format", Reason: "it is not plain text: " + odd, Hint: "leave it out; if it is text all the same, choose plain text"}
		}
	}
	if p != nil {
		return r.refuse(p.at(w))
	}
	r.marked(bom)
	return r.deliver(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
}

// What plain text does not have.
const (
	maxTextLine = 256 << 10 // bytes of a line: notes from databases may be one line
	maxRun      = 400       // letters, digits, + and / without a break: base64
	maxMarkup   = 0.15      // share of a text between < and >
)

// foreign are beginnings of files that are no text, though they may have a text's name.
var foreign = []struct{ prefix, what string }{
	{"PK\x03\x04", "a zip archive or an office document"},
	{"%PDF", "a PDF"},
	{"{\\rtf", "RTF"},
	{"\x1f\x8b", "packed by gzip"},
	{"\xd0\xcf\x11\xe0", "an old office document"},
	{"\x89PNG", "an image"},
	{"\xff\xd8\xff", "an image"},
	{"SQLite format 3", "a database"},
	{"PAR1", "Parquet"},
}

// unlikeText says what is unlike text in the first bytes of the file; "" for nothing. A
// name that belongs to another format counts too.
func (p *probe) unlikeText() string {
	for _, f := range foreign {
		if bytes.HasPrefix(p.head, []byte(f.prefix)) {
			return "it is " + f.what
		}
	}
	if otherEndings[p.ending] {
		return fmt.Sprintf("its name ends in %s", p.ending)
	}
	if root := p.root(); root != "" && !p.named(".txt") {
		return fmt.Sprintf("it is markup that begins with <%s>", root)
	}
	if p.record != nil && p.record.whole {
		return fmt.Sprintf("it is JSON whose first record has %d fields that no reader knows", len(p.record.types))
	}
	return unlikeText(p.head)
}

// otherEndings never name a text.
var otherEndings = map[string]bool{}

func init() {
	for _, ending := range strings.Fields(".html .htm .xml .xmi .rtf .pdf .doc .docx .odt .xls .xlsx .gz .tgz .tar .7z .rar .bz2 .xz .parquet .json .spacy .db .sqlite .png .jpg .jpeg .tif .tiff .dcm") {
		otherEndings[ending] = true
	}
}

var tagged = regexp.MustCompile(`</?[A-Za-z!?][^<>]{0,400}>`)

// unlikeText says what is unlike text in the bytes of a text; "" for nothing. Control
// characters are refused elsewhere, with their place.
func unlikeText(text []byte) string {
	line, run := 0, 0
	for one := range bytes.Lines(text) {
		line = max(line, len(one))
		run = max(run, longestRun(one))
	}
	markup := 0
	tags := tagged.FindAllIndex(text, -1)
	for _, t := range tags {
		markup += t[1] - t[0]
	}
	switch {
	case run > maxRun:
		return fmt.Sprintf("it has %d letters and digits without a break, like an encoded file", run)
	case line > maxTextLine:
		return fmt.Sprintf("it has a line of %d bytes", line)
	case len(tags) >= 5 && float64(markup) > maxMarkup*float64(len(text)):
		return fmt.Sprintf("%d %% of it is markup", 100*markup/len(text))
	}
	return ""
}

// longestRun is the number of base64 digits in the longest run that has both cases and a
// digit, so that a drawn line or a long number does not count.
func longestRun(line []byte) (longest int) {
	start := 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) && base64Digit(line[i]) {
			continue
		}
		if run := line[start:i]; len(run) > longest && mixed(run) {
			longest = len(run)
		}
		start = i + 1
	}
	return longest
}

func base64Digit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

func mixed(run []byte) bool {
	var lower, upper, digit bool
	for _, c := range run {
		lower = lower || c >= 'a' && c <= 'z'
		upper = upper || c >= 'A' && c <= 'Z'
		digit = digit || c >= '0' && c <= '9'
	}
	return lower && upper && digit
}
