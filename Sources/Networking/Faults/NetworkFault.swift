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
