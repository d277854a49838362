/// One event of a stream, as it is dispatched.
package struct StreamedEvent: Sendable, Hashable {
    /// The id of its own `id` line, or `nil` if it has none, or an empty one.
    package var id: String?
    /// The type of its `event` line, or `nil` for the usual one, `message`.
    package var type: String?
    package var data: String

    package init(id: String? = nil, type: String? = nil, data: String) {
        self.id = id
        self.type = type
        self.data = data
    }
}

/// A part of a stream.
package enum EventStreamPart: Sendable, Hashable {
    case event(StreamedEvent)
    /// An id without an event: the stream is to be resumed after it, or from the present if it is
    /// empty.
    case position(String)
    /// The reconnection time in milliseconds that the server asks for.
    case reconnectionTime(Int)
    /// A line that is ignored, by which the server shows that the connection lives.
    case comment
}

/// The reason why a stream is not read on.
package enum EventStreamError: Error, Sendable, Equatable {
    /// A line, or an event, exceeds the limit.
    case tooLarge
}

/// Parses `text/event-stream` (WHATWG HTML, section 9.2.6), in pieces of any size.
///
/// An event that is incomplete when the stream ends is discarded. Bytes that are not UTF-8 are
/// replaced by U+FFFD, as the standard says.
package struct EventStreamParser: Sendable {
    /// The media type of such streams.
    package static let mediaType = "text/event-stream"
    /// The maximum size of a line, and of an event, in bytes.
    static let limit = 1 << 20

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let limit: Int
    /// The bytes of the line that has not ended yet.
    private var pending: [UInt8] = []
    private var isFirstLine = true
    /// Whether a line has just ended with a carriage return, which a line feed may follow.
    private var endsWithReturn = false

    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var id: String?

    /// - Parameter limit: The maximum size of a line, and of an event, in bytes.
    package init(limit: Int = Self.limit) {
        self.limit = limit
    }

    /// Parses the next piece of the stream.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - deliver: Called with each part that the piece completes, in order.
    /// - Throws: If the stream cannot be read on.
    package mutating func read(
        _ bytes: [UInt8],
        deliver: (EventStreamPart) -> Void
    ) throws(EventStreamError) {
        var start = bytes.startIndex
        if endsWithReturn, let first = bytes.first {
            endsWithReturn = false
            if first == UInt8(ascii: "\n") { start += 1 }
        }
        var index = start
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                index += 1
                continue
            }
            try endLine(with: bytes[start..<index], deliver)
            index += 1
            if byte == UInt8(ascii: "\r") {
                guard index < bytes.endIndex else {
                    endsWithReturn = true
                    return
                }
                if bytes[index] == UInt8(ascii: "\n") { index += 1 }
            }
            start = index
        }
        try check(pending.count + bytes.endIndex - start)
        pending += bytes[start...]
    }

    private func check(_ size: Int) throws(EventStreamError) {
        guard size <= limit else { throw .tooLarge }
    }

    private mutating func endLine(
        with rest: ArraySlice<UInt8>,
        _ deliver: (EventStreamPart) -> Void
    ) throws(EventStreamError) {
        try check(pending.count + rest.count)
        var line = rest
        if !pending.isEmpty {
            line = (pending + rest)[...]
            pending.removeAll(keepingCapacity: true)
        }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
        }
        guard let first = line.first else { return dispatch(deliver) }
        guard first != UInt8(ascii: ":") else { return deliver(.comment) }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try field(name, value, deliver)
    }

    private mutating func field(
        _ name: ArraySlice<UInt8>,
        _ value: ArraySlice<UInt8>,
        _ deliver: (EventStreamPart) -> Void
    ) throws(EventStreamError) {
        if name.elementsEqual("data".utf8) {
            try check(data.count + value.count + 1)
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isNumber, !value.isEmpty else { return }
            deliver(.reconnectionTime(Int(String(decoding: value, as: UTF8.self)) ?? .max))
        }
    }

    private mutating func dispatch(_ deliver: (EventStreamPart) -> Void) {
        defer {
            data.removeAll(keepingCapacity: true)
            hasData = false
            type = ""
            id = nil
        }
        if let id, id.isEmpty || !hasData { deliver(.position(id)) }
        guard hasData else { return }
        deliver(
            .event(
                StreamedEvent(
                    id: id.flatMap { $0.isEmpty ? nil : $0 },
                    type: type.isEmpty ? nil : type,
                    data: String(decoding: data, as: UTF8.self)
                )
            )
        )
    }
}

/// Writing of a stream.
extension StreamedEvent {
    /// The event as it is sent.
    package var text: String {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let type { text += "event: \(type)\n" }
        let lines = data.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for line in lines.map(Substring.init) { text += "data: \(line)\n" }
        return text + "\n"
    }
}
