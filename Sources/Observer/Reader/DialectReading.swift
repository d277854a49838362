import Basics
import Model
import Profiles

/// A profile's reading of a request and its answer.
struct DialectReading {
    var dialect: Dialect { _read { yield shared.value } }
    let shared: Shared<Dialect>
    /// The possible prefixes of the backend's paths, the likeliest first.
    let basePaths: [String]
    /// The prefixes that the paths of requests get on their way to the backend.
    var addedPaths: [String] = []

    /// The largest number of segments that may precede the paths of a dialect that does not say where
    /// its backend is.
    private static let unknownSegments = 3

    /// A request as the dialect has it, or `nil` if it is none of the dialect's.
    func recognize(_ request: WireRequest) -> RecognizedRequest? {
        let below = basePaths.lazy.compactMap { Self.target(of: request, below: $0) }
        let others = basePaths.contains { !$0.isEmpty } ? [] : targets(of: request)
        return (below + others).lazy.compactMap { dialect.recognize(request, as: $0) }.first
            ?? below.first.flatMap { dialect.recognizeAnywhere(request, as: $0) }
    }

    private static func target(of request: WireRequest, below basePath: String) -> String? {
        guard request.target.begins(with: basePath) else { return nil }
        let rest = request.target.part(after: basePath) ?? ""
        return rest.begins(with: "/") ? String(rest) : "/\(rest)"
    }

    /// The possible targets at the backend: as it is, or with the added prefix, and each without
    /// its first segments.
    private func targets(of request: WireRequest) -> [String] {
        guard request.target.begins(with: "/") else { return [] }
        let whole = [request.target] + addedPaths.map { $0 + request.target }
        return whole.flatMap { target in
            var targets = [target]
            var rest = target[...]
            for _ in 1...Self.unknownSegments {
                let path = rest.dropFirst().part(before: "?")
                guard path.has("/") else { break }
                rest = rest.dropFirst(1 + path.part(before: "/").count)
                targets.append(String(rest))
            }
            return targets
        }
    }

    /// The purpose of a request, and the tokens in it.
    func facts(
        of request: RecognizedRequest
    ) -> (purpose: ExchangePurpose, foundTokens: [FoundToken]) {
        switch request {
        case .login: (.login, [])
        case .refresh(let token): (.refresh, Self.foundTokens(.refresh, token?.secret))
        case .logout(_, let refresh, let access):
            (
                .logout,
                Self.foundTokens(.refresh, refresh?.secret)
                    + Self.foundTokens(.access, access?.secret)
            )
        case .protected(let token), .sessions(let token), .endSession(_, let token):
            (.protected, Self.foundTokens(.access, token?.secret))
        case .feed(let token, _):
            (
                dialect.feedKind == .eventStream ? .stream : .socket,
                Self.foundTokens(.access, token?.secret)
            )
        case .introspection(let token): (.question, Self.foundTokens(.unknown, token))
        case .userinfo(let token): (.protected, Self.foundTokens(.access, token?.secret))
        }
    }

    private static func foundTokens(_ role: TokenRole, _ secret: Secret?)
        -> [FoundToken]
    {
        guard let secret else { return [] }
        return [FoundToken(place: .body, name: role.rawValue, role: role, secret: secret)]
    }
}

extension Dialect {
    fileprivate func recognize(_ request: WireRequest, as target: String) -> RecognizedRequest? {
        var request = request
        request.target = target
        return recognize(request)
    }

    fileprivate func recognizeAnywhere(
        _ request: WireRequest,
        as target: String
    ) -> RecognizedRequest? {
        var request = request
        request.target = target
        return recognizeAnywhere(request)
    }
}
