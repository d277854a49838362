import Basics
import FoundationEssentials
import Model
import Profiles

/// An exchange as an HTTP archive has it (HAR 1.2, section `entries`).
struct HAREntry {
    /// A message of a socket.
    struct Message {
        let message: SocketMessage
        let at: Date
    }

    /// When the app sent it.
    let startedAt: Date
    /// When the app had its answer.
    let endedAt: Date
    let request: WireRequest
    /// `nil` if there was no answer.
    let response: WireResponse?
    let failure: String?
    let messages: [Message]
    /// The name of the app's connection, if the tool knew it.
    let connection: String?
    /// The number of its bodies that may have had tokens, and are not in the archive.
    let missingBodies: Int

    /// Whether it presents something that may be a token where browsers leave it out of an archive
    /// without sensitive data.
    var hasCredentials: Bool {
        request.headers.contains { ["authorization", "cookie"].contains($0.name.asciiLowercased) }
    }

    /// Whether a tool has put something else in the place of a token, so that nothing can be judged by
    /// it.
    func isRedacted(by recognition: Recognition) -> Bool {
        let credentials = request.headers.filter { header in
            ["authorization", "cookie"].contains(header.name.asciiLowercased)
                || recognition.tokens.role(ofHeader: header.name) != nil
        }
        let isInHeader = credentials.contains { header in
            recognition.missing.isRedacted(recognition.tokens.bare(header.value))
                || header.value.split(whereSeparator: " ;,=".contains)
                    .contains { recognition.missing.isRedacted(String($0)) }
        }
        return isInHeader
            || [request.body, response?.body ?? []].contains { body in
                guard body.first == UInt8(ascii: "{"), let json = JSONValue(parsing: body) else {
                    return false
                }
                return KeyedStrings(json, by: recognition).members.contains { member in
                    member.role != nil
                        && member.value.stringValue.map(recognition.missing.isRedacted) ?? false
                }
            }
    }

    /// Reads an entry; `nil` if it was no exchange with a backend.
    ///
    /// - Parameters:
    ///   - node: The entry.
    ///   - countsConnectTwice: Whether its `time` counts what `wait` includes.
    ///   - file: Returns a file beside the archive by its name.
    /// - Throws: `HARProblem` if it is malformed.
    init?(
        _ node: HARNode,
        countsConnectTwice: Bool,
        file: (String) -> [UInt8]?
    ) throws(HARProblem) {
        // An answer of a cache or a service worker is no exchange; a request of the worker is one.
        if try node.optional("_fromCache") != nil { return nil }
        if try node.optional("response")?.optional("_fetchedViaServiceWorker")?.value == true {
            return nil
        }
        let sent = try node.member("request")
        guard let place = try Self.place(of: sent.member("url")) else { return nil }
        let method = try sent.member("method").text()
        var headers = try Self.headers(of: sent)
        if place.isSocket, !headers.contains(where: { $0.name.asciiLowercased == "upgrade" }) {
            headers.append(WireHeader("Upgrade", "websocket"))
        }
        let body = try HARBody(ofRequest: sent, file: file)
        headers = Self.typed(headers, body.type)
        request = WireRequest(
            method: method,
            origin: place.origin,
            target: place.target,
            headers: headers,
            body: body.bytes
        )
        startedAt = try Self.date(node.member("startedDateTime"))
        let seconds = try Self.seconds(of: node, countsConnectTwice: countsConnectTwice)
        endedAt = startedAt.addingTimeInterval(seconds)
        connection = try node.optional("connection")?.scalarText()
        let content = try HARBody(ofAnswer: node, file: file)
        response = try Self.response(in: node, content)
        missingBodies = [body, content].count(where: \.isMissing)
        failure = try Self.failure(in: node)
        messages =
            response?.status == 101 ? try Self.messages(in: node, origin: startedAt) : []
    }

    /// Whether an entry that cannot be read may be an exchange of what others show: any but a plain
    /// request to a server to which they send nothing.
    static func mayBelong(_ node: HARNode, to origins: Set<String>) -> Bool {
        guard let sent = try? node.member("request"), let url = try? sent.member("url"),
            let method = try? sent.member("method").text(), method == "GET"
        else { return true }
        do throws(HARProblem) {
            guard let place = try place(of: url) else { return false }
            return origins.contains(place.origin)
        } catch {
            return true
        }
    }

    // MARK: - The request

    /// Splits a URL, or returns `nil` if it is none of HTTP.
    private static func place(
        of node: HARNode
    ) throws(HARProblem) -> (origin: String, target: String, isSocket: Bool)? {
        let url = try node.text()
        let schemes = ["http://": "http://", "https://": "https://"]
            .merging(["ws://": "http://", "wss://": "https://"]) { first, _ in first }
        guard let mark = url.range(ofBytes: "://") else {
            guard url.has(":") else { throw node.problem("a URL") }
            return nil
        }
        let scheme = url[..<mark.upperBound].asciiLowercased
        guard let common = schemes[scheme] else { return nil }
        let rest = url[mark.upperBound...].part(before: "#")
        let authority = rest.part(before: "/").part(before: "?")
        let host = authority.parts(at: "@", keepsEmpty: true).last ?? ""
        guard !host.isEmpty, !host.has(" ") else { throw node.problem("a URL with a host") }
        let target = rest[authority.endIndex...]
        return (
            common + host.asciiLowercased, target.begins(with: "/") ? String(target) : "/" + target,
            scheme.begins(with: "ws")
        )
    }

    /// The header fields, without those that HTTP/2 adds; several values of one field are lines.
    private static func headers(of node: HARNode) throws(HARProblem) -> [WireHeader] {
        let fields = try node.optional("headers")?.fields() ?? []
        var headers = fields.filter { !$0.name.begins(with: ":") }.flatMap { field in
            field.value.parts(at: "\n", keepsEmpty: true)
                .map { WireHeader(field.name, String($0)) }
        }
        // Some tools have cookies only in their own list.
        if !headers.contains(where: { $0.name.asciiLowercased == "cookie" }) {
            let cookies = try node.optional("cookies")?.fields() ?? []
            if !cookies.isEmpty, try node.optional("url") != nil {
                let pairs = cookies.map { "\($0.name)=\($0.value)" }
                headers.append(WireHeader("Cookie", pairs.joined(separator: "; ")))
            }
        }
        return headers
    }

    /// Adds the type of a body where the fields do not have it.
    private static func typed(_ headers: [WireHeader], _ type: String?) -> [WireHeader] {
        guard let type, !type.isEmpty, type != "x-unknown",
            !headers.contains(where: { $0.name.asciiLowercased == "content-type" })
        else { return headers }
        return headers + [WireHeader("Content-Type", type)]
    }

    // MARK: - The answer

    private static func response(
        in node: HARNode,
        _ content: HARBody
    ) throws(HARProblem) -> WireResponse? {
        guard let response = try node.optional("response") else { return nil }
        let status = try response.member("status")
        guard let code = Int(exactly: try status.number()), code <= 999 else {
            throw status.problem("a status of HTTP")
        }
        // The statuses that tools write if there was no answer: 0, -1, -999.
        guard code >= 100 else { return nil }
        return WireResponse(
            status: code,
            headers: typed(try headers(of: response), content.type),
            body: content.bytes
        )
    }

    /// The tool's text for an exchange without an answer.
    private static func failure(in node: HARNode) throws(HARProblem) -> String? {
        if let error = try node.optional("_error") { return try error.text() }
        return try node.optional("response")?.optional("_error")?.text()
    }

    private static func messages(
        in node: HARNode,
        origin: Date
    ) throws(HARProblem) -> [Message] {
        guard let list = try node.optional("_webSocketMessages") else { return [] }
        var messages: [Message] = []
        for element in try list.elements() {
            let sides: [String: TrafficSide] = ["send": .app, "receive": .backend]
            guard let side = sides[try element.member("type").text()] else { continue }
            let isText = try element.optional("opcode")?.number() ?? 1 == 1
            let payload = Array(try element.member("data").text().utf8)
            messages.append(
                Message(
                    message: SocketMessage(
                        from: side,
                        isText: isText,
                        payload: Array(payload.prefix(TrafficInput.bodyLimit)),
                        bytes: payload.count
                    ),
                    at: Date(timeIntervalSince1970: try element.member("time").number())
                )
            )
        }
        return messages
    }

    // MARK: - Times

    private static func date(_ node: HARNode) throws(HARProblem) -> Date {
        guard let time = Timestamp(parsing: try node.text()) else {
            throw node.problem("a time as ISO 8601 has it")
        }
        return Date(timeIntervalSince1970: time.local - (time.zoneOffset ?? 0))
    }

    /// The time that an exchange took.
    private static func seconds(
        of node: HARNode,
        countsConnectTwice: Bool
    ) throws(HARProblem) -> Double {
        let timings = try node.optional("timings")
        func sum(_ parts: [String]) throws(HARProblem) -> Double {
            var sum = 0.0
            for part in parts { sum += max(0, try timings?.optional(part)?.number() ?? 0) }
            return sum
        }
        let stated = try node.optional("time")?.number() ?? -1
        // Some tools write −1 for a time that they have only in its parts.
        guard stated >= 0 else {
            return try sum(parts.filter { !countsConnectTwice || $0 != "connect" }) / 1_000
        }
        guard countsConnectTwice else { return stated / 1_000 }
        return max(0, stated - (try sum(["connect", "ssl"]))) / 1_000
    }

    /// The parts of the time of an exchange; `connect` includes `ssl`.
    private static let parts = ["blocked", "dns", "connect", "send", "wait", "receive"]
}
