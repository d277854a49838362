package import Profiles

/// A failure of production that is brought about on purpose: an entry of the catalogue, with values
/// for its parameters.
///
/// Everything about it stands in its entry, in `BackendFaults.swift` or `AppFaults.swift`: how users
/// write it, what it does and where, its sentence, and what an app should do about it.
package struct Fault: Sendable {
    /// A place where a fault can act.
    package enum Place: Sendable, Hashable {
        /// The backend that is built in.
        case backend
        /// The proxy between an app and its backend.
        case app
    }

    /// Unique among those of a place; in lower case, with hyphens.
    package let name: String
    package let places: Set<Place>
    package let effect: FaultEffect
    /// The exchanges that it can affect.
    package let kinds: [ExchangeKind]
    /// The numbers that users may set, in the order in which they are written.
    package let parameters: [FaultParameter]
    /// The time in seconds from the first change for which its scorecard watches an app, or `nil`
    /// if it watches until it is stopped; that of a delay in addition to the delay.
    private let watch: Double?
    /// The expected behavior of an app.
    package let checks: [Scorecard.Check]
    private let text: @Sendable (Fault) -> String
    /// The values that were set; the others are the usual ones, or left to the fault.
    private(set) var values: [FaultParameter.Name: Double] = [:]

    /// - Parameters:
    ///   - name: The name, in lower case with hyphens.
    ///   - places: Where it can act.
    ///   - effect: The effect.
    ///   - kinds: The exchanges that it can affect.
    ///   - parameters: The numbers that users may set.
    ///   - watch: For how long its scorecard watches an app, in seconds.
    ///   - checks: The expected behavior of an app.
    ///   - sentence: The effect, with the values that it has.
    init(
        _ name: String,
        at places: Set<Place> = [.backend],
        _ effect: FaultEffect,
        in kinds: [ExchangeKind],
        _ parameters: [FaultParameter] = [],
        watch: Double? = nil,
        checks: [Scorecard.Check] = [],
        sentence: @escaping @Sendable (Fault) -> String
    ) {
        self.name = name
        self.places = places
        self.effect = effect
        self.kinds = kinds
        self.parameters = parameters
        self.watch = watch
        self.checks = checks
        text = sentence
    }

    // MARK: - The catalogue

    /// Every fault, in the order of the lists.
    static let all = backend + app
    /// Those of the built-in backend.
    package static let ofBackend = acting(at: .backend)
    /// Those of one request and its response.
    package static let ofExchanges = ofBackend.filter { $0.kinds != [.feed] }
    /// Those of an open feed.
    package static let ofFeed = ofBackend.filter { $0.kinds == [.feed] }
    /// Those between an app and its backend: the experiments with an app.
    package static let ofApp = acting(at: .app)

    static func acting(at place: Place) -> [Fault] {
        all.filter { $0.places.contains(place) }
    }

    static func named(_ name: String, at place: Place) -> Fault? {
        (place == .backend ? ofBackend : ofApp).first { $0.name == name }
    }

    /// Whether it can affect a request.
    package func canAffect(_ request: RecognizedRequest) -> Bool {
        kinds.contains(ExchangeKind(request))
    }

    // MARK: - With its values

    /// The effect, in a line for users.
    package var sentence: String { text(self) }

    /// Returns the value of a parameter: the one that was set, or the usual one; `nil` if it is left
    /// to the fault.
    package func value(_ name: FaultParameter.Name) -> Double? {
        values[name] ?? parameters.first { $0.name == name }?.usual
    }

    /// The value of a parameter that is a whole number; 0 if it is left to the fault.
    package subscript(name: FaultParameter.Name) -> Int {
        value(name).flatMap { Int(exactly: $0) } ?? 0
    }

    /// Returns the fault with values for its first parameters.
    package func set(to values: Double...) -> Fault {
        var other = self
        for (parameter, value) in zip(parameters, values) { other.set(value, for: parameter.name) }
        return other
    }

    mutating func set(_ value: Double, for name: FaultParameter.Name) {
        values[name] = value
    }

    /// For how long its scorecard watches an app from the first change, in seconds, or `nil` if it
    /// watches until it is stopped.
    package var window: Double? {
        watch.map { effect == .delayAnswer ? $0 + (value(.seconds) ?? 0) : $0 }
    }

    /// Whether it goes on with an app until it is stopped.
    package var isByHand: Bool { window == nil }
}

extension Fault: Hashable {
    package static func == (one: Fault, other: Fault) -> Bool {
        one.name == other.name
            && one.parameters.allSatisfy { one.value($0.name) == other.value($0.name) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension Fault: CustomStringConvertible {
    /// As users write it, such as `blip:503x2`: values that are usually set stand behind the name.
    package var description: String {
        ([name] + [usualValues, ownValues].compactMap(\.self)).joined(separator: ":")
    }

    /// The values that always stand behind the name.
    var usualValues: String? {
        let texts = parameters.filter { $0.usual != nil }
            .compactMap { parameter in value(parameter.name).flatMap { parameter.text($0) } }
        return texts.isEmpty ? nil : texts.joined(separator: "x")
    }

    /// The values that were set in place of drawn ones.
    var ownValues: String? {
        let texts = parameters.filter { $0.usual == nil }
            .compactMap { parameter in
                values[parameter.name].map { "\(parameter.name.rawValue)=\($0.shortest)" }
            }
        return texts.isEmpty ? nil : texts.joined(separator: ":")
    }

    /// Its numbers and their ranges, or `nil` if it has none.
    package var parameterText: String? {
        parameters.isEmpty ? nil : parameters.map(\.description).joined(separator: ", ")
    }

    /// The parameter that may follow the name, or `nil` if none may.
    package var notation: String? {
        parameters.isEmpty ? nil : parameters.map(\.notation).joined(separator: "x")
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
    static var all: [ExchangeKind] { ExchangeKind.allCases }
    /// The kinds that consist of one request and one response.
    static var requests: [ExchangeKind] { [.login, .refresh, .protected, .logout] }
}
