// A plain bitboard perft of GIPF (4, 4, 15, 15) in C++: what `make bench` compares the engine's perft with.
// It makes every move of the last ply, as most perft programs do. Usage: perft_yardstick DEPTH; prints as
// `arena-engine perft` does: perft DEPTH COUNT SECONDS RATE, and a move is a push with one way of taking rows.
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef std::uint64_t Set;

static const int side = 4, stride = 2 * side - 1;
static const int along[3] = {stride + 1, stride, 1};

struct Push {
    int step;                 // distance in bits from a field to the next one along the push
    int fields;               // length of the line
    Set field[2 * side - 1];  // from the dot to the far end
};

struct Board {
    Set pieces[2];
    int reserve[2];
    int mover;
};

static std::vector<Push> pushes;

static bool on_board(int row, int column) {
    return row >= 0 && column >= 0 && row < stride && column < stride && row - column < side && column - row < side;
}

static void make_pushes() {
    const int steps[6][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, -1}};
    for (int row = 0; row < stride; ++row)
        for (int column = 0; column < stride; ++column)
            for (const auto& step : steps) {
                if (!on_board(row, column) || on_board(row - step[0], column - step[1])) continue;
                Push push = {step[0] * stride + step[1], 0, {}};
                for (int r = row, c = column; on_board(r, c); r += step[0], c += step[1])
                    push.field[push.fields++] = Set{1} << (r * stride + c);
                pushes.push_back(push);
            }
}

// Fields from which four pieces stand in a row.
static Set fours(Set pieces, int step) {
    const Set pairs = pieces & (pieces >> step);
    return pairs & (pairs >> 2 * step);
}

static bool any_four(Set pieces) { return fours(pieces, along[0]) || fours(pieces, along[1]) || fours(pieces, along[2]); }

static Set whole_row(Set occupied, Set seed, int step) {
    Set row = seed, grown;
    while ((grown = (row | row << step | row >> step) & occupied) != row) row = grown;
    return row;
}

static std::uint64_t leaves(const Board& board, int depth);

// Takes rows off the board, first `colour`'s, in every way there is, and goes on from there.
static std::uint64_t take_rows(const Board& board, int colour, bool second, int depth) {
    const Set mine = board.pieces[colour], occupied = board.pieces[0] | board.pieces[1];
    if (!any_four(mine)) return second ? leaves(board, depth) : take_rows(board, 1 - colour, true, depth);
    std::vector<Set> rows;
    Set seen = 0;
    bool cross = false;
    for (int step : along)
        for (Set starts = fours(mine, step); starts;) {
            const Set row = whole_row(occupied, starts & -starts, step);
            starts &= ~row;
            cross = cross || (row & seen);
            seen |= row;
            rows.push_back(row);
        }
    if (!cross) rows.assign(1, seen);
    std::uint64_t total = 0;
    for (Set row : rows) {
        Board next = board;
        next.reserve[colour] += std::popcount(mine & row);
        next.pieces[0] &= ~row;
        next.pieces[1] &= ~row;
        total += take_rows(next, colour, second, depth);
    }
    return total;
}

static std::uint64_t leaves(const Board& board, int depth) {
    if (depth == 0) return 1;
    if (board.reserve[board.mover] == 0) return 0;
    const Set occupied = board.pieces[0] | board.pieces[1];
    std::uint64_t total = 0;
    for (const Push& push : pushes) {
        Set run = 0;
        int at = 0;
        while (at < push.fields && (occupied & push.field[at])) run |= push.field[at++];
        if (at == push.fields) continue;
        Board next = board;
        for (Set& pieces : next.pieces) {
            const Set moved = pieces & run;
            pieces = (pieces & ~run) | (push.step > 0 ? moved << push.step : moved >> -push.step);
        }
        next.pieces[board.mover] |= push.field[0];
        next.reserve[board.mover] -= 1;
        next.mover = 1 - board.mover;
        if (any_four(next.pieces[0]) || any_four(next.pieces[1]))
            total += take_rows(next, board.mover, false, depth - 1);
        else
            total += leaves(next, depth - 1);
    }
    return total;
}

int main(int count, char** arguments) {
    make_pushes();
    const int corner[6][2] = {{0, 0}, {0, 3}, {3, 6}, {6, 6}, {6, 3}, {3, 0}};
    Board start = {{0, 0}, {12, 12}, 0};
    for (int number = 0; number < 6; ++number)
        start.pieces[number % 2] |= Set{1} << (corner[number][0] * stride + corner[number][1]);
    const int deepest = count > 1 ? std::atoi(arguments[1]) : 5;
    for (int depth = 1; depth <= deepest; ++depth) {
        const auto began = std::chrono::steady_clock::now();
        const std::uint64_t found = leaves(start, depth);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
        std::printf("perft %d %llu %.6f %.0f\n", depth, (unsigned long long)found, spent.count(), found / spent.count());
    }
}
