package import Model

/// The texts of a token.
package enum TokenText {
    /// `JWT HS256`, `opaque`.
    package static func format(_ token: TokenDescription) -> String {
        switch token.format {
        case .webToken(let algorithm?): "JWT \(algorithm)"
        case .webToken(nil): "JWT, no algorithm"
        case .opaque: "opaque"
        }
    }

    static func origin(_ origin: PairDescription.Origin) -> String {
        switch origin {
        case .login, .refresh: "issued"
        case .resumed: "from the vault, issued"
        case .adopted: "taken over, issued"
        case .imported: "given by you"
        case .joined: "seen in use"
        }
    }

    /// `refused`.
    package static func name(_ problem: RefreshTokenProblem) -> String {
        switch problem {
        case .refused: "refused"
        case .expired: "expired"
        case .spent: "spent"
        }
    }

    /// The consequence for a refresh token, after its name.
    package static func consequence(_ problem: RefreshTokenProblem) -> String {
        switch problem {
        case .refused: "erased here, never sent again"
        case .expired: "the last attempt with it failed"
        case .spent: "the next renewal will be refused"
        }
    }

    /// `socket 7`, `sockets 6, 7`; only the newest of many.
    static func sockets(_ numbers: [Int]) -> String {
        let shown = numbers.suffix(2).map(String.init).joined(separator: ", ")
        let before = numbers.count > 2 ? "…, " : ""
        return numbers.count == 1 ? "socket \(shown)" : "sockets \(before)\(shown)"
    }

    /// Since when a refresh token is the present one.
    static func age(
        _ use: RefreshTokenUse?,
        of current: GenerationRecord,
        _ names: GenerationText
    ) -> String {
        guard let use else { return "age unknown" }
        func gen(_ generation: Int) -> String {
            "gen \(names.number(generation, login: current.login))"
        }
        guard use.since == current.generation else {
            return use.since == 1 ? "same since login" : "same since \(gen(use.since))"
        }
        return switch current.pair.origin {
        case .login: "from the login"
        case .refresh: "new in \(gen(current.generation))"
        case .resumed: "from the vault"
        case .adopted: "taken over"
        case .imported: "given by you"
        case .joined: "seen in use"
        }
    }
}
