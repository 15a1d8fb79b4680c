// A bot for the arena in Go. It needs no rules of any game: it asks the server for the legal moves, and takes one of those
// with the longest text, by lot. In GIPF and morris that is often one that captures.
//
//	go build bot.go && ./bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
//
// GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for a
// token, it is in the variable ARENA_TOKEN.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	version      = "1"
	mostFailures = 60 // attempts to come back to a match, with half a second between them
)

type bot struct {
	login, seek     string
	matches, played int
	resume          string // RESUME with number and token of the match that is played; empty where none is
}

// talk goes on over one connection until it is lost, or until all is done: then it exits.
func (b *bot) talk(server net.Conn) {
	defer server.Close()
	lines := bufio.NewReader(server)
	// a line without its end; false at the end of the connection, and for a line that it cut off
	hear := func() (string, bool) {
		line, err := lines.ReadString('\n')
		return strings.TrimSuffix(line, "\n"), err == nil
	}
	// where this fails the connection is lost, and reading will tell
	say := func(line string) { fmt.Fprintf(server, "%s\n", line) }
	thinking := false // whether the server waits for our move
	for line, ok := hear(); ok; line, ok = hear() {
		fields := append(strings.Split(line, " "), "")
		kind, first := fields[0], fields[1]
		switch {
		case kind == "ARENA" && first != version:
			leave(1, "the server speaks version "+first+" of the protocol, this bot version "+version)
		case kind == "ARENA" && b.resume != "":
			say(b.resume)
		case kind == "ARENA":
			say(b.login)
		case kind == "WELCOME" && b.resume == "", kind == "CANCELLED":
			say(b.seek)
		case kind == "MATCH" && len(fields) > 9: // also after RESUME; a second READY does no harm
			b.resume = "RESUME " + first + " " + fields[9]
			fmt.Fprintln(os.Stderr, strings.Join(fields[:9], " ")) // the token is nobody else's business
			say("READY")
		case kind == "TURN": // our clock runs from here on
			thinking = true
			say("MOVES")
		case kind == "MOVES":
			count, _ := strconv.Atoi(first)
			moves := make([]string, count)
			for i := range moves {
				next, ok := hear()
				if !ok {
					return
				}
				moves[i] = next[2:] // behind "| "
			}
			say("NOTE one of the longest of " + first + " moves\nMOVE " + choose(moves))
		case kind == "MOVED":
			thinking = false
		case kind == "RESULT":
			fmt.Fprintf(os.Stderr, "%.200s\n", line)
			b.resume, thinking = "", false
			b.played++
			if b.played == b.matches {
				say("QUIT")
			} else {
				say(b.seek)
			}
		case kind == "ERROR" && (first == "wrong_state" || first == "not_your_turn"):
			// messages have crossed, as a MOVE and the RESULT: nothing is to be done
		case kind == "ERROR":
			fmt.Fprintf(os.Stderr, "%.200s\n", line)
			if thinking {
				say("CRASHED " + line) // for the RESULT and the record
			} else if b.resume != "" { // the match cannot be resumed
				b.resume = ""
				say(b.login)
			} else {
				os.Exit(1)
			}
		case kind == "BYE" && first == "quit":
			leave(0, line)
		case kind == "BYE":
			leave(1, line)
		} // all other kinds are ignored, and with them the lines of their blocks, which are of the kind |
	}
}

func choose(moves []string) string {
	var best []string
	for _, move := range moves {
		if len(best) > 0 && len(move) > len(best[0]) {
			best = nil
		}
		if len(best) == 0 || len(move) == len(best[0]) {
			best = append(best, move)
		}
	}
	return best[rand.Intn(len(best))]
}

func leave(status int, sentence string) {
	fmt.Fprintf(os.Stderr, "%.200s\n", sentence)
	os.Exit(status)
}

func main() {
	if len(os.Args) < 4 || len(os.Args) > 7 {
		leave(2, "usage: "+os.Args[0]+" HOST PORT NAME [GAME [OPPONENT [MATCHES]]]")
	}
	rand.Seed(time.Now().UnixNano())
	words := append(os.Args, []string{"gipf", "-", "0"}[len(os.Args)-4:]...)
	b := bot{login: "LOGIN " + words[3] + " " + os.Getenv("ARENA_TOKEN"), seek: "SEEK " + words[4]}
	if words[5] != "-" {
		b.seek += " opponent=" + words[5]
	}
	b.matches, _ = strconv.Atoi(words[6])
	why := "the connection was lost"
	for failures := 0; failures <= mostFailures; failures++ { // a connection each; but for the first only to come back
		server, err := net.Dial("tcp", net.JoinHostPort(words[1], words[2]))
		if err != nil {
			why = err.Error()
		} else {
			failures = 0
			b.talk(server)
		}
		if b.resume == "" {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	leave(1, why)
}
