package import Profiles

/// A failure of production that is brought about on purpose: an entry of the catalogue, as it acts in
/// one of its places, with values for its parameters.
///
/// Everything about it stands in its entry, in `Catalogue`: what it does, and for each place where it
/// can act how users write it, which exchanges it affects, its numbers, its sentence, and what is
/// expected of an app or a backend.
package struct Fault: Sendable {
    /// A place where a fault can act.
    package enum Place: Sendable, Hashable, CaseIterable {
        /// The backend that is built in.
        case backend
        /// The client of authtop itself: what it does to a backend.
        case client
        /// The proxy between an app and its backend.
        case app
    }

    package let effect: FaultEffect
    /// Its forms in its places; never empty.
    private let roles: [FaultRole]
    /// The role for the place where it acts.
    private var index = 0
    /// The values that were set; the others are the usual ones, or left to the fault.
    private(set) var values: [FaultParameter.Name: Double] = [:]

    /// Creates an entry from its effect and its form in each of its places.
    init(_ effect: FaultEffect, _ first: FaultRole, _ others: FaultRole...) {
        self.effect = effect
        roles = [first] + others
    }

    // MARK: - The catalogue

    /// Every fault, in the order of the lists, by which a seed draws them.
    package static let all = ofTokens + ofLosses + ofAnswers + ofFeeds + ofRules
    /// Those of the built-in backend.
    package static let ofBackend = acting(at: .backend)
    /// Those of one request and its response that leave the rules of the backend as they are.
    package static let ofExchanges = ofBackend.filter { fault in
        fault.kinds != [.feed] && !ofRules.contains { $0.name == fault.name }
    }
    /// Those that the simulation has: it draws the rules of its backends itself.
    package static let simulated = ofExchanges + ofFeed
    /// Those of an open feed.
    package static let ofFeed = ofBackend.filter { $0.kinds == [.feed] }
    /// Those of authtop's own client: the experiments with a backend.
    package static let ofClient = acting(at: .client)
    /// Those between an app and its backend: the experiments with an app.
    package static let ofApp = acting(at: .app)

    package static func acting(at place: Place) -> [Fault] {
        all.filter { $0.places.contains(place) }.map { $0.at(place) }
    }

    /// Returns the fault that acts at a place and has a name, there or in another place.
    static func named(_ name: String, at place: Place) -> Fault? {
        all.first { fault in
            fault.roles.contains { $0.name == name } && fault.roles.contains { $0.place == place }
        }?
        .at(place)
    }

    // MARK: - In one of its places

    /// Returns the fault as it acts at a place, with its usual values there; as it is if it does not
    /// act there.
    package func at(_ place: Place) -> Fault {
        guard let index = roles.firstIndex(where: { $0.place == place }) else { return self }
        var other = self
        other.index = index
        other.values = [:]
        return other
    }

    /// The same without the values that were set.
    package var withUsualValues: Fault { at(place) }

    private var role: FaultRole { roles[index] }

    /// Where it can act.
    package var places: [Place] { roles.map(\.place) }
    /// Its names in all of its places.
    package var names: [String] { roles.map(\.name) }
    /// Where it acts.
    package var place: Place { role.place }
    package var name: String { role.name }
    /// The effect in a few words for users.
    package var words: String { role.words ?? description }
    package var kinds: [ExchangeKind] { role.kinds }
    package var parameters: [FaultParameter] { role.parameters }
    package var checks: [Scorecard.Check] { role.checks }
    /// The possible damage, or `nil` if it is that of every experiment with an app.
    package var risk: String? { role.risk }
    package var outcomes: [String] { role.outcomes }

    /// Whether it can affect a request.
    package func canAffect(_ request: RecognizedRequest) -> Bool {
        kinds.contains(ExchangeKind(request))
    }

    // MARK: - With its values

    /// The effect, in a line for users.
    package var sentence: String { role.sentence(self) }

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
        role.watch.map { effect == .delayAnswer ? $0 + (value(.seconds) ?? 0) : $0 }
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
    /// A refresh whose proof has no nonce, or an old one (RFC 9449 section 8).
    case challenge
    /// The metadata of a protected resource, such as an MCP server (RFC 9728).
    case resourceMetadata = "resource-metadata"
    /// The metadata of the authorization server (RFC 8414).
    case serverMetadata = "server-metadata"
    /// The registration of a client (RFC 7591).
    case registration

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
    /// Those of a session.
    static var all: [ExchangeKind] { requests + [.feed] }
    /// The kinds that consist of one request and one response.
    static var requests: [ExchangeKind] { [.login, .refresh, .protected, .logout] }
}
