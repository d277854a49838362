import Basics
import NIOCore

/// An answer that may refuse a token by its body: it is not relayed before as much of that has come as
/// tells.
///
/// A refusal is short. So a long body, one that takes its time and one that never ends are relayed as
/// they come, as those are whose format has no refusals.
struct ExaminedAnswer {
    /// The longest body of a refusal, in bytes, with its framing.
    static let bodyLimit = 16 << 10
    /// The longest time that an answer waits for the rest of its body.
    static let timeLimit = TimeAmount.seconds(1)

    enum Reading: Equatable {
        /// The body without its coding.
        case whole([UInt8])
        /// The rest is still to come.
        case unfinished
        /// It is no refusal, or cannot be told from one.
        case unreadable
    }

    let head: ResponseMessage
    private let framing: BodyFraming

    /// Creates `nil` if the answer is no refusal by its format.
    ///
    /// - Parameters:
    ///   - head: The head of a final answer.
    ///   - framing: That of its body.
    ///   - request: The request that it answers.
    init?(_ head: ResponseMessage, _ framing: BodyFraming, to request: RequestMessage) {
        if case .length(let count) = framing, count > Self.bodyLimit { return nil }
        let type = head.contentType
        guard !request.isHead || head.isCallOfGRPC,
            !Self.streams.contains(where: type.containsBytes)
        else { return nil }
        // What succeeds is mostly data, of which a refusal in JSON or XML is told by its names.
        let mayRefuse = type.isEmpty || Self.formats.contains(where: type.containsBytes)
        guard head.status >= 300 || mayRefuse else { return nil }
        self.head = head
        self.framing = framing
    }

    /// Parts of the types of bodies that are read while they come.
    private static let streams = ["event-stream", "json-seq", "jsonl", "multipart/", "ndjson"]
    /// Parts of the types of bodies that may refuse a token although the status is one of success.
    private static let formats = ["grpc", "javascript", "json", "text/plain", "xml"]

    /// Reads what has come of the body, which is left where it is.
    ///
    /// - Parameters:
    ///   - bytes: All of it, with its framing.
    ///   - isOver: Whether nothing more comes.
    /// - Returns: The body, if it is there; what is not HTTP is left to the relay.
    func read(_ bytes: Span<UInt8>, isOver: Bool) -> Reading {
        // A call of gRPC that refuses a token has no message.
        guard bytes.isEmpty || !head.isCallOfGRPC else { return .unreadable }
        var scanner = BodyScanner(framing)
        var tap = BodyTap(head.fields)
        var body: [UInt8] = []
        do throws(MessageViolation) {
            _ = try scanner.scan(bytes) { tap.copy(bytes.extracting($0), to: &body) }
        } catch {
            return .unreadable
        }
        if isOver { scanner.end() }
        if scanner.isComplete {
            return body.isEmpty && scanner.bytes > 0 ? .unreadable : .whole(body)
        }
        return isOver || bytes.count >= Self.bodyLimit ? .unreadable : .unfinished
    }
}

extension ResponseMessage {
    fileprivate var contentType: String {
        fields.first { $0.key == "content-type" }?.value.asciiLowercased ?? ""
    }

    fileprivate var isCallOfGRPC: Bool { contentType.begins(with: "application/grpc") }
}
