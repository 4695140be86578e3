// SPDX-License-Identifier: Apache-2.0

package doctor

import "time"

// Facts are what was found. A nil part was not looked at, because the options of the server
// do not ask for it.
type Facts struct {
	Now     time.Time
	Program string // version of the program that looks
	Origin  string // that the options name; "" if it is not known before a server listens

	Address Address
	Socket  Socket
	Server  *Server // that has the data folder open and answers; nil if none does

	Data    Data
	Key     Key
	Files   []File   // the data folder, its files, the key and the secrets
	Left    []string // what a killed restore or drill has left beside the data folder
	Disks   []Disk
	Memory  Memory
	Clock   Clock
	Backups *Backups
	Copies  []string // of the audit trail, that the options name: "file", "syslog"

	Certificate *Certificate // of --tls-cert
	Proxy       *Proxy
	Issuer      *Issuer
}

// Problem is an error in words, and what to do about it.
type Problem struct{ What, Next string }

// Address is the port of the server.
type Address struct {
	Addr    string
	Problem *Problem // it cannot be opened; nil if it can, or if a server has it
}

// Socket is the socket for commands beside a server.
type Socket struct {
	Path    string
	There   bool
	TooLong bool // its path: a server cannot open it
}

// Server is what a running server says of itself. It travels as JSON.
type Server struct {
	Version  string `json:"version"`
	Process  int    `json:"process"`
	NotReady string `json:"not_ready,omitempty"` // as /readyz says it
	Origin   string `json:"origin"`
	Old      bool   `json:"-"` // it does not know this command

	Data    Opened         `json:"data"`
	Memory  Memory         `json:"memory"`
	Backups *ServerBackups `json:"backups,omitempty"`
	Copies  []Copy         `json:"copies,omitempty"` // of the audit trail
	Temp    Room           `json:"temp"`             // of the disk of temporary files
}

// Copy is a copy of the audit trail that a running server keeps elsewhere.
type Copy struct {
	Name   string `json:"name"`             // "file" or "syslog"
	State  string `json:"state"`            // in words: "up to date"
	Behind bool   `json:"behind,omitempty"` // it is not up to date
	Stops  string `json:"stops,omitempty"`  // why exports and releases are refused, if they are
}

// Opened is what is in a data folder.
type Opened struct {
	Schema     int       `json:"schema"`
	Known      int       `json:"known"` // the newest schema that the program knows
	Passphrase bool      `json:"passphrase"`
	Rows       uint64    `json:"rows"`
	Newest     time.Time `json:"newest"` // the latest time among the last rows of the audit trail
	HeadGone   bool      `json:"head_gone"`
	Sealed     []string  `json:"sealed,omitempty"`
	Rotating   bool      `json:"rotating,omitempty"`
	Problem    *Problem  `json:"problem,omitempty"`
}

// Data is the data folder.
type Data struct {
	Dir    string
	Exists bool // it holds data
	Owner  string
	Bytes  int64 // size of the data file

	Opened            // what the server, or a look at the closed folder, says
	Held    bool      // a process has it open
	Holder  int       // its number, 0 if unknown
	Refused Refusal   // why the folder could not be looked at
	Written time.Time // when the data file was last written
}

// Refusal says why a data folder cannot be opened.
type Refusal int

// The refusals.
const (
	NotRefused Refusal = iota
	NoKey
	WrongKey
	NewerSchema
	Damaged
	NoPermission
	NoPassphrase
	OtherProblem
)

// Key is the root key.
type Key struct {
	Path      string
	SameDisk  bool // as the data
	Encrypted bool // that disk, by the system
	PassFile  string
}

// File is a file or folder that only its owner may read.
type File struct {
	Path  string
	What  string // "key file"
	Mode  uint32 // permission bits
	Owner string // name or number
	Dir   bool
}

// Room is the space of a disk.
type Room struct {
	Free  uint64 `json:"free"`
	Total uint64 `json:"total"`
}

// Disk is where something is stored.
type Disk struct {
	What string // "data", "backups", "releases", "temporary files"
	Path string
	Room
	Problem string // it cannot be measured
}

// Memory is what protects the memory of the server. It travels as JSON.
type Memory struct {
	Known   bool   `json:"known"` // false where the system does not tell
	NoDump  bool   `json:"no_dump"`
	Locked  bool   `json:"locked"`
	Limit   uint64 `json:"limit"` // that may be locked, in bytes; the largest number means any
	Swaps   []Swap `json:"swaps,omitempty"`
	Unknown string `json:"unknown,omitempty"` // why Known is false
}

// Swap is one place that memory is written to.
type Swap struct {
	Name      string `json:"name"`
	Encrypted bool   `json:"encrypted"`
	InMemory  bool   `json:"in_memory"` // compressed memory, not a disk
}

// Clock compares the clock of this machine.
type Clock struct {
	Sources []ClockSource
	Synced  Sync
}

// ClockSource is a clock that the operator has configured.
type ClockSource struct {
	Name    string // its host
	Ahead   time.Duration
	Problem string // it did not answer
}

// Sync is whether the system keeps its clock synchronized.
type Sync int

// The states.
const (
	SyncUnknown Sync = iota
	Synced
	Unsynced
)

// Backups are the backups on a schedule.
type Backups struct {
	Folder   string
	Every    time.Duration
	Problem  *Problem // the folder cannot be used
	Writable bool
	SameDisk bool // as the data

	Newest     string // name of the newest file; "" if there is none
	At         time.Time
	Bytes      int64
	Unreadable string // why the newest cannot be read; "" if it can
}

// ServerBackups is what a running server says of its schedule.
type ServerBackups struct {
	Folder   string        `json:"folder"`
	Every    time.Duration `json:"every"`
	Writable bool          `json:"writable"`
	Problem  string        `json:"problem,omitempty"` // of the last try
	Next     string        `json:"next,omitempty"`    // what to do about it
}

// Certificate is that of a server or a proxy.
type Certificate struct {
	Where   string // file or address
	Ends    time.Time
	Problem *Problem // it cannot be read, or is not trusted
}

// Proxy is what stands between browsers and the server.
type Proxy struct {
	Origin      string
	Direct      bool // no proxy is expected: the server has the certificate itself
	Trusted     bool // --proxy names the address that the probe came from
	Certificate *Certificate
	Unreached   *Problem // the origin does not answer
	NotTried    string   // why no probe was sent

	Plain   Seen     // a request
	Socket  Seen     // an upgrade to a websocket
	Upgrade bool     // it succeeded
	Lost    *Problem // the request came back with an answer that is not the server's

	Upload  int64 // size in bytes of the largest request that passed
	Refused int64 // the smallest size that was refused; 0 if none was
	Status  int   // of the refusal
	Held    bool  // the proxy keeps uploads before it passes them on
}

// Seen is what the server saw of a probe. It is the answer to it, as JSON.
type Seen struct {
	Proof     string   `json:"proof"`     // that the server answers which was told of the probe
	Host      string   `json:"host"`      // the Host header
	Peer      string   `json:"peer"`      // address of the connection
	Client    string   `json:"client"`    // address that counts as the browser's
	Forwarded []string `json:"forwarded"` // X-Forwarded-For headers
	Proto     string   `json:"proto"`     // X-Forwarded-Proto
	Upgrade   bool     `json:"upgrade"`   // the request asked for a websocket
	Length    int64    `json:"length"`    // of the body, as declared
}

// ProbePath is where a server answers probes that it was told of. A token follows it.
const ProbePath = "/probe/"

// ProbeBody is how many bytes of a body a probe sends, whatever size it declares.
const ProbeBody = 16 << 10

// ForgedClient is an address that a probe claims to come from, as a browser that lies could.
// It is reserved for documentation.
const ForgedClient = "192.0.2.77"

// Issuer is the single sign-on.
type Issuer struct {
	URL     string
	Problem string // it does not answer
}
