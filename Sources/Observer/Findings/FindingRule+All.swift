extension FindingRule {
    /// All rules, the ones that public issues show most first.
    package static let all: [FindingRule] = [
        .race, .spentRefresh, .loop401, .staleToken, .deadRefreshLoop, .tooEarly,
        .socketStaleDial, .lostAnswer, .noRefresh, .gaveUp, .cookieClobbered, .expiredSent,
        .noBackoff, .aliveAfterLogout, .socketAfterLogout, .resurrected, .socketNotBack,
        .socketOldToken, .feedGap, .badHeader, .cookieNotSent, .badProof, .keptNothing,
        .emptyRefresh, .freshRefused, .earlyDeath, .expiryDisagrees, .claimsChanged,
        .refreshRefused, .preflightRefused, .hiddenRefusal, .hiddenToken, .redirectLoses,
        .redirectLoop, .forgeryRefused, .noOfflineAccess, .loginStorm, .tokenInURL, .otherOrigin,
        .noStore, .cookieFlags, .longRefresh, .silentLogout,
    ]

    package static func named(_ name: String) -> FindingRule? {
        all.first { $0.name == name }
    }
}
