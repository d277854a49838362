package import Basics
package import Profiles

/// An answer, without its secrets.
package struct AnswerFacts: Sendable, Hashable, Codable {
    /// A cookie that it sets or deletes.
    package struct Cookie: Sendable, Hashable, Codable {
        package var name: String
        /// `nil` if it is deleted.
        package var value: Fingerprint?
        package var flags: Set<String>

        package init(name: String, value: Fingerprint?, flags: Set<String>) {
            self.name = name
            self.value = value
            self.flags = flags
        }
    }

    package var status: Int
    /// The meaning by the profile, or `nil` without one.
    package var meaning: AnswerKind?
    /// What it refuses by its shape, whatever it was asked for; `nil` in older recordings.
    package var refuses: Set<RefusedToken>?
    /// The tokens that it brings.
    package var issued: [TokenOccurrence]
    /// Texts in it that are tokens if a later request presents them.
    package var candidates: [Fingerprint]
    package var cookies: [Cookie]
    /// The code of an error, such as `invalid_grant`.
    package var errorCode: String?
    /// The keys that lead to it, joined by dots.
    package var errorKey: String?
    /// The errors of its challenges (RFC 6750 section 3).
    package var challenges: Set<String>
    /// Seconds to wait, as it says.
    package var retryAfter: Double?
    /// The difference of the clocks, by its `Date`.
    package var offset: ServerOffset?
    /// The user, as it names one.
    package var subject: String?
    /// Whether caches must not store it.
    package var forbidsStoring: Bool
    package var isPage: Bool
    /// The coding of its body, if it cannot be read because of that.
    package var unreadCoding: String?
    /// What it looked like.
    package var evidence: ResponseEvidence?
    /// The origin of the page that can read it only because of what the proxy has added for the page
    /// (CORS); the rest is as the backend sent it.
    package var corsAddedFor: String?

    package init(
        status: Int,
        meaning: AnswerKind? = nil,
        refuses: Set<RefusedToken>? = nil,
        issued: [TokenOccurrence] = [],
        candidates: [Fingerprint] = [],
        cookies: [Cookie] = [],
        errorCode: String? = nil,
        errorKey: String? = nil,
        challenges: Set<String> = [],
        retryAfter: Double? = nil,
        offset: ServerOffset? = nil,
        subject: String? = nil,
        forbidsStoring: Bool = false,
        isPage: Bool = false,
        unreadCoding: String? = nil,
        evidence: ResponseEvidence? = nil,
        corsAddedFor: String? = nil
    ) {
        self.status = status
        self.meaning = meaning
        self.refuses = refuses
        self.issued = issued
        self.candidates = candidates
        self.cookies = cookies
        self.errorCode = errorCode
        self.errorKey = errorKey
        self.challenges = challenges
        self.retryAfter = retryAfter
        self.offset = offset
        self.subject = subject
        self.forbidsStoring = forbidsStoring
        self.isPage = isPage
        self.unreadCoding = unreadCoding
        self.evidence = evidence
        self.corsAddedFor = corsAddedFor
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// What it refuses by its shape.
    package var refused: Set<RefusedToken> {
        refuses
            ?? Recognition.builtIn.refusals.refused(
                by: AnswerTraits(status: status, errorCode: errorCode, challenges: challenges)
            )
    }

    /// Whether it says of itself that a refresh token is refused for good, by the profile or by its
    /// shape.
    package var refusesForGood: Bool {
        meaning == .refused || meaning == nil && refused.contains(.refreshForGood)
    }

    /// Whether the backend was unable to decide: 429 and 5xx.
    package var isTransient: Bool { status == 429 || status >= 500 }
}
