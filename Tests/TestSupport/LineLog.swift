import Foundation
import Glibc
import Synchronization

/// The output of a program, line by line, while it runs.
package final class LineLog: Sendable {
    private struct State {
        var lines: [String] = []
        var unfinished: [UInt8] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    package var lines: [String] { state.withLock { $0.lines } }
    package var text: String { lines.joined(separator: "\n") }
    /// No writer is left.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The lines from a number on.
    package func lines(from first: Int) -> [String] {
        state.withLock { Array($0.lines.dropFirst(first)) }
    }

    /// Reads to the end, on a thread of its own, and closes the descriptor.
    func read(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var part = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                append(part.prefix(count))
            }
            close(descriptor)
            end()
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            state.unfinished += bytes
            var parts = state.unfinished.split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            state.unfinished = parts.popLast().map(Array.init) ?? []
            state.lines += parts.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func end() {
        state.withLock { state in
            if !state.unfinished.isEmpty {
                state.lines.append(String(decoding: state.unfinished, as: UTF8.self))
            }
            state.isClosed = true
        }
    }
}
