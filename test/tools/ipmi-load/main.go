// Loads a BMC over IPMI 2.0 and prints a report as a line of JSON: `ipmi-load TASK`, where the task is JSON too. It waits for
// its answers in the kernel and shares no code with the BMC agent.
package main

import (
	crand "crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// task is the LoadTask of test/bench/ipmi/load-client.ts.
type task struct {
	Host     string
	Port     int
	Username string
	Password string
	// requests: Get Chassis Status in open sessions. sessions: capabilities, log-in, one request and log-out, repeated.
	// half-open: Open Session without a continuation, repeated.
	Kind string
	// Number of concurrent clients, each with its own port.
	Clients int
	// Milliseconds.
	Duration int
}

// report is the LoadReport there.
type report struct {
	Count int `json:"count"`
	// Milliseconds.
	Elapsed float64 `json:"elapsed"`
	// Microseconds of one.
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	// Microseconds of this program's processor time for each.
	Cpu float64 `json:"cpu"`
}

const silence = 2 * time.Second

// IPMI 1.5 Get Channel Authentication Capabilities, with which clients begin.
var capabilities, _ = hex.DecodeString("0600ff07000000000000000000092018c88100388e04b5")

func main() {
	// One processor for the client leaves the other one of a small machine to the server.
	runtime.GOMAXPROCS(1)
	var t task
	if err := json.Unmarshal([]byte(os.Args[1]), &t); err != nil {
		fail(err)
	}
	sessions := make([]*session, t.Clients)
	for i := range sessions {
		s, err := connect(t)
		if err != nil {
			fail(err)
		}
		sessions[i] = s
		if t.Kind == "requests" {
			fail(begin(s, t))
		}
	}
	before, started := processorTime(), time.Now()
	deadline := started.Add(time.Duration(t.Duration) * time.Millisecond)
	times := make(chan []time.Duration)
	for _, s := range sessions {
		go func() {
			taken, err := work(s, t, deadline)
			fail(err)
			times <- taken
		}()
	}
	var all []time.Duration
	for range sessions {
		all = append(all, <-times...)
	}
	elapsed, used := time.Since(started), processorTime()-before
	if t.Kind == "requests" {
		for _, s := range sessions {
			fail(s.logOut())
		}
	}
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(float64(len(all)-1)*share)].Nanoseconds()) / 1e3 }
	fail(json.NewEncoder(os.Stdout).Encode(report{
		Count:   len(all),
		Elapsed: elapsed.Seconds() * 1e3,
		P50:     at(0.5),
		P99:     at(0.99),
		Cpu:     used.Seconds() * 1e6 / float64(len(all)),
	}))
}

func connect(t task) (*session, error) {
	conn, err := net.Dial("udp", net.JoinHostPort(t.Host, strconv.Itoa(t.Port)))
	if err != nil {
		return nil, err
	}
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil {
		return nil, err
	}
	return &session{conn: conn, random: rand.NewChaCha8(seed)}, nil
}

// work repeats what the task says until the deadline, and returns the duration of each.
func work(s *session, t task, deadline time.Time) ([]time.Duration, error) {
	step := map[string]func() error{
		"requests":  func() error { return s.command(0x00, 0x01) }, // Get Chassis Status
		"sessions":  func() error { return whole(s, t) },
		"half-open": s.open,
	}[t.Kind]
	taken := make([]time.Duration, 0, 1<<18)
	for count := 0; ; count++ {
		started := time.Now()
		if started.After(deadline) {
			return taken, nil
		}
		if count%64 == 0 {
			fail(s.conn.SetReadDeadline(started.Add(silence)))
		}
		if err := step(); err != nil {
			return nil, err
		}
		taken = append(taken, time.Since(started))
	}
}

func whole(s *session, t task) error {
	if err := begin(s, t); err != nil {
		return err
	}
	if err := s.command(0x00, 0x01); err != nil {
		return err
	}
	return s.logOut()
}

func begin(s *session, t task) error {
	if _, err := s.conn.Write(capabilities); err != nil {
		return err
	}
	if _, err := s.conn.Read(s.answer[:]); err != nil {
		return err
	}
	return s.logIn(t.Username, t.Password)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	fail(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
