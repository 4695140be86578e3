// SPDX-License-Identifier: Apache-2.0

package hide_test

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTheTreeInTheDocumentsIsTheTree compares the list of folders in docs/architecture.md
// with the folders that hold a package.
func TestTheTreeInTheDocumentsIsTheTree(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(text), "\n## The tree\n")
	tree, _, _ = strings.Cut(tree, "\n## ")
	listed := foldersIn(tree)
	for dir := range listed {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md lists %s, which is no folder", dir)
		}
	}
	packages := map[string]bool{}
	sources(t, func(name, _ string) { packages[path.Dir(name)] = true }, ".go")
	delete(packages, ".") // the rules of the house
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if !listed[dir] {
			t.Errorf("the tree in docs/architecture.md lacks %s", dir)
		}
	}
}

// foldersIn reads the tree. The words at the start of a line that stand two spaces apart are
// folders. On a line with the indent of the tree, the first is a whole path and the others
// are beside it. On a line further in, all are below the last path. What has spaces between
// its words is a description.
func foldersIn(tree string) map[string]bool {
	folder, gap := regexp.MustCompile(`^[a-z]+(/[a-z]+)*$`), regexp.MustCompile(` {2,}`)
	dirs, top := map[string]bool{}, ""
	for line := range strings.Lines(tree) {
		line = strings.TrimRight(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent != 4 && indent != 6 {
			continue
		}
		for i, word := range gap.Split(line[indent:], -1) {
			switch {
			case !folder.MatchString(word):
			case indent == 6:
				dirs[path.Join(top, word)] = true
			case i == 0:
				top = word
				dirs[word] = true
			default:
				dirs[path.Join(path.Dir(top), word)] = true
			}
		}
	}
	return dirs
}

// opensWithoutAsking are the files below internal/project that open a project without asking
// whether somebody may, and why.
var opensWithoutAsking = map[string]string{
	"destroy.go":             "Destroy: its caller has entered",
	"imports.go":             "Imports: its caller has entered",
	"service.go":             "EnterAny itself",
	"workspace.go":           "Workspace itself",
	"dp/sequences.go":        "StartPublishSequences and StartQuery: the estimates before them have entered",
	"projecttest/runs.go":    "tests",
	"release/identifiers.go": "decisions: its callers have entered",
	"sanitize/attackers.go":  "elsewhere: checkTransfer has entered",
	"takeback/remove.go":     "the sweep of the bins",
}

// TestOnlyEnterOpensProjectsForPeople: Enter asks for the role in the project, Workspace for
// nothing. Pages and commands cannot reach Workspace but through a service.
func TestOnlyEnterOpensProjectsForPeople(t *testing.T) {
	opens := newRule(`(?i)(?:projects|\bs|\bb|service)\.Workspace\(`, ".workspace(")
	found := map[string]bool{}
	sources(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") || opens.find(text) == nil {
			return
		}
		file, inside := strings.CutPrefix(name, "internal/project/")
		if found[file] = true; !inside || opensWithoutAsking[file] == "" {
			t.Errorf("%s opens a project without asking who wants it: use Enter", name)
		}
	}, ".go")
	for file := range opensWithoutAsking {
		if !found[file] && file != "workspace.go" {
			t.Errorf("%s opens no project: take it off the list", file)
		}
	}
}

// TestImportsStandInGroups: the standard library, other libraries, and hide. Tools that
// sort imports keep groups but do not part them.
func TestImportsStandInGroups(t *testing.T) {
	sources(t, func(name, text string) {
		if generated(name) {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		line, kind := -1, ""
		for _, spec := range f.Imports {
			at, now := files.Position(spec.Pos()).Line, importKind(spec.Path.Value)
			if at == line+1 && now != kind {
				t.Errorf("%s:%d: an import of %s stands in the group of %s", name, at, now, kind)
			}
			line, kind = at, now
		}
	}, ".go", ".templ")
}

func importKind(quoted string) string {
	imported, _ := strconv.Unquote(quoted)
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case first == "hide":
		return "hide"
	case strings.Contains(first, "."):
		return "other libraries"
	}
	return "the standard library"
}
