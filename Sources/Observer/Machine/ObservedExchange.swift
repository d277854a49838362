import Basics
import Model
import Profiles

/// A request of an app with its result.
///
/// Each rule looks at it: its large parts are shared by its copies.
package struct ObservedExchange: Sendable, LogEntry {
    /// The result of a request.
    package enum Outcome: Sendable, Hashable {
        /// It brought tokens.
        case issued
        /// Its access token was refused.
        case tokenRefused
        /// Its refresh token was refused, for good or perhaps not.
        case refreshRefused(isFinal: Bool)
        /// The credentials of a login were refused.
        case loginRefused
        /// It was answered with success, or in a way that says nothing against its token.
        case accepted
        case loggedOut
        /// The backend could not decide: 429 or 5xx.
        case transient
        /// The answer decides nothing about a token.
        case inconclusive
        /// It was sent, and no whole answer came.
        case unanswered
        /// No byte of it reached the backend.
        case notSent
    }

    /// Counts from 1 over the run.
    package let number: Int
    var request: RequestFacts { sent.value }
    private let sent: Shared<RequestFacts>
    /// The client whose request it is, which others of its requests may tell in another way.
    var client: ObservedClient { sender.value }
    private let sender: Shared<ObservedClient>
    var purpose: ExchangePurpose
    var confidence: TokenLink.Confidence
    /// The access token that it presented, or the cookie of the session.
    var access: TokenOccurrence? {
        get { presented?.value }
        set { presented = newValue.map(Shared.init) }
    }
    private var presented: Shared<TokenOccurrence>?
    /// Whether nothing but its use shows that it is an access token.
    var isAccessInferred = false
    /// The refresh token that it presented.
    var refresh: Fingerprint?
    var family: Int?
    /// The pair of the access token, as of the request.
    var generation: Int?
    /// The newest pair with the refresh token, as of the request.
    var refreshGeneration: Int?
    var cause = ObservedCause.unknown
    var answer: AnswerFacts? {
        get { received?.value }
        set { received = newValue.map(Shared.init) }
    }
    private var received: Shared<AnswerFacts>?
    var outcome: Outcome?
    /// Whether nothing but what is known of its token shows that it was refused.
    var isRefusalInferred = false
    /// Whether its answer has replaced the one token of a session, as each does.
    var isRolled = false
    /// Whether it is likely a logout, by its path alone.
    var isLogoutInferred = false
    /// When it was answered or failed.
    var endedAt: Moment?
    var deliveredAt: Moment?
    /// Whether the app may not have read the whole answer, although it was written.
    var isDeliveryDoubted = false
    /// When the app closed its connection, or was told that there is no answer.
    var lostAt: Moment?
    var failure: ExchangeFailure?
    /// The number of the pair that it brought.
    var issuedGeneration: Int?
    var experiment: String?
    /// The test that was in progress.
    var mark: String?
    var openedAt: Moment?
    var closedAt: Moment?
    /// The newest messages of a socket.
    private(set) var messages: [Message] = []

    /// A message of a socket, without its content.
    struct Message: Sendable, Hashable {
        let facts: SocketMessageFacts
        let at: Moment
    }

    /// The most messages of a socket that are kept.
    static let messageLimit = 64

    init(number: Int, request: RequestFacts, of client: ObservedClient) {
        self.number = number
        sender = Shared(client)
        sent = Shared(request)
        purpose = request.purpose ?? .other
        confidence = request.confidence
    }

    var startedAt: Moment { request.startedAt }
    var isOver: Bool { outcome != nil }
    var status: Int? { answer?.status }

    /// Whether more of it is to come: its answer, the delivery of that, or the end of its socket.
    var goesOn: Bool {
        if openedAt != nil { return closedAt == nil }
        return !isOver || deliveredAt == nil && lostAt == nil
    }

    /// Whether the app has the whole answer.
    var isDelivered: Bool { deliveredAt != nil }

    /// Whether the app waited for it at an instant: it had no whole answer, and had not given up.
    func isPending(at instant: Instant) -> Bool {
        guard startedAt.now <= instant else { return false }
        return ![deliveredAt, lostAt].compactMap(\.self).contains { $0.now <= instant }
    }

    /// Whether the request may have reached the backend and its answer did not reach the app.
    var isAnswerLost: Bool {
        guard lostAt != nil, outcome != .notSent else { return false }
        return deliveredAt == nil
    }

    /// Whether the app closed its connection before the whole answer came.
    var isGivenUp: Bool {
        guard isAnswerLost, let lostAt, experiment == nil else { return false }
        return failure == .abandoned || endedAt.map { lostAt.now < $0.now } ?? (failure == nil)
    }

    mutating func add(_ message: Message) {
        if messages.count >= Self.messageLimit { messages.removeFirst(Self.messageLimit / 2) }
        messages.append(message)
    }

    /// Takes in what requests to its endpoint are for, which others have shown.
    mutating func reclassify(as learned: ExchangePurpose) {
        purpose = learned
        confidence = .certain
        // The one token of a session is what it is renewed with.
        if learned == .refresh, refresh == nil, isRenewalByName { refresh = access?.fingerprint }
    }

    /// Whether a page of a browser sent it, as its header fields say.
    ///
    /// Browsers send no `Sec-Fetch` fields over plain HTTP to another machine: there the user agent
    /// tells.
    var isOfPage: Bool {
        request.client.origin != nil || request.page != nil
            || request.client.userAgent?.begins(with: "Mozilla/5.0 (") ?? false
    }

    /// Whether it asks to have the one token of a session renewed, by the name of its path; any answer
    /// may bring a cookie.
    var isRenewalByName: Bool {
        request.isNamedRefresh && (access?.place != .cookie || request.method != "GET")
    }

    /// Whether it is a refresh that presented the access token, since the session has no other one.
    var renewsSessionToken: Bool {
        purpose == .refresh && refresh != nil && refresh == access?.fingerprint
    }

    /// Its result, in a few words.
    var result: String {
        switch (status, outcome) {
        case (let status?, .tokenRefused) where status < 400,
            (let status?, .refreshRefused) where status < 400,
            (let status?, .loginRefused) where status < 400:
            isAnswerLost ? "refused with \(status), not delivered" : "refused with \(status)"
        case (let status?, _):
            isAnswerLost ? "answered \(status), not delivered" : "answered \(status)"
        case (nil, .notSent): "not sent"
        case (nil, .unanswered): "not answered"
        case (nil, _): "in progress"
        }
    }
}

extension ObservedExchange {
    /// The exchange as the renewal of a session that each answer renews, or `nil` if it was none.
    var asRenewal: ObservedExchange? {
        guard isRolled else { return nil }
        var renewal = self
        (renewal.purpose, renewal.outcome) = (.refresh, .issued)
        return renewal
    }
}
