package import Basics

/// A refresh token whose answer brings no access token that can be used: an error with tokens beside
/// it, or a success without one.
///
/// The backend has replaced the token that was sent, so that this one is kept, whatever else is wrong
/// with its answer.
package struct RefreshSuccessor: Sendable, Hashable {
    package var refresh: RefreshToken
    package var evidence: [ExpiryEvidence]
    /// The answer's statement about the captured values.
    package var captured = CaptureChange.none
    package var status: Int
    /// What is wrong with the answer, bounded and without secrets, or `nil` if its status says it.
    package var message: String?
    package var retryAfter: RetryAfter?

    package init(
        refresh: RefreshToken,
        evidence: [ExpiryEvidence] = [],
        status: Int,
        message: String? = nil,
        retryAfter: RetryAfter? = nil
    ) {
        self.refresh = refresh
        self.evidence = evidence
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The token itself, and the captured values.
    package var secrets: [Secret] { [refresh.secret] + CapturedValues(captured.values).secrets }

    /// The statements about its expiry that cannot be used.
    package var unusableExpiries: UnusableExpiries {
        UnusableExpiries(access: [], refresh: evidence.compactMap(\.unusable))
    }
}

extension RefreshExchange {
    /// Returns the refresh token of an answer that brings no pair, or `nil` if it has none that
    /// replaces the one that was sent.
    ///
    /// What an error has in the place of a token may be a word about it, and a refusal may open a
    /// session without a user by a cookie: neither replaces anything.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - body: Its body.
    ///   - meaning: Its meaning otherwise.
    ///   - secrets: The secrets that the backend may repeat, among them the token that was sent.
    /// - Returns: The token.
    func successor(
        in response: WireResponse,
        _ body: ResponseBody,
        otherwise meaning: RefreshResponse,
        hiding secrets: KnownSecrets
    ) -> RefreshToken? {
        let json = body.json ?? .null
        let isError =
            ResponseClass(status: response.status) != .success
            || (body.json.map(reading.saysFailure) ?? false) || meaning.isRefusal
        let found = reading.refresh.lazy.compactMap { place in
            place.value(in: response, json)?.stringValue.map { (place: place, text: $0) }
        }
        .first { !$0.text.isEmpty }
        guard let found, TokenParser.canBeSent(found.text),
            !secrets.contains(Secret(found.text)),
            !isError || Recognition.looksLikeToken(found.text)
                || JSONWebToken(reading: Secret(found.text)) != nil
        else { return nil }
        if case .refused = meaning, found.place.isCookie,
            reading.access.string(in: response, json) == nil
        {
            return nil
        }
        return RefreshToken(Secret(found.text))
    }
}

extension RefreshResponse {
    fileprivate var isRefusal: Bool {
        if case .refused = self { return true }
        return false
    }
}
