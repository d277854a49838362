/// The parts of an app's traffic that are missing on the screen, because there was too much of it, or
/// because the proxy could not read it.
package struct Omission: Sendable, Hashable, Codable {
    package enum Subject: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests that passed and were not read.
        case requests
        /// Parts of bodies, and messages of sockets, that passed and were not read.
        case parts
        /// Entries of an archive that could not be read.
        case entries
        /// Findings of rules after the largest number of findings.
        case findings
        /// Scorecards of experiments.
        case scorecards
        /// Names of tests.
        case tests
        /// Connections to backends that do not speak HTTP/2, as the app does.
        case http2
        /// Connections of HTTP/2 that were ended because they broke it, or flooded.
        case brokenHTTP2
        /// Connections that began with TLS on a port of plain HTTP.
        case tls
        /// Connections that began without TLS on a port of TLS.
        case clearText
        /// Connections whose client refused the certificate of the proxy.
        case untrusted
        /// Connections whose TLS handshake failed for another reason.
        case handshakes
        /// Connections that began with SOCKS.
        case socks
        /// Tunnels through the forward proxy to hosts that are not named.
        case tunnels
        /// Tunnels and requests that the forward proxy refused, as they lead to this machine, its link,
        /// or a port of another service.
        case refusedTunnels
        /// Messages that hold at one URL, and passed an address that stands in for it: proofs of DPoP,
        /// and metadata of a protected resource.
        case bound
        /// Requests that a backend refused, as it wants a certificate of the client.
        case mutualTLS
        /// Metadata of a provider that name another issuer than the address at which an app read them,
        /// after which the app sent nothing.
        case issuer
        /// Requests that were refused because they break HTTP.
        case malformed
        /// Connections that were closed because what they had begun to send was not complete in time.
        case slow
        /// Streams of HTTP/2 that the app reset before a request had come.
        case resetStreams
    }

    package var subject: Subject
    /// The number of them so far.
    package var count: Int

    package init(_ subject: Subject, count: Int) {
        self.subject = subject
        self.count = count
    }
}

extension Omission: ObservedEvent {
    package static let name = "omitted"
    package static let summary =
        "Something is missing in these lines and in the report: there was too much of it, or the proxy "
        + "could not read it. After requests or parts of them, no finding is certain any more."
    package static let fields: [EventField<Omission>] = [
        .choice("subject", "What is missing.") { $0.subject },
        .integer("count", "How many there were so far; told within ten seconds.") {
            $0.count
        },
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }
    package var isNotice: Bool { true }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.omissions[subject] = count
    }
}
