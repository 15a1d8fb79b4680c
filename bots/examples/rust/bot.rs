// A bot for the arena in Rust. It needs no rules of any game: it asks the server for the legal moves, and takes one of
// those with the longest text, by lot. In GIPF and morris that is often one that captures.
//
//   rustc --edition 2021 -O -o bot bot.rs && ./bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
//
// GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for
// a token, it is in the variable ARENA_TOKEN.
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::exit;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

const VERSION: &str = "1";
const MOST_FAILURES: u32 = 60; // attempts to come back to a match, with half a second between them

struct Bot {
    login: String,
    seek: String,
    matches: u32,
    played: u32,
    resume: Option<String>, // RESUME with number and token of the match that is played
    chance: u64,
}

impl Bot {
    /// Talks over one connection until it is lost, or until all is done: then it returns the exit status.
    fn talk(&mut self, server: TcpStream) -> io::Result<Option<i32>> {
        server.set_nodelay(true)?;
        let mut out = server.try_clone()?;
        let mut say = |line: &str| out.write_all(format!("{line}\n").as_bytes());
        let mut lines = BufReader::new(server);
        let mut thinking = false; // whether the server waits for our move
        while let Some(line) = hear(&mut lines)? {
            let fields: Vec<&str> = line.split(' ').collect();
            let first = fields.get(1).copied().unwrap_or("");
            match fields[0] {
                "ARENA" if first != VERSION => {
                    eprintln!("the server speaks version {first} of the protocol, this bot {VERSION}");
                    return Ok(Some(1));
                }
                "ARENA" => say(self.resume.as_ref().unwrap_or(&self.login))?,
                "WELCOME" if self.resume.is_none() => say(&self.seek)?,
                "CANCELLED" => say(&self.seek)?,
                // also after RESUME; a second READY does no harm
                "MATCH" if fields.len() > 9 => {
                    self.resume = Some(format!("RESUME {} {}", first, fields[9]));
                    eprintln!("{}", fields[..9].join(" ")); // the token is nobody else's business
                    say("READY")?;
                }
                "TURN" => {
                    thinking = true; // and our clock runs
                    say("MOVES")?;
                }
                "MOVES" => {
                    let mut moves = Vec::new();
                    for _ in 0..first.parse().unwrap_or(0) {
                        match hear(&mut lines)? {
                            Some(line) => moves.push(line[2..].to_string()), // behind "| "
                            None => return Ok(None),
                        }
                    }
                    say(&format!("NOTE one of the longest of {first} moves\nMOVE {}", self.choose(&moves)))?;
                }
                "MOVED" => thinking = false,
                "RESULT" => {
                    eprintln!("{}", shortened(&line));
                    self.resume = None;
                    thinking = false;
                    self.played += 1;
                    say(if self.played == self.matches { "QUIT" } else { &self.seek })?;
                }
                // these two say that messages have crossed, as a MOVE and the RESULT: nothing is to be done
                "ERROR" if first == "wrong_state" || first == "not_your_turn" => {}
                "ERROR" => {
                    eprintln!("{}", shortened(&line));
                    match thinking {
                        true => say(&format!("CRASHED {line}"))?, // for the RESULT and the record
                        false if self.resume.take().is_some() => say(&self.login)?, // it cannot be resumed
                        false => return Ok(Some(1)),
                    }
                }
                "BYE" => {
                    eprintln!("{}", shortened(&line));
                    return Ok(Some(if first == "quit" { 0 } else { 1 }));
                }
                _ => {} // other kinds are ignored, and with them the lines of their blocks, which are of the kind |
            }
        }
        Ok(None)
    }

    fn choose<'a>(&mut self, moves: &'a [String]) -> &'a str {
        let longest = moves.iter().map(String::len).max().unwrap_or(0);
        let best: Vec<&String> = moves.iter().filter(|text| text.len() == longest).collect();
        self.chance ^= self.chance << 13; // xorshift (Marsaglia, 2003): the standard library has no random numbers
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        best[(self.chance % best.len() as u64) as usize]
    }
}

/// Reads a line without its end; None at the end of the connection, and for a line that it cut off.
fn hear(lines: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    lines.read_line(&mut line)?;
    Ok(line.strip_suffix('\n').map(str::to_string))
}

fn shortened(line: &str) -> String {
    line.chars().take(200).collect()
}

fn main() {
    let words: Vec<String> = env::args().collect();
    if words.len() < 4 {
        eprintln!("usage: {} HOST PORT NAME [GAME [OPPONENT [MATCHES]]]", words[0]);
        exit(2);
    }
    let word = |at: usize, usual: &str| words.get(at).cloned().unwrap_or(usual.to_string());
    let opponent = Some(word(5, "-")).filter(|name| name != "-").map(|name| format!(" opponent={name}"));
    let seed = SystemTime::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64);
    let mut bot = Bot {
        login: format!("LOGIN {} {}", words[3], env::var("ARENA_TOKEN").unwrap_or_default()),
        seek: format!("SEEK {}{}", word(4, "gipf"), opponent.unwrap_or_default()),
        matches: word(6, "0").parse().unwrap_or(0),
        played: 0,
        resume: None,
        chance: seed | 1,
    };
    let mut failures = 0; // one after the other
    loop {
        let ended = TcpStream::connect((words[1].as_str(), word(2, "").parse().unwrap_or(2754))).and_then(|server| {
            failures = 0;
            bot.talk(server)
        });
        match ended {
            Ok(Some(status)) => exit(status),
            Ok(None) => eprintln!("the connection was lost"),
            Err(error) => eprintln!("{error}"),
        }
        failures += 1;
        if bot.resume.is_none() || failures > MOST_FAILURES {
            exit(1); // who comes back comes back to a match
        }
        sleep(Duration::from_millis(500));
    }
}
