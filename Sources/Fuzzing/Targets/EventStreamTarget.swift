@testable import HTTP

/// An event stream; the first byte is the size of its pieces.
enum EventStreamTarget: FuzzTarget {
    static let name = "events"

    private static let limit = 256

    static func read(_ bytes: [UInt8]) {
        guard let size = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = parts(of: stream, inPiecesOf: stream.count)
        let cut = parts(of: stream, inPiecesOf: Int(size))
        require(whole == cut, "the pieces make no difference")
        for case .event(let event) in whole.parts {
            require(event.data.utf8.count <= limit * 3, "the data are bounded")
            require(event.id?.contains("\0") != true, "no id has U+0000")
            require(event.id?.isEmpty != true && event.type?.isEmpty != true, "absent, not empty")
        }
    }

    private struct Outcome: Equatable {
        var parts: [EventStreamPart] = []
        var error: EventStreamError?
    }

    private static func parts(of stream: [UInt8], inPiecesOf size: Int) -> Outcome {
        var parser = EventStreamParser(limit: limit)
        var outcome = Outcome()
        var rest = stream[...]
        do throws(EventStreamError) {
            while !rest.isEmpty {
                let piece = Array(rest.prefix(max(size, 1)))
                rest = rest.dropFirst(piece.count)
                try parser.read(piece) { outcome.parts.append($0) }
            }
        } catch {
            outcome.error = error
        }
        return outcome
    }
}
