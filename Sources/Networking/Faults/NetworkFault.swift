import Timekeeping
import WebSockets

/// What went wrong on the way to a backend and back.
enum NetworkFault: Error, Sendable, Equatable {
    /// Nothing was sent, because it would have been wrong; the words say what.
    case unfit(String)
    case unknownHost
    /// The name could not be looked up; the resolver's own message.
    case noLookup(String)
    case refused
    case unreachable
    /// No transport in this time.
    case connectTimeout(Duration)
    /// All connections to this origin were busy.
    case noFreeConnection
    /// The peer ended the transport.
    case closed
    case reset
    /// The certificates did not pass verification, or `nil` if it is not known why.
    case untrusted(CertificateProblem?)
    /// The certificate is for another name.
    case wrongName
    case notTLS
    /// The peer ended the transport inside the handshake, and said nothing.
    case handshakeEnded
    /// The peer has no version of TLS that is new enough.
    case oldTLS
    /// BoringSSL's name for it.
    case tls(String)
    case notHTTP
    /// An answer that is refused before the client takes it.
    case badResponse(ResponseViolation)
    /// An answer that breaks the rules of a WebSocket upgrade; which.
    case badUpgrade(String)
    /// The answer's body is larger than this many bytes.
    case bodyOver(Int)
    /// The answer has more headers than the decoder takes.
    case tooManyHeaders(Int)
    /// The time limit of the whole.
    case deadline(Duration)
    case cancelled
    /// The network has been shut down.
    case shutDown
    /// Anything else, without what it may quote.
    case other(String)
}

extension NetworkFault {
    /// The fault as text that somebody can act on, without a header or a token.
    func message(at origin: BackendOrigin, stage: ExchangeStage) -> String {
        let peer = "\(origin.host.written):\(origin.port)"
        switch self {
        case .unfit(let message): return "not sent: \(message)"
        case .unknownHost: return "no such host: \(origin.host.bare)"
        case .noLookup(let message): return "cannot look up \(origin.host.bare): \(message)"
        case .refused: return "connection refused by \(peer)"
        case .unreachable: return "no route to \(peer)"
        case .connectTimeout(let limit):
            return "no connection to \(peer) within \(limit.description)"
        case .noFreeConnection: return "no free connection to \(peer)"
        case .closed: return "connection closed \(stage.description)"
        case .reset: return "connection reset by \(peer) \(stage.description)"
        case .untrusted(let problem?):
            return "certificate not trusted: \(peer) shows \(problem.description)"
        case .untrusted(nil):
            return "certificate not trusted: \(peer) shows one from an unknown issuer, or one "
                + "that is not valid now; --ca-file adds an issuer"
        case .wrongName: return "certificate not trusted: it is not for \(origin.host.bare)"
        case .notTLS: return "\(peer) does not speak TLS: is it http?"
        case .handshakeEnded:
            return "\(peer) ended the TLS handshake: does it speak TLS?"
        case .oldTLS: return "\(peer) speaks no TLS as new as 1.2"
        case .tls(let name): return "no TLS with \(peer): \(name)"
        case .notHTTP:
            return "\(peer) does not answer in HTTP" + (origin.isSecure ? "" : ": is it https?")
        case .badUpgrade(let rule): return "\(peer) answers the upgrade wrongly: \(rule)"
        case .bodyOver(let limit): return "body over \(limit.inBinaryUnits)"
        case .badResponse(.headOver(let limit)): return "headers over \(limit.inBinaryUnits)"
        case .tooManyHeaders(let limit): return "more than \(limit) headers"
        case .badResponse(let violation):
            return "the answer of \(peer) is no HTTP: \(violation.description)"
        case .deadline(let limit): return "\(stage.lack(of: peer)) within \(limit.description)"
        case .cancelled: return "given up \(stage.description)"
        case .shutDown: return "the network is shut down"
        case .other(let message): return message
        }
    }
}

extension ExchangeStage {
    /// When something happened.
    fileprivate var description: String {
        switch self {
        case .connecting: "before the request was sent"
        case .waiting: "before an answer came"
        case .answering: "before the answer was whole"
        }
    }

    /// What was still missing.
    fileprivate func lack(of peer: String) -> String {
        switch self {
        case .connecting: "no connection to \(peer)"
        case .waiting: "no answer"
        case .answering: "no whole answer"
        }
    }
}

extension ResponseViolation {
    /// What is wrong with the response.
    fileprivate var description: String {
        switch self {
        case .status(let status): "status \(String(1000 + status).dropFirst())"
        case .interimResponses(let limit): "over \(limit) interim responses (1xx)"
        case .unrequestedUpgrade: "status 101, though nothing asked to switch protocols"
        case .transferCoding: "a transfer coding that was not asked for"
        case .headOver(let limit): "headers over \(limit.inBinaryUnits)"
        case .framingOver(let limit):
            "chunk headers and trailers over \(limit.inBinaryUnits)"
        case .unsolicited: "bytes that answer no request"
        }
    }
}

extension Duration {
    /// Seconds, with one digit behind the point where they are few.
    fileprivate var description: String {
        let tenths = Int((max(0, inSeconds) * 10).rounded())
        return tenths < 100 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10) s"
            : "\((tenths + 5) / 10) s"
    }
}

extension Int {
    fileprivate var inBinaryUnits: String {
        self % (1 << 20) == 0 ? "\(self >> 20) MiB" : "\(self >> 10) KiB"
    }
}
