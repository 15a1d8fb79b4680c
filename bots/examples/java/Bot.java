// A bot for the arena in Java 11. It needs no rules of any game: it asks the server for the legal moves, and takes one of
// those with the longest text, by lot. In GIPF and morris that is often one that captures.
//
//   javac Bot.java && java Bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
//
// GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for a
// token, it is in the variable ARENA_TOKEN.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

public class Bot {
    private static final String VERSION = "1";
    private static final int ATTEMPTS = 60; // to come back to a match, with half a second between them

    private final String login;
    private final String seek;
    private final int matches;
    private final Random chance = new Random();
    private OutputStream out;
    private BufferedReader in;
    private String resume; // RESUME with number and token of the match that is played; null where none is
    private boolean thinking; // whether the server waits for our move
    private int played;

    Bot(String login, String seek, int matches) {
        this.login = login;
        this.seek = seek;
        this.matches = matches;
    }

    private void say(String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8)); // in one piece, and at once: this is no buffer
    }

    /** Reads a line; null at the end of the connection, and for a line that it cut off. */
    private String hear() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int character; (character = in.read()) != '\n'; line.append((char) character)) {
            if (character < 0) return null;
        }
        return line.toString();
    }

    /** Talks over one connection until it is lost, or until all is done: then it returns the exit status. */
    private Integer talk(Socket server) throws IOException {
        server.setTcpNoDelay(true);
        out = server.getOutputStream();
        in = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        thinking = false;
        for (String line; (line = hear()) != null; ) {
            String[] fields = line.split(" ");
            String kind = fields[0];
            if (kind.equals("ARENA")) {
                if (!fields[1].equals(VERSION)) {
                    System.err.println("the server speaks version " + fields[1] + " of the protocol, this bot " + VERSION);
                    return 1;
                }
                say(resume == null ? login : resume);
            } else if (kind.equals("WELCOME") && resume == null || kind.equals("CANCELLED")) {
                say(seek);
            } else if (kind.equals("MATCH")) { // also after RESUME; a second READY does no harm
                resume = "RESUME " + fields[1] + " " + fields[9];
                System.err.println(line.substring(0, line.lastIndexOf(' '))); // the token is nobody else's business
                say("READY");
            } else if (kind.equals("TURN")) { // our clock runs from here on
                thinking = true;
                say("MOVES");
            } else if (kind.equals("MOVES")) {
                String move = choose(Integer.parseInt(fields[1]));
                if (move == null) break;
                say("NOTE one of the longest of " + fields[1] + " moves"); // for the record of the match
                say("MOVE " + move);
            } else if (kind.equals("MOVED")) {
                thinking = false;
            } else if (kind.equals("RESULT")) {
                System.err.println(shortened(line));
                resume = null;
                thinking = false;
                say(++played == matches ? "QUIT" : seek);
            } else if (kind.equals("ERROR") && !fields[1].equals("wrong_state") && !fields[1].equals("not_your_turn")) {
                // those two say that messages have crossed, as a MOVE and the RESULT: nothing is to be done
                System.err.println(shortened(line));
                if (thinking) {
                    say("CRASHED " + line); // for the RESULT and the record
                } else if (resume != null) { // the match cannot be resumed
                    resume = null;
                    say(login);
                } else {
                    return 1;
                }
            } else if (kind.equals("BYE")) {
                System.err.println(shortened(line));
                return fields[1].equals("quit") ? 0 : 1;
            } // all other kinds are ignored, and with them the lines of their blocks, which are of the kind |
        }
        return null;
    }

    /** Reads the lines of MOVES and returns the move to play; null where the connection is lost. */
    private String choose(int count) throws IOException {
        List<String> best = new ArrayList<>();
        for (; count > 0; count--) {
            String line = hear();
            if (line == null) return null;
            String move = line.substring(2); // behind "| "
            if (!best.isEmpty() && move.length() > best.get(0).length()) best.clear();
            if (best.isEmpty() || move.length() == best.get(0).length()) best.add(move);
        }
        return best.get(chance.nextInt(best.size()));
    }

    private static String shortened(String line) {
        return line.substring(0, Math.min(200, line.length()));
    }

    public static void main(String[] words) throws InterruptedException {
        if (words.length < 3) {
            System.err.println("usage: java Bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]");
            System.exit(2);
        }
        String token = System.getenv().getOrDefault("ARENA_TOKEN", "");
        String opponent = words.length > 4 && !words[4].equals("-") ? " opponent=" + words[4] : "";
        String seek = "SEEK " + (words.length > 3 ? words[3] : "gipf") + opponent;
        Bot bot = new Bot("LOGIN " + words[2] + " " + token, seek, words.length > 5 ? Integer.parseInt(words[5]) : 0);
        String why = "the connection was lost";
        for (int attempts = 0; attempts < ATTEMPTS; attempts++) { // a connection each; but for the first only to come back
            try (Socket server = new Socket(words[0], Integer.parseInt(words[1]))) {
                attempts = 0;
                Integer status = bot.talk(server);
                if (status != null) System.exit(status);
            } catch (IOException error) {
                why = error.getMessage();
            }
            if (bot.resume == null) break;
            Thread.sleep(500);
        }
        System.err.println(why);
        System.exit(1);
    }
}
