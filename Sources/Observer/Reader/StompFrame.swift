import Basics

/// The head of a STOMP frame (STOMP 1.2), as a message of a socket or within one of SockJS.
struct StompFrame {
    let command: String
    /// Unescaped, in their order.
    let headers: [(name: String, value: String)]

    private static let commands: Set = [
        "ABORT", "ACK", "BEGIN", "COMMIT", "CONNECT", "CONNECTED", "DISCONNECT", "ERROR",
        "MESSAGE", "NACK", "RECEIPT", "SEND", "STOMP", "SUBSCRIBE", "UNSUBSCRIBE",
    ]
    private static let headerLimit = 64

    /// - Parameters:
    ///   - text: The message.
    ///   - json: The JSON in it: SockJS sends frames as strings of a list.
    init?(_ text: String, _ json: JSONValue?) {
        var text = text
        if case .array(let elements)? = json, let inner = elements.first?.stringValue {
            text = inner
        }
        let lines = text.utf8.split(
            separator: UInt8(ascii: "\n"),
            maxSplits: Self.headerLimit + 1,
            omittingEmptySubsequences: false
        )
        .map { Substring($0).trimming { $0 == UInt8(ascii: "\r") } }
        guard let command = lines.first.map(String.init), Self.commands.contains(command) else {
            return nil
        }
        self.command = command
        headers = lines.dropFirst().prefix { !$0.isEmpty }.prefix(Self.headerLimit)
            .compactMap { line in
                line.halves(at: ":").map { (Self.unescaped($0.before), Self.unescaped($0.after)) }
            }
    }

    /// The same as JSON, for the shapes of refusals.
    var json: JSONValue {
        let members = headers.map { ($0.name, JSONValue.string($0.value)) }
        // The first of repeated headers counts.
        let first = Dictionary(members) { first, _ in first }
        return ["command": .string(command), "headers": .object(first)]
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.has("\\") else { return String(text) }
        return [("\\c", ":"), ("\\n", "\n"), ("\\r", "\r"), ("\\\\", "\\")]
            .reduce(String(text)) { $0.replacing(bytes: $1.0, with: $1.1) }
    }
}
