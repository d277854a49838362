package import Basics

/// The conversation on a socket of the feed: what is said, and what is expected on it.
package struct FeedScript: Sendable, Hashable {
    package var says: [FeedSay] = []
    package var expectations: [FeedExpectation] = []

    /// That of a feed on which nothing is said.
    package static let silent = FeedScript()

    package init(says: [FeedSay] = [], expectations: [FeedExpectation] = []) {
        self.says = says
        self.expectations = expectations
    }
}

/// A message that is sent on an open socket.
package struct FeedSay: Sendable, Hashable {
    package enum Occasion: Sendable, Hashable {
        /// The socket has opened.
        case opening
        /// What the expectation with this index describes has come.
        case after(Int)
        /// The session has a new token, and the socket is told so.
        case renewal
        /// The socket is accepted, and this many seconds have passed since it was or this was said.
        case interval(Double)
    }

    package var occasion: Occasion
    /// The index of the expectation that is to be met after this was said; `nil` for none.
    package var answer: Int?
    /// The seconds within which it has to be met.
    package var limit: Double
    let template: PlaceholderText

    package static let usualLimit = 10.0

    /// The placeholder for the number of a message among those of its socket that have one.
    static let numberName = "n"
    static let tokenName = "access"

    package init(
        _ text: String,
        on occasion: Occasion,
        answer: Int? = nil,
        limit: Double = usualLimit
    ) {
        self.occasion = occasion
        self.answer = answer
        self.limit = limit
        template = PlaceholderText(text)
    }

    /// Whether it contains a number of its own, from 1 on.
    package var isNumbered: Bool { template.names.contains(Self.numberName) }

    var hasToken: Bool { template.names.contains(Self.tokenName) }
}

/// A message that the server is expected to send.
package struct FeedExpectation: Sendable, Hashable {
    package enum Meaning: String, Sendable, Hashable, CaseIterable {
        /// The socket counts as open once all of this meaning have come.
        case accepted
        /// The token is refused.
        case refused
    }

    package var name: String
    package var meaning: Meaning?
    /// The seconds from the opening within which an acceptance has to come.
    package var limit: Double
    /// The seconds within which it comes again and again on an accepted socket; `nil` if it need not.
    package var interval: Double?
    /// What a message begins with; `nil` for anything.
    var prefix: String?
    /// What its JSON is like, all of them.
    var rules: [ResponseRule] = []

    package init(
        _ name: String,
        means meaning: Meaning? = nil,
        limit: Double = FeedSay.usualLimit,
        every interval: Double? = nil
    ) {
        self.name = name
        self.meaning = meaning
        self.limit = limit
        self.interval = interval
    }

    func isMet(by text: String, _ json: JSONValue?) -> Bool {
        if let prefix, !text.begins(with: prefix) { return false }
        guard !rules.isEmpty else { return true }
        guard let json else { return false }
        return rules.allSatisfy { $0.matches(json) }
    }
}

/// One message to send: which one, and its number on the socket.
package struct FeedSaying: Sendable, Hashable {
    /// The index in `FeedScript.says`.
    package let say: Int
    /// Counted from 1; 0 for one without a number.
    package let number: Int

    package init(say: Int, number: Int = 0) {
        self.say = say
        self.number = number
    }
}

/// The texts of the conversation.
extension Dialect {
    /// What is said and expected on the feed's sockets.
    package var feedScript: FeedScript { feed?.script ?? .silent }

    /// Returns a message as it is sent, with what it contains escaped as in a JSON string.
    ///
    /// - Parameters:
    ///   - saying: Which one.
    ///   - token: The access token, or `nil` if there is none to send.
    ///   - captured: The captured values.
    /// - Returns: The text, or `nil` if it lacks a value.
    package func feedText(
        _ saying: FeedSaying,
        token: AccessToken?,
        captured: CapturedValues = .none
    ) -> String? {
        guard let feed, feed.script.says.indices.contains(saying.say) else { return nil }
        let say = feed.script.says[saying.say]
        var isComplete = true
        let text = say.template.filled { name in
            let value: String? =
                switch name {
                case FeedSay.numberName: String(saying.number)
                case FeedSay.tokenName: token?.secret.reveal()
                default:
                    feed.values[name]
                        ?? captures.first { $0.name == name }
                        .flatMap { capture in captured[name].map(capture.plainText) }
                }
            if value == nil { isComplete = false }
            return value.map { JSONText.escaped($0) }
        }
        return isComplete ? text : nil
    }

    /// Returns the messages in a frame.
    package func feedMessages(in frame: String) -> [String] {
        guard let separator = feed?.separator else { return [frame] }
        return frame.parts(at: separator).map { String($0) }
    }
}
