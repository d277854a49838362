@testable import Profiles

/// A message in the format of the golden files: a start line, headers, an empty line, a body.
///
/// Any bytes can be parsed as a message.
struct MessageText {
    let start: String
    let headers: [WireHeader]
    let body: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        start = Self.line(&rest)
        var headers: [WireHeader] = []
        while !rest.isEmpty {
            let line = Self.line(&rest)
            guard !line.isEmpty else { break }
            let halves = line.split(
                separator: ":",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let value = halves.count > 1 ? halves[1].drop { $0 == " " } : ""
            headers.append(WireHeader(String(halves[0]), String(value)))
        }
        self.headers = headers
        body = Array(rest)
    }

    /// The last word of the start line, or 200.
    var status: Int {
        let digits = start.split(separator: " ").last.flatMap { Int($0) }
        return digits.map { abs($0 % 1000) } ?? 200
    }

    /// Removes and returns the first line, without its end.
    static func line(_ bytes: inout ArraySlice<UInt8>) -> String {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        bytes = bytes.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }
}

extension Dialect {
    /// Removes the first line and returns the built-in dialect that it names, or another one.
    static func named(by bytes: inout ArraySlice<UInt8>) -> Dialect? {
        let line = MessageText.line(&bytes)
        let dialects = builtIn()
        let number = Int(line.utf8.first ?? 0) % max(1, dialects.count)
        return builtIn(named: line) ?? dialects.dropFirst(number).first
    }
}
