import Basics

extension Metric {
    /// All metrics, in the order of the documentation.
    package static let all: [Metric] = sessions + tokens + renewals + others

    private static let sessions: [Metric] = [
        .ofProfile(
            .gauge,
            "authtop_session_up",
            "Whether every session that authtop holds has an access token that may be used."
        ) { profile in
            guard profile.ownSessions > 0 else { return [] }
            let isUp = profile.usableSessions == profile.ownSessions
            return [MetricPoint([], .integer(isUp ? 1 : 0))]
        },
        .ofProfile(
            .gauge,
            "authtop_sessions_usable",
            "The sessions that authtop holds with an access token that may be used."
        ) { $0.ownSessions > 0 ? [MetricPoint([], .integer($0.usableSessions))] : [] },
        .ofProfile(
            .gauge,
            "authtop_sessions",
            labels: ["state"],
            "The sessions in each state that at least one is in."
        ) { profile in
            profile.states.sorted { $0.key < $1.key }
                .map { MetricPoint([$0.key], .integer($0.value)) }
        },
        .ofProfile(
            .counter,
            "authtop_session_ends",
            labels: ["reason"],
            "Sessions that ended, by the reason."
        ) { profile in
            let own = SignedOutReason.allCases.filter { $0 != .never }.map { reason in
                MetricPoint([reason.rawValue], .integer(profile.counts.ends[reason] ?? 0))
            }
            let observed = ObservedEnd.allCases.map { end in
                MetricPoint([end.rawValue], .integer(profile.counts.observedEnds[end] ?? 0))
            }
            return (profile.ownSessions > 0 ? own : []) + (profile.hasObserved ? observed : [])
        },
        .ofProfile(
            .counter,
            "authtop_logins",
            labels: ["outcome"],
            "Logins, by their outcome."
        ) { profile in
            [MetricPoint([succeeded], .integer(profile.counts.successfulLogins))]
                + RefreshFailure.Class.allCases.map { failure in
                    let count = profile.counts.failedLogins[failure] ?? 0
                    return MetricPoint([failure.rawValue], .integer(count))
                }
        },
    ]

    private static let tokens: [Metric] = [
        .ofProfile(
            .gauge,
            "authtop_access_token_expiration_timestamp_seconds",
            unit: .seconds,
            labels: ["source"],
            "When the first access token in use ends, by how that is known."
        ) { $0.accessEnds.points },
        .ofProfile(
            .gauge,
            "authtop_refresh_token_expiration_timestamp_seconds",
            unit: .seconds,
            labels: ["source"],
            "When the first refresh token in use ends, by how that is known."
        ) { $0.refreshEnds.points },
        .ofProfile(
            .counter,
            "authtop_without_token_seconds",
            unit: .seconds,
            "The time without an access token that may be used, of all sessions that authtop holds."
        ) { $0.ownSessions > 0 ? [MetricPoint([], .number($0.timeWithoutToken))] : [] },
    ]

    private static let renewals: [Metric] = [
        .ofProfile(
            .gauge,
            "authtop_renewal_planned_timestamp_seconds",
            unit: .seconds,
            "When the first timer that is set starts a renewal."
        ) { profile in profile.renewsAt.map { [MetricPoint([], .number($0))] } ?? [] },
        .ofProfile(
            .counter,
            "authtop_renewals",
            labels: ["trigger", "outcome"],
            "Renewals, by what started them and their outcome."
        ) { profile in
            RefreshCause.allCases.flatMap { cause in
                ([nil] + RefreshFailure.Class.allCases).compactMap { failure in
                    profile.point(ProfileMetrics.Renewal(trigger: cause, failure: failure))
                }
            }
        },
        .ofProfile(
            .histogram,
            "authtop_renewal_duration_seconds",
            unit: .seconds,
            "The time from the start of a renewal to its end."
        ) { [MetricPoint([], .histogram($0.counts.durations))] },
        .ofProfile(
            .histogram,
            "authtop_renewal_lateness_seconds",
            unit: .seconds,
            "The time from when the timer of a renewal was due to its start."
        ) { $0.ownSessions > 0 ? [MetricPoint([], .histogram($0.counts.lateness))] : [] },
    ]

    private static let others: [Metric] = [
        .ofProfile(
            .counter,
            "authtop_requests",
            labels: ["outcome"],
            "Requests, by the class of the status; unauthorized is 401."
        ) { profile in
            ProfileMetrics.RequestResult.allCases.map { result in
                MetricPoint([result.rawValue], .integer(profile.counts.requests[result] ?? 0))
            }
        },
        .ofProfile(
            .gauge,
            "authtop_clock_offset_seconds",
            unit: .seconds,
            labels: ["bound"],
            "How far the backend's clock is ahead: at least low, at most high."
        ) { profile in
            guard let offset = profile.counts.serverOffset else { return [] }
            let high = offset.high.map { [MetricPoint(["high"], .number($0))] } ?? []
            return [MetricPoint(["low"], .number(offset.low))] + high
        },
        .ofProfile(.gauge, "authtop_feed_up", "Whether every feed that there is is open.") {
            $0.feeds > 0 ? [MetricPoint([], .integer($0.openFeeds == $0.feeds ? 1 : 0))] : []
        },
        .ofProfile(
            .counter,
            "authtop_feed_messages_lost",
            "Messages of feeds that were missing, by their numbers, when a later one came."
        ) { [MetricPoint([], .integer($0.counts.lostMessages))] },
        .ofProfile(
            .counter,
            "authtop_findings",
            labels: ["rule", "severity", "confidence"],
            "How often something went wrong in an app's traffic, by the rule of the finding."
        ) { profile in
            profile.counts.findings.map { finding, count in
                let labels = [
                    finding.rule, finding.severity.rawValue, finding.confidence.rawValue,
                ]
                return MetricPoint(labels, .integer(count))
            }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        },
        .ofRun(
            .counter,
            "authtop_events_dropped",
            "Events that came too fast to be counted."
        ) { MetricPoint([], .integer($0.droppedEvents)) },
        .ofRun(
            .counter,
            "authtop_unlisted_sessions",
            "Sessions that are counted under the profile other, because there are too many profiles."
        ) { MetricPoint([], .integer($0.unlistedSessions)) },
        .ofRun(
            .counter,
            "authtop_export_items_dropped",
            "Spans and log records that the collector has not accepted."
        ) { MetricPoint([], .integer($0.undelivered)) },
        .ofRun(.info, "authtop_build", labels: ["version"], "The version of authtop.") {
            MetricPoint([$0.version], .integer(1))
        },
    ]

    private static let succeeded = "succeeded"
}

extension MetricsReading.Profile {
    fileprivate var hasObserved: Bool { sessions > ownSessions }

    /// The point of a kind of renewal; one that has not happened has a point, too, if most
    /// renewals are of that kind, so that the first one is seen as an increase.
    fileprivate func point(_ renewal: ProfileMetrics.Renewal) -> MetricPoint? {
        let isUsual =
            ownSessions > 0 && (renewal.trigger == .timer || renewal.trigger == .retry)
            || hasObserved && renewal.trigger == .app
        guard let count = counts.renewals[renewal] ?? (isUsual ? 0 : nil) else { return nil }
        let outcome = renewal.failure?.rawValue ?? "succeeded"
        return MetricPoint([renewal.trigger.label, outcome], .integer(count))
    }
}

extension RefreshCause {
    /// The name in metrics.
    fileprivate var label: String { self == .user ? "user" : rawValue }
}

extension [ExpirySource: Double] {
    fileprivate var points: [MetricPoint] {
        ExpirySource.allCases.compactMap { source in
            self[source].map { MetricPoint([source.label], .number($0)) }
        }
    }
}

extension ExpirySource {
    /// The name in metrics.
    fileprivate var label: String {
        switch self {
        case .lifetime: "expires_in"
        case .cookieMaxAge: "cookie_max_age"
        case .webTokenLifetime: "jwt_lifetime"
        case .webTokenExpiry: "jwt_exp"
        case .timestamp: "timestamp"
        case .cookieExpires: "cookie_expires"
        case .inferredZone: "timestamp_zone_inferred"
        case .assumedZone: "timestamp_read_as_utc"
        case .assumedUnit: "lifetime_read_as_seconds"
        case .assumed: "assumed"
        }
    }
}
