import FoundationEssentials
package import Model

/// Why a file cannot be read as a recording.
package struct RecordingProblem: Error, Sendable, Hashable {
    /// Counts from 1.
    package let line: Int
    /// The found and the expected value.
    package let message: String
}

/// A run that was recorded, in either way.
package struct RecordedRun: Sendable {
    package let recording: Recording
    /// The observations of an app's traffic, or `nil` if the run watched sessions of its own.
    package let observed: ObservedRun?

    package init(_ observed: ObservedRun) {
        recording = observed.recording
        self.observed = observed
    }

    /// Reads the contents of a file: events, or what was observed of an app's traffic, from which
    /// they are derived again.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: `RecordingProblem` at the first line that is not one of a recording.
    package init(reading bytes: [UInt8]) throws(RecordingProblem) {
        let file = try RecordingFileLines(bytes)
        if file.kind == ObservationRecording.Header.kind {
            self.init(try ObservationRecording(reading: file).observed)
        } else {
            self.init(try Recording(reading: file))
        }
    }

    private init(_ recording: Recording) {
        self.recording = recording
        observed = nil
    }
}

extension Recording {
    private struct EventHolder: Decodable {
        let event: SessionEvent
    }

    /// Reads the contents of a file of events.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: `RecordingProblem` at the first line that is not one of a recording.
    init(reading bytes: [UInt8]) throws(RecordingProblem) {
        try self.init(reading: RecordingFileLines(bytes))
    }

    fileprivate init(reading file: RecordingFileLines) throws(RecordingProblem) {
        let header = try file.header(Header.self, kind: Header.kind, version: Self.version)
        let (holders, end) = try file.entries(EventHolder.self, expecting: "an event")
        self.init(header: header, events: holders.map(\.event), end: end)
    }
}

extension ObservationRecording {
    /// Reads the contents of a file.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: `RecordingProblem` at the first line that is not one of such a recording.
    init(reading bytes: [UInt8]) throws(RecordingProblem) {
        try self.init(reading: RecordingFileLines(bytes))
    }

    fileprivate init(reading file: RecordingFileLines) throws(RecordingProblem) {
        header = try file.header(Header.self, kind: Header.kind, version: Self.version)
        (entries, end) = try file.entries(Entry.self, expecting: "an observation")
    }
}

/// The lines of a recording of either kind.
private struct RecordingFileLines {
    private struct Kind: Decodable {
        let authtop: String
        let version: Int
    }

    private static let beginning = "the first line of a recording of authtop, or an HTTP archive"

    private let lines: [ArraySlice<UInt8>]
    private let first: Kind
    private let decoder: JSONDecoder

    /// - Throws: `RecordingProblem` if the first line is none of a file of authtop.
    init(_ bytes: [UInt8]) throws(RecordingProblem) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // Bytes after the last line break are a line that was cut off, as by a full disk, unless
        // they are empty.
        let rest = lines.popLast() ?? []
        decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = NonFinite.decoding
        guard let first = lines.first else {
            throw RecordingProblem(
                line: 1,
                message: rest.isEmpty
                    ? "expected \(Self.beginning), found an empty file"
                    : "expected \(Self.beginning), found no line break: the file is cut off, or foreign"
            )
        }
        self.lines = lines
        self.first = try Self.read(Kind.self, first, 1, expecting: Self.beginning, by: decoder)
    }

    /// The kind of the file, according to its first line.
    var kind: String { first.authtop }

    /// Reads the first line.
    func header<Header: Decodable>(
        _ type: Header.Type,
        kind: String,
        version: Int
    ) throws(RecordingProblem) -> Header {
        guard first.authtop == kind else {
            throw RecordingProblem(
                line: 1,
                message: "expected \(Self.beginning), found another kind of file of authtop"
            )
        }
        guard first.version == version else {
            throw RecordingProblem(
                line: 1,
                message: "expected version \(version) of the format, found "
                    + "\(first.version): use the program that wrote it"
            )
        }
        return try Self.read(type, lines[0], 1, expecting: Self.beginning, by: decoder)
    }

    /// Reads the other lines, and the last one if it is there.
    func entries<Entry: Decodable>(
        _ type: Entry.Type,
        expecting what: String
    ) throws(RecordingProblem) -> ([Entry], Recording.End?) {
        var entries: [Entry] = []
        entries.reserveCapacity(lines.count)
        var end: Recording.End?
        for (index, line) in lines.enumerated().dropFirst() {
            if index == lines.count - 1 {
                end = try? decoder.decode(Recording.End.self, from: Data(line))
            }
            guard end == nil else { break }
            entries.append(
                try Self.read(type, line, index + 1, expecting: what, by: decoder)
            )
        }
        return (entries, end)
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type,
        _ line: ArraySlice<UInt8>,
        _ number: Int,
        expecting what: String,
        by decoder: JSONDecoder
    ) throws(RecordingProblem) -> Value {
        do {
            return try decoder.decode(type, from: Data(line))
        } catch {
            let found = describe(error)
            throw RecordingProblem(line: number, message: "expected \(what), found \(found)")
        }
    }

    /// Returns what stands in a line in place of what was expected, without its text.
    private static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no member “\(path(context.codingPath + [key]))”"
        case DecodingError.typeMismatch(let type, let context):
            "a “\(path(context.codingPath))” that is no \(name(of: type))"
        case DecodingError.valueNotFound(let type, let context):
            "a “\(path(context.codingPath))” that is null, not \(name(of: type))"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "a “\(path(context.codingPath))” with another value than any known one"
        default: "text that is not JSON, or is cut off"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Double.Type, is Int.Type, is Int64.Type, is UInt64.Type: "number"
        case is Bool.Type: "flag"
        default: "such value"
        }
    }
}
