// SPDX-License-Identifier: Apache-2.0

package listen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrustedProxies(t *testing.T) {
	for _, c := range []struct {
		proxies, want string // "" is refused
	}{
		{"10.0.0.5", "[10.0.0.5/32]"},
		{"10.0.0.77/24, fd00::1/8,::ffff:192.0.2.1", "[10.0.0.0/24 fd00::/8 192.0.2.1/32]"},
		{"0.0.0.0/0", ""}, {"10.0.0.5,::/0", ""}, {"fe80::1%eth0", ""}, {"proxy.example", ""}, {"10.0.0.5,", ""}, {"10.0.0.0/33", ""},
	} {
		got, err := Options{Proxied: true, Proxies: c.proxies}.TrustedProxies()
		problem, misused := errors.AsType[*Error](err)
		if c.want == "" && (!misused || !problem.Misuse) || c.want != "" && (err != nil || fmt.Sprint(got) != c.want) {
			t.Errorf("%s: got %v, %v", c.proxies, got, err)
		}
	}
	if _, err := (Options{Proxies: "10.0.0.5"}).TrustedProxies(); err == nil {
		t.Error("a server that is not behind a proxy trusts one")
	}
}

// TestPlainHTTPStaysOnThisMachine: only https, or a proxy that has it, is open to others.
func TestPlainHTTPStaysOnThisMachine(t *testing.T) {
	for _, c := range []struct {
		o    Options
		good bool
	}{
		{Options{Addr: "127.0.0.1:0"}, true}, {Options{Addr: "localhost:0"}, true}, {Options{Addr: "0.0.0.0:0"}, false}, {Options{Addr: ":0"}, false},
		{Options{Addr: "0.0.0.0:0", Proxied: true}, false}, {Options{Addr: "127.0.0.1:0", Proxied: true, Origin: "http://hide.example"}, false},
		{Options{Addr: "127.0.0.1:0", Proxied: true, Origin: "https://hide.example"}, true}, {Options{Addr: "127.0.0.1:0", Cert: "x"}, false}, {Options{Addr: "127.0.0.1"}, false},
	} {
		l, _, err := c.o.Open()
		if (err == nil) != c.good {
			t.Errorf("%+v: got %v", c.o, err)
		}
		if l != nil {
			l.Close()
		}
	}
}

// TestMetricsStayOnThisMachine: whatever the options of the server are.
func TestMetricsStayOnThisMachine(t *testing.T) {
	for addr, good := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "0.0.0.0:0": false, ":0": false, "10.0.0.5:9464": false, "hide.example:9464": false, "9464": false,
	} {
		l, err := Loopback("--metrics", addr)
		if problem, misused := errors.AsType[*Error](err); (err == nil) != good || err != nil && (!misused || !problem.Misuse) {
			t.Errorf("%s: got %v", addr, err)
		}
		if l != nil {
			l.Close()
		}
	}
}

// TestOriginIsWhatBrowsersSend: each form that would lead to refused requests, or to
// passwords without encryption, is refused with the right one.
func TestOriginIsWhatBrowsersSend(t *testing.T) {
	plain := Options{Addr: "127.0.0.1:0"}
	proxied := Options{Addr: "127.0.0.1:0", Proxied: true}
	own := Options{Addr: "127.0.0.1:0", Cert: "missing.pem", Key: "missing.key"}
	for _, c := range []struct {
		o            Options
		origin, want string // "" is accepted
	}{
		{plain, "http://127.0.0.1:8080", ""}, {plain, "http://localhost:8080", ""}, {plain, "http://[::1]:8080", ""},
		{plain, "http://hide.example.org", "without https: anybody on the network could read passwords and notes"},
		{plain, "http://10.0.0.5:8080", "without https: anybody on the network"},
		{plain, "http://localhost.example.org", "without https: anybody on the network"},
		{plain, "https://hide.example.org", "needs a certificate, and this server has none"},
		{proxied, "https://hide.example.org", ""}, {proxied, "https://hide.example.org:8443", ""}, {proxied, "https://xn--spital-3ya.example", ""},
		{proxied, "http://hide.example.org", "--behind-proxy needs --origin https://"},
		{proxied, "http://127.0.0.1:8080", "--behind-proxy needs --origin https://"},
		{proxied, "", "--behind-proxy needs --origin https://"},
		{own, "http://hide.example.org", "is without https, and this server has a certificate"},
		{own, "http://127.0.0.1:8080", "is without https, and this server has a certificate"},
		{proxied, "https://hide.example.org/", "write --origin https://hide.example.org"},
		{proxied, "https://hide.example.org/hide", "write --origin https://hide.example.org"},
		{proxied, "https://hide.example.org?a=b", "write --origin https://hide.example.org"},
		{proxied, "https://hide.example.org#a", "write --origin https://hide.example.org"},
		{proxied, "https://ada:secret@hide.example.org", "write --origin https://hide.example.org"},
		{proxied, "https://Hide.Example.org", "write --origin https://hide.example.org"},
		{proxied, "HTTPS://hide.example.org", "write --origin https://hide.example.org"},
		{proxied, "https://hide.example.org:443", "write --origin https://hide.example.org"},
		{proxied, "https://hide.example.org:", "write --origin https://hide.example.org"},
		{plain, "hide.example.org", "is not like https://hide.example.org"}, {plain, "ftp://hide.example.org", "is not like"},
		{plain, "//hide.example.org", "is not like"}, {plain, "http://:8080", "is not like"}, {plain, "http:// x", "is not like"},
	} {
		c.o.Origin = c.origin
		l, _, err := c.o.Open()
		if l != nil {
			l.Close()
		}
		said := ""
		if problem, misused := errors.AsType[*Error](err); misused && problem.Misuse {
			said = problem.Error() + "; " + problem.Hint
		}
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%+v: got %q, %v", c.o, said, err)
		}
		if strings.Contains(said, "secret") {
			t.Error("a password is repeated")
		}
	}
	if _, _, err := (Options{Addr: "0.0.0.0:0", Cert: "a", Key: "b"}).Open(); err == nil || !strings.Contains(err.Error(), "no address that a browser can open") {
		t.Errorf("a server without a name: got %v", err)
	}
}

// TestABadCertificateSaysWhatToDo: an operator sees what is wrong with which file.
func TestABadCertificateSaysWhatToDo(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.pem")
	if err := os.WriteFile(text, []byte("no certificate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{filepath.Join(t.TempDir(), "none.pem"): "name the files", text: "PEM"} {
		_, _, err := Options{Addr: "127.0.0.1:0", Cert: file, Key: file}.Open()
		if problem, ok := errors.AsType[*Error](err); !ok || problem.Misuse || !strings.Contains(problem.Hint, want) {
			t.Errorf("%s: %+v", file, err)
		}
	}
}
