// SPDX-License-Identifier: Apache-2.0

// Package hide_test checks the rules of the house that no compiler knows.
package hide_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const license = "// SPDX-License-Identifier: Apache-2.0\n"

type source struct{ name, text string }

// all is every file that a rule may speak of, read once.
var all = sync.OnceValues(func() (files []source, err error) {
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.ContainsAny(d.Name()[:1], "._") {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains([]string{".go", ".templ", ".js", ".html", ".css", ".md", ".txt", ".txtar"}, path.Ext(name)) {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files = append(files, source{name, string(text)})
		}
		return nil
	})
	return files, err
})

// sources calls fn for every file of the repository with one of the suffixes.
func sources(t *testing.T, fn func(name, text string), suffixes ...string) {
	t.Helper()
	files, err := all()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range files {
		if slices.Contains(suffixes, path.Ext(f.name)) {
			seen++
			fn(f.name, f.text)
		}
	}
	if seen == 0 {
		t.Fatalf("there are no files that end in %v", suffixes)
	}
}

// A rule finds what must not be. Every find has one of the marks in it, in lower
// case: looking for these first spares nearly all files the expression, which is
// slow, and slower still with the race detector.
type rule struct {
	marks []string
	*regexp.Regexp
}

func newRule(expression string, marks ...string) rule {
	return rule{marks, regexp.MustCompile(expression)}
}

func (r rule) find(text string) []string {
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(r.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
		return nil
	}
	return r.FindStringSubmatch(text)
}

func generated(name string) bool { return strings.HasSuffix(name, "_templ.go") }

// foreign files are others' work, kept as they are.
func foreign(name string) bool {
	return strings.HasPrefix(name, "static/vendor/") || strings.HasPrefix(name, "internal/browsertest/axe/")
}

func TestEveryFileNamesItsLicense(t *testing.T) {
	sources(t, func(name, text string) {
		if !generated(name) && !strings.HasPrefix(text, license) {
			t.Errorf("%s does not start with its licence line", name)
		}
	}, ".go", ".templ")
}

func TestEveryPackageHasOneDocComment(t *testing.T) {
	documented, packages := map[string]int{}, map[string]bool{}
	sources(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		packages[path.Dir(name)] = true
		if f.Doc != nil {
			documented[path.Dir(name)]++
		}
	}, ".go")
	for dir := range packages {
		if documented[dir] != 1 {
			t.Errorf("package %s has %d doc comments", dir, documented[dir])
		}
	}
}

// TestForbiddenThingsAreAbsent keeps out what would make a page run strange
// script, the program call outside or a shell, text/template forget to escape, or
// a learner depend on the clock.
func TestForbiddenThingsAreAbsent(t *testing.T) {
	imports := newRule(`(?m)^\s*(?:import )?(?:\w+ )?"(text/template|unsafe|math/rand|net/http/httptest)"`,
		`"text/template"`, `"unsafe"`, `"math/rand"`, `"net/http/httptest"`)
	code := newRule(`\b(templ\.Raw|templ\.JSONScript|http\.(?:Get|Post|Head|PostForm|DefaultClient)\b|exec\.Command(?:Context)?\([^)]*"(?:sh|bash|/bin/sh)")`,
		"templ.raw", "templ.jsonscript", "http.get", "http.post", "http.head", "http.defaultclient", "exec.command")
	sources(t, func(name, text string) {
		if generated(name) || strings.HasSuffix(name, "_test.go") || name == "house_test.go" || path.Dir(name) == "web/webtest" {
			return
		}
		for _, rule := range []rule{imports, code} {
			if hit := rule.find(text); hit != nil {
				t.Errorf("%s uses %s", name, hit[1])
			}
		}
	}, ".go", ".templ")
	clock := newRule(`\btime\.(?:Now|Since|Until|After|AfterFunc|Tick|NewTimer|NewTicker|Sleep)\b`, "time.")
	sources(t, func(name, text string) {
		if dir := path.Dir(name); strings.HasSuffix(name, "_test.go") || !slices.Contains([]string{"internal/crf", "internal/greedy", "internal/bootstrap", "internal/annotate/rules"}, dir) && !strings.HasPrefix(dir, "internal/greedy/") {
			return
		}
		if hit := clock.find(text); hit != nil {
			t.Errorf("%s uses %s: the clock is given", name, hit[0])
		}
	}, ".go")
	page := newRule(`(\b(?:inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\(|\bhx-on|["']js:|\sstyle=|\son(?:click|load|error|input|change|submit|keydown)=|https?://[a-z0-9.-]*(?:cdn|unpkg|jsdelivr|googleapis))`,
		"innerhtml", "outerhtml", "insertadjacenthtml", "document.write", "eval(", "new function(", "hx-on", "js:", "style=",
		"onclick=", "onload=", "onerror=", "oninput=", "onchange=", "onsubmit=", "onkeydown=", "http://", "https://")
	sources(t, func(name, text string) {
		if foreign(name) || strings.HasSuffix(name, "_test.go") {
			return
		}
		if hit := page.find(text); hit != nil {
			t.Errorf("%s has %q", name, hit[0])
		}
	}, ".templ", ".js", ".html")
}

// TestArrowsPointOneWay keeps the rooms of the house apart: what each package
// must not import.
func TestArrowsPointOneWay(t *testing.T) {
	inner := []string{"hide/internal/project", "hide/web", "hide/cmd", "github.com/labstack/echo", "github.com/a-h/templ", "net/http"}
	domain := []string{"hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish", "hide/internal/account", "hide/internal/job", "hide/internal/hospital"}
	pure := append(slices.Clone(inner), "hide/internal/store", "hide/internal/account", "hide/internal/job", "go.etcd.io/bbolt", "os", "net", "log", "log/slog")
	rules := map[string][]string{
		"internal/annotate/dictionary": append(slices.Clone(pure), "hide/"),
		"internal/annotate":            append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish"),
		"internal/crf":                 append(slices.Clone(pure), "hide/internal/greedy", "hide/internal/publish"),
		"internal/crf/kernel":          append(slices.Clone(pure), "hide/"),
		"internal/crf/intern":          append(slices.Clone(pure), "hide/"),
		"internal/crf/score":           append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish"),
		"internal/crf/sampling":        append(slices.Clone(pure), "hide/internal/greedy", "hide/internal/publish"),
		"internal/crf/trade":           append(slices.Clone(pure), "hide/internal/greedy", "hide/internal/publish"),
		"internal/greedy":              append(slices.Clone(pure), "hide/internal/publish"),
		"internal/greedy/boost":        append(slices.Clone(pure), domain...),
		"internal/greedy/dense":        append(slices.Clone(pure), "hide/internal/publish"),
		"internal/greedy/detect":       append(slices.Clone(pure), "hide/internal/publish"),
		"internal/greedy/outside":      append(slices.Clone(pure), "hide/internal/publish", "hide/internal/crf"),
		"internal/greedy/linear":       append(slices.Clone(pure), "hide/internal/publish", "hide/internal/crf"),
		"internal/greedy/attack":       append(slices.Clone(pure), "hide/internal/publish", "hide/internal/greedy/learners"),
		"internal/greedy/learners":     append(slices.Clone(pure), "hide/internal/publish", "hide/internal/annotate/rules"),
		"internal/greedy/study":        append(slices.Clone(pure), "hide/internal/publish", "hide/internal/greedy/learners"),
		"internal/greedy/audit":        append(slices.Clone(pure), "hide/internal/publish", "hide/internal/crf"),
		"internal/greedy/drift":        append(slices.Clone(pure), "hide/internal/publish"),
		"internal/bootstrap":           append(slices.Clone(pure), "hide/internal/greedy", "hide/internal/publish"),
		"internal/annotate/rules":      append(slices.Clone(pure), "hide/internal/greedy", "hide/internal/publish"),
		"internal/publish":             append(slices.Clone(inner), "hide/internal/store", "hide/internal/account", "hide/internal/job", "go.etcd.io/bbolt"),
		"internal/publish/verify":      {"hide/", "github.com/", "golang.org/", "go.etcd.io/", "go.yaml.in/", "gonum.org/"},
		"internal/publish/hierarchy":   append(slices.Clone(pure), "hide/"),
		"internal/publish/privacy":     append(slices.Clone(pure), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy"),
		"internal/publish/mondrian":    append(slices.Clone(pure), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy"),
		"internal/publish/idview":      append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy"),
		"internal/publish/kanonymity":  append(slices.Clone(inner), "hide/internal/store", "hide/internal/account", "hide/internal/job", "go.etcd.io/bbolt"),
		"internal/publish/risk":        append(slices.Clone(pure), "hide/"),
		"internal/publish/incognito":   append(slices.Clone(pure), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy"),
		"internal/publish/table":       append(slices.Clone(pure), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy"),
		"internal/store":               append(slices.Clone(inner), domain...),
		"internal/account":             append(slices.Clone(inner), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish", "go.etcd.io/bbolt"),
		"internal/job":                 append(append(slices.Clone(inner), domain...), "hide/internal/store", "github.com/"),
		"internal/parallel":            {"hide/", "github.com/"},
		"internal/option":              {"hide/", "github.com/", "net/http", "os"},
		"internal/wire":                {"hide/", "github.com/"},
		"internal/project":             {"hide/internal/lab", "hide/internal/splitkeys", "hide/internal/demo", "hide/web", "hide/cmd", "github.com/labstack/echo", "github.com/a-h/templ", "net/http", "go.etcd.io/bbolt"},
		// What reviewers read of a candidate comes from this package: it cannot reach an original.
		"internal/project/candidate": {"hide/internal/project", "hide/internal/annotate", "hide/internal/account", "hide/internal/crf", "hide/internal/greedy", "hide/web", "hide/cmd", "os", "go.etcd.io/bbolt"},
		"internal/hospital":          append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish"),
		"internal/fulltext":          append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish"),
		"internal/chart":             {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/web", "hide/cmd", "github.com/labstack/echo", "net/http", "os"},
		"internal/ndjson":            append(slices.Clone(pure), "hide/internal/crf", "hide/internal/greedy", "hide/internal/publish"),
		"internal/lab":               {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/web", "hide/cmd"},
		"internal/lab/experiment":    {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/internal/publish", "hide/web", "hide/cmd"},
		"internal/lab/bench":         {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/web", "hide/cmd"},
		"internal/lab/evaluate":      {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/internal/publish", "hide/web", "hide/cmd"},
		"internal/lab/sweep":         {"hide/internal/project", "hide/internal/store", "hide/internal/account", "hide/internal/job", "hide/internal/crf", "hide/internal/greedy", "hide/web", "hide/cmd"},
		"web":                        {"hide/internal/crf", "hide/internal/store", "hide/cmd", "go.etcd.io/bbolt"},
	}
	for _, dir := range []string{"noise", "cube", "prefixtree", "query"} {
		rules["internal/publish/"+dir] = []string{"hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy", "hide/internal/account", "hide/internal/job", "hide/internal/project", "hide/internal/store", "hide/web", "net", "os"}
	}
	rules["internal/publish/ledger"] = append(slices.Clone(inner), "hide/internal/annotate", "hide/internal/crf", "hide/internal/greedy", "hide/internal/account", "hide/internal/job")
	rules["internal/publish/dp"] = append(slices.Clone(inner), "hide/internal/store", "hide/internal/account", "hide/internal/job", "go.etcd.io/bbolt", "os")
	forbidden := func(dir string) []string {
		for _, whole := range []string{"web", "internal/project", "internal/lab"} { // their rules hold for the packages below them
			if rules[dir] == nil && strings.HasPrefix(dir, whole+"/") && dir != "web/webtest" {
				return rules[whole]
			}
		}
		return rules[dir]
	}
	checked := map[string]bool{}
	sources(t, func(name, text string) {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || forbidden(dir) == nil {
			return
		}
		checked[dir] = true
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, bad := range forbidden(dir) {
				if imported == bad || strings.HasPrefix(imported, strings.TrimSuffix(bad, "/")+"/") {
					t.Errorf("%s must not import %s", name, imported)
				}
			}
		}
	}, ".go")
	for _, dir := range append(slices.Collect(maps.Keys(rules)), "web/home", "internal/project/training", "internal/lab/linkage") {
		if !checked[dir] {
			t.Errorf("there is no package %s to check", dir)
		}
	}
}

// neighbours are the features that a feature may import; everything else that features
// share is in ui, outcome and publishing. Only site knows all features and the shell.
var neighbours = map[string][]string{
	"note":    {"model"},
	"release": {"tables", "dp"},
}

// TestFeaturesAndShellAreApart allows a feature its neighbours and what features share, and
// the shell package ui alone.
func TestFeaturesAndShellAreApart(t *testing.T) {
	shared := []string{"ui", "outcome", "publishing"}
	features := map[string]bool{}
	sources(t, func(name, text string) {
		feature, inWeb := strings.CutPrefix(path.Dir(name)+"/", "web/")
		feature = strings.TrimSuffix(feature, "/") // "" for the shell
		if !inWeb || strings.HasSuffix(name, "_test.go") || feature == "site" || feature == "webtest" {
			return
		}
		features[feature] = true
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			other, isFeature := strings.CutPrefix(imported, "hide/web/")
			allowed := slices.Contains(shared, other) || slices.Contains(neighbours[feature], other)
			if feature == "" {
				allowed = other == "ui"
			}
			if imported == "hide/web" || isFeature && !allowed {
				t.Errorf("%s must not import %s", name, imported)
			}
		}
	}, ".go")
	if len(features) < 10 || !features[""] {
		t.Errorf("there are only %d features to check", len(features))
	}
}

// mostLines is how many lines of Go and templ a package may have, without tests and
// generated code.
const mostLines = 8000

// larger are packages that may have more. The tagger is one algorithm: its files share
// unexported types of features, lattices and gradients, which a split would export. The file
// formats are some 300 lines each and have nothing to do with each other, but share the state
// of an import, its limits and its checks.
var larger = map[string]int{"internal/crf": 11300, "internal/annotate/format": 10500}

func TestPackagesStaySmall(t *testing.T) {
	lines := map[string]int{}
	sources(t, func(name, text string) {
		if !strings.HasSuffix(name, "_test.go") && !generated(name) {
			lines[path.Dir(name)] += strings.Count(text, "\n")
		}
	}, ".go", ".templ")
	for dir, n := range lines {
		limit := mostLines
		if dir == "cmd/hide" {
			limit = 8300 // a command has no algorithm, chart or page; there are more than 90 of them, and serve has flags for sign-in, backups and monitors
		}
		if n > max(limit, larger[dir]) {
			t.Errorf("%s has %d lines: more than %d", dir, n, max(limit, larger[dir]))
		}
	}
}

// mostMethods is how many methods an interface may have, embedded ones included.
const mostMethods = 20

func TestInterfacesStaySmall(t *testing.T) {
	declared := map[string][]*ast.InterfaceType{} // by "package.Name"; packages may share a name
	in := map[*ast.InterfaceType]string{}
	sources(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") || generated(name) {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if it, ok := spec.Type.(*ast.InterfaceType); ok {
				key := f.Name.Name + "." + spec.Name.Name
				declared[key], in[it] = append(declared[key], it), f.Name.Name
			}
			return true
		})
	}, ".go")
	var most func(key string) int // the methods of the largest interface of that name
	methods := func(it *ast.InterfaceType) (n int) {
		for _, m := range it.Methods.List {
			n += len(m.Names)
			switch embedded := m.Type.(type) {
			case *ast.Ident:
				n += most(in[it] + "." + embedded.Name)
			case *ast.SelectorExpr:
				if from, ok := embedded.X.(*ast.Ident); ok {
					n += most(from.Name + "." + embedded.Sel.Name)
				}
			}
		}
		return n
	}
	most = func(key string) (n int) {
		for _, it := range declared[key] {
			n = max(n, methods(it))
		}
		return n
	}
	for name := range declared {
		if n := most(name); n > mostMethods {
			t.Errorf("interface %s has %d methods: more than %d", name, n, mostMethods)
		}
	}
	if len(declared) < 20 {
		t.Errorf("there are only %d interfaces to check", len(declared))
	}
}

// TestWorkStaysUnfinishedNowhere finds notes of things left undone.
func TestWorkStaysUnfinishedNowhere(t *testing.T) {
	unfinished := newRule(`\b(TO`+`DO|FIX`+`ME|X`+`XX|HA`+`CK)\b`, "to"+"do", "fix"+"me", "x"+"xx", "ha"+"ck")
	sources(t, func(name, text string) {
		if foreign(name) {
			return
		}
		if hit := unfinished.find(text); hit != nil {
			t.Errorf("%s says %s", name, hit[0])
		}
	}, ".go", ".templ", ".js", ".css", ".md")
}

// TestTheHouseSpeaksOfItselfOnly finds words about places and people that have
// nothing to do with the program: machines it was built on, addresses that a
// reader cannot follow.
func TestTheHouseSpeaksOfItselfOnly(t *testing.T) {
	outside := newRule(`(?i)(/home/[a-z]|/root/|/tmp/[a-z]|\bissue #?\d)`, "/home/", "/root/", "/tmp/", "issue ")
	sources(t, func(name, text string) {
		if name == "house_test.go" || foreign(name) || generated(name) {
			return
		}
		if hit := outside.find(text); hit != nil {
			t.Errorf("%s says %q", name, hit[0])
		}
	}, ".go", ".templ", ".js", ".css", ".md", ".txt", ".txtar")
}
