import Basics
import Model
import Profiles

/// The facts of messages of sockets.
extension TrafficReader {
    /// The most messages of a socket in which tokens are looked for by name.
    private static let firstMessages = 5

    /// The longest message that is read, in bytes.
    private static let messageLimit = 16_384

    mutating func message(_ message: SocketMessage, of number: Int) -> ObservationInput {
        var facts = SocketMessageFacts(
            from: message.from,
            bytes: message.bytes,
            isBinary: !message.isText
        )
        let isRead = open[number]?.isOfDevelopmentServer == false
        let startedAt = isRead ? open[number]?.startedAt : nil
        if message.isText, message.payload.count <= Self.messageLimit, let startedAt {
            open[number]?.messages += 1
            let isFirst = (open[number]?.messages ?? 0) <= Self.firstMessages
            let text = String(decoding: message.payload, as: UTF8.self)
            // Socket.IO and Engine.IO put numbers before the value.
            let start = text.utf8.firstIndex { "{[".utf8.contains($0) } ?? text.startIndex
            let json = JSONValue(parsing: Array(text[start...].utf8))
            if message.from == .backend {
                let frame = StompFrame(text, json)?.json
                facts.refusesToken =
                    recognition.refusals.isRefusal(message: text, frame ?? json)
                    || isFirst && json.map(recognition.saysRefusal) ?? false
            }
            if let json {
                let strings = KeyedStrings(json, by: recognition)
                facts.type = recognition.messageTypes.lazy.compactMap(strings.text).first.map {
                    sent.known.hiding(in: $0, limit: 64).inOneLine(limit: 64)
                }
                facts.number = recognition.messageNumbers.lazy.compactMap(json.value).first?
                    .numberValue.flatMap(Int64.init(exactly:))
            }
            if message.from == .app {
                facts.occurrences = presented(in: text, json, isFirst: isFirst).map { raw in
                    occurrence(raw, sentAt: startedAt, origin: nil)
                }
            }
        } else if !message.isText, message.from == .app, let startedAt {
            let bytes = Array(message.payload.prefix(Self.messageLimit))
            facts.occurrences = tokens.tokens(in: bytes, isBinary: true).map { secret in
                let raw = FoundToken(place: .message, name: "", role: .unknown, secret: secret)
                return occurrence(raw, sentAt: startedAt, origin: nil)
            }
        }
        return ObservationInput(exchange: number, kind: .socketMessage(facts))
    }

    /// Returns the tokens in a message of an app: in the first ones by their names, known ones in any.
    private mutating func presented(
        in text: String,
        _ json: JSONValue?,
        isFirst: Bool
    ) -> [FoundToken] {
        var found = json.map { KeyedStrings($0, by: recognition).tokens(in: .message) } ?? []
        for (name, value) in StompFrame(text, json)?.headers ?? [] {
            let role =
                name.isEqualIgnoringCase("authorization")
                ? .access
                : recognition.tokens.role(ofHeader: name) ?? recognition.tokens.role(ofKey: name)
            let token = recognition.tokens.bare(value)
            guard let role, token.isTokenText, token.utf8.count >= TokenNames.shortestToken else {
                continue
            }
            found.append(
                FoundToken(place: .message, name: name, role: role, secret: Secret(token))
            )
        }
        found.removeAll { isRedacted($0) }
        let known = tokens.tokens(in: text)
        if isFirst { remember(found) }
        for index in found.indices where !isFirst { found[index].role = .unknown }
        return found
            + known.filter { secret in !found.contains { $0.secret == secret } }.map { secret in
                FoundToken(place: .message, name: "", role: .unknown, secret: secret)
            }
    }
}
