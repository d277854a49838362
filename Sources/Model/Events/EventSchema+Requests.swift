import Basics
import Profiles

/// The vault, and the processes that share it.
extension EventSchema {
    static let vault = list {
        EventDefinition(
            "adopted",
            "Another process has newer tokens, and they were taken over.",
            { kind -> Void? in if case .adopted = kind { () } else { nil } }
        )
        EventDefinition(
            "journalRecovered",
            "An earlier run may have sent the refresh token, and has recorded no answer.",
            { kind -> Void? in if case .journalRecovered = kind { () } else { nil } }
        )
        EventDefinition(
            "unsaved",
            "The pair of tokens could not be stored, and is in memory only.",
            { kind -> VaultProblem? in
                if case .unsaved(let problem) = kind { problem } else { nil }
            },
            [
                .choice("cause", "Why.") { $0.kind },
                .sentence("message", "Why, for a person.") { $1.text($0) },
            ]
        )
        EventDefinition(
            "saved",
            "The pair of tokens is stored again.",
            { kind -> Void? in if case .saved = kind { () } else { nil } }
        )
    }
}

/// HTTP exchanges, and protected requests.
extension EventSchema {
    /// What gave a response its meaning.
    private static let rule: [PayloadField<RequestRecord>] = [
        .choice("rule", "What gave the answer its meaning.", isOptional: true) {
            $0.evidence?.rule.code
        },
        .sentence("ruleMessage", "The same for a person.", isOptional: true) { record, causes in
            record.evidence.map { causes.text($0.rule) }
        },
    ]

    /// What a response looked like.
    static func appearance<Payload>(
        _ evidence: @escaping @Sendable (Payload) -> ResponseEvidence?
    ) -> [PayloadField<Payload>] {
        [
            .text(
                "statusLine",
                "HTTP version, status, and the status's standard phrase.",
                isOptional: true
            ) { evidence($0)?.statusLine },
            .object("headers", "The headers that matter; of `Set-Cookie`, the cookies' names.") {
                payload in
                evidence(payload).map { evidence in
                    let members = evidence.headers.map { ($0.name, $0.value) }
                    return Dictionary(members) { "\($0), \($1)" }.mapValues(JSONValue.string)
                }
            },
            .text(
                "body",
                "The beginning of the answer's body, on one line and without secrets.",
                isOptional: true
            ) { evidence($0)?.body },
            .integer("bodyBytes", "The length of the whole body.", isOptional: true) {
                evidence($0)?.bodyBytes
            },
            .flag("bodyIsCut", "Whether the body goes on after `body`.", isOptional: true) {
                evidence($0)?.isBodyCut
            },
        ]
    }

    static let requests = list {
        EventDefinition(
            "request",
            "An HTTP exchange is over.",
            { kind -> RequestRecord? in
                if case .request(let record) = kind { record } else { nil }
            },
            [
                .integer("id", "The n-th exchange of the run.") { $0.id },
                .choice("purpose", "What it was for.") { $0.purpose },
                .text("method", "The HTTP method.") { $0.method },
                .text("url", "Path and query; a fingerprint stands for a token.") { $0.target },
                .integer("status", "The HTTP status, if it was answered.", isOptional: true) {
                    $0.status
                },
                .choice(
                    "class",
                    "notSent if no byte left, unknown if no whole answer came.",
                    isOptional: true
                ) { (record: RequestRecord) -> RefreshFailure.Class? in
                    switch record.result {
                    case .answered: nil
                    case .notSent: .notSent
                    case .unanswered, .awaited: .unknown
                    }
                },
                .choice("obstacle", "Why no byte left.", isOptional: true) {
                    (record: RequestRecord) -> UnsentCause.Code? in
                    if case .notSent(let cause) = record.result { cause.code } else { nil }
                },
                .sentence("message", "Why there is no answer, for a person.", isOptional: true) {
                    switch $0.result {
                    case .answered, .awaited: nil
                    case .notSent(let cause): $1.text(cause)
                    case .unanswered(let detail): detail
                    }
                },
                .milliseconds("ms", "From the first byte out to the last byte in.") {
                    $0.seconds
                },
                .integer("usedGeneration", "Whose token it carried; 0 if none.") {
                    $0.generation
                },
                .text("token", "The fingerprint of that token.", isOptional: true) {
                    $0.fingerprint?.digits
                },
                .choice("cause", "What it was sent for.") { $0.why.code },
                .sentence("why", "What it was sent for, for a person.") { $1.text($0.why) },
                .integer("retryOf", "The refused request that it repeats.", isOptional: true) {
                    $0.retryOf
                },
                .flag(
                    "nonceRetry",
                    "Whether the server required another nonce in its proof first.",
                    isOptional: true
                ) { $0.isNonceRetry },
                .integer("flight", "The renewal that it belongs to.", isOptional: true) {
                    $0.flight
                },
                .seconds(
                    "tokenAge",
                    "How old the token was when it was sent.",
                    isOptional: true
                ) { $0.tokenAge },
                .text(
                    "client",
                    "The app that sent it, by its own name or address.",
                    isOptional: true
                ) {
                    $0.client.map { $0.name ?? $0.peer }
                },
                .text(
                    "experiment",
                    "The experiment with an app that answered it or changed it.",
                    isOptional: true
                ) { $0.experiment },
                .text(
                    "corsAddedFor",
                    "The origin of the page that can read the answer only because of `--cors`.",
                    isOptional: true
                ) { $0.corsAddedFor },
                .flag(
                    "undelivered",
                    "Whether the app had closed its connection before the answer came.",
                    isOptional: true
                ) { $0.isUndelivered },
            ] + rule + appearance { $0.evidence }
        )
        EventDefinition(
            "sessions",
            "What the backend says of the user's active sessions.",
            { kind -> SessionListUpdate? in if case .sessions(let news) = kind { news } else { nil }
            },
            [
                .integer("count", "How many there are.", isOptional: true) {
                    if case .listed(let sessions) = $0 { sessions.count } else { nil }
                },
                .text("ended", "The id of the one that it ended.", isOptional: true) {
                    if case .ended(let id) = $0 { id } else { nil }
                },
                .choice("cause", "What it did not do.", isOptional: true) {
                    (news: SessionListUpdate) -> SessionListFailure.Request? in
                    if case .failed(let failure) = news { failure.request } else { nil }
                },
                .sentence("message", "Why it did neither, for a person.", isOptional: true) {
                    if case .failed(let failure) = $0 { $1.text(failure) } else { nil }
                },
            ]
        )
    }
}
