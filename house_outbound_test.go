// SPDX-License-Identifier: Apache-2.0

package hide_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// connects are the packages and what of them opens a connection, sends a packet, asks for a
// name, or starts a program that could. "*" stands for everything of a package.
var connects = map[string]string{
	"net":                               "Dial DialTimeout DialTCP DialUDP DialUnix DialIP Dialer Resolver DefaultResolver ListenUDP ListenPacket ListenMulticastUDP ListenIP LookupHost LookupIP LookupAddr LookupCNAME LookupMX LookupNS LookupPort LookupSRV LookupTXT ResolveTCPAddr ResolveUDPAddr ResolveIPAddr",
	"net/http":                          "Client Transport DefaultClient DefaultTransport Get Head Post PostForm",
	"net/http/httputil":                 "*",
	"net/rpc":                           "*",
	"net/rpc/jsonrpc":                   "*",
	"net/smtp":                          "*",
	"log/syslog":                        "*",
	"crypto/tls":                        "Dial DialWithDialer Dialer Client",
	"os/exec":                           "*",
	"syscall":                           "Connect Socket Sendto Sendmsg Exec ForkExec StartProcess",
	"golang.org/x/sys/unix":             "Connect Socket Sendto Sendmsg Exec",
	"golang.org/x/oauth2":               "*",
	"github.com/coreos/go-oidc/v3/oidc": "*",
	"github.com/gorilla/websocket":      "Dialer DefaultDialer NewClient",
	"github.com/jackc/pgx/v5":           "*",
	"github.com/chromedp/chromedp":      "*",
}

// mayConnect are the packages that may, and to whom. docs/security.md says which option of
// the operator turns each of them on.
var mayConnect = map[string]string{
	"cmd/hide":                   "hide demo opens the browser of the desktop",
	"internal/annotate/database": "the database of --database",
	"internal/annotate/format":   "starts pdftotext, which reads a file",
	"internal/auditsink":         "the syslog server of --audit-syslog",
	"internal/browsertest":       "tests of pages",
	"internal/control":           "the server of a data folder, over a Unix socket",
	"internal/doctor/gather":     "the public address of the server, and the server of --clock-from",
	"internal/issuer":            "the issuer of --oidc-issuer",
	"internal/lab":               "starts the program of a tagger outside:COMMAND",
	"internal/supervisor":        "the socket of systemd",
	"internal/webhook":           "the hosts of --webhook-host",
	"web/webtest":                "tests of pages",
}

// TestOnlyNamedPackagesOpenConnections keeps the list of all ways out of the program complete.
// Tests, examples, and the modules tools and beam, are not part of it.
func TestOnlyNamedPackagesOpenConnections(t *testing.T) {
	found := map[string]bool{}
	sources(t, func(name, text string) {
		dir := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || generated(name) || strings.HasPrefix(name, "examples/") || strings.HasPrefix(name, "tools/") || strings.HasPrefix(name, "beam/") {
			return
		}
		for _, use := range connections(t, name, text) {
			found[dir] = true
			if mayConnect[dir] == "" {
				t.Errorf("%s uses %s, which can connect to other machines: add the package to mayConnect with the option that turns it on, and the option to docs/security.md", name, use)
			}
		}
	}, ".go")
	for dir := range mayConnect {
		if !found[dir] {
			t.Errorf("%s connects to nothing: take it off the list", dir)
		}
	}
}

// connections are what a file uses of the packages that connect.
func connections(t *testing.T, name, text string) (uses []string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	called := map[string]string{} // the name of a package in this file, and its path
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		of, connects := connects[imported]
		switch {
		case !connects:
		case spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_") || of == "*":
			uses = append(uses, imported)
		case spec.Name != nil:
			called[spec.Name.Name] = imported
		default:
			called[path.Base(imported)] = imported
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok || called[x.Name] == "" {
			return true
		}
		for what := range strings.FieldsSeq(connects[called[x.Name]]) {
			if what == s.Sel.Name {
				uses = append(uses, x.Name+"."+what)
			}
		}
		return true
	})
	return uses
}

// TestConnectionsAreSeenInSource: the rule sees what it is to see.
func TestConnectionsAreSeenInSource(t *testing.T) {
	for text, want := range map[string]int{
		"package a\nimport \"net\"\nvar _, _ = net.Dial(\"tcp\", \"a:1\")":   1,
		"package a\nimport n \"net\"\nvar _ n.Dialer":                        1,
		"package a\nimport \"net\"\nvar _, _ = net.Listen(\"tcp\", \"a:1\")": 0,
		"package a\nimport \"net/http\"\nvar _ = &http.Client{}":             1,
		"package a\nimport \"net/http\"\nvar _ http.Handler":                 0,
		"package a\nimport \"os/exec\"\nvar _ = exec.Command":                1,
		"package a\nimport . \"net\"\nvar _ = ParseIP":                       1,
		"package a\nimport \"golang.org/x/oauth2\"\nvar _ oauth2.Config":     1,
		"package a\nvar net struct{ Dial int }\nvar _ = net.Dial":            0,
	} {
		if uses := connections(t, "a.go", text); len(uses) != want {
			t.Errorf("%s\ngot %q", text, uses)
		}
	}
}
