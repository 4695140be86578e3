// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/net/html"

	"hide/internal/account"
	"hide/web"
)

// Viewer is an open page: it applies live frames as live.js and hx-ws do.
type Viewer struct {
	Conn   *websocket.Conn
	Frames int // read so far

	t     testing.TB
	bytes atomic.Int64
	n     map[string]uint64
	parts map[string]*html.Node
}

// Look opens the live connection of a page with the parts and the query.
func Look(t testing.TB, base string, role account.Role, project, parts string, query url.Values) *Viewer {
	t.Helper()
	v := &Viewer{t: t, n: map[string]uint64{}, parts: map[string]*html.Node{}}
	d := &websocket.Dialer{EnableCompression: true, NetDial: func(network, address string) (net.Conn, error) {
		c, err := net.Dial(network, address)
		return countedConn{c, &v.bytes}, err
	}}
	q := url.Values{"topics": {parts}}
	for name, values := range query {
		q[name] = values
	}
	header := http.Header{"Cookie": {web.CookieName(base, false) + "=" + string(role)}, "Origin": {base}}
	conn, _, err := d.Dial("ws"+strings.TrimPrefix(base, "http")+"/p/"+project+"/live?"+q.Encode(), header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	v.Conn = conn
	return v
}

// countedConn counts the bytes that arrive.
type countedConn struct {
	net.Conn
	n *atomic.Int64
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Bytes is how many have arrived.
func (v *Viewer) Bytes() int64 { return v.bytes.Load() }

// Until reads frames until the parts are as wanted.
func (v *Viewer) Until(what string, wanted func() bool) {
	v.t.Helper()
	for !wanted() {
		_ = v.Conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		_, data, err := v.Conn.ReadMessage()
		if err != nil {
			v.t.Fatalf("waiting for %s: %v", what, err)
		}
		v.Frames++
		v.apply(data)
	}
}

// Part is the HTML of a part as the page shows it, "" before it has come.
func (v *Viewer) Part(name string) string {
	if v.parts[name] == nil {
		return ""
	}
	var b strings.Builder
	if err := html.Render(&b, v.parts[name]); err != nil {
		v.t.Fatal(err)
	}
	return b.String()
}

func (v *Viewer) apply(data []byte) {
	v.t.Helper()
	var f struct {
		Part, Target, Swap, Content string
		N                           uint64
		Whole                       bool
	}
	if err := json.Unmarshal(data, &f); err != nil {
		v.t.Fatal(err)
	}
	fresh, err := html.Parse(strings.NewReader(f.Content))
	if err != nil {
		v.t.Fatal(err)
	}
	switch {
	case f.Whole:
		v.parts[f.Part] = fresh
	case v.n[f.Part]+1 != f.N:
		v.t.Fatalf("frame %d of %s follows frame %d", f.N, f.Part, v.n[f.Part])
	default:
		old, now := byID(v.parts[f.Part], f.Target[1:]), byID(fresh, f.Target[1:])
		if old == nil || now == nil {
			v.t.Fatalf("a frame of %s replaces %s, which is not there", f.Part, f.Target)
		}
		now.Parent.RemoveChild(now)
		old.Parent.InsertBefore(now, old)
		old.Parent.RemoveChild(old)
	}
	v.n[f.Part] = f.N
}

func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				return n
			}
		}
	}
	return nil
}
