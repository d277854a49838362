import Dialects
import FoundationEssentials
import Lifecycle
import Timekeeping
package import Tokens

/// The exchanges of a recording as a HAR 1.2 document, which browsers and HTTP tools open.
///
/// It has what the events have: each token is its fingerprint, cookies have names only, and of each
/// response there is the beginning of its body.
package enum HARDocument {
    /// Returns the document.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - version: The version of the program.
    /// - Returns: A JSON object.
    package static func json(of recording: Recording, version: String) -> JSONValue {
        var origins: [SessionID: String] = [:]
        var entries: [JSONValue] = []
        for event in recording.events {
            switch event.kind {
            case .capabilities(let capabilities): origins[event.session] = capabilities.baseURL
            case .request(let record):
                entries.append(entry(record, event, origin: origins[event.session] ?? ""))
            default: break
            }
        }
        return [
            "log": [
                "version": "1.2",
                "creator": ["name": "authtop", "version": .string(version)],
                "entries": .array(entries),
            ]
        ]
    }

    private static func entry(
        _ record: RequestRecord,
        _ event: SessionEvent,
        origin: String
    ) -> JSONValue {
        let started = event.moment.wall.addingTimeInterval(-record.seconds)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var members: [String: JSONValue] = [
            "startedDateTime": .string(started.formatted(style)),
            "request": request(record, origin: origin),
            "response": response(record),
            "cache": [:],
            "comment": .string("\(event.session) #\(record.id): \(record.purpose.rawValue)"),
        ]
        let timings = Timings(record)
        members["timings"] = timings.json
        members["time"] = .number(timings.total)
        switch record.result {
        case .answered: break
        case .notSent(let cause): members["_error"] = .string("not sent: \(cause.code.rawValue)")
        case .unanswered(let detail): members["_error"] = .string("no answer: \(detail)")
        }
        return .object(members)
    }

    private static func request(_ record: RequestRecord, origin: String) -> JSONValue {
        // The place of a refresh token differs, and no event has it.
        let bearer = record.purpose == .protected ? record.fingerprint : nil
        let headers: [JSONValue] =
            bearer.map {
                [["name": "Authorization", "value": .string("Bearer \($0)")]]
            } ?? []
        return [
            "method": .string(record.method),
            "url": .string(record.target.hasPrefix("/") ? origin + record.target : record.target),
            "httpVersion": .string(version(of: record)),
            "cookies": [],
            "headers": .array(headers),
            "queryString": .array(query(of: record.target)),
            "headersSize": -1,
            "bodySize": -1,
        ]
    }

    /// The protocol's version, which the status line begins with; what is asked for otherwise.
    private static func version(of record: RequestRecord) -> String {
        record.evidence.flatMap { evidence in
            let first = evidence.statusLine.prefix { $0 != " " }
            return first.hasPrefix("HTTP/") ? String(first) : nil
        } ?? "HTTP/1.1"
    }

    private static func query(of target: String) -> [JSONValue] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return target[target.index(after: mark)...].split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? String(pair[1]) : ""
            return ["name": .string(String(pair[0])), "value": .string(value)]
        }
    }

    private static func response(_ record: RequestRecord) -> JSONValue {
        let evidence = record.evidence
        let headers = evidence?.headers ?? []
        let type = headers.first { $0.name.lowercased() == "content-type" }?.value
        var content: [String: JSONValue] = [
            "size": .integer(Int64(evidence?.bodyBytes ?? 0)),
            "mimeType": .string(type ?? "x-unknown"),
        ]
        if let evidence, !evidence.body.isEmpty {
            content["text"] = .string(evidence.body)
            if evidence.isBodyCut { content["comment"] = "The beginning of the body." }
        }
        let phrase = evidence?.statusLine.split(separator: " ", maxSplits: 2).dropFirst(2).first
        return [
            // 0 is what browsers write if there is no response.
            "status": .integer(Int64(record.status ?? 0)),
            "statusText": .string(phrase.map { String($0) } ?? ""),
            "httpVersion": .string(version(of: record)),
            "cookies": [],
            "headers": .array(
                headers.map { ["name": .string($0.name), "value": .string($0.value)] }
            ),
            "content": .object(content),
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": .integer(Int64(evidence?.bodyBytes ?? -1)),
        ]
    }
}

/// Where the time went, in milliseconds; -1 is what HAR has for what is not known.
private struct Timings {
    private let connect: Double?
    private let wait: Double
    private let receive: Double

    init(_ record: RequestRecord) {
        connect = record.timing?.connect.map(Self.milliseconds)
        receive = Self.milliseconds(record.timing?.body ?? 0)
        wait = max(0, Self.milliseconds(record.seconds) - (connect ?? 0) - receive)
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
