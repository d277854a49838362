import FoundationEssentials

@testable import Basics
@testable import Profiles

/// Checks on the tokens of a response.
enum IssuedCheck {
    private static let now = Date(timeIntervalSince1970: 1_767_707_320)

    static func check(_ tokens: IssuedTokens, in response: WireResponse) {
        require((200..<300).contains(response.status), "only a success brings tokens")
        for secret in [tokens.access.secret, tokens.refresh?.secret].compactMap(\.self) {
            let text = secret.reveal()
            require(
                (1...JSONWebToken.sizeLimit).contains(text.utf8.count),
                "a token of \(text.utf8.count)"
            )
            require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a token fits a header")
        }
        for name in [tokens.statements.subject, tokens.statements.displayName].compactMap(\.self) {
            requireOneLine(name, limit: 200)
            require(!name.isEmpty, "an empty name is none")
        }
        check(tokens.accessEvidence, response)
        check(tokens.refreshEvidence, response)
    }

    /// Checks that the description of tokens is the same for all tokens.
    static func checkSecrecy(_ tokens: IssuedTokens) {
        var others = tokens
        others.access = AccessToken(Secret("other"))
        others.refresh = tokens.refresh.map { _ in RefreshToken(Secret("other")) }
        require("\(tokens)" == "\(others)", "a description is the same for all tokens")
    }

    /// Returns the tokens that the response would contain if it were a success.
    static func tokens(in response: WireResponse, _ dialect: Dialect) -> [String] {
        var success = response
        success.status = 200
        var issued: [IssuedTokens] = []
        if case .issued(let tokens) = dialect.readLogin(success) { issued.append(tokens) }
        if case .issued(let tokens) = dialect.readRefresh(success) { issued.append(tokens) }
        return issued.flatMap { tokens in
            [tokens.access.secret, tokens.refresh?.secret].compactMap { $0?.reveal() }
        }
    }

    private static func check(_ evidence: [ExpiryEvidence], _ response: WireResponse) {
        let offset = response.date.flatMap { ServerOffset(date: $0, sentAt: now, receivedAt: now) }
        guard let expiry = Expiry.weighing(evidence, sentAt: now, offset: offset) else {
            require(evidence.allSatisfy { $0.unusable != nil }, "evidence tells an expiry")
            return
        }
        require(abs(expiry.seconds) <= 1e12, "a token ends at a time that can be meant")
        require(expiry.skewWidth.isFinite, "a clock differs by some time")
    }
}
