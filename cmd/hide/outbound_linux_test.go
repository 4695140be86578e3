// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// insideNamespace tells a test that it has a network of its own.
const insideNamespace = "HIDE_TEST_NAMESPACE"

// outsideIssuer is an issuer that does not exist: its address is for documentation.
const outsideIssuer = "192.0.2.10:443"

// TestNothingIsSentButWhatIsConfigured runs the program in a network of its own, whose only
// way out is a device that the test reads: a whole session with a server, from the first
// sign-in to a published release, sends no packet and asks for no name. With an issuer
// configured, the issuer is the only one that is called.
func TestNothingIsSentButWhatIsConfigured(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole session takes some seconds")
	}
	if os.Getenv(insideNamespace) == "" {
		inNamespace(t)
		return
	}
	out := openWayOut(t)
	dir := shortDir(t)
	session(t, dir)
	if sent := out.sent(); len(sent) > 0 {
		t.Errorf("without an option that names another machine, packets went to %v", sent)
	}
	issuerOnly(t, dir, out)
	out.forget()
	seesOthers(t, out)
}

// inNamespace runs this test again in its own network and its own mounts.
func inNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), insideNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	said, err := cmd.CombinedOutput()
	_, started := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !started:
		t.Skipf("this system gives no network of its own: %v", err)
	case strings.Contains(string(said), "--- SKIP"):
		t.Skipf("in a network of its own: %s", said)
	case err != nil:
		t.Errorf("in a network of its own: %v\n%s", err, said)
	}
}

// wayOut is the only device that leads out. It records where packets go.
type wayOut struct {
	mu sync.Mutex
	to []string
}

// openWayOut sets the network up: loopback, and a device that is the default route. Names are
// asked for behind it.
func openWayOut(t *testing.T) *wayOut {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("the command ip is not installed")
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no device for packets: %v", err)
	}
	request, err := unix.NewIfreq("out0")
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		t.Skipf("no device for packets: %v", err)
	}
	device := os.NewFile(uintptr(fd), "out0")
	t.Cleanup(func() { device.Close() })
	names := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(names, []byte("nameserver 10.200.0.53\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount(names, "/etc/resolv.conf", "", unix.MS_BIND, "")); err != nil {
		t.Skipf("/etc/resolv.conf cannot be replaced: %v", err)
	}
	for _, args := range []string{
		"link set lo up", "addr add 10.200.0.1/24 dev out0", "-6 addr add fd00:200::1/64 dev out0 nodad",
		"link set out0 up", "route add default dev out0", "-6 route add default dev out0",
	} {
		said, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
		if err != nil && !strings.HasPrefix(args, "-6") { // a kernel without IPv6 sends none
			t.Skipf("ip %s: %v: %s", args, err, said)
		}
	}
	out := &wayOut{}
	go out.read(device)
	return out
}

// read notes the destination of each packet of TCP and UDP. What the kernel itself sends to
// find neighbours is neither.
func (w *wayOut) read(device *os.File) {
	packet := make([]byte, 64<<10)
	for {
		n, err := device.Read(packet)
		if err != nil {
			return
		}
		if to := destination(packet[:n]); to != "" {
			w.mu.Lock()
			w.to = append(w.to, to)
			w.mu.Unlock()
		}
	}
}

// destination is where a packet goes, "" if it is not of TCP or UDP.
func destination(p []byte) string {
	var to netip.Addr
	var protocol byte
	var rest []byte
	switch {
	case len(p) >= 20 && p[0]>>4 == 4:
		to, _ = netip.AddrFromSlice(p[16:20])
		protocol, rest = p[9], p[min(len(p), int(p[0]&15)*4):]
	case len(p) >= 40 && p[0]>>4 == 6:
		to, _ = netip.AddrFromSlice(p[24:40])
		protocol, rest = p[6], p[40:]
	}
	if protocol != unix.IPPROTO_TCP && protocol != unix.IPPROTO_UDP || len(rest) < 4 {
		return ""
	}
	return netip.AddrPortFrom(to, binary.BigEndian.Uint16(rest[2:])).String()
}

// sent are the destinations, each once.
func (w *wayOut) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Clone(w.to)
	slices.Sort(all)
	return slices.Compact(all)
}

func (w *wayOut) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = nil
}

// wait waits until a packet went to a destination.
func (w *wayOut) wait(t *testing.T, to string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !slices.Contains(w.sent(), to); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no packet went to %s, but to %v: the test would see nothing", to, w.sent())
		}
	}
}

// startApart runs hide serve as a process of its own until the returned function is called.
func startApart(t *testing.T, args ...string) (first string, stop func()) {
	t.Helper()
	cmd := exec.Command("hide", args...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err = bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		t.Fatalf("hide %v: %v\n%s", args, err, said.String())
	}
	return first, func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // what it said matters, not how it ended
	}
}

// session is the work of a project: people, import, training, a sanitizing run, a release and
// its check, while a server runs and somebody uses it.
func session(t *testing.T, dir string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	addr := freeAddress(t)
	link, stop := startApart(t, "serve", "--data", in("data"), "--addr", addr, "--metrics", freeAddress(t))
	defer stop()
	served := parseLink(t, link)
	ada := newVisitor(served.base)
	if _, err := ada.post("/welcome/enter", map[string][]string{"code": {served.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"DATA": "data", "NOTES": "notes.jsonl", "MODEL": "model", "BUNDLE": "bundle", "ZIP": "release.zip", "BACKUP": "copy.backup"}
	for _, args := range []string{
		"generate --patients 2 --out NOTES",
		"project create Ward --approvals 0 --data DATA",
		"import --project Ward NOTES --finished --random-sample --data DATA",
		"train --in NOTES --out MODEL",
		"sanitize --project Ward --lc 10 --mode paper --learners bayes --attackers none --folds 2 --choose 10 --out BUNDLE --data DATA",
		"publish text --project Ward --bundle 1 --uncertified test --out ZIP --data DATA",
		"verify ZIP",
		"backup --out BACKUP --data DATA",
		"audit verify --data DATA",
	} {
		words := strings.Fields(args)
		for i, w := range words {
			if name := files[w]; name != "" {
				words[i] = in(name)
			}
		}
		if said, err := exec.Command("hide", words...).CombinedOutput(); err != nil {
			t.Fatalf("hide %s: %v\n%s", args, err, said)
		}
	}
	// A check may fail on this machine: what matters is where it looks.
	if said, err := exec.Command("hide", "doctor", "--data", in("data"), "--addr", addr).CombinedOutput(); !strings.Contains(string(said), "answers and is ready") {
		t.Errorf("hide doctor: %v\n%s", err, said)
	}
	for _, page := range []string{"/", "/p/p1", "/p/p1/notes/1", "/people", "/audit"} {
		if _, err := ada.get(page); err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// issuerOnly wants that a configured issuer is called, and nobody else.
func issuerOnly(t *testing.T, dir string, out *wayOut) {
	t.Helper()
	_, stop := startApart(t, "serve", "--data", filepath.Join(dir, "data"), "--addr", freeAddress(t),
		"--oidc-issuer", "https://"+outsideIssuer, "--oidc-client", "hide", "--oidc-role", "broker=b")
	defer stop()
	out.wait(t, outsideIssuer)
	if sent := out.sent(); len(sent) != 1 {
		t.Errorf("with an issuer, packets went to %v", sent)
	}
}

// seesOthers makes sure that the test sees what it looks for: a connection and a question for
// a name.
func seesOthers(t *testing.T, out *wayOut) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var tries sync.WaitGroup
	defer tries.Wait()
	defer cancel()
	tries.Go(func() { _, _ = new(net.Dialer).DialContext(ctx, "tcp", "198.51.100.7:80") })
	tries.Go(func() { _, _ = (&net.Resolver{PreferGo: true}).LookupHost(ctx, "hide.example.org") })
	out.wait(t, "198.51.100.7:80")
	out.wait(t, "10.200.0.53:53")
}
