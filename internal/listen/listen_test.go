// SPDX-License-Identifier: Apache-2.0

package listen

import (
	"errors"
	"fmt"
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
