import Basics
import Profiles

/// A failure of production that a proxy brings about on purpose between an app and its backend.
package enum AppExperiment: Sendable, Hashable, Codable {
    /// Tokens live this number of seconds, whatever the backend says.
    case shortLife(seconds: Int)
    /// The access token of a session is refused until the app has renewed it.
    case expire
    /// The same, and the refusals come together.
    case expireBurst
    /// The backend answers the next refresh, and the app does not get the answer: its connection is
    /// reset, or hangs.
    case loseAnswer(hangs: Bool)
    /// The answer to the next refresh is held for this number of seconds.
    case slowRefresh(seconds: Int)
    /// The next refresh is refused for good.
    case refuseRefresh
    /// This number of refreshes is answered with a failure of the server.
    case blip(status: Int, count: Int)
    /// The next refresh is answered with 429 and this number of seconds to wait.
    case limit(seconds: Int)
    /// The next refresh is answered with a page, as by a network that wants a login.
    case portal
    /// The open sockets are closed with this code; without a close frame for 1006.
    case cut(code: Int)
    /// Nothing more comes through the open sockets.
    case mute
    /// The answer to the next refresh has no refresh token.
    case noRefreshToken
    /// The answers' `Date` is off by this number of seconds.
    case skew(seconds: Int)

    /// All of them with their usual parameters.
    package static let all: [AppExperiment] = [
        .shortLife(seconds: 20), .expire, .expireBurst, .loseAnswer(hangs: false),
        .slowRefresh(seconds: 10), .refuseRefresh, .blip(status: 503, count: 2),
        .limit(seconds: 5), .portal, .cut(code: 1006), .mute, .noRefreshToken,
        .skew(seconds: 300),
    ]

    /// As users write it, without its parameter.
    package var name: String {
        switch self {
        case .shortLife: "short-life"
        case .expire: "expire"
        case .expireBurst: "expire-burst"
        case .loseAnswer: "lose-answer"
        case .slowRefresh: "slow-refresh"
        case .refuseRefresh: "refuse-refresh"
        case .blip: "blip"
        case .limit: "limit"
        case .portal: "portal"
        case .cut: "cut"
        case .mute: "mute"
        case .noRefreshToken: "no-refresh-token"
        case .skew: "skew"
        }
    }

    /// What may follow the name after a colon, or `nil` if nothing may.
    package var parameter: String? {
        switch self {
        case .shortLife, .slowRefresh, .limit: "SECONDS"
        case .loseAnswer: "reset|hang"
        case .blip: "STATUSxCOUNT"
        case .cut: "CODE"
        case .skew: "±SECONDS"
        case .expire, .expireBurst, .refuseRefresh, .portal, .mute, .noRefreshToken: nil
        }
    }

    /// The names of its numbers, which may stand before them, as those of the sandbox's faults.
    private var numberNames: [String] {
        switch self {
        case .shortLife, .slowRefresh, .limit, .skew: ["seconds"]
        case .cut: ["code"]
        case .blip: ["status", "count"]
        case .expire, .expireBurst, .loseAnswer, .refuseRefresh, .portal, .mute, .noRefreshToken: []
        }
    }

    /// Whether it goes on until it is stopped.
    package var isByHand: Bool {
        switch self {
        case .shortLife, .noRefreshToken: true
        default: false
        }
    }

    /// For how long its scorecard watches from the first injection, in seconds, or `nil` if it
    /// watches until it is stopped.
    package var window: Double? {
        switch self {
        case .shortLife, .noRefreshToken: nil
        case .expire, .expireBurst, .refuseRefresh: 30
        case .slowRefresh(let seconds): Double(seconds) + 10
        case .portal: 60
        case .loseAnswer, .cut, .mute: 90
        case .blip, .limit, .skew: 120
        }
    }
}

extension AppExperiment: CustomStringConvertible {
    /// As users write it.
    package var description: String {
        switch self {
        case .shortLife(let seconds), .slowRefresh(let seconds), .limit(let seconds):
            "\(name):\(seconds)"
        case .loseAnswer(let hangs): hangs ? "\(name):hang" : name
        case .blip(let status, let count): "\(name):\(status)x\(count)"
        case .cut(let code): "\(name):\(code)"
        case .skew(let seconds): seconds < 0 ? "\(name):\(seconds)" : "\(name):+\(seconds)"
        case .expire, .expireBurst, .refuseRefresh, .portal, .mute, .noRefreshToken: name
        }
    }
}

// MARK: - Parsing

/// Why a text names no experiment.
package enum AppExperimentError: Error, Sendable, Equatable {
    case unknown(name: String)
    /// With what was expected after the name; `nil` if nothing was.
    case parameter(name: String, expected: String?)
}

extension AppExperiment {
    /// Parses a name with or without its parameter, such as `blip:503x3` or
    /// `blip:status=503:count=3`.
    package init(parsing text: String) throws(AppExperimentError) {
        var parts = text.parts(at: ":", keepsEmpty: true).map(String.init)
        let name = parts.removeFirst()
        guard var experiment = Self.all.first(where: { $0.name == name }) else {
            throw .unknown(name: name)
        }
        let error = AppExperimentError.parameter(name: name, expected: experiment.parameter)
        let keys = parts.map { String($0.parts(at: "=", limit: 2, keepsEmpty: true)[0]) }
        guard parts.count <= 1 || Set(keys) == Set(experiment.numberNames) else { throw error }
        for part in parts {
            guard let next = experiment.with(part) else { throw error }
            experiment = next
        }
        self = experiment
    }

    private func with(_ part: String) -> AppExperiment? {
        if case .blip(let status, let count) = self {
            if let number = part.part(after: "status=") { return with("\(number)x\(count)") }
            if let number = part.part(after: "count=") { return with("\(status)x\(number)") }
        }
        let text = numberNames.first.flatMap { part.part(after: "\($0)=") }.map(String.init) ?? part
        func number(in range: ClosedRange<Int>) -> Int? {
            DurationParser.signedSeconds(in: text).flatMap { Int(exactly: $0) }
                .flatMap { range.contains($0) ? $0 : nil }
        }
        switch self {
        case .shortLife: return number(in: 2...86_400).map { .shortLife(seconds: $0) }
        case .slowRefresh: return number(in: 1...600).map { .slowRefresh(seconds: $0) }
        case .limit: return number(in: 1...600).map { .limit(seconds: $0) }
        case .skew: return number(in: -86_400...86_400).map { .skew(seconds: $0) }
        case .cut:
            guard let code = Int(text), code == 1006 || Self.isSendable(code) else { return nil }
            return .cut(code: code)
        case .loseAnswer:
            switch text {
            case "reset": return .loseAnswer(hangs: false)
            case "hang": return .loseAnswer(hangs: true)
            default: return nil
            }
        case .blip:
            let parts = text.split { $0 == "x" || $0 == "×" }
            guard let status = parts.first.flatMap({ Int($0) }), (500...599).contains(status),
                parts.count <= 2
            else { return nil }
            let count = parts.count == 2 ? Int(parts[1]) ?? 0 : 2
            return (1...20).contains(count) ? .blip(status: status, count: count) : nil
        case .expire, .expireBurst, .refuseRefresh, .portal, .mute, .noRefreshToken: return nil
        }
    }

    /// Whether a close frame may have a code (RFC 6455 section 7.4).
    private static func isSendable(_ code: Int) -> Bool {
        (1000...1014).contains(code) && ![1004, 1005, 1006].contains(code)
            || (3000...4999).contains(code)
    }
}
