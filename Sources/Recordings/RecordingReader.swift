import FoundationEssentials
import Lifecycle

/// Why a file cannot be read as a recording.
package struct RecordingProblem: Error, Sendable, Hashable {
    /// Counts from 1.
    package let line: Int
    /// What stands there, and what was expected.
    package let message: String
}

extension Recording {
    private struct Version: Decodable {
        let authtop: String
        let version: Int
    }

    private struct EventHolder: Decodable {
        let event: SessionEvent
    }

    /// Reads the contents of a file.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: `RecordingProblem` at the first line that is not one of a recording.
    package init(reading bytes: [UInt8]) throws(RecordingProblem) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // What follows the last line break is a line that was cut off, unless it is empty.
        let rest = lines.popLast() ?? []
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = NonFinite.decoding
        func read<Value: Decodable>(
            _ type: Value.Type,
            _ line: some Collection<UInt8>,
            _ number: Int,
            expecting what: String
        ) throws(RecordingProblem) -> Value {
            do {
                return try decoder.decode(type, from: Data(line))
            } catch {
                let found = Self.describe(error)
                throw RecordingProblem(line: number, message: "expected \(what), found \(found)")
            }
        }
        let beginning = "the first line of a recording of authtop"
        guard let first = lines.first else {
            throw RecordingProblem(
                line: 1,
                message: rest.isEmpty
                    ? "expected \(beginning), found an empty file"
                    : "expected \(beginning), found no line break: the file is cut off, or foreign"
            )
        }
        let version = try read(Version.self, first, 1, expecting: beginning)
        guard version.authtop == Header.kind else {
            throw RecordingProblem(
                line: 1,
                message: "expected \(beginning), found another kind of file of authtop"
            )
        }
        guard version.version == Self.version else {
            throw RecordingProblem(
                line: 1,
                message: "expected version \(Self.version) of the format, found "
                    + "\(version.version): use the program that wrote it"
            )
        }
        header = try read(Header.self, first, 1, expecting: beginning)
        events = []
        events.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated().dropFirst() {
            if index == lines.count - 1, let end = try? decoder.decode(End.self, from: Data(line)) {
                self.end = end
            } else {
                let holder = try read(EventHolder.self, line, index + 1, expecting: "an event")
                events.append(holder.event)
            }
        }
        guard rest.isEmpty else {
            throw RecordingProblem(
                line: lines.count + 1,
                message: "expected an event, found a line without an end: the file is cut off"
            )
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
