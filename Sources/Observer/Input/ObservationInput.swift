package import Model

/// An observation of an app's traffic, without its secrets.
///
/// A recording has these, so that new rules find what old traffic shows.
package struct ObservationInput: Sendable, Hashable, Codable {
    /// The exchange or socket to which it belongs, from 1 over the run; 0 if it belongs to none.
    var exchange: Int
    var kind: Kind

    package init(exchange: Int, kind: Kind) {
        self.exchange = exchange
        self.kind = kind
    }

    package enum Kind: Sendable, Hashable, Codable {
        /// A request was read, with at most the first part of its body.
        indirect case requested(RequestFacts)
        /// The last byte of its answer came from the backend.
        indirect case answered(AnswerFacts)
        /// The last byte of the answer was written to the app, or the app was gone before that, perhaps
        /// even before the answer began; the latter after the former leaves in doubt whether it was read.
        case delivered(whole: Bool)
        case failed(ExchangeFailure)
        case socketOpened
        case socketMessage(SocketMessageFacts)
        case socketClosed(SocketEnd)
        /// The proxy answered in place of the backend, or changed what was sent.
        case injected(experiment: String)
        /// A test names what follows; an empty name ends that.
        case mark(String)
        /// This many parts of the traffic were not read, because there was too much at once, and
        /// this many of them were whole exchanges; `nil` in older recordings.
        case dropped(count: Int, exchanges: Int? = nil)
        /// The proxy refused a request because its `Host`, or its target, named another server.
        case misdirected(host: String, isURL: Bool, isAllowable: Bool)
        /// The proxy could not read a connection, or refused a request that breaks HTTP/1.1.
        case unreadable(Omission.Subject)
        /// An experiment begins, with one session or with any.
        case experimentBegan(Fault, session: SessionID?)
        /// An experiment is stopped, or all are.
        case experimentStopped(Fault?)
        /// Time has passed.
        case tick
    }
}

/// A message of a socket, without its content.
package struct SocketMessageFacts: Sendable, Hashable, Codable {
    var from: TrafficSide
    var bytes: Int
    /// Whether it is binary; `nil` in older recordings.
    var isBinary: Bool?
    /// The type that it states.
    var type: String?
    /// The number that it states.
    var number: Int64?
    /// Tokens in it.
    var occurrences: [TokenOccurrence] = []
    /// Whether it is one of a backend that refuses the socket's token; `nil` if it was not read, and
    /// in older recordings.
    var refusesToken: Bool?

    /// The names in recordings.
    private enum CodingKeys: String, CodingKey {
        case from, bytes, isBinary, type, number
        case occurrences = "sightings"
        case refusesToken
    }
}
