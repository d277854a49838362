import Basics
import Model
import Profiles

/// A request, without its secrets.
package struct RequestFacts: Sendable, Hashable, Codable {
    /// The number of the app's connection, from 1 over the run.
    var connection: Int
    var client: ObservedClient
    var origin: String
    var method: String
    /// Path and query, with a fingerprint or a mark in place of what may be secret.
    var target: String
    /// The path, with `:id` in place of what varies.
    var template: String
    /// `grant_type`, or the name of a GraphQL operation: what tells requests with one path apart.
    var discriminator: String?
    /// When its head was read.
    var startedAt: Moment
    /// The purpose of the request, if it says so itself.
    var purpose: ExchangePurpose?
    var confidence: TokenLink.Confidence = .likely
    /// Whether it asks a provider to authorize the app; `nil` if it does not, and in older recordings.
    var authorization: Authorization?
    /// The exchange whose answer had redirected to its URL; `nil` if none had, and in older recordings.
    var redirectedFrom: Int?
    /// Whether a browser or a program sends it before the user asks for it; `nil` if not, and in older
    /// recordings.
    var isPrefetch: Bool?
    /// What a browser says that it is for; `nil` if it is of none, and in older recordings.
    var page: PageUse?
    /// Whether it contains credentials of a user or a client.
    var hasCredentials: Bool = false
    /// Whether its path names a refresh.
    var isNamedRefresh: Bool = false
    /// Whether it ends the session of its own token, by its path; `nil` in older recordings.
    var endsOwnSession: Bool?
    /// The token that it is about, beside that of its sender; `nil` if there is none, and in older
    /// recordings.
    var subject: TokenOccurrence?
    /// The tokens in it.
    var occurrences: [TokenOccurrence] = []
    /// Texts that come back, as whole values, after an answer had brought them under names that say
    /// nothing of them; `nil` if there are none, and in older recordings.
    var returned: [TokenOccurrence]?
    var flaws: [CredentialFlaw] = []
    /// `nil` if it has none, and in older recordings.
    var proof: ProofFacts?
    /// Tells two bodies apart.
    var bodyDigest: Fingerprint?
    /// The fields of a body with tokens or credentials.
    var body: BodyFacts?
    /// The beginning of any other body, if those are kept.
    var excerpt: BodyExcerpt?
    /// Whether a preflight is for a request that presents a token in a header field; `nil` if it is none,
    /// and in older recordings.
    var isForToken: Bool?
    /// Whether the client authenticates itself by Basic (RFC 7617).
    var usesBasic: Bool = false
    /// The headers that repeat a cookie's value, against forged requests, with the cookies' names.
    var repeatedCookies: [String: String]?
    /// Cookies with tokens of which it has two values; `nil` if there are none, and in older recordings.
    var doubledCookies: [String]?
    /// The test that sent it, as it says itself in `X-Authtop-Mark`.
    var mark: String?
    /// The span of the app that it belongs to (W3C Trace Context); `nil` if it names none, and in
    /// older recordings.
    var trace: TraceContext?

    /// The names in recordings.
    private enum CodingKeys: String, CodingKey {
        case connection, client, origin, method, target, template, discriminator, startedAt
        case purpose, confidence, authorization, redirectedFrom, isPrefetch, page
        case hasCredentials, isNamedRefresh
        case endsOwnSession, subject
        case occurrences = "sightings"
        case returned, flaws, proof, bodyDigest, body, excerpt, isForToken, usesBasic
        case repeatedCookies, doubledCookies, mark, trace
    }

    /// An authorization request (RFC 6749 section 4.1.1).
    enum Authorization: String, Sendable, Hashable, Codable {
        /// The user may be asked to log in.
        case page
        /// The user is not asked, who has logged in before (`prompt=none`, OpenID Connect Core 1.0
        /// section 3.1.2.1).
        case silent
    }

    /// The use that a browser makes of an answer (Fetch Metadata Request Headers, section 2).
    enum PageUse: String, Sendable, Hashable, Codable {
        /// It begins a page: what the one before had in memory is gone.
        case document
        /// A page has asked for it.
        case part
    }

    /// Its tokens, and the texts that may be some.
    var presented: [TokenOccurrence] { occurrences + (returned ?? []) }

    /// The method and the path, which name an endpoint.
    var endpoint: String { "\(method) \(template)" }

    /// The words of the protocol in its body.
    var words: [String: Set<String>] {
        var words: [String: Set<String>] = [:]
        for field in body?.fields ?? [] {
            let name = field.path.parts(at: ".").last.map(String.init) ?? field.path
            switch field.value {
            case .text(let text): words[name] = Set(text.parts(at: " ").map(String.init))
            case .texts(let texts): words[name] = Set(texts)
            case .token, .credential, .flag, .other: break
            }
        }
        return words
    }

    /// Whether it has a body that a repeated request would repeat.
    func isRepeat(of other: RequestFacts) -> Bool {
        method == other.method && target == other.target && bodyDigest == other.bodyDigest
    }
}
