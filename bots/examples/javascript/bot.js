// A bot for the arena in JavaScript, for node 16 and later. It needs no rules of any game: it asks the server for the legal
// moves, and takes one of those with the longest text, by lot. In GIPF and morris that is often one that captures.
//
//   node bot.js HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
//
// GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for a
// token, it is in the variable ARENA_TOKEN.
"use strict";
const net = require("node:net");

const VERSION = "1";
const MOST_FAILURES = 60; // attempts to come back to a match, with half a second between them

const [host, port, name, game = "gipf", opponent = "-", matches = "0"] = process.argv.slice(2);
if (name === undefined) {
  console.error("usage: node bot.js HOST PORT NAME [GAME [OPPONENT [MATCHES]]]");
  process.exit(2);
}
const login = `LOGIN ${name} ${process.env.ARENA_TOKEN ?? ""}`;
const seek = `SEEK ${game}${opponent === "-" ? "" : ` opponent=${opponent}`}`;

let resume = null; // RESUME with number and token of the match that is played; null where none is
let played = 0;
let failures = 0;

// Talks over one connection, and over another one where it is lost in a match.
function talk() {
  let rest = ""; // what has come of a line that is not whole yet
  let thinking = false; // whether the server waits for our move
  let missing = 0; // how many lines of MOVES are still to come
  let moves = [];
  let problem = "the connection was lost";

  const server = net.connect(Number(port), host);
  server.setEncoding("utf8");
  server.setNoDelay(true);
  server.on("connect", () => { failures = 0; });
  server.on("error", (error) => { problem = error.message; }); // "close" follows
  server.on("close", () => {
    failures += 1;
    if (resume === null || failures > MOST_FAILURES) leave(1, problem);
    setTimeout(talk, 500);
  });
  server.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    lines.forEach(hear);
  });

  const say = (line) => server.write(`${line}\n`);

  function hear(line) {
    if (missing > 0) {
      moves.push(line.slice(2)); // behind "| "
      missing -= 1;
      if (missing > 0) return;
      say(`NOTE one of the longest of ${moves.length} moves`); // for the record, and whoever looks at the match later
      say(`MOVE ${choose(moves)}`);
      return;
    }
    const fields = line.split(" ");
    switch (fields[0]) {
      case "ARENA":
        if (fields[1] !== VERSION) leave(1, `the server speaks version ${fields[1]} of the protocol, this bot ${VERSION}`);
        say(resume ?? login);
        break;
      case "WELCOME":
        if (resume === null) say(seek);
        break;
      case "CANCELLED":
        say(seek);
        break;
      case "MATCH": // also after RESUME; a second READY does no harm
        resume = `RESUME ${fields[1]} ${fields[9]}`;
        console.error(fields.slice(0, 9).join(" ")); // the token is nobody else's business
        say("READY");
        break;
      case "TURN": // our clock runs from here on
        thinking = true;
        say("MOVES");
        break;
      case "MOVES":
        moves = [];
        missing = Number(fields[1]);
        break;
      case "MOVED":
        thinking = false;
        break;
      case "RESULT":
        console.error(line.slice(0, 200));
        resume = null;
        thinking = false;
        played += 1;
        say(played === Number(matches) ? "QUIT" : seek);
        break;
      case "ERROR":
        refused(fields[1], line);
        break;
      case "BYE":
        leave(fields[1] === "quit" ? 0 : 1, line.slice(0, 200));
        break;
      default: // other kinds are ignored, and with them the lines of their blocks, which are of the kind |
    }
  }

  function refused(code, line) {
    if (code === "wrong_state" || code === "not_your_turn") return; // messages have crossed, as a MOVE and the RESULT
    console.error(line.slice(0, 200));
    if (thinking) {
      say(`CRASHED ${line}`); // for the RESULT and the record
    } else if (resume !== null) { // the match cannot be resumed
      resume = null;
      say(login);
    } else {
      process.exit(1);
    }
  }
}

function choose(moves) {
  const longest = Math.max(...moves.map((move) => move.length));
  const best = moves.filter((move) => move.length === longest);
  return best[Math.floor(Math.random() * best.length)];
}

function leave(status, sentence) {
  console.error(sentence);
  process.exit(status);
}

talk();
