import Basics

/// Renewals, and what decides when they are due.
extension EventSchema {
    static let renewal = list {
        EventDefinition(
            "refreshStarted",
            "A renewal began.",
            { kind -> (flight: Int, cause: RefreshCause, request: Int?)? in
                if case .refreshStarted(let flight, let cause, let request) = kind {
                    (flight, cause, request)
                } else {
                    nil
                }
            },
            [
                .integer("flight", "The n-th renewal of the run.") { $0.flight },
                .choice("cause", "What started it.") { $0.cause },
                .sentence("why", "What started it, for a person.") { $1.text($0.cause) },
                .integer("request", "The exchange that it is sent with.", isOptional: true) {
                    $0.request
                },
            ]
        )
        EventDefinition(
            "refreshSucceeded",
            "A renewal brought a pair of tokens.",
            { kind -> (flight: Int, roundTrip: Duration, leadLeft: Duration, rotated: Bool)? in
                if case .refreshSucceeded(let flight, let roundTrip, let left, let rotated) = kind {
                    (flight, roundTrip, left, rotated)
                } else {
                    nil
                }
            },
            [
                .integer("flight", "The n-th renewal of the run.") { $0.flight },
                .seconds("rtt", "From the request to the whole answer.") {
                    $0.roundTrip.inSeconds
                },
                .seconds(
                    "leadLeft",
                    "What was left of the old access token; negative if it had ended."
                ) { $0.leadLeft.inSeconds },
                .flag("rotated", "Whether the refresh token is a new one.") { $0.rotated },
            ]
        )
        EventDefinition(
            "refreshFailed",
            "A renewal brought no tokens.",
            { kind -> FailedRefresh? in
                if case .refreshFailed(let flight, let failure, let attempt, let nextAt) = kind {
                    FailedRefresh(
                        flight: flight,
                        failure: failure,
                        attempt: attempt,
                        nextAt: nextAt
                    )
                } else {
                    nil
                }
            },
            [.integer("flight", "The n-th renewal of the run.") { $0.flight }]
                + failure { $0.failure } + [
                    .integer("attempt", "Renewals that failed in a row.") { $0.attempt },
                    .time("nextAt", "When the next try is due.", isOptional: true) { $0.nextAt },
                ]
        )
        EventDefinition(
            "renewalPlanned",
            "What renews the pair next is something else than before.",
            { kind -> RenewalPlan? in
                if case .renewalPlanned(let plan) = kind { plan } else { nil }
            },
            plan { $0 }
        )
        EventDefinition(
            "tokenAwaited",
            "Callers or requests wait for an access token, or no longer do.",
            { kind -> Moment?? in
                if case .tokenAwaited(let since) = kind { .some(since) } else { nil }
            },
            [
                .time("since", "Since when the first of them waits.", isOptional: true) { $0?.now }
            ]
        )
        EventDefinition(
            "noProgress",
            "A renewal brought an expiry that is not later than the old one.",
            { kind -> Void? in if case .noProgress = kind { () } else { nil } }
        )
        EventDefinition(
            "graceRecovered",
            "A refresh token was accepted to which an earlier answer is missing.",
            { kind -> MissingAnswer?? in
                if case .graceRecovered(let missing) = kind { .some(missing) } else { nil }
            },
            [.choice("cause", "What had become of that answer.", isOptional: true) { $0 }]
        )
        EventDefinition(
            "circuitBreakerOpened",
            "The backend rejects fresh tokens: renewals are held back.",
            { kind -> Instant? in
                if case .circuitBreakerOpened(let until) = kind { until } else { nil }
            },
            [.time("until", "Until when.") { $0 }]
        )
        EventDefinition(
            "paused",
            "Renewal is paused, or more or less of it than before.",
            { kind -> (extent: PauseExtent, cause: PauseCause)? in
                if case .paused(let extent, let cause) = kind { (extent, cause) } else { nil }
            },
            [
                .choice("by", "Who paused it.") { $0.cause },
                .choice("stops", "What no longer renews; what a person asks for always does.") {
                    $0.extent
                },
            ]
        )
        EventDefinition(
            "resumed",
            "Renewal goes on.",
            { kind -> PauseCause? in if case .resumed(let cause) = kind { cause } else { nil } },
            [.choice("by", "Who had paused it.") { $0 }]
        )
    }

    /// What renews the pair next.
    static func plan<Payload>(
        _ plan: @escaping @Sendable (Payload) -> RenewalPlan
    ) -> [PayloadField<Payload>] {
        [
            .choice("plan", "Whether a timer is set for it.") { plan($0).code },
            .time("renewsAt", "When the timer fires.", isOptional: true) { plan($0).renewsAt },
            .choice("cause", "What the timer was set for.", isOptional: true) { plan($0).reason },
            .time(
                "lockHeldSince",
                "Since when another process is known to hold the lock that it waits for.",
                isOptional: true
            ) { plan($0).lockHeldSince },
            .integer("lockHolder", "The id of that process, if it is known.", isOptional: true) {
                plan($0).lockHolder
            },
            .choice("waitsFor", "What brings it if no time does.", isOptional: true) {
                plan($0).hold
            },
            .choice("reason", "How the session ends if nothing renews it.", isOptional: true) {
                plan($0).ending
            },
            .sentence("message", "The same for a person.") { $1.text(plan($0)) },
        ]
    }

    /// What a failed renewal carries.
    private struct FailedRefresh: Sendable {
        var flight: Int
        var failure: RefreshFailure
        var attempt: Int
        var nextAt: Instant?
    }
}

/// Clocks, expiries and what else lasts.
extension EventSchema {
    static let conditions = list {
        EventDefinition(
            "expiryMismatch",
            "What says when a token ends disagrees.",
            { kind -> (token: TokenKind, readings: [Expiry.Reading])? in
                if case .expiryMismatch(let token, let readings) = kind {
                    (token, readings)
                } else {
                    nil
                }
            },
            [
                .choice("token", "Which of the two tokens.") { $0.token },
                .list("readings", "Each source with the seconds that it gives the token.") {
                    $0.readings.map { reading in
                        [
                            "source": .string(reading.source.rawValue),
                            "seconds": .number(reading.stated),
                        ]
                    }
                },
            ]
        )
        EventDefinition(
            "userChanged",
            "A renewal brought a token of another user.",
            { kind -> UserChange? in
                if case .userChanged(let users) = kind { users } else { nil }
            },
            [
                .text("before", "The user of the pair before.") { $0.before },
                .text("after", "The user now.") { $0.after },
            ]
        )
        EventDefinition(
            "skew",
            "What is known of the backend's clock changed.",
            { kind -> ServerOffset? in if case .skew(let offset) = kind { offset } else { nil } },
            [
                .seconds("offsetLow", "It is ahead of ours by at least this.") { $0.low },
                .seconds(
                    "offsetHigh",
                    "It is ahead of ours by at most this, if something tells how old a `Date` is.",
                    isOptional: true
                ) { $0.high },
            ]
        )
        EventDefinition(
            "wake",
            "The program did not run for a while.",
            { kind -> Interruption? in
                if case .wake(let interruption) = kind { interruption } else { nil }
            },
            [
                .choice(
                    "cause",
                    "Whether the machine was suspended, the process was stopped, or it is unknown which."
                ) { $0.cause },
                .seconds(
                    "late",
                    "For how long: exact if the machine was suspended, at least that otherwise."
                ) { $0.duration.inSeconds },
            ]
        )
        EventDefinition(
            "wallStep",
            "The wall clock was set by more than two seconds.",
            { kind -> Double? in if case .wallStep(let step) = kind { step } else { nil } },
            [.seconds("step", "By how much; negative if it was set back.") { $0 }]
        )
        EventDefinition(
            "probe",
            "After a wake, the backend was asked whether it can be reached.",
            { kind -> Bool? in if case .probe(let reached) = kind { reached } else { nil } },
            [.flag("reached", "Whether it can.") { $0 }]
        )
        EventDefinition(
            "protocolError",
            "The backend answers in a way that the profile does not describe.",
            { kind -> RefreshFailure? in
                if case .protocolError(let failure) = kind { failure } else { nil }
            },
            [
                .choice("cause", "In which way.") { $0.code },
                .sentence("message", "In which way, for a person.") { $1.text($0) },
            ]
        )
        EventDefinition(
            "actionRejected",
            "What a person asked for cannot be done.",
            { kind -> ActionRejection? in
                if case .actionRejected(let rejection) = kind { rejection } else { nil }
            },
            [
                .choice("cause", "Why.") { $0.code },
                .sentence("message", "Why, for a person.") { $1.text($0) },
            ]
        )
        EventDefinition(
            "dropped",
            "Events were lost because their reader was too slow.",
            { kind -> Int? in if case .dropped(let count) = kind { count } else { nil } },
            [.integer("count", "How many.") { $0 }]
        )
    }
}
