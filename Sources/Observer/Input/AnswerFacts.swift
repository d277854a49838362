import Basics
import Profiles

/// An answer, without its secrets.
package struct AnswerFacts: Sendable, Hashable, Codable {
    /// A cookie that it sets or deletes.
    struct Cookie: Sendable, Hashable, Codable {
        var name: String
        /// `nil` if it is deleted.
        var value: Fingerprint?
        var flags: Set<String>
        /// The path below which it is sent; `nil` if it is sent everywhere, and in older recordings.
        var path: String?
        /// Why a browser does not store it; `nil` if nothing is known, and in older recordings.
        var obstacle: CookieObstacle?
    }

    var status: Int
    /// Whether it came over HTTP/2; `nil` if over HTTP/1.1, and in older recordings.
    var isHTTP2: Bool?
    /// The status of a call of gRPC, 0 being success; `nil` for any other answer, and in older recordings.
    var grpcStatus: Int?
    /// Whether its error says that a later attempt may succeed; `nil` if it does not, and in older
    /// recordings.
    var asksToWait: Bool?
    /// The meaning by the profile, or `nil` without one.
    var meaning: AnswerKind?
    /// The kinds of token that it refuses by its shape, whatever it was asked for; `nil` in older
    /// recordings.
    var refuses: Set<RefusedToken>?
    /// Its status with the words and numbers by which answers of one kind are alike, none of them a
    /// secret; `nil` if it has none, and in older recordings.
    var shape: String?
    /// The code with which an answer that succeeds states its result, with the keys that lead to it, such
    /// as `result.code=OK`; `nil` if it has none, and in older recordings.
    var resultCode: String?
    /// Whether the words of its error say that a token is refused; `nil` if they do not, and in older
    /// recordings.
    var saysRefusal: Bool?
    /// Whether it refuses the token against forged requests; `nil` if it does not, and in older
    /// recordings.
    var saysForgery: Bool?
    /// Whether its body is `null`, as for no user; `nil` if it is not, and in older recordings.
    var isNull: Bool?
    /// Whether a cache has sent it, which does not say that it asks the backend for each credential;
    /// `nil` if not, and in older recordings.
    var isCached: Bool?
    /// Whether it lets a page of another origin, which had asked for it, read it (CORS); `nil` if none had,
    /// and in older recordings.
    var isReadable: Bool?
    /// The tokens that it brings in nothing but header fields which a page of another origin that had asked
    /// for it cannot read (CORS); none if its client has read them; `nil` if there are none, and in older
    /// recordings.
    var hidden: Set<Fingerprint>?
    /// What the server says in an answer that does not bring what was asked for, on one line and
    /// without secrets; `nil` if it says nothing, and in older recordings.
    var serverWords: String?
    /// The scopes of its tokens (RFC 6749 section 5.1), or `nil` if it states none.
    var scopes: Set<String>?
    /// The tokens that it brings.
    var issued: [TokenOccurrence] = []
    /// Texts in it that are tokens if a later request presents them.
    var candidates: [Fingerprint] = []
    /// Those of them that look like tokens, and cookies that do, under names that say nothing of them;
    /// `nil` if there are none, and in older recordings.
    var unnamed: [TokenOccurrence]?
    var cookies: [Cookie] = []
    /// The code of an error, such as `invalid_grant`.
    var errorCode: String?
    /// The keys that lead to it, joined by dots.
    var errorKey: String?
    /// The errors of its challenges (RFC 6750 section 3).
    var challenges: Set<String> = []
    /// Seconds to wait, as it says.
    var retryAfter: Double?
    /// The difference of the clocks, by its `Date`.
    var offset: ServerOffset?
    /// The user, as it names one.
    var subject: String?
    /// Whether caches must not store it.
    var forbidsStoring: Bool = false
    var isPage: Bool = false
    /// The coding of its body, if it cannot be read because of that.
    var unreadCoding: String?
    /// The appearance of the answer.
    var evidence: ResponseEvidence?
    /// The origin of the page that can read it only because of what the proxy has added for the page
    /// (CORS); the rest is as the backend sent it.
    var corsAddedFor: String?

    var isSuccess: Bool { parts.isSuccess }

    var isRedirect: Bool { (300..<400).contains(status) }

    /// The kinds of token that it refuses by its shape.
    var refused: Set<RefusedToken> {
        refuses ?? Recognition.builtIn.refusals.refused(by: parts)
    }

    private var parts: AnswerTraits {
        AnswerTraits(
            status: status,
            errorCode: errorCode,
            challenges: challenges,
            grpcStatus: grpcStatus,
            asksToWait: asksToWait ?? false
        )
    }

    /// Whether it says of itself that a refresh token is refused for good, by the profile or by its
    /// shape.
    var refusesForGood: Bool {
        meaning == .refused || meaning == nil && refused.contains(.refreshForGood)
    }

    /// Whether the backend was unable to decide: 429 and 5xx, and what is such a status in gRPC.
    var isTransient: Bool { parts.isTransient }

    /// Whether it says in words that a token is refused, though its status says that the backend failed,
    /// as that of each fault of SOAP does.
    var isFaultOfToken: Bool { status == 500 && saysRefusal == true }
}
