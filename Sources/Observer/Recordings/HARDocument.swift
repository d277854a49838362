package import Basics
import FoundationEssentials
package import Model
import Profiles

/// The exchanges of a recording as a HAR 1.2 document, which browsers and HTTP tools open.
///
/// It has what the events have: each token is its fingerprint, cookies have names only, and of each
/// response there is the beginning of its body.
package enum HARDocument {
    /// The program's name in the documents that it writes.
    static let creator = "authtop"

    /// Returns the document.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - version: The version of the program.
    /// - Returns: A JSON object.
    package static func json(of recording: Recording, version: String) -> JSONValue {
        var origins: [SessionID: String] = [:]
        var entries: [HARDocumentEntry] = []
        for event in recording.events {
            if let capabilities = event.kind as? Capabilities {
                origins[event.session] = capabilities.baseURL
            } else if let exchange = event.kind as? Exchange {
                entries.append(
                    HARDocumentEntry(exchange, event, origin: origins[event.session] ?? "")
                )
            }
        }
        return json(of: entries, version: version)
    }

    static func json(of entries: [HARDocumentEntry], version: String) -> JSONValue {
        [
            "log": [
                "version": "1.2",
                "creator": ["name": .string(creator), "version": .string(version)],
                "entries": .array(entries.map(\.json)),
            ]
        ]
    }
}

/// An exchange as the document has it, with what only an archive shows.
struct HARDocumentEntry {
    let exchange: Exchange
    /// The session to which it belongs.
    let session: String
    let startedAt: Date
    /// The origin and the target.
    private let url: String
    var requestHeaders: [WireHeader] = []
    var requestCookies: [WireHeader] = []
    var requestBody: RequestBody?
    var responseCookies: [WireHeader] = []
    /// The protocol's version, where the status line is not kept.
    var version = "HTTP/1.1"
    var error: String?
    /// Members of authtop's own, whose names begin with `_`.
    var own: [String: JSONValue] = [:]

    var json: JSONValue {
        let timings = HARTimings(of: exchange)
        var members: [String: JSONValue] = [
            "startedDateTime": .string(startedAt.iso8601),
            "request": request,
            "response": response,
            "cache": [:],
            "comment": .string("\(session) #\(exchange.id): \(exchange.purpose.rawValue)"),
            "timings": timings.json,
            "time": .number(timings.total),
            // Readers that know members beginning with "_" take them for those of Chromium, of which
            // this one is always there.
            "_resourceType": status == 101 ? "websocket" : "fetch",
        ]
        if let error { members["_error"] = .string(error) }
        for (name, value) in Exchange.archived { members["_" + name] = value(exchange) }
        return .object(members.merging(own) { first, _ in first })
    }

    /// The part of a request's body that is shown.
    struct RequestBody {
        let type: String
        let text: String
        /// The fields of a form.
        var parameters: [WireHeader] = []
        var comment = "Its fields, with what may be secret replaced."

        var json: JSONValue {
            [
                "mimeType": .string(type), "text": .string(text),
                "params": HARDocumentEntry.fields(parameters),
                "comment": .string(comment),
            ]
        }

        init(type: String, text: String, parameters: [WireHeader] = []) {
            self.type = type
            self.text = text
            self.parameters = parameters
        }

        init(_ excerpt: BodyExcerpt) {
            self.init(type: excerpt.type, text: excerpt.text)
            let extent = excerpt.isCut ? "Its beginning" : "All of it"
            comment = "\(extent), with what may be secret replaced."
        }
    }

    /// 0 is what browsers write if there is no response.
    private var status: Int { exchange.status ?? 0 }

    private var evidence: ResponseEvidence? { exchange.evidence }

    private var request: JSONValue {
        var members: [String: JSONValue] = [
            "method": .string(exchange.method),
            "url": .string(Self.escaped(url)),
            "httpVersion": .string(httpVersion),
            "cookies": Self.fields(requestCookies),
            "headers": Self.fields(requestHeaders),
            "queryString": .array(query),
            "headersSize": -1,
            "bodySize": -1,
        ]
        if let requestBody { members["postData"] = requestBody.json }
        return .object(members)
    }

    private var response: JSONValue {
        let headers = evidence?.headers ?? []
        let type = headers.first { $0.name.asciiLowercased == "content-type" }?.value
        var content: [String: JSONValue] = [
            "size": .integer(Int64(evidence?.bodyBytes ?? 0)),
            "mimeType": .string(type ?? "x-unknown"),
        ]
        if let evidence, !evidence.body.isEmpty {
            content["text"] = .string(evidence.body)
            if evidence.isBodyCut { content["comment"] = "The beginning of the body." }
        }
        let phrase = evidence?.statusLine.parts(at: " ", limit: 3).dropFirst(2).first
        return [
            "status": .integer(Int64(status)),
            "statusText": .string(phrase.map { String($0) } ?? ""),
            "httpVersion": .string(httpVersion),
            "cookies": Self.fields(responseCookies),
            "headers": Self.fields(headers),
            "content": .object(content),
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": .integer(Int64(evidence?.bodyBytes ?? -1)),
        ]
    }

    private static func fields(_ headers: [WireHeader]) -> JSONValue {
        .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    /// The protocol's version, which the status line begins with.
    private var httpVersion: String {
        evidence.flatMap { evidence in
            let first = evidence.statusLine.part(before: " ")
            return first.begins(with: "HTTP/") ? String(first) : nil
        } ?? version
    }

    private var query: [JSONValue] {
        guard let (_, query) = url.halves(at: "?") else { return [] }
        return query.parts(at: "&").map { part in
            let pair = part.parts(at: "=", limit: 2, keepsEmpty: true)
            let value = pair.count > 1 ? String(pair[1]) : ""
            return ["name": .string(String(pair[0])), "value": .string(value)]
        }
    }

    /// A URL has only ASCII; what stands for a secret in it may have more.
    private static func escaped(_ url: String) -> String {
        url.utf8.reduce(into: "") { text, byte in
            if (0x21...0x7E).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + [byte].hexadecimal.asciiUppercased
            }
        }
    }
}

extension HARDocumentEntry {
    /// An entry with what the exchange itself has.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - session: The session to which it belongs.
    ///   - startedAt: When it was sent.
    ///   - origin: Where to, if its target is a path.
    init(_ exchange: Exchange, of session: String, startedAt: Date, origin: String) {
        self.exchange = exchange
        self.session = session
        self.startedAt = startedAt
        url = exchange.target.begins(with: "/") ? origin + exchange.target : exchange.target
    }

    /// An exchange of a session of ours.
    fileprivate init(_ exchange: Exchange, _ event: SessionEvent, origin: String) {
        self.init(
            exchange,
            of: event.session.description,
            startedAt: event.moment.wall.addingTimeInterval(-exchange.seconds),
            origin: origin
        )
        // The place of a refresh token differs, and no event has it.
        if exchange.purpose == .protected, let fingerprint = exchange.fingerprint {
            requestHeaders = [WireHeader("Authorization", "Bearer \(fingerprint)")]
        }
        switch exchange.result {
        case .answered, .awaited: break
        case .notSent(let cause): error = "not sent: \(cause.code.rawValue)"
        case .unanswered(let detail): error = "no answer: \(detail)"
        }
    }
}

/// Where the time went, in milliseconds; -1 is what HAR has for what is not known.
struct HARTimings {
    private let connect: Double?
    private let wait: Double
    private let receive: Double

    init(of exchange: Exchange) {
        connect = (exchange.timing?.connect).map(Self.milliseconds)
        receive = Self.milliseconds(exchange.timing?.body ?? 0)
        wait = max(0, Self.milliseconds(exchange.seconds) - (connect ?? 0) - receive)
    }

    /// The sum of the parts, which HAR requires it to be.
    var total: Double { (connect ?? 0) + wait + receive }

    var json: JSONValue {
        [
            "blocked": -1,
            "dns": -1,
            "connect": connect.map(JSONValue.number) ?? -1,
            "ssl": -1,
            "send": 0,
            "wait": .number(wait),
            "receive": .number(receive),
        ]
    }

    private static func milliseconds(_ seconds: Double) -> Double {
        seconds.isFinite ? (max(0, seconds) * 1_000_000).rounded() / 1_000 : 0
    }
}
