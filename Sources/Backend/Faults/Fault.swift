package import Dialects
package import Timekeeping

/// One way in which production fails: a value with a name.
///
/// Each has a file of its own and a line in `all`; every draw it makes comes from the run's
/// generator, so that the run can be replayed.
package struct Fault: Sendable {
    package typealias Hook =
        @Sendable (inout BackendExchange, inout AuthBackend, inout SeededGenerator) -> Void

    /// Lower-case with hyphens, unique: what a person types.
    package let name: String
    /// One line for the list of faults.
    package let summary: String
    /// The exchanges in which it can show.
    package let kinds: [ExchangeKind]
    /// `nil` when there is nothing to choose.
    package let parameter: FaultParameter?
    /// Before the backend sees the request: delays it, answers in the backend's place, or changes
    /// what the backend knows.
    package let before: Hook?
    /// Once the backend has decided, and what it decided is true: changes the decision's words.
    package let decided: Hook?
    /// Once the answer is written: changes it, or how it is delivered.
    package let written: Hook?
    private let setting: (@Sendable (Double) -> Fault)?

    /// A fault.
    ///
    /// - Parameters:
    ///   - name: Lower-case with hyphens.
    ///   - summary: One line.
    ///   - kinds: The exchanges in which it can show.
    ///   - parameter: What a person may choose.
    ///   - before: Before the backend sees the request.
    ///   - decided: Once the backend has decided.
    ///   - written: Once the answer is written.
    ///   - setting: The same fault with the parameter chosen.
    package init(
        name: String,
        summary: String,
        kinds: [ExchangeKind] = .requests,
        parameter: FaultParameter? = nil,
        before: Hook? = nil,
        decided: Hook? = nil,
        written: Hook? = nil,
        setting: (@Sendable (Double) -> Fault)? = nil
    ) {
        self.name = name
        self.summary = summary
        self.kinds = kinds
        self.parameter = parameter
        self.before = before
        self.decided = decided
        self.written = written
        self.setting = setting
    }

    /// The fault with its parameter chosen; without one, as it is.
    package func set(to value: Double?) -> Fault {
        guard let value, let setting else { return self }
        return setting(value)
    }

    /// Every fault of an exchange, in the order in which it is listed; those of an open feed are
    /// `FeedFault`s.
    package static let all: [Fault] = [
        .dropAfterCommit, .dropRequest, .delay, .truncatedBody, .webPage, .unauthorized, .rateLimit,
        .serverError, .errorAfterCommit, .bareRefusal, .earlyRevocation, .missingRefreshToken,
        .skewedDate, .notFound,
    ]
}

/// The number that a person may give with a fault, in place of what it would draw.
package struct FaultParameter: Sendable, Hashable {
    package enum Name: String, Sendable, Hashable {
        case seconds
        /// Of an answer.
        case status
        /// Of a close frame.
        case code
    }

    package let name: Name
    package let range: ClosedRange<Double>

    package init(_ name: Name, _ range: ClosedRange<Double>) {
        self.name = name
        self.range = range
    }

    static let serverStatus = FaultParameter(.status, 500...599)
    /// The codes that a close frame may carry, and 1006, for an end without one.
    static let closeCode = FaultParameter(.code, 1000...4999)

    /// Whether a fault can have it: codes and statuses are whole.
    package func admits(_ value: Double) -> Bool {
        range.contains(value) && (name == .seconds || value == value.rounded())
    }
}

/// What an exchange is for, as far as a fault may be restricted to it.
package enum ExchangeKind: String, Sendable, Hashable, CaseIterable, Codable {
    case login
    case refresh
    /// The list of sessions, and the end of one of them, are such.
    case protected
    case logout
    /// The dial of a feed, and what happens on its socket.
    case feed

    package init(_ request: RecognisedRequest) {
        switch request {
        case .login: self = .login
        case .refresh: self = .refresh
        case .protected, .sessions, .endSession: self = .protected
        case .logout: self = .logout
        case .feed: self = .feed
        }
    }
}

extension [ExchangeKind] {
    /// All that are one request and one answer.
    package static var requests: [ExchangeKind] { [.login, .refresh, .protected, .logout] }
}
