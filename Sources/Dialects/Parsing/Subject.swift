import Tokens

extension Dialect {
    /// The tokens with the subject that the access token names.
    ///
    /// Only where the dialect's answers never name one: where they do, the two need not be alike.
    func withSubject(
        _ tokens: IssuedTokens,
        hiding secrets: KnownSecrets
    ) -> IssuedTokens {
        guard tokens.subject == nil, login.reading.subject.isEmpty,
            refresh?.reading.subject.isEmpty ?? true
        else { return tokens }
        let all = secrets.adding(tokens.secrets)
        var tokens = tokens
        tokens.subject = JSONWebToken(reading: tokens.access.secret)?.subject
            .map { ServerMessage.bounded($0, hiding: all) }
        return tokens
    }
}
