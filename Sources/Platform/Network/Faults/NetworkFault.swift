import Basics
import HTTP
import NIOHPACK

/// A failure of an exchange with a backend.
enum NetworkFault: Error, Sendable, Equatable {
    /// The request was not sent because it is invalid; the message says why.
    case unfit(String)
    case unknownHost
    /// The name could not be resolved, although it may exist.
    case noLookup
    case refused
    case unreachable
    /// No connection, for a reason that the libraries do not tell.
    case noConnection
    /// The system gave the connection up.
    case connectionTimedOut
    /// This process, or the machine, has too many open files.
    case tooManyFiles
    /// Another error number of the system.
    case system(CInt)
    /// No connection within this time.
    case connectTimeout(Duration)
    /// The server selected HTTP/2 and did not begin it within this time.
    case noSettings(Duration)
    /// The server allowed no stream of HTTP/2 within this time.
    case noStreams(Duration)
    /// All connections to this origin were busy.
    case noFreeConnection
    /// The peer closed the connection.
    case closed
    case reset
    /// The server ended the stream of the request, with this error code of HTTP/2.
    case streamEnded(String)
    /// The server ended the stream before it processed the request (RFC 9113, section 8.7).
    case streamRefused
    /// The server ended the connection by a GOAWAY with this error code of HTTP/2.
    case goneAway(String, tookRequest: Bool)
    /// The certificates are not trusted, with the reason, or `nil` if it is unknown.
    case untrusted(CertificateProblem?)
    /// The certificate is for another name.
    case wrongName
    /// The certificate is trusted, but its key is not among the pinned ones; says both.
    case pinMismatch(String)
    /// The name leads to this address, on this machine or its link, where no server may be.
    case near(String)
    /// The server demands a certificate of the client, or rejects it.
    case clientCertificateWanted
    /// The proxy demands a user and a password, or rejects them.
    case proxyCredentials
    /// The proxy did not open a tunnel.
    case proxyRefused
    /// The proxy's answer is not HTTP.
    case proxyNotHTTP
    case notTLS
    /// The peer closed the connection during the handshake, without an alert.
    case handshakeEnded
    /// The peer supports no TLS version that is recent enough.
    case oldTLS
    /// A TLS failure with BoringSSL's name for it.
    case tls(String)
    case notHTTP
    /// A response that violates HTTP or its limits, and is not passed to the client.
    case badResponse(ResponseViolation)
    case badHTTP2(HTTP2Violation)
    /// A response that violates a rule of the WebSocket upgrade, with that rule.
    case badUpgrade(String)
    /// The response's body is larger than this many bytes.
    case bodyOver(Int)
    /// The response's body cannot be decompressed as its `Content-Encoding` says.
    case compressedBody
    /// The response has more headers than the decoder accepts.
    case tooManyHeaders(Int)
    /// The time limit of the whole exchange.
    case deadline(Duration)
    case cancelled
    /// The network has been shut down.
    case shutDown
    /// An error of a library that has no meaning of its own; its description may contain a secret.
    case failed
}

extension NetworkFault {
    /// Whether the server says that it did not process the request, although it may have read it.
    var leftRequest: Bool {
        switch self {
        case .streamRefused, .goneAway(_, tookRequest: false): true
        default: false
        }
    }

    /// Returns the fault as a message for the user, without headers or tokens.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - proxy: The proxy to which the connection was opened, or `nil` if it was direct.
    ///   - stage: The progress of the exchange.
    /// - Returns: The message.
    func message(
        at origin: BackendOrigin,
        through proxy: Proxy? = nil,
        stage: ExchangeStage
    ) -> String {
        let peer = "\(origin.host.written):\(origin.port)"
        let first = proxy?.peer ?? peer
        let firstHost = proxy?.peer ?? origin.host.bare
        switch self {
        case .unfit(let message): return "not sent: \(message)"
        case .unknownHost: return "no such host: \(firstHost)"
        case .noLookup: return "cannot look up \(firstHost): the name server does not answer"
        case .refused: return "connection refused by \(first)"
        case .unreachable: return "no route to \(first)"
        case .noConnection: return "no connection to \(first)"
        case .connectionTimedOut: return "the connection timed out"
        case .tooManyFiles: return "too many open files on this machine"
        case .system(let code): return "failed with error \(code) of the system"
        case .connectTimeout(let limit):
            let way = proxy.map { " through \($0.peer)" } ?? ""
            return "no connection to \(peer)\(way) within \(limit.description)"
        case .proxyCredentials:
            return "\(first) wants a user and a password: http://USER:PASSWORD@HOST:PORT"
        case .proxyRefused: return "\(first) does not connect to \(peer)"
        case .proxyNotHTTP: return "\(first) does not answer in HTTP: is it a proxy for HTTP?"
        case .noSettings(let limit):
            return "\(peer) sent no valid SETTINGS of HTTP/2 within \(limit.description)"
        case .noStreams(let limit):
            return "\(peer) allowed no request on its connection within \(limit.description): "
                + "MAX_CONCURRENT_STREAMS is 0"
        case .noFreeConnection: return "no free connection to \(peer)"
        case .closed: return "connection closed \(stage.description)"
        case .reset: return "connection reset by \(first) \(stage.description)"
        case .streamEnded(let code):
            return "stream of HTTP/2 ended by \(peer) \(stage.description): \(code)"
        case .streamRefused: return "\(peer) refused the stream of HTTP/2 (REFUSED_STREAM)"
        case .goneAway(let code, tookRequest: true):
            return "connection of HTTP/2 ended by \(peer) \(stage.description): \(code)"
        case .goneAway(let code, tookRequest: false):
            return "connection of HTTP/2 ended by \(peer), without the request: \(code)"
        case .untrusted(let problem?):
            return "certificate not trusted: \(peer) shows \(problem.description)"
        case .untrusted(nil):
            return "certificate not trusted: \(peer) shows one from an unknown issuer, or one "
                + "that is not valid now; --ca-file adds an issuer"
        case .wrongName: return "certificate not trusted: it is not for \(origin.host.bare)"
        case .pinMismatch(let keys): return "the key of \(peer) is not pinned: \(keys)"
        case .near(let address):
            return "\(peer) leads to \(address), on this machine or its link"
        case .clientCertificateWanted:
            return "\(peer) wants another certificate of the client: see client_certificate"
        case .notTLS: return "\(peer) does not speak TLS: is it http?"
        case .handshakeEnded:
            return "\(peer) ended the TLS handshake: does it speak TLS?"
        case .oldTLS: return "\(peer) does not support TLS 1.2 or later"
        case .tls(let name): return "no TLS with \(peer): \(name)"
        case .notHTTP:
            return "\(peer) does not answer in HTTP" + (origin.isSecure ? "" : ": is it https?")
        case .badUpgrade(let rule):
            return "\(peer) sent an invalid response to the upgrade: \(rule)"
        case .bodyOver(let limit): return "body over \(limit.inBinaryUnits)"
        case .compressedBody: return "body that its Content-Encoding does not describe"
        case .badResponse(.headOver(let limit)): return "headers over \(limit.inBinaryUnits)"
        case .badHTTP2(let violation):
            return "\(peer) violates HTTP/2: \(violation.description)"
        case .tooManyHeaders(let limit): return "more than \(limit) headers"
        case .badResponse(let violation):
            return "the answer of \(peer) is not HTTP: \(violation.description)"
        case .deadline(let limit): return "\(stage.lack(of: peer)) within \(limit.description)"
        case .cancelled: return "given up \(stage.description)"
        case .shutDown: return "the network is shut down"
        case .failed: return "the exchange failed \(stage.description)"
        }
    }
}

extension ExchangeStage {
    /// The stage, as the time of an event.
    fileprivate var description: String {
        switch self {
        case .connecting: "before the request was sent"
        case .waiting: "before an answer came"
        case .answering: "before the answer was complete"
        }
    }

    /// Returns what was missing at this stage.
    fileprivate func lack(of peer: String) -> String {
        switch self {
        case .connecting: "no connection to \(peer)"
        case .waiting: "no answer"
        case .answering: "no complete answer"
        }
    }
}

extension ResponseViolation {
    /// A description of the fault in the response.
    fileprivate var description: String {
        switch self {
        case .status(let status): "status \(String(1000 + status).dropFirst())"
        case .interimResponses(let limit): "over \(limit) interim responses (1xx)"
        case .unrequestedUpgrade: "status 101, although no upgrade was requested"
        case .transferCoding: "a transfer coding that was not asked for"
        case .headOver(let limit): "headers over \(limit.inBinaryUnits)"
        case .framingOver(let limit):
            "chunk headers and trailers over \(limit.inBinaryUnits)"
        case .unsolicited: "bytes without a request"
        }
    }
}

extension HTTP2Violation {
    /// A description of the server's fault.
    fileprivate var description: String {
        switch self {
        case .status: ":status is not three digits from 100 to 599"
        case .pseudoFields: "pseudo-header fields that are not one :status, at the start"
        case .fieldName: "a header's name is not a token in lower case"
        case .fieldValue: "a header contains a line break or a NUL"
        case .connectionField: "a header that belongs to HTTP/1.1, such as Connection"
        case .interimEnd: "the answer ends with an interim response (1xx)"
        case .endlessTrailers: "headers after the body that do not end the answer"
        case .contentLength: "the body is not as long as Content-Length says"
        case .compression:
            "headers that cannot be decompressed (HPACK), or are over "
                + HPACKDecoder.defaultMaxHeaderListSize.inBinaryUnits
        case .frame(let code): "a frame that cannot be read (\(code))"
        case .streamState: "a frame that does not belong to its stream"
        case .settings: "SETTINGS that are not allowed"
        case .noSettings: "it does not begin with SETTINGS"
        case .window: "a window of flow control that is not allowed"
        case .push: "PUSH_PROMISE, which is turned off"
        case .raisedGoAway: "a second GOAWAY with a higher stream"
        case .flood: "too many frames without content"
        case .overhead(let limit): "over \(limit.inBinaryUnits) around the bodies"
        case .other: "an error of the connection"
        }
    }
}

extension Duration {
    /// The duration in seconds, with one decimal below 10 s.
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
