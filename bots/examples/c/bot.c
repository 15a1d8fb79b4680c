/* A bot for the arena in C (C99 and POSIX sockets). It needs no rules of any game: it asks the server for the legal
 * moves, and takes one of those with the longest text, by lot. In GIPF and morris that is often one that captures.
 *
 *   cc -O2 -o bot bot.c && ./bot HOST PORT NAME [GAME [OPPONENT [MATCHES]]]
 *
 * GAME is gipf, unless given; OPPONENT - is anybody; MATCHES 0 plays until it is interrupted. Where the server asks for
 * a token, it is in the variable ARENA_TOKEN. */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int sock = -1;          /* the connection; what is said is written to it directly, without a buffer */
static FILE *lines;            /* the same connection for reading: getline puts together what TCP has cut */
static char *line;             /* the line that was read last; getline makes it as long as it has to be */
static size_t room;
static int playing, thinking;  /* whether a match is played, and whether the server waits for our move */
static char number[16], token[64]; /* of that match: with them we come back after a lost connection */

static void say(const char *format, ...) {
    char text[1024];
    va_list rest;
    va_start(rest, format);
    int length = vsnprintf(text, sizeof text - 1, format, rest);
    va_end(rest);
    if (length >= (int)sizeof text - 1) length = sizeof text - 2;
    text[length++] = '\n';
    if (send(sock, text, length, MSG_NOSIGNAL) < 0) { /* the connection is lost: reading will tell */ }
}

static int hear(void) { /* reads a line; false at the end of the connection, and for a line that it cut off */
    ssize_t length = getline(&line, &room, lines);
    if (length <= 0 || line[length - 1] != '\n') return 0;
    line[length - 1] = '\0';
    return 1;
}

static int dial(const char *host, const char *port) {
    struct addrinfo wish = {.ai_socktype = SOCK_STREAM}, *found;
    if (lines) fclose(lines);
    lines = NULL;
    if (getaddrinfo(host, port, &wish, &found) != 0) return 0;
    for (struct addrinfo *at = found; at && !lines; at = at->ai_next) {
        sock = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (sock >= 0 && connect(sock, at->ai_addr, at->ai_addrlen) == 0) lines = fdopen(sock, "r");
        else if (sock >= 0) close(sock);
    }
    freeaddrinfo(found);
    int yes = 1;
    if (lines) setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return lines != NULL;
}

static int choose_move(int count) { /* reads the lines of MOVES and plays one; false when the connection is lost */
    char best[1024] = "";
    say("NOTE one of the longest of %d moves", count); /* for the record, and whoever looks at the match later */
    for (int equals = 0; count > 0; count--) {
        if (!hear()) return 0;
        const char *move = line + 2; /* behind "| " */
        if (strlen(move) < strlen(best)) continue;
        equals = strlen(move) > strlen(best) ? 1 : equals + 1;
        if (rand() % equals == 0) snprintf(best, sizeof best, "%s", move); /* each of the equals is as likely */
    }
    say("MOVE %s", best);
    return 1;
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "usage: %s HOST PORT NAME [GAME [OPPONENT [MATCHES]]]\n", words[0]);
        return 2;
    }
    const char *name = words[3], *game = count > 4 ? words[4] : "gipf";
    const char *opponent = count > 5 && strcmp(words[5], "-") != 0 ? words[5] : NULL;
    const char *secret = getenv("ARENA_TOKEN") ? getenv("ARENA_TOKEN") : "";
    int matches = count > 6 ? atoi(words[6]) : 0, played = 0, failures = 0;
    srand((unsigned)time(NULL) ^ (unsigned)getpid());

    for (;;) { /* a connection each time; after the first one only to come back to a match */
        if (!dial(words[1], words[2])) {
            if (!playing || ++failures > 60) {
                fprintf(stderr, "no server at %s port %s\n", words[1], words[2]);
                return 1;
            }
            nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
            continue;
        }
        thinking = failures = 0;
        while (hear()) {
            char kind[32] = "", first[64] = "";
            sscanf(line, "%31s %63s", kind, first);
            if (!strcmp(kind, "ARENA")) {
                if (strcmp(first, "1") != 0) {
                    fprintf(stderr, "the server speaks version %s of the protocol, this bot version 1\n", first);
                    return 1;
                }
                if (playing) say("RESUME %s %s", number, token);
                else say("LOGIN %s %s", name, secret);
            } else if ((!strcmp(kind, "WELCOME") && !playing) || !strcmp(kind, "CANCELLED")) {
                say(opponent ? "SEEK %s opponent=%s" : "SEEK %s", game, opponent);
            } else if (!strcmp(kind, "MATCH")) { /* also after RESUME; a second READY does no harm */
                sscanf(line, "MATCH %15s %*s %*s %*s %*s %*s %*s %*s %63s", number, token);
                playing = 1;
                *strrchr(line, ' ') = '\0'; /* the token is nobody else's business */
                fprintf(stderr, "%s\n", line);
                say("READY");
            } else if (!strcmp(kind, "TURN")) { /* our clock runs from here on */
                thinking = 1;
                say("MOVES");
            } else if (!strcmp(kind, "MOVES")) {
                if (!choose_move(atoi(first))) break;
            } else if (!strcmp(kind, "MOVED")) {
                thinking = 0;
            } else if (!strcmp(kind, "RESULT")) {
                fprintf(stderr, "%.200s\n", line);
                playing = thinking = 0;
                if (++played == matches) say("QUIT");
                else say(opponent ? "SEEK %s opponent=%s" : "SEEK %s", game, opponent);
            } else if (!strcmp(kind, "ERROR") && strcmp(first, "wrong_state") && strcmp(first, "not_your_turn")) {
                /* those two say that messages have crossed, as a MOVE and the RESULT: nothing is to be done */
                fprintf(stderr, "%.200s\n", line);
                if (thinking) say("CRASHED %s", line); /* for the RESULT and the record */
                else if (playing) playing = 0, say("LOGIN %s %s", name, secret); /* the match cannot be resumed */
                else return 1;
            } else if (!strcmp(kind, "BYE")) {
                fprintf(stderr, "%.200s\n", line);
                return strcmp(first, "quit") != 0;
            } /* all other kinds are ignored, and with them the lines of their blocks, which are of the kind | */
        }
        if (!playing) {
            fprintf(stderr, "the connection was lost\n");
            return 1;
        }
    }
}
