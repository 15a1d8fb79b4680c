// A bot for the arena in C++17, with POSIX sockets. It needs no rules of any game: it asks the server for the legal
// moves, and takes one of those with the longest text, by lot. In GIPF and morris that is often one that captures.
//
//   c++ -std=c++17 -O2 -o bot bot.cpp && ./bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
//
// GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for
// a token, it is in the variable ARENA_TOKEN.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// One connection: lines out at once, lines in however TCP has cut them.
class Connection {
public:
    Connection(const std::string &host, const std::string &port) {
        addrinfo wish{}, *found = nullptr;
        wish.ai_socktype = SOCK_STREAM;
        if (getaddrinfo(host.c_str(), port.c_str(), &wish, &found) != 0) return;
        for (addrinfo *at = found; at && !open(); at = at->ai_next) {
            socket_ = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
            if (open() && connect(socket_, at->ai_addr, at->ai_addrlen) != 0) close(socket_), socket_ = -1;
        }
        freeaddrinfo(found);
        int yes = 1;
        if (open()) setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    Connection(const Connection &) = delete;
    ~Connection() { if (open()) close(socket_); }

    bool open() const { return socket_ >= 0; }
    void say(const std::string &line) { // where that fails the connection is lost, and reading will tell
        const std::string text = line + "\n";
        for (size_t at = 0; at < text.size();) {
            const ssize_t sent = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
            if (sent <= 0) return;
            at += sent;
        }
    }

    std::optional<std::string> hear() { // the next line; nothing at the end of the connection
        size_t end;
        while ((end = buffer_.find('\n')) == std::string::npos) {
            char piece[4096];
            const ssize_t length = recv(socket_, piece, sizeof piece, 0);
            if (length <= 0) return std::nullopt;
            buffer_.append(piece, length);
        }
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
    }
private:
    int socket_ = -1;
    std::string buffer_;
};

int main(int count, char **words) {
    if (count < 4) {
        std::cerr << "usage: " << words[0] << " HOST PORT NAME [GAME [OPPONENT [MATCHES]]]\n";
        return 2;
    }
    const std::string host = words[1], port = words[2], opponent = count > 5 ? words[5] : "-";
    const char *secret = std::getenv("ARENA_TOKEN");
    const std::string login = std::string("LOGIN ") + words[3] + " " + (secret ? secret : "");
    const std::string game = count > 4 ? words[4] : "gipf";
    const std::string seek = "SEEK " + game + (opponent == "-" ? "" : " opponent=" + opponent);
    const int matches = count > 6 ? std::atoi(words[6]) : 0;
    std::mt19937 chance(std::random_device{}());
    std::string resume; // RESUME with number and token of the match that is played; empty where none is
    int played = 0, failures = 0;

    for (;;) { // a connection each time; after the first one only to come back to a match
        Connection server(host, port);
        if (!server.open()) {
            if (resume.empty() || ++failures > 60) {
                std::cerr << "no server at " << host << " port " << port << "\n";
                return 1;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            continue;
        }
        failures = 0;
        bool thinking = false; // whether the server waits for our move
        while (const auto line = server.hear()) {
            std::istringstream fields(*line);
            std::string kind, first;
            fields >> kind >> first;
            if (kind == "ARENA") {
                if (first != "1") {
                    std::cerr << "the server speaks version " << first << " of the protocol, this bot version 1\n";
                    return 1;
                }
                server.say(resume.empty() ? login : resume);
            } else if ((kind == "WELCOME" && resume.empty()) || kind == "CANCELLED") {
                server.say(seek);
            } else if (kind == "MATCH") { // also after RESUME; a second READY does no harm
                resume = "RESUME " + first + " " + line->substr(line->rfind(' ') + 1);
                std::cerr << line->substr(0, line->rfind(' ')) << "\n"; // the token is nobody else's business
                server.say("READY");
            } else if (kind == "TURN") { // our clock runs from here on
                thinking = true;
                server.say("MOVES");
            } else if (kind == "MOVES") {
                std::vector<std::string> best;
                server.say("NOTE one of the longest of " + first + " moves"); // for the record of the match
                for (int left = std::stoi(first); left > 0; left--) {
                    const auto next = server.hear();
                    if (!next) break;
                    const std::string move = next->substr(2); // behind "| "
                    if (!best.empty() && move.size() > best[0].size()) best.clear();
                    if (best.empty() || move.size() == best[0].size()) best.push_back(move);
                }
                if (!best.empty()) server.say("MOVE " + best[chance() % best.size()]);
            } else if (kind == "MOVED") {
                thinking = false;
            } else if (kind == "RESULT") {
                std::cerr << line->substr(0, 200) << "\n";
                resume.clear();
                thinking = false;
                server.say(++played == matches ? "QUIT" : seek);
            } else if (kind == "ERROR" && first != "wrong_state" && first != "not_your_turn") {
                // those two say that messages have crossed, as a MOVE and the RESULT: nothing is to be done
                std::cerr << line->substr(0, 200) << "\n";
                if (thinking) server.say("CRASHED " + *line); // for the RESULT and the record
                else if (resume.empty()) return 1;
                else resume.clear(), server.say(login); // the match cannot be resumed
            } else if (kind == "BYE") {
                std::cerr << line->substr(0, 200) << "\n";
                return first == "quit" ? 0 : 1;
            } // all other kinds are ignored, and with them the lines of their blocks, which are of the kind |
        }
        if (resume.empty()) {
            std::cerr << "the connection was lost\n";
            return 1;
        }
    }
}
