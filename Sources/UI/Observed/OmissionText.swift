package import Model

/// The parts of an app's traffic that are missing on the screen, and the requests that never became
/// part of it.
package enum OmissionText {
    package static func sentence(_ omission: Omission) -> String {
        let count = omission.count
        return switch omission.subject {
        case .requests:
            "\(CountFormatter.count(count, "request")) passed unread, too many at once: nothing found "
                + "since is certain"
        case .parts:
            "\(CountFormatter.count(count, "part")) of bodies or sockets passed unread, too much at once: "
                + "nothing found since is certain"
        case .entries:
            CountFormatter.count(count, "entry", plural: "entries")
                + " of the archive could not be read: nothing is certain without what they had"
        case .findings:
            "more than \(CountFormatter.grouped(SessionBook.findingLimit)) findings: the mildest of them "
                + "are not kept (\(CountFormatter.times(count)))"
        case .scorecards:
            "more than \(CountFormatter.grouped(SessionBook.scorecardLimit)) experiments: "
                + "\(CountFormatter.count(count, "scorecard")) of earlier ones not kept"
        case .tests: "too many tests: later names are not kept (\(CountFormatter.times(count)))"
        case .http2:
            "\(connections(count)) spoke HTTP/2, which the backend does not: let the client use HTTP/1.1"
        case .brokenHTTP2:
            CountFormatter.count(count, "HTTP/2 connection")
                + " ended: a client broke the protocol, or sent more resets, headers or frames without "
                + "content than any needs"
        case .tls:
            "\(connections(count)) began with TLS on a port of plain HTTP: use http:// in the client's "
                + "address, or --tls"
        case .clearText:
            "\(connections(count)) began without TLS on a port of TLS: use https:// in the client's address"
        case .untrusted:
            CountFormatter.count(count, "client")
                + " refused the proxy's certificate: let it trust the file that is named at the start, "
                + "or with --exec in AUTHTOP_CA_FILE; one that pins the backend's certificate cannot be "
                + "watched"
        case .handshakes:
            CountFormatter.count(count, "TLS handshake")
                + " failed, as if the client did not trust the proxy's certificate, or needed another "
                + "version of TLS"
        case .socks:
            "\(connections(count)) spoke SOCKS: use the proxy's address in place of the backend's"
        case .tunnels:
            CountFormatter.count(count, "tunnel")
                + " to other hosts passed unseen: name those of your own in --forward"
        case .refusedTunnels:
            CountFormatter.count(count, "tunnel")
                + " to this machine, its link or another port below 1024 refused with 403: name the host "
                + "in --forward to let it through"
        case .bound:
            CountFormatter.count(count, "message")
                + " bound to the address of the proxy, which is not the backend's (a DPoP proof, or metadata "
                + "of a resource): use --forward HOST in place of --to"
        case .mutualTLS:
            CountFormatter.count(count, "request")
                + " refused by a backend that wants a certificate of the client (mutual TLS), which the "
                + "proxy does not have: leave its host out of --forward"
        case .issuer:
            "nothing was sent after metadata that name another issuer than the proxy's address: an app that "
                + "checks this (RFC 8414 section 3.3) refuses them: use --forward HOST in place of --to"
        case .malformed:
            CountFormatter.count(count, "malformed request")
                + " refused: the answer (400, 431, 501 or 505) says what breaks HTTP"
        case .slow:
            "\(connections(count)) closed: a request had begun, and was not complete in time"
        case .resetStreams:
            CountFormatter.count(count, "HTTP/2 stream")
                + " reset by the app before a request had come"
        }
    }

    private static func connections(_ count: Int) -> String {
        CountFormatter.count(count, "connection")
    }

    package static func sentence(_ request: MisdirectedRequest) -> String {
        let remedy =
            if request.isURL, !request.isAllowable {
                ": authtop is no proxy to other servers (http_proxy)"
            } else if let option = request.option {
                ": start authtop with \(option) to let it in"
            } else {
                ""
            }
        let host = request.host.visibleInOneLine
        let who =
            request.count == 1
            ? "a request to \(host) was refused with 421"
            : "\(CountFormatter.grouped(request.count)) requests were refused with 421, the last one to "
                + host
        return who + remedy
    }

    /// All of it that lasts, a sentence each.
    static func sentences(_ book: SessionBook) -> [String] {
        omissions(book).map(sentence) + [book.misdirected].compactMap(\.self).map(sentence)
    }

    /// `⚠ 12 refused: app.test`, `⚠ 3 requests, 1 finding missing`, and in fewer words.
    static func marks(_ book: SessionBook) -> [(full: String, brief: String)] {
        let missing = omissions(book).compactMap { omission -> String? in
            switch omission.subject {
            case .requests: CountFormatter.count(omission.count, "request")
            case .parts: CountFormatter.count(omission.count, "part")
            case .entries: CountFormatter.count(omission.count, "entry", plural: "entries")
            case .findings: "findings"
            case .scorecards: CountFormatter.count(omission.count, "scorecard")
            case .tests: "tests"
            case .http2: CountFormatter.count(omission.count, "HTTP/2 connection")
            case .brokenHTTP2:
                CountFormatter.count(omission.count, "broken HTTP/2 connection")
            case .tls: CountFormatter.count(omission.count, "TLS connection")
            case .clearText: CountFormatter.count(omission.count, "connection") + " without TLS"
            case .untrusted: CountFormatter.count(omission.count, "client") + " (certificate)"
            case .handshakes: CountFormatter.count(omission.count, "TLS handshake")
            case .socks: CountFormatter.count(omission.count, "SOCKS connection")
            // They are as they should be.
            case .tunnels: nil
            case .refusedTunnels: CountFormatter.count(omission.count, "refused tunnel")
            case .bound: CountFormatter.count(omission.count, "bound message")
            case .mutualTLS: CountFormatter.count(omission.count, "request") + " (mutual TLS)"
            // An app that only waits for its user has not refused them.
            case .issuer:
                book.hasSession ? nil : CountFormatter.count(omission.count, "app") + " (issuer)"
            case .malformed: CountFormatter.count(omission.count, "malformed request")
            case .slow: CountFormatter.count(omission.count, "slow connection")
            case .resetStreams: CountFormatter.count(omission.count, "reset stream")
            }
        }
        let dropped = book.droppedEvents
        let events = dropped > 0 ? [CountFormatter.count(dropped, "event")] : []
        let list = (missing + events).joined(separator: ", ")
        return [
            list.isEmpty ? nil : ("⚠ missing: \(list)", "⚠ incomplete"),
            book.misdirected.map { request in
                let count = CountFormatter.grouped(request.count)
                return (
                    "⚠ \(count) refused: \(request.host.visibleInOneLine)", "⚠ \(count) refused"
                )
            },
        ].compactMap(\.self)
    }

    private static func omissions(_ book: SessionBook) -> [Omission] {
        Omission.Subject.allCases.compactMap { subject in
            book.omissions[subject].map { Omission(subject, count: $0) }
        }
    }
}
