// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"html"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/doctor"
	"hide/internal/doctor/gather"
	"hide/internal/listen"
	"hide/internal/store"
)

// proxyName is the name of the server in the tests of proxies, and proxyClient the address
// that its browser has: another one than the proxy's.
const (
	proxyName   = "hide.test"
	proxyClient = "127.0.0.2"
)

// behind is hide behind a real proxy with TLS, and a browser with a certificate authority of
// the test.
type behind struct {
	*visitor
	t         *testing.T
	dir       string
	port      string // of the proxy
	hide      string // HOST:PORT
	authority *x509.CertPool
	token     string
}

// startBehind starts hide for a proxy that is about to start.
func startBehind(t *testing.T) *behind {
	b := &behind{t: t, dir: t.TempDir(), authority: x509.NewCertPool()}
	b.port, b.hide = freePort(t), "127.0.0.1:"+freePort(t)
	origin := "https://" + proxyName + ":" + b.port
	b.certify()
	s := serveHide(t, "serve", "--data", filepath.Join(b.dir, "data"), "--addr", b.hide,
		"--behind-proxy", "--proxy", "127.0.0.1", "--origin", origin)
	b.token = s.token
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.visitor = &visitor{base: origin, Client: &http.Client{Jar: jar, Transport: &http.Transport{DialContext: b.dial, TLSClientConfig: b.trust()}}}
	t.Cleanup(b.CloseIdleConnections)
	return b
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (b *behind) trust() *tls.Config { return &tls.Config{RootCAs: b.authority, ServerName: proxyName} }

// dial reaches the proxy whatever the name is, from an address of its own.
func (b *behind) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(proxyClient)}}
	return d.DialContext(ctx, "tcp", "127.0.0.1:"+b.port)
}

func (b *behind) path(name string) string { return filepath.Join(b.dir, name) }

// certify makes a certificate authority and a certificate of the name.
func (b *behind) certify() {
	b.t.Helper()
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: proxyName}, DNSNames: []string{proxyName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		b.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		b.t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	b.authority.AppendCertsFromPEM(certificate)
	b.write("cert.pem", string(certificate))
	b.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

func (b *behind) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// sample is a configuration in the folder packaging with names and ports of the test.
func (b *behind) sample(name string, change ...string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "packaging", name))
	if err != nil {
		b.t.Fatal(err)
	}
	changed := string(text)
	for i := 0; i < len(change); i += 2 {
		if !strings.Contains(changed, change[i]) {
			b.t.Fatalf("packaging/%s has no %q", name, change[i])
		}
		changed = strings.ReplaceAll(changed, change[i], change[i+1])
	}
	return changed
}

// nginx starts nginx with the sample, changed further.
func (b *behind) nginx(change ...string) {
	b.write("hide.conf", b.sample("nginx.conf", append([]string{
		"listen 443 ssl", "listen 127.0.0.1:" + b.port + " ssl", "hide.example.org", proxyName,
		"/etc/ssl/hide.pem", b.path("cert.pem"), "/etc/ssl/hide.key", b.path("key.pem"), "http://127.0.0.1:8080", "http://" + b.hide,
	}, change...)...))
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	b.write("nginx.conf", fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/nginx.pid; %[2]s
		events {}
		http { access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s; include %[1]s/hide.conf; }`, b.dir, user))
	b.start("nginx", "-p", b.dir, "-e", b.path("nginx.log"), "-c", b.path("nginx.conf"))
}

// caddy starts Caddy with the sample.
func (b *behind) caddy() {
	b.write("Caddyfile", "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"+b.sample("Caddyfile",
		"hide.example.org {", proxyName+":"+b.port+" {\n\tbind 127.0.0.1\n\ttls "+b.path("cert.pem")+" "+b.path("key.pem"), "127.0.0.1:8080 {", b.hide+" {"))
	b.start("caddy", "run", "--adapter", "caddyfile", "--config", b.path("Caddyfile"))
}

// start runs a proxy until the test ends, and waits until it answers.
func (b *behind) start(name string, args ...string) {
	b.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_DATA_HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil && cmd.ProcessState.ExitCode() > 0 {
			b.t.Errorf("%s: %v\n%s", name, err, said.String())
		}
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := b.dial(b.t.Context(), "", "")
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s does not answer: %v", name, err)
		}
	}
}

// TestBehindRealProxies lets a browser work through nginx and Caddy with the configurations
// that packages bring.
func TestBehindRealProxies(t *testing.T) {
	for name, start := range map[string]func(*behind){"nginx": func(b *behind) { b.nginx() }, "caddy": (*behind).caddy} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("%s is not installed", name)
			}
			b := startBehind(t)
			start(b)
			b.signIn()
			project := b.project()
			live := b.open(project)
			defer live.Close()
			b.upload(project)
			b.seenFrom()
			for name, c := range b.doctor() {
				if c.Status != doctor.OK {
					t.Errorf("%s: %+v", name, c)
				}
			}
			b.signOut(live)
		})
	}
}

func (b *behind) signIn() {
	b.t.Helper()
	form := url.Values{"code": {b.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := b.post("/welcome/enter", form); err != nil {
		b.t.Fatal(err)
	}
	if page, err := b.get("/"); err != nil || !strings.Contains(page, "<h1>Projects</h1>") {
		b.t.Fatalf("the sign-in did not hold: %v", err)
	}
	if _, err := b.get("/readyz"); err == nil || !strings.Contains(err.Error(), "404") {
		b.t.Errorf("the proxy passes /readyz on: %v", err)
	}
}

// project makes one and returns its path.
func (b *behind) project() string {
	b.t.Helper()
	resp, err := b.PostForm(b.base+"/projects", url.Values{"name": {"Ward"}})
	if err != nil {
		b.t.Fatal(err)
	}
	page, err := readBody(resp)
	found := regexp.MustCompile(`/p/[a-z0-9]+`).FindString(resp.Request.URL.Path + page)
	if err != nil || found == "" {
		b.t.Fatalf("no project was made: %v", err)
	}
	return found
}

// dialLive asks for the live connection of the page of a project.
func (b *behind) dialLive(project string) (*websocket.Conn, *http.Response, error) {
	b.t.Helper()
	page, err := b.get(project)
	if err != nil {
		b.t.Fatal(err)
	}
	address := regexp.MustCompile(`hx-ws:connect="([^"]+)"`).FindStringSubmatch(page)
	if address == nil {
		b.t.Fatal("the page has no live connection")
	}
	at, err := url.Parse(b.base)
	if err != nil {
		b.t.Fatal(err)
	}
	header := http.Header{"Origin": {b.base}}
	for _, c := range b.Jar.Cookies(at) {
		header.Add("Cookie", c.Name+"="+c.Value)
	}
	d := &websocket.Dialer{NetDialContext: b.dial, TLSClientConfig: b.trust(), EnableCompression: true}
	return d.Dial("wss"+strings.TrimPrefix(b.base, "https")+html.UnescapeString(address[1]), header)
}

// open opens the live connection and reads what it brings first.
func (b *behind) open(project string) *websocket.Conn {
	b.t.Helper()
	live, resp, err := b.dialLive(project)
	if err != nil {
		b.t.Fatalf("the proxy passes no websocket on: %v, %+v", err, resp)
	}
	_ = live.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, frame, err := live.ReadMessage(); err != nil || len(frame) == 0 {
		b.t.Fatalf("no frame came: %v", err)
	}
	return live
}

// upload sends a file to import, 200 MB in the long run, and waits for its preview.
func (b *behind) upload(project string) {
	b.t.Helper()
	size := 8 << 20
	if long, err := strconv.Atoi(os.Getenv("HIDE_TEST_UPLOAD_MB")); err == nil {
		size = long * 1_000_000
	}
	line := `{"id":"note-%07d","text":"` + strings.Repeat("Seen today with a cough and a fever. ", 280) + `"}` + "\n"
	r, w := io.Pipe()
	sent := 0
	go func() {
		_, err := io.WriteString(w, "--cut\r\nContent-Disposition: form-data; name=\"files\"; filename=\"notes.jsonl\"\r\n\r\n")
		for n := 0; err == nil && sent < size; n++ {
			var more int
			more, err = fmt.Fprintf(w, line, n)
			sent += more
		}
		if err == nil {
			_, err = io.WriteString(w, "\r\n--cut--\r\n")
		}
		w.CloseWithError(err)
	}()
	began := time.Now()
	q, err := http.NewRequest(http.MethodPost, b.base+project+"/import", r)
	if err != nil {
		b.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "multipart/form-data; boundary=cut")
	q.Header.Set("Origin", b.base)
	resp, err := b.Do(q)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := readBody(resp); err != nil || !strings.Contains(resp.Request.URL.Path, "/import/") {
		b.t.Fatalf("the upload ended at %s: %v", resp.Request.URL.Path, err)
	}
	b.t.Logf("%.0f MB were uploaded in %.1f s", float64(sent)/1e6, time.Since(began).Seconds())
	left, err := filepath.Glob(b.path("body/*"))
	if err != nil || len(left) > 0 {
		b.t.Errorf("the proxy has parts of the upload on its disk: %v, %v", left, err)
	}
}

// seenFrom looks for the address of the browser in the audit trail.
func (b *behind) seenFrom() {
	b.t.Helper()
	other := newVisitor(b.base)
	other.Client.Transport = b.Client.Transport
	if err := other.signIn("Ada"); err != nil {
		b.t.Fatal(err)
	}
	if page, err := b.get("/audit"); err != nil || !strings.Contains(page, proxyClient) {
		b.t.Errorf("the audit trail does not have the address of the browser: %v", err)
	}
}

// signOut ends the session: the page's connection closes, and the cookie is worth nothing.
func (b *behind) signOut(live *websocket.Conn) {
	b.t.Helper()
	if _, err := b.post("/sign-out", nil); err != nil {
		b.t.Fatal(err)
	}
	for {
		if _, _, err := live.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, 4401) {
				b.t.Errorf("the live connection ended with %v, want 4401", err)
			}
			break
		}
	}
	if page, err := b.get("/"); err != nil || strings.Contains(page, "<h1>Projects</h1>") {
		b.t.Errorf("the person is still signed in: %v", err)
	}
}

// doctor are the checks of the public address.
func (b *behind) doctor() map[string]doctor.Check {
	b.t.Helper()
	facts, err := gather.Facts(b.t.Context(), gather.Setup{
		Version: toolVersion(), Store: store.Options{Dir: b.path("data")}, Dial: b.dial, Roots: b.authority,
		Listen: listen.Options{Addr: b.hide, Origin: b.base, Proxied: true, Proxies: "127.0.0.1"},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	checks := map[string]doctor.Check{}
	for _, c := range doctor.Examine(facts).Checks {
		if strings.HasPrefix(c.Name, "proxy") || c.Name == "public address" {
			checks[c.Name] = c
		}
	}
	if len(checks) < 5 {
		b.t.Errorf("there are only these checks: %+v", checks)
	}
	return checks
}

// names checks what hide doctor says of a proxy that passes too little on.
func (b *behind) names(check, says string) {
	b.t.Helper()
	for name, c := range b.doctor() {
		if bad := c.Status == doctor.Fail || c.Status == doctor.Warn; bad != (name == check) || bad && !strings.Contains(c.Found, says) {
			b.t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestProxiesThatPassTooLittleAreNamed: the answer says what the proxy has to do.
func TestProxiesThatPassTooLittleAreNamed(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed")
	}
	t.Run("no websockets", func(t *testing.T) {
		b := startBehind(t)
		b.nginx("proxy_set_header Upgrade           $http_upgrade;", "", "proxy_set_header Connection        $hide_connection;", "")
		b.signIn()
		b.names("proxy: websockets", "takes the upgrade out of the request")
		_, resp, err := b.dialLive(b.project())
		if err == nil || resp == nil || resp.StatusCode != http.StatusUpgradeRequired {
			t.Fatalf("got %+v, %v", resp, err)
		}
		if said, _ := io.ReadAll(resp.Body); !strings.Contains(string(said), "<title>No live connection") { // gorilla keeps 1 KB of it
			t.Errorf("the answer is %s", said)
		}
	})
	t.Run("no Host", func(t *testing.T) {
		b := startBehind(t)
		b.nginx("proxy_set_header Host              $http_host;", "")
		resp, err := b.Client.Get(b.base + "/sign-in")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if said, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(string(said), "does not pass the Host header on") {
			t.Errorf("status %d: %s", resp.StatusCode, said)
		}
		b.names("proxy: Host", "every page says")
	})
	for _, c := range []struct{ name, from, to, check, says string }{
		{"small uploads", "client_max_body_size    4g;", "client_max_body_size 20m;", "proxy: uploads", "refuses uploads of 100 MB (status 413); 10 MB pass"},
		{"uploads on its disk", "proxy_request_buffering off;", "", "proxy: uploads", "large ones stand on its disk in the clear"},
		{"no address", "proxy_set_header X-Forwarded-For   $proxy_add_x_forwarded_for;", `proxy_set_header X-Forwarded-For "";`, "proxy: address of browsers", "sets no X-Forwarded-For"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := startBehind(t)
			b.nginx(c.from, c.to)
			b.names(c.check, c.says)
		})
	}
}
