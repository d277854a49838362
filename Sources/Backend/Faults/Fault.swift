import Basics
package import Profiles

/// One way in which a backend fails in production: a value with a name.
///
/// The faults are static members, in `RequestFaults.swift`, `ResponseFaults.swift` and
/// `TokenFaults.swift`, listed in `all`. All random draws use the run's generator, so that the run can
/// be replayed.
package struct Fault: Sendable {
    typealias Hook =
        @Sendable (inout BackendExchange, inout AuthBackend, inout SeededGenerator) -> Void

    /// The unique name that the user types, in lower case with hyphens.
    package let name: String
    /// One line for the list of faults.
    let summary: String
    /// The exchanges that it can affect.
    let kinds: [ExchangeKind]
    /// The parameter that the user may set, or `nil` if there is none.
    let parameter: FaultParameter?
    /// Runs before the backend sees the request: delays it, answers in the backend's place, or
    /// changes the backend's state.
    let before: Hook?
    /// Runs after the backend has decided and its state has changed: changes the decision that is
    /// reported.
    let decided: Hook?
    /// Runs after the response is written: changes it, or how it is delivered.
    let written: Hook?
    private let setting: (@Sendable (Double) -> Fault)?

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - name: The name, in lower case with hyphens.
    ///   - summary: One line for the list of faults.
    ///   - kinds: The exchanges that it can affect.
    ///   - parameter: The parameter that the user may set.
    ///   - before: Runs before the backend sees the request.
    ///   - decided: Runs after the backend has decided.
    ///   - written: Runs after the response is written.
    ///   - setting: Returns the same fault with the parameter set.
    init(
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

    /// Returns the fault with its parameter set, or unchanged if `value` is `nil`.
    func set(to value: Double?) -> Fault {
        guard let value, let setting else { return self }
        return setting(value)
    }

    /// Every fault of an exchange, in the order of the list; those of an open feed are
    /// `FeedFault`s.
    package static let all: [Fault] = [
        .dropAfterCommit, .dropRequest, .delay, .truncatedBody, .webPage, .unauthorized, .rateLimit,
        .serverError, .errorAfterCommit, .bareRefusal, .earlyRevocation, .missingRefreshToken,
        .skewedDate, .notFound,
    ]
}

/// The number that the user may set for a fault, in place of a random one.
package struct FaultParameter: Sendable, Hashable {
    package enum Name: String, Sendable, Hashable {
        case seconds
        /// The status of a response.
        case status
        /// The code of a close frame.
        case code
    }

    package let name: Name
    let range: ClosedRange<Double>

    init(_ name: Name, _ range: ClosedRange<Double>) {
        self.name = name
        self.range = range
    }

    static let serverStatus = FaultParameter(.status, 500...599)
    /// The codes that a close frame may carry, and 1006 for an end without a close frame.
    static let closeCode = FaultParameter(.code, 1000...4999)

    /// Returns whether the parameter may have the value: codes and statuses are whole numbers.
    func admits(_ value: Double) -> Bool {
        range.contains(value) && (name == .seconds || value == value.rounded())
    }
}

/// The purpose of an exchange, as far as a fault can be restricted to it.
package enum ExchangeKind: String, Sendable, Hashable, CaseIterable, Codable {
    case login
    case refresh
    /// A protected request, which includes the list of sessions, the end of one of them, and
    /// questions about a token.
    case protected
    case logout
    /// The opening of a feed, and everything on its socket.
    case feed

    package init(_ request: RecognizedRequest) {
        switch request {
        case .login: self = .login
        case .refresh: self = .refresh
        case .protected, .sessions, .endSession, .introspection, .userinfo: self = .protected
        case .logout: self = .logout
        case .feed: self = .feed
        }
    }
}

extension [ExchangeKind] {
    /// The kinds that consist of one request and one response.
    static var requests: [ExchangeKind] { [.login, .refresh, .protected, .logout] }
}
