// SPDX-License-Identifier: Apache-2.0

package listen

import (
	"net/url"
	"strings"
)

// checkOrigin refuses an origin that no browser sends in this form, and one over which
// passwords and notes would travel unencrypted. "" stands for the address of the server.
func (o Options) checkOrigin() error {
	if o.Origin == "" {
		return nil
	}
	u, err := url.Parse(o.Origin)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return misuse("", "--origin is not like https://hide.example.org")
	}
	if right := canonical(u); o.Origin != right {
		return misuse("write --origin "+right, "--origin is more or less than a scheme and a host name in lower case")
	}
	here := loopback(u.Hostname())
	switch {
	case u.Scheme == "https" && o.Cert == "" && !o.Proxied:
		return misuse("add --behind-proxy if a proxy has the certificate, or give --tls-cert and --tls-key", "--origin %s needs a certificate, and this server has none", o.Origin)
	case u.Scheme == "https":
		return nil
	case o.Cert != "":
		return misuse("write --origin https://"+u.Host, "--origin %s is without https, and this server has a certificate", o.Origin)
	case !here:
		return misuse("give --tls-cert and --tls-key, or --behind-proxy, with --origin https://"+u.Host,
			"--origin %s is without https: anybody on the network could read passwords and notes", o.Origin)
	}
	return nil
}

// canonical is the origin as browsers write it: without path, query and person, in lower case,
// and without the port that the scheme implies.
func canonical(u *url.URL) string {
	host := strings.ToLower(u.Host)
	port := ":" + map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(strings.TrimSuffix(host, port), ":")
}
