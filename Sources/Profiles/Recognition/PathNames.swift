import Basics

/// Words of paths, which say what is asked for, or what follows.
package final class PathNames: Sendable {
    private let refreshes: NameList
    private let logouts: NameList
    private let sessions: NameList
    private let revocations: NameList
    private let tokenRevocations: NameList
    private let questions: NameList
    private let verifications: NameList
    /// What a segment says of the next one.
    private let followers: NameMeanings<(isSecret: Bool, isMailed: Bool)>
    private let steps: NameList

    init(_ lists: RecognitionLists, _ secrets: SecretNames) {
        refreshes = lists.names(.pathsRefresh)
        logouts = lists.names(.pathsLogout)
        sessions = lists.names(.pathsSession)
        revocations = lists.names(.pathsRevocation)
        tokenRevocations = lists.names(.pathsTokenRevocation)
        questions = lists.names(.pathsQuestion)
        verifications = lists.names(.pathsVerification)
        steps = lists.names(.linksSteps)
        let beforeTokens = lists.names(.linksBeforeTokens)
        let beforeCodes = lists.names(.linksBeforeCodes)
        followers = NameMeanings { name in
            let isMailed = beforeCodes.contains(name)
            return (isMailed || beforeTokens.contains(name) || secrets.isSecret(name), isMailed)
        }
    }

    // MARK: - What is asked for

    /// Whether one of a path's segments, as `plainName`, names a refresh.
    package func nameRefresh(_ segments: [String]) -> Bool {
        segments.contains(where: refreshes.contains)
    }

    /// Whether one of a path's segments names the end of a session.
    package func nameLogout(_ segments: [String]) -> Bool {
        segments.contains(where: logouts.contains)
            || segments.dropLast().last.map(sessions.contains) ?? false
                && logouts.contains(segments.suffix(2).joined())
    }

    /// Whether a path's last segments, or the last of them, name the session of the request's own
    /// token, which a `DELETE` ends.
    package func nameOwnSession(_ segments: some BidirectionalCollection<String>) -> Bool {
        [1, 2].contains { sessions.contains(segments.suffix($0).joined()) }
    }

    /// Whether a path's segments name the revocation of a token.
    package func nameRevocation(_ segments: [String]) -> Bool {
        segments.contains(where: revocations.contains) || nameTokenList(segments)
    }

    /// Whether a path's segments name a list of tokens that are no longer accepted.
    func nameTokenList(_ segments: [String]) -> Bool {
        segments.contains(where: tokenRevocations.contains)
            && segments.contains { $0.containsBytes(of: "token") }
    }

    /// Whether one of a path's segments names a question about a token, or about its user.
    package func nameQuestion(_ segments: [String]) -> Bool {
        segments.contains(where: questions.contains)
    }

    /// Whether one of a path's segments says that it asks whether a token is good.
    package func nameVerification(_ segments: [String]) -> Bool {
        segments.contains(where: verifications.contains)
    }

    // MARK: - What follows

    /// Whether a segment of a path says that the next one is a code or a token, as in the addresses
    /// that are sent by mail.
    package func precedesSecret(_ segment: Substring) -> Bool {
        followers[segment].isSecret
    }

    /// Whether a segment is one of those that links in mails have before their codes and tokens.
    package func precedesMailedSecret(_ segment: Substring) -> Bool {
        followers[segment].isMailed
    }

    /// Whether a segment after such a one is a step of what it begins, and not a secret: a short word, or
    /// one with a part that names something.
    package func isStep(_ segment: String) -> Bool {
        let name = segment.plainName
        return name.utf8.count < TokenNames.shortestToken || steps.contains(name)
    }
}
