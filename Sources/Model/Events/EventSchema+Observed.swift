import Basics
import Profiles

/// What a proxy sees of an app's sessions.
extension EventSchema {
    static let observed = list {
        EventDefinition(
            "client",
            "A client takes part in an app's session for the first time.",
            { kind -> ObservedClient? in
                if case .observed(.client(let client)) = kind { client } else { nil }
            },
            [
                .text("peer", "Its address.") { $0.peer },
                .text("userAgent", "The beginning of its `User-Agent`.", isOptional: true) {
                    $0.userAgent
                },
                .text("origin", "The `Origin` of a page.", isOptional: true) { $0.origin },
                .text(
                    "name",
                    "The name that it gives itself in `X-Authtop-Client`.",
                    isOptional: true
                ) { $0.name },
            ]
        )
        EventDefinition(
            "standing",
            "What an app's session amounts to has changed.",
            { kind -> ObservedStanding? in
                if case .observed(.standing(let standing)) = kind { standing } else { nil }
            },
            [
                .choice("standing", "What it amounts to.") { $0.code },
                .time("until", "When its access token ends, if known.", isOptional: true) {
                    if case .live(let until) = $0 { until } else { nil }
                },
                .integer("exchange", "The exchange that it depends on.", isOptional: true) {
                    $0.exchange
                },
                .choice("reason", "How the session ended.", isOptional: true) {
                    (standing: ObservedStanding) -> ObservedEnd? in
                    if case .ended(let end) = standing { end } else { nil }
                },
            ]
        )
        EventDefinition(
            "link",
            "Where a pair of tokens of an app's session comes from.",
            { kind -> TokenLink? in
                if case .observed(.link(let link)) = kind { link } else { nil }
            },
            [
                .choice("link", "How the app came to it.") { $0.kind },
                .integer("exchange", "The exchange in which it was seen first.") { $0.exchange },
                .integer("ofGeneration", "The generation of the pair.") { $0.generation },
                .text(
                    "branch",
                    "A letter, if several pairs have the generation.",
                    isOptional: true
                ) { $0.branch },
                .text("parent", "The token that was exchanged for it.", isOptional: true) {
                    $0.parent?.digits
                },
                .text("access", "Its access token.", isOptional: true) { $0.access?.digits },
                .text("refresh", "Its refresh token.", isOptional: true) { $0.refresh?.digits },
                .choice("confidence", "How sure that is; exact if a profile says it.") {
                    $0.confidence
                },
                .sentence("why", "Why the app asked for it, for a person.") {
                    $1.text(.observed($0.cause))
                },
            ]
        )
        EventDefinition(
            "finding",
            "Something goes wrong in the app's traffic, or has again.",
            { kind -> ObservedFinding? in
                if case .observed(.finding(let finding)) = kind { finding } else { nil }
            },
            findingNames + findingTexts
        )
        EventDefinition(
            "scorecard",
            "An experiment with the app has begun, or has shown something.",
            { kind -> Scorecard? in
                if case .observed(.scorecard(let scorecard)) = kind { scorecard } else { nil }
            },
            [
                .integer("number", "The n-th experiment of the run; the same each time.") {
                    $0.number
                },
                .text("experiment", "Its name and parameter, such as `blip:503x2`.") {
                    $0.experiment.description
                },
                .choice("verdict", "What it has shown so far.") { $0.verdict },
                .list("lines", "What the app should do: the check, its verdict, and exchanges.") {
                    $0.lines.map(\.json)
                },
                .list("injected", "The exchanges that it changed, the newest of them.") {
                    $0.injected.map { .integer(Int64($0)) }
                },
                .flag("over", "Whether nothing more changes.") { $0.isOver },
                .text("mark", "The test that was under way.", isOptional: true) { $0.mark },
            ]
        )
        EventDefinition(
            "forgotten",
            "An app's session makes room for others. Its tokens would be those of another one.",
            { kind -> ForgottenSession? in
                if case .observed(.forgotten(let forgotten)) = kind { forgotten } else { nil }
            },
            [
                .integer("limit", "How many sessions are followed at a time.") { $0.limit },
                .time("lastUsedAt", "When its tokens were seen last.") { $0.lastUsedAt },
                .flag("hasEnded", "Whether it had ended.") { $0.hasEnded },
            ]
        )
        EventDefinition(
            "omitted",
            "Something is missing in these lines and in the report, since there was too much of it. "
                + "After requests or parts of them, no finding is certain any more.",
            { kind -> Omission? in
                if case .observed(.omitted(let omission)) = kind { omission } else { nil }
            },
            [
                .choice("subject", "What is missing.") { $0.subject },
                .integer("count", "How many there were so far; told within ten seconds.") {
                    $0.count
                },
            ]
        )
        EventDefinition(
            "misdirected",
            "The proxy refused a request with 421, because it named another server.",
            { kind -> MisdirectedRequest? in
                if case .observed(.misdirected(let request)) = kind { request } else { nil }
            },
            [
                .text("host", "The server that it named.") { $0.host },
                .flag("isURL", "Whether its target named it, and not its `Host`.") { $0.isURL },
                .text("option", "What would let it in, if anything does.", isOptional: true) {
                    $0.option
                },
                .integer(
                    "count",
                    "How many requests were refused so far, whatever they named; told within a minute if "
                        + "not at once."
                ) { $0.count },
            ]
        )
    }

    private static let findingNames: [PayloadField<ObservedFinding>] = [
        .integer("number", "The n-th finding of the run; the same each time it happens.") {
            $0.number
        },
        .text("rule", "The name of its rule.") { $0.rule },
        .text("variant", "In which way the rule is broken.", isOptional: true) { $0.variant },
        .choice("severity", "How bad it is.") { $0.severity },
        .choice("confidence", "How sure it is.") { $0.confidence },
        .integer("count", "How often it has happened.") { $0.count },
        .list("exchanges", "The exchanges that prove it.") {
            $0.exchanges.map { .integer(Int64($0)) }
        },
        .list(
            "evidence",
            "What proves it: an exchange, a socket or a token, and its part in it. After the first line "
                + "about it: what is new."
        ) { $0.newEvidence.map(\.json) },
    ]

    private static let findingTexts: [PayloadField<ObservedFinding>] = [
        .text("message", "What went wrong, for a person.") { $0.message },
        .text("remedy", "What to do about it.") { $0.remedy },
        .list("references", "Public issues of the same kind.") {
            $0.references.map(JSONValue.string)
        },
        .text("path", "Where it happens; `:id` stands for what varies.", isOptional: true) {
            $0.path
        },
        .time("firstAt", "When it happened first.") { $0.firstAt.now },
        .text("experiment", "The experiment that caused it.", isOptional: true) {
            $0.experiment
        },
        .text("mark", "The test that was under way.", isOptional: true) { $0.mark },
    ]
}

extension Scorecard.Line {
    fileprivate var json: JSONValue {
        [
            "check": .string(check.rawValue), "verdict": .string(verdict.rawValue),
            "exchanges": .array(exchanges.map { .integer(Int64($0)) }),
        ]
    }
}

extension FindingEvidence {
    fileprivate var json: JSONValue {
        let role = JSONValue.string(role)
        return switch subject {
        case .exchange(let number): ["exchange": .integer(Int64(number)), "role": role]
        case .socket(let number): ["socket": .integer(Int64(number)), "role": role]
        case .token(let fingerprint): ["token": .string(fingerprint.digits), "role": role]
        }
    }
}
