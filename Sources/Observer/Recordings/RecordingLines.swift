package import Basics
import FoundationEssentials
package import Model

/// Writes the lines of a recording, up to a limit on the size of the file.
package struct RecordingLines: Sendable {
    /// The room that is kept for the last line, in bytes.
    static let endSize = 256

    private let limit: Int
    private var size = 0
    /// Whether the last line has been written.
    package private(set) var isFull = false

    /// - Parameter limit: The size of the file, in bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Returns the first line.
    package mutating func begin(_ header: some Encodable) -> String {
        let line = Self.json(of: header) + "\n"
        size += line.utf8.count
        return line
    }

    /// Returns the line of an event, or the last line if there is no room for it, or `nil` after
    /// that.
    package mutating func add(_ event: SessionEvent, causes: any CauseFormatter) -> String? {
        guard !isFull else { return nil }
        return add(Self.text(of: event, causes: causes), at: event.moment)
    }

    /// The same for what was observed.
    package mutating func add(_ input: ObservationInput, at moment: Moment) -> String? {
        guard !isFull else { return nil }
        return add(Self.json(of: ObservationRecording.Entry(at: moment, input: input)), at: moment)
    }

    private mutating func add(_ text: String, at moment: Moment) -> String? {
        let line = text + "\n"
        guard size + line.utf8.count + Self.endSize <= limit else {
            return finish(at: moment, .limit)
        }
        size += line.utf8.count
        return line
    }

    /// Returns the last line, unless it has been written.
    package mutating func finish(at moment: Moment, _ reason: Recording.End.Reason) -> String? {
        guard !isFull else { return nil }
        isFull = true
        return Self.json(of: Recording.End(endedAt: moment, end: reason)) + "\n"
    }

    /// Returns an event's line without its line break: the line of `EventLine`, with the event
    /// itself, from which it is read again, as its last member.
    static func text(of event: SessionEvent, causes: any CauseFormatter) -> String {
        let line = EventLine.text(of: event, causes: causes)
        return "\(line.dropLast()),\"event\":\(json(of: event))}"
    }

    private static func json(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = NonFinite.encoding
        // Nothing in an event refuses to be encoded.
        guard let data = try? encoder.encode(value) else { return "null" }
        return JSONValue.escapingUnseen(String(decoding: data, as: UTF8.self))
    }
}

/// The notation of numbers that JSON does not have.
enum NonFinite {
    static let encoding = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
        positiveInfinity: "inf",
        negativeInfinity: "-inf",
        nan: "nan"
    )

    static let decoding = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
        positiveInfinity: "inf",
        negativeInfinity: "-inf",
        nan: "nan"
    )
}
