import Basics
import NIOCore
import Profiles

/// A request of an app that is sent with a session's token, and once more if that is refused.
///
/// It says what comes next, and does nothing itself.
struct ServedRequest {
    /// The longest body that is kept to be sent once more, in bytes, with its framing.
    static let bodyLimit = 1 << 20

    enum State: Sendable {
        /// Nothing was sent; the body is left with the app.
        case waiting
        /// It was sent for the first time.
        case sent(SessionFields)
        /// The refusal is held until there is another token, or none.
        case refused(SessionFields, ResponseMessage)
        /// The next answer goes to the app, whatever it is.
        case decided(SessionFields)
    }

    enum RequestStep: Sendable, Hashable {
        case send
        /// The request is sent once more; this much of its body comes before what the app sends now.
        case sendAgain(ByteBuffer)
        /// The proxy answers in place of the backend.
        case withhold
        /// The app gets the answer that was held; its body has become longer than what is kept, or not.
        case passRefusal(ResponseMessage, isTooLong: Bool)
        case nothing
    }

    enum AnswerStep: Sendable, Hashable {
        /// The answer goes to the app.
        case pass
        /// The answer is held while another token is asked for.
        case hold
        /// The answer goes to the app; that the token was refused is told to the session.
        case passTooLong
    }

    private(set) var state = State.waiting
    /// The body as it was sent so far, or `nil` if it is too long.
    private(set) var kept: ByteBuffer? = ByteBuffer()
    /// When it was sent last.
    private(set) var sentAt: Moment?
    /// The number of the request that it repeats, once it is sent again.
    private(set) var repeated: Int?

    /// The fields that the request is sent with, once they are known.
    var fields: SessionFields? {
        switch state {
        case .waiting: nil
        case .sent(let fields), .refused(let fields, _), .decided(let fields): fields
        }
    }

    /// Whether the next answer is the first, which the app may not get.
    var mayHold: Bool {
        if case .sent = state { true } else { false }
    }

    /// Keeps a part of the body, which is sent now.
    mutating func keep(_ part: ByteBuffer) {
        guard var body = kept.take() else { return }
        switch state {
        case .decided: return
        case .waiting, .sent, .refused: break
        }
        guard body.readableBytes + part.readableBytes <= Self.bodyLimit else { return }
        body.writeImmutableBuffer(part)
        kept = body
    }

    /// There are fields that the request can be sent with.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - number: The number of the request that was refused, if it has one.
    ///   - moment: The present.
    /// - Returns: What comes next.
    mutating func receive(
        _ fields: SessionFields,
        repeating number: Int? = nil,
        at moment: Moment? = nil
    ) -> RequestStep {
        let step = step(with: fields)
        switch step {
        case .send: sentAt = moment
        case .sendAgain: (sentAt, repeated) = (moment, number)
        case .withhold, .passRefusal, .nothing: break
        }
        return step
    }

    private mutating func step(with fields: SessionFields) -> RequestStep {
        switch state {
        case .waiting:
            state = .sent(fields)
            return .send
        case .refused(let old, let response):
            guard let body = kept.take() else {
                state = .decided(old)
                return .passRefusal(response, isTooLong: true)
            }
            state = .decided(fields)
            return .sendAgain(body)
        // They were asked for in no other state.
        case .sent, .decided: return .nothing
        }
    }

    /// There are no fields for the request.
    mutating func receiveNothing() -> RequestStep {
        switch state {
        case .waiting: return .withhold
        case .refused(let fields, let response):
            state = .decided(fields)
            kept = nil
            return .passRefusal(response, isTooLong: false)
        case .sent, .decided: return .nothing
        }
    }

    /// The final answer has come, as far as it decides.
    mutating func receive(_ response: ResponseMessage, isRefusal: Bool) -> AnswerStep {
        guard case .sent(let fields) = state else { return .pass }
        guard isRefusal, response.status != 101 else {
            state = .decided(fields)
            kept = nil
            return .pass
        }
        guard kept != nil else {
            state = .decided(fields)
            return .passTooLong
        }
        state = .refused(fields, response)
        return .hold
    }
}

extension RequestMessage {
    /// Returns the name of a field of the request that one of the session replaces, or `nil`.
    func ownName(of fields: SessionFields) -> String? {
        for header in fields.replacing where !isCookie(header) {
            if let own = self.fields.first(where: { $0.key == header.name.asciiLowercased }) {
                return own.name
            }
        }
        return nil
    }

    /// Sends the request with a session's fields.
    mutating func carry(_ session: SessionFields) {
        for header in session.replacing where !isCookie(header) { set(header) }
        for header in session.defaults
        where !fields.contains(where: { $0.key == header.name.asciiLowercased }) {
            fields.append(HeadField(header.name, header.value))
        }
        carry(cookies: session.cookies)
        if let query = session.query { carry(query) }
    }

    private func isCookie(_ header: WireHeader) -> Bool {
        header.name.asciiLowercased == "cookie"
    }

    private mutating func set(_ header: WireHeader) {
        fields.removeAll { $0.key == header.name.asciiLowercased }
        fields.append(HeadField(header.name, header.value))
    }

    /// Replaces cookies of the same name, and leaves the app's others (RFC 6265 section 4.2).
    private mutating func carry(cookies: [(name: String, pair: String)]) {
        guard !cookies.isEmpty else { return }
        let names = Set(cookies.map(\.name))
        let others = fields.filter { $0.key == "cookie" }
            .flatMap { $0.value.parts(at: ";") }
            .map { $0.trimmingBlanks }
            .filter { !$0.isEmpty && !names.contains(String($0.part(before: "=").trimmingBlanks)) }
        let all = others.map(String.init) + cookies.map(\.pair)
        set(WireHeader("Cookie", all.joined(separator: "; ")))
    }

    private mutating func carry(_ query: String) {
        let halves = target.parts(at: "?", limit: 2, keepsEmpty: true)
        let name = query.part(before: "=")
        var items = halves.count > 1 ? halves[1].parts(at: "&").map(String.init) : []
        items.removeAll { $0.part(before: "=") == name }
        target = "\(halves[0])?\((items + [query]).joined(separator: "&"))"
    }
}
