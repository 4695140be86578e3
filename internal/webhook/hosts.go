// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxURL bounds the address of a webhook in bytes.
const maxURL = 1000

// Hosts are the hosts that may be called. The zero value allows none.
type Hosts struct{ all []host }

// host is a name or an address, with the port to call; "" means the usual port of the scheme.
type host struct{ name, port string }

// hostName is a name in DNS. Others, such as names with letters outside of ASCII, are written
// in their ASCII form.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// ParseHosts reads HOST or HOST:PORT, several with commas between. Without a port the usual
// one of https is meant, 443.
func ParseHosts(text string) (Hosts, error) {
	var hosts Hosts
	for _, entry := range strings.Split(text, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "" {
			continue
		}
		h, err := parseHost(entry)
		if err != nil {
			return Hosts{}, err
		}
		hosts.all = append(hosts.all, h)
	}
	return hosts, nil
}

func parseHost(entry string) (host, error) {
	h := host{name: strings.TrimSuffix(strings.TrimPrefix(entry, "["), "]")}
	good := true
	if name, port, err := net.SplitHostPort(entry); err == nil {
		h = host{name, port}
		n, err := strconv.ParseUint(port, 10, 16)
		good = err == nil && n > 0
	}
	if _, err := netip.ParseAddr(h.name); err != nil && (!hostName.MatchString(h.name) || len(h.name) > 253) {
		good = false
	}
	if !good {
		return h, fmt.Errorf("host %q: write a name or an address, with or without a port, such as ci.hospital.example or 10.1.2.3:8443; without https:// and without a path", entry)
	}
	return h, nil
}

// Names are the hosts in words, in the order of the list.
func (h Hosts) Names() []string {
	var names []string
	for _, one := range h.all {
		name := one.name
		if one.port != "" {
			name = net.JoinHostPort(one.name, one.port)
		}
		names = append(names, name)
	}
	return names
}

// loopback reports whether the host is this machine.
func (h host) loopback() bool {
	addr, err := netip.ParseAddr(h.name)
	return h.name == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// RefusedError says why an address must not be called.
type RefusedError struct {
	What string
	Next string // what to do
}

func (e *RefusedError) Error() string { return e.What + "; " + e.Next }

// Check refuses addresses that must not be called with a [*RefusedError]: of another host
// than the listed ones, without https, or with a part that a webhook has no use for. Hosts of
// this machine may be called without https.
func (h Hosts) Check(address string) error {
	_, err := h.find(address)
	return err
}

func (h Hosts) find(address string) (host, error) {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxURL:
		return host{}, &RefusedError{fmt.Sprintf("the URL is longer than %d bytes", maxURL), "enter a shorter one"}
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		return host{}, &RefusedError{"this is not a URL of a webhook", "enter one that begins with https://"}
	case u.User != nil || u.Fragment != "":
		return host{}, &RefusedError{"the URL has a name with a password, or a part after #", "enter it without: each message is signed instead"}
	}
	asked := host{strings.ToLower(u.Hostname()), u.Port()}
	i := slices.IndexFunc(h.all, func(one host) bool {
		return one.name == asked.name && portOf(one.port, u.Scheme) == portOf(asked.port, u.Scheme)
	})
	switch {
	case i < 0 && len(h.all) == 0:
		return host{}, &RefusedError{"webhooks are off on this server", "ask the operator to start hide with --webhook-host"}
	case i < 0:
		return host{}, &RefusedError{"the operator has not listed the host of this URL", "enter a URL of a listed host with its port, or ask the operator to list this one: --webhook-host"}
	case u.Scheme == "http" && !h.all[i].loopback():
		return host{}, &RefusedError{"the URL begins with http://", "enter one that begins with https://: only this machine may be called without"}
	}
	return h.all[i], nil
}

func portOf(port, scheme string) string {
	switch {
	case port != "":
		return port
	case scheme == "http":
		return "80"
	}
	return "443"
}

// admits reports whether a listed host may have an address. A listed name must not lead to
// this machine, nor to a link-local address, where clouds keep credentials of machines.
func (h host) admits(addr netip.Addr) bool {
	addr = addr.Unmap()
	if listed, err := netip.ParseAddr(h.name); err == nil {
		return listed.Unmap() == addr
	}
	if h.loopback() {
		return addr.IsLoopback()
	}
	return addr.IsGlobalUnicast()
}
