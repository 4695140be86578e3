// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	certificateSoon = 30 * 24 * time.Hour
	largestUpload   = 4 << 30
	usualUpload     = 100 << 20
)

// certificates judges those of the server and of the proxy.
func certificates(f *Facts) []Check {
	var all []Check
	if f.Certificate != nil {
		all = append(all, certificate("certificate", f.Certificate, f.Now))
	}
	if f.Proxy != nil && f.Proxy.Certificate != nil {
		all = append(all, certificate("certificate of "+host(f.Proxy.Origin), f.Proxy.Certificate, f.Now))
	}
	return all
}

func certificate(name string, c *Certificate, now time.Time) Check {
	left := c.Ends.Sub(now)
	switch {
	case c.Problem != nil:
		return Check{name, Fail, c.Where + ": " + c.Problem.What, c.Problem.Next}
	case left <= 0:
		return Check{name, Fail, fmt.Sprintf("%s ended %s ago: browsers refuse it", c.Where, ago(left)), "renew it"}
	case left < certificateSoon:
		return Check{name, Warn, fmt.Sprintf("%s ends in %s", c.Where, ago(left)), "renew it"}
	}
	return Check{name, OK, fmt.Sprintf("%s is good for %s more", c.Where, ago(left)), ""}
}

// proxy judges what browsers reach at the origin.
func proxy(f *Facts) []Check {
	p := f.Proxy
	const name = "public address"
	switch {
	case p == nil:
		return nil
	case p.Unreached != nil:
		return one(name, Fail, p.Unreached.Next, "%s does not answer this machine: %s", p.Origin, p.Unreached.What)
	case p.NotTried != "":
		return one(name, Skipped, "", "%s was not asked what it passes on: %s", p.Origin, p.NotTried)
	case p.Lost != nil:
		return one(name, Fail, p.Lost.Next, "%s does not lead to this server: %s", p.Origin, p.Lost.What)
	}
	all := one(name, OK, "", "%s leads to this server", p.Origin)
	if p.Direct {
		return all
	}
	return slices.Concat(all, passesHost(p), passesSockets(p), passesClient(p), passesUploads(p))
}

func host(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return origin
	}
	return u.Host
}

func passesHost(p *Proxy) []Check {
	const name = "proxy: Host"
	if want := host(p.Origin); !strings.EqualFold(p.Plain.Host, want) {
		return one(name, Fail, "let the proxy pass the Host header on (nginx: proxy_set_header Host $http_host)",
			"the proxy sends the host name %q, not %q: every page says \"Wrong address\"", p.Plain.Host, want)
	}
	return one(name, OK, "", "arrives as %s", p.Plain.Host)
}

func passesSockets(p *Proxy) []Check {
	const name = "proxy: websockets"
	switch {
	case p.Upgrade:
		return one(name, OK, "", "pass")
	case p.Socket.Proof != "":
		return one(name, Fail, "let the proxy pass Upgrade and Connection on (nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, and Connection)",
			"the proxy takes the upgrade out of the request: pages do not refresh by themselves")
	}
	return one(name, Fail, "let the proxy pass websockets on", "the proxy answers an upgrade itself: pages do not refresh by themselves")
}

// passesClient judges which address counts as the browser's.
func passesClient(p *Proxy) []Check {
	const name = "proxy: address of browsers"
	seen := &p.Plain
	peer, hop := address(seen.Peer), newestHop(seen.Forwarded)
	switch {
	case seen.Client == ForgedClient && loopback(hop):
		// The probe came from the machine of the proxy, whose address --proxy names.
		return one(name, OK, "", "the proxy adds it; of this machine, which --proxy names, it passes on what it is told")
	case seen.Client == ForgedClient && hop != ForgedClient:
		return one(name, Fail, "list only proxies in --proxy",
			"--proxy names %s, where this request came from: who sends requests from an address in --proxy can choose the address that hide sees", hop)
	case seen.Client == ForgedClient:
		return one(name, Fail, "let the proxy append to X-Forwarded-For or set it anew, and list only proxies in --proxy",
			"a browser can choose the address that hide sees: the proxy passes a header of the browser on unchanged")
	case len(seen.Forwarded) == 0 || onlyForged(seen.Forwarded):
		return one(name, Warn, "let the proxy set X-Forwarded-For (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), and name it with --proxy "+peer,
			"the proxy sets no X-Forwarded-For: the audit trail shows the proxy's address %s, and sign-ins are counted by name only", peer)
	case !p.Trusted:
		return one(name, Warn, "add "+peer+" to --proxy", "X-Forwarded-For arrives from %s, which --proxy does not name: the audit trail shows the address of the proxy", peer)
	}
	return one(name, OK, "", "this machine is seen as %s", seen.Client)
}

// newestHop is the address that the last proxy added.
func newestHop(headers []string) string {
	all := hops(headers)
	return all[len(all)-1]
}

// hops are the addresses of X-Forwarded-For headers; one empty one if there is none.
func hops(headers []string) []string {
	all := strings.Split(strings.Join(headers, ","), ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

func loopback(hop string) bool {
	a, err := netip.ParseAddr(hop)
	return err == nil && a.Unmap().IsLoopback()
}

func onlyForged(headers []string) bool {
	return !slices.ContainsFunc(hops(headers), func(h string) bool { return h != ForgedClient })
}

// address is the address of "ADDRESS:PORT".
func address(peer string) string {
	a, err := netip.ParseAddrPort(peer)
	if err != nil {
		return peer
	}
	return a.Addr().Unmap().String()
}

func passesUploads(p *Proxy) []Check {
	const name = "proxy: uploads"
	const raise = "raise the limit to the size of your imports, up to 4 GB (nginx: client_max_body_size 4g)"
	switch {
	case p.Refused > 0 && p.Upload == 0:
		return one(name, Fail, raise, "the proxy refuses uploads of %s (status %d), and smaller ones were not tried", size(p.Refused), p.Status)
	case p.Refused > 0 && p.Upload < usualUpload:
		return one(name, Fail, raise, "the proxy refuses uploads of %s (status %d); %s pass", size(p.Refused), p.Status, size(p.Upload))
	case p.Refused > 0:
		return one(name, Warn, raise, "the proxy refuses uploads of %s (status %d); %s pass", size(p.Refused), p.Status, size(p.Upload))
	case p.Held:
		return one(name, Warn, "let the proxy pass uploads on as they come (nginx: proxy_request_buffering off)",
			"the proxy keeps an upload until it is complete: large ones stand on its disk in the clear")
	case p.Upload < largestUpload:
		return one(name, Skipped, "", "the limit of the proxy is unknown")
	}
	return one(name, OK, "", "%s pass as they come", size(p.Upload))
}

func size(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%d GB", n>>30)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// issuer judges the single sign-on.
func issuer(f *Facts) []Check {
	const name = "single sign-on"
	switch i := f.Issuer; {
	case i == nil:
		return nil
	case i.Problem != "":
		return one(name, Fail, "see that this machine can reach it and trusts its certificate. hide runs without it, and asks again at each sign-in; hide user break-glass lets a person in meanwhile",
			"%s does not answer: %s", i.URL, i.Problem)
	default:
		return one(name, OK, "", "%s answers", i.URL)
	}
}
