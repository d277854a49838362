package import Model
package import Profiles

/// One thing that the proxy saw or did, in the order of its event loop.
///
/// It contains an app's secrets. Only `TrafficReader` reads it, and passes on fingerprints.
package struct TrafficInput: Sendable {
    /// The exchange or socket to which it belongs, from 1 over the run.
    var exchange: Int
    package var kind: Kind

    package init(exchange: Int, kind: Kind) {
        self.exchange = exchange
        self.kind = kind
    }

    package enum Kind: Sendable {
        /// The head of a request, as the app sent it: its origin is the one to which it is forwarded,
        /// such as `https://api.example.com`. The app's connections are numbered from 1 over the run;
        /// `peer` is its address, without the port.
        indirect case requestHead(WireRequest, connection: Int, peer: String)
        /// A part of the request's body; at most `bodyLimit` bytes of a body are handed over.
        case requestBody([UInt8])
        /// The last byte of the request came from the app.
        case requestEnd(bytes: Int)
        /// The head of an answer, as the backend sent it; a 1xx answer comes before the final one.
        /// `corsAddedFor` is the origin of the page that can read it only because of what is added for
        /// the page (CORS).
        indirect case responseHead(WireResponse, corsAddedFor: String? = nil)
        case responseBody([UInt8])
        /// The fields after the body, before the answer's end.
        case responseTrailers([WireHeader])
        /// The last byte of the answer came from the backend.
        case responseEnd(bytes: Int)
        /// The app ended its connection before it had the whole answer, which may still come.
        case givenUp
        /// The last byte of the answer was written to the app, or the app was gone before that; or it
        /// reset its connection right after it was written, so that it may not have read the answer.
        case delivered(whole: Bool)
        /// There is no whole answer from the backend.
        case failed(ExchangeFailure)
        /// A WebSocket was agreed upon; its messages follow.
        case socketOpened
        case socketMessage(SocketMessage)
        /// A WebSocket is closed, with the text of the close frame.
        case socketClosed(SocketEnd, reason: String = "")
        /// The proxy answered in place of the backend, or changed what was sent.
        case injected(experiment: String)
        /// The proxy refused a request, which belongs to no exchange, because its `Host`, or its target
        /// if that is a URL, named another server; with whether the host could be allowed.
        case misdirected(host: String, isURL: Bool, isAllowable: Bool)
        /// The proxy could not read a connection, or refused a request that breaks HTTP; neither
        /// belongs to an exchange.
        case unreadable(Omission.Subject)
    }

    /// The most bytes of a body, in one direction, that are handed over.
    package static let bodyLimit = 65_536
}

/// Why there is no whole answer.
package enum ExchangeFailure: Sendable, Hashable, Codable {
    /// No byte of the request reached the backend.
    case notSent(message: String)
    /// The request was sent, at least in part, and no whole answer came.
    case unanswered(message: String)
    /// The app closed its connection before the answer was complete.
    case abandoned
}

/// The side that sent or ended something.
package enum TrafficSide: String, Sendable, Hashable, Codable, CaseIterable {
    case app
    case backend
    /// The proxy itself, for an experiment.
    case proxy
}

/// A whole message of a WebSocket, inflated where it was compressed.
package struct SocketMessage: Sendable {
    var from: TrafficSide
    var isText: Bool
    /// Its first `TrafficInput.bodyLimit` bytes.
    var payload: [UInt8]
    var bytes: Int

    package init(from: TrafficSide, isText: Bool, payload: [UInt8], bytes: Int) {
        self.from = from
        self.isText = isText
        self.payload = payload
        self.bytes = bytes
    }
}

package struct SocketEnd: Sendable, Hashable, Codable {
    /// The side that began to close it.
    var by: TrafficSide
    /// The code of the close frame, or `nil` if none was sent.
    var code: Int?
    /// Whether the code or the text is known to refuse the token; `nil` in older recordings.
    var refusesToken: Bool?

    package init(by: TrafficSide, code: Int?, refusesToken: Bool? = nil) {
        self.by = by
        self.code = code
        self.refusesToken = refusesToken
    }
}
