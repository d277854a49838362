package import Basics
import FoundationEssentials

/// What a monitor reads at one moment.
package struct MetricsReading: Sendable, Equatable {
    /// The sessions of one profile.
    struct Profile: Sendable, Equatable {
        let counts: ProfileMetrics
        var sessions = 0
        /// Those of this program, and those of them with a token that may be used.
        var ownSessions = 0
        var usableSessions = 0
        var states: [String: Int] = [:]
        var timeWithoutToken: Double
        /// The earliest end of a token of this program, by how it is known.
        var accessEnds: [ExpirySource: Double] = [:]
        var refreshEnds: [ExpirySource: Double] = [:]
        /// When the first timer starts a renewal.
        var renewsAt: Double?
        /// The feeds that there are, and those of them that are open.
        var feeds = 0
        var openFeeds = 0
    }

    var profiles: [Profile]
    /// What belongs to no profile, or `nil` in a reading of one profile.
    var run: Run?

    struct Run: Sendable, Equatable {
        var version: String
        var droppedEvents: Int
        var unlistedSessions: Int
        var undelivered: Int
    }

    /// The families that have a point, each with its points.
    package var families: [(metric: Metric, points: [MetricPoint])] {
        Metric.all.compactMap { metric in
            let points = metric.points(in: self)
            return points.isEmpty ? nil : (metric, points)
        }
    }
}

extension MetricsBook {
    /// Reads all profiles.
    ///
    /// - Parameters:
    ///   - version: That of this program.
    ///   - undelivered: The spans and log records that no collector has accepted.
    ///   - moment: The present.
    /// - Returns: The reading.
    package func reading(
        version: String,
        undelivered: Int = 0,
        at moment: Moment
    ) -> MetricsReading {
        let run = MetricsReading.Run(
            version: version,
            droppedEvents: droppedEvents,
            unlistedSessions: unlistedSessions,
            undelivered: undelivered
        )
        return MetricsReading(profiles: readProfiles(at: moment), run: run)
    }

    /// Reads one profile, or returns `nil` if no session of it is counted under its name.
    package func reading(of profile: String, at moment: Moment) -> MetricsReading? {
        let found = readProfiles(at: moment).filter { $0.counts.name == profile }
        return found.isEmpty ? nil : MetricsReading(profiles: found)
    }

    private func readProfiles(at moment: Moment) -> [MetricsReading.Profile] {
        var readings = profiles.map { counts in
            MetricsReading.Profile(counts: counts, timeWithoutToken: counts.timeWithoutToken)
        }
        for session in sessions.values { readings[session.profile].add(session, at: moment) }
        return readings
    }
}

extension MetricsReading.Profile {
    fileprivate mutating func add(_ session: MonitoredSession, at moment: Moment) {
        sessions += 1
        // What an app sends without a token is no session.
        if !session.isObserved || session.state != .cold {
            states[session.state.name, default: 0] += 1
        }
        // An app may have left its session, and nothing is missing then.
        guard !session.isObserved else { return }
        ownSessions += 1
        if session.isUsable(at: moment.now) { usableSessions += 1 }
        timeWithoutToken += session.timeWithoutToken.seconds(at: moment.now)
        if let isOpen = session.isFeedOpen {
            feeds += 1
            if isOpen { openFeeds += 1 }
        }
        guard session.state.isLive else { return }
        Self.add(session.accessExpiry, to: &accessEnds, at: moment)
        Self.add(session.refreshExpiry, to: &refreshEnds, at: moment)
        if let instant = session.renewsAt {
            let time = moment.wallTime(at: instant).timeIntervalSince1970
            renewsAt = min(renewsAt ?? time, time)
        }
    }

    private static func add(
        _ deadline: Deadline?,
        to ends: inout [ExpirySource: Double],
        at moment: Moment
    ) {
        guard let deadline else { return }
        let time = moment.wallTime(at: deadline.statedEnd).timeIntervalSince1970
        ends[deadline.expiry.source, default: .infinity].formMinimum(with: time)
    }
}

extension Double {
    fileprivate mutating func formMinimum(with other: Double) {
        self = min(self, other)
    }
}
