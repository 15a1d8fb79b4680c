/* Looks positions of GIPF up in a tablebase: a reader of the format in README.md that uses nothing but C99.

   cc -O2 -o probe probe.c
   ./probe gipf_3_3.layers <POSITIONS.txt   prints for each position win, loss or draw for the side to move, and the
                                            plies to the end; positions follow each other, all of one board */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 19, SYMMETRIES = 12, MAX_RUNS = 3 * MAX_FIELDS };

typedef uint32_t Set; /* of fields, a bit for each, row by row */

static int size, run, fields;
static int place[MAX_FIELDS][3]; /* cube coordinates */
static int moved[SYMMETRIES][MAX_FIELDS];
static Set runs[MAX_RUNS];
static int run_count;
static int *number;               /* of each set that counts, among those with as many pieces */
static uint64_t sets[MAX_FIELDS + 1]; /* how many of these there are, by pieces */

static void fail(const char *sentence) {
    fprintf(stderr, "probe: %s\n", sentence);
    exit(2);
}

static int pieces_in(Set set) {
    int pieces = 0;
    for (; set; set &= set - 1) pieces++;
    return pieces;
}

static uint64_t choose(int n, int k) {
    uint64_t found = 1;
    if (k < 0 || k > n) return 0;
    for (int i = 1; i <= k; i++) found = found * (uint64_t)(n - k + i) / (uint64_t)i;
    return found;
}

static int field_at(int x, int y) {
    for (int field = 0; field < fields; field++)
        if (place[field][0] == x && place[field][1] == y) return field;
    return -1;
}

static Set image(Set set, int symmetry) {
    Set seen = 0;
    for (int field = 0; field < fields; field++)
        if (set >> field & 1) seen |= (Set)1 << moved[symmetry][field];
    return seen;
}

/* Whether a set holds no run and is the least of its images. */
static int counts(Set set) {
    for (int i = 0; i < run_count; i++)
        if ((set & runs[i]) == runs[i]) return 0;
    for (int symmetry = 0; symmetry < SYMMETRIES; symmetry++)
        if (image(set, symmetry) < set) return 0;
    return 1;
}

static void lay_out(void) {
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int steps[3][2] = {{1, 0}, {0, 1}, {1, -1}};
    for (int y = 1 - size; y < size; y++)
        for (int x = 1 - size; x < size; x++)
            if (abs(x + y) < size) {
                place[fields][0] = x;
                place[fields][1] = y;
                place[fields++][2] = -x - y;
            }
    for (int symmetry = 0; symmetry < SYMMETRIES; symmetry++)
        for (int field = 0; field < fields; field++) {
            const int *axis = axes[symmetry / 2], sign = symmetry % 2 ? -1 : 1;
            moved[symmetry][field] = field_at(sign * place[field][axis[0]], sign * place[field][axis[1]]);
        }
    for (int field = 0; field < fields; field++)
        for (int step = 0; step < 3; step++) {
            Set line = 0;
            for (int i = 0; i < run; i++) {
                int next = field_at(place[field][0] + i * steps[step][0], place[field][1] + i * steps[step][1]);
                if (next < 0) break;
                line |= (Set)1 << next;
            }
            if (pieces_in(line) == run) runs[run_count++] = line;
        }
    number = malloc(sizeof *number << fields);
    if (!number) fail("out of memory");
    for (Set set = 0; set < (Set)1 << fields; set++)
        if (counts(set)) number[set] = (int)sets[pieces_in(set)]++;
}

/* How many sets of at most so many of so many fields there are. */
static uint64_t subsets(int of, int most) {
    uint64_t found = 0;
    for (int pieces = 0; pieces <= most && pieces <= of; pieces++) found += choose(of, pieces);
    return found;
}

/* How many places come before the first set of so many pieces. */
static uint64_t first_place(int theirs, int pieces) {
    uint64_t found = 0;
    for (int fewer = 0; fewer < pieces; fewer++) found += sets[fewer] * subsets(fields - fewer, theirs);
    return found;
}

static uint64_t layer_size(int mine, int theirs) {
    return first_place(theirs, (mine < fields ? mine : fields) + 1);
}

/* Where layer (mine, theirs) begins in the file. */
static uint64_t offset_of(int mine, int theirs) {
    uint64_t total = 0;
    for (int n = 0;; n++) {
        for (int o = 0; o <= n; total += layer_size(n, o++))
            if (mine == n && theirs == o) return total;
        for (int m = 0; m < n; total += layer_size(m++, n))
            if (mine == m && theirs == n) return total;
    }
}

/* The place of a position in its layer; `own` are the fields of the side to move. */
static uint64_t place_of(Set own, Set other, int theirs) {
    Set least = own, rank = ~(Set)0;
    uint64_t smaller = 0;
    for (int symmetry = 0; symmetry < SYMMETRIES; symmetry++)
        if (image(own, symmetry) < least) least = image(own, symmetry);
    for (int symmetry = 0; symmetry < SYMMETRIES; symmetry++) {
        if (image(own, symmetry) != least) continue;
        Set turned = image(other, symmetry), left = 0;
        for (int field = 0, at = 0; field < fields; field++)
            if (!(least >> field & 1)) left |= (turned >> field & 1) << at++;
        if (left < rank) rank = left;
    }
    int mine = pieces_in(own), free_fields = fields - mine;
    for (int at = 0, below = 0; at < fields; at++) /* how many smaller numbers have as many bits set */
        if (rank >> at & 1) smaller += choose(at, ++below);
    return first_place(theirs, mine) + (uint64_t)number[least] * subsets(free_fields, theirs) +
           subsets(free_fields, pieces_in(rank) - 1) + smaller;
}

/* Read a position and say what it is worth; return 0 at the end of the input. */
static int answer(FILE *layers) {
    int s, k, reserve[2], totals[2];
    Set own[2] = {0, 0};
    char side, letter;
    if (scanf("%d %d %*d %*d", &s, &k) != 2) return 0;
    if (!fields) {
        if (s < 2 || s > 3 || k < 2 || k > 2 * s - 1) fail("there are tablebases for S = 2 and 3");
        size = s;
        run = k;
        lay_out();
    }
    if (s != size || k != run) fail("all positions have to be of one board");
    if (scanf("%d %d %c", &reserve[0], &reserve[1], &side) != 3) fail("the second line has both reserves and W or B");
    for (int field = 0; field < fields; field++) {
        if (scanf(" %c", &letter) != 1) fail("a position ends too early");
        if (letter == 'W' || letter == 'B') own[letter == 'B'] |= (Set)1 << field;
    }
    for (int i = 0; i < 2; i++) totals[i] = pieces_in(own[i]) + reserve[i];
    int me = side == 'B', you = !me;
    uint64_t at = offset_of(totals[me], totals[you]) + place_of(own[me], own[you], totals[you]);
    if (fseek(layers, (long)at, SEEK_SET) != 0) fail("the file cannot be read");
    int value = fgetc(layers);
    if (value == EOF) fail("the file has no such layer");
    if (value == 0) puts("draw");
    else printf("%s in %d\n", value % 2 ? "loss" : "win", value - 1);
    return 1;
}

int main(int argc, char **argv) {
    FILE *layers = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!layers) fail("usage: probe FILE.layers <POSITIONS.txt");
    while (answer(layers)) {
    }
    return 0;
}
