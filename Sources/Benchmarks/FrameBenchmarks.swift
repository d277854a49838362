import CNcurses
import Foundation
import Glibc
import Terminal
import UI

/// Frames of 120 × 40 of a busy session, as grids and on a terminal.
@MainActor
func measureFrames(_ time: Stopwatch) throws {
    var state = BusySession.dashboard(BusySession.events(5_000))
    let size = (columns: 120, rows: 40)
    var number = 5_000
    func next() -> Grid {
        // Everything that can move on with time does within a second.
        number += 1_000
        _ = state.update(.clock(BusySession.moment(number)))
        return state.render(size: size, now: BusySession.moment(number))
    }
    let drawing = time.spread(of: 300) { _ = next() }
    let grids = (0..<100).map { _ in next() }
    let theme = state.theme
    let terminal = try PseudoTerminal(columns: 120, rows: 40)
    let screen = try TerminalScreen(
        environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"],
        hasMouse: false
    )
    var shown = 0
    let showing = time.spread(of: 300) {
        shown += 1
        screen.show(grids[shown % grids.count], theme: theme)
    }
    let blank = Grid(columns: size.columns, rows: size.rows)
    let painting = time.spread(of: 300) {
        shown += 1
        screen.show(shown.isMultiple(of: 2) ? blank : grids[0], theme: theme)
    }
    let bare = time.spread(of: 300) {
        shown += 1
        refreshBare(size, seed: shown)
    }
    screen.close()
    terminal.close()
    row(
        "a frame: drawn, what changed to the terminal, all of it to the terminal",
        "\(drawing.briefly), \(showing.briefly), \(painting.briefly)",
        "bare ncurses, all cells: \(bare.briefly)"
    )
}

/// Puts another letter in each cell, and lets ncurses write them.
private func refreshBare(_ size: (columns: Int, rows: Int), seed: Int) {
    for row in 0..<size.rows {
        for column in 0..<size.columns {
            let letter = UInt32(97 + (row * 7 + column * 3 + seed) % 26)
            cn_put(Int32(row), Int32(column), letter, [], 0, 0, 0)
        }
    }
    refresh()
}

/// A terminal in the place of standard input and output, whose other end is read.
private struct PseudoTerminal {
    private let input: Int32
    private let output: Int32

    struct Missing: Error {}

    init(columns: UInt16, rows: UInt16) throws {
        var (ours, theirs): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&ours, &theirs, nil, nil, &size) == 0 else { throw Missing() }
        fflush(nil)
        input = dup(STDIN_FILENO)
        output = dup(STDOUT_FILENO)
        dup2(theirs, STDIN_FILENO)
        dup2(theirs, STDOUT_FILENO)
        let reader = ours
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while read(reader, &buffer, buffer.count) > 0 {}
        }
    }

    /// Gives the standard streams back.
    func close() {
        fflush(nil)
        dup2(input, STDIN_FILENO)
        dup2(output, STDOUT_FILENO)
    }
}
