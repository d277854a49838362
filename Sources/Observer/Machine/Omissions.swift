import Basics
import Model

/// Limits the reports of something that may happen all the time: at once, and then after waits that
/// double while it goes on.
struct ReportThrottle: Sendable {
    /// The shortest wait, in seconds.
    private static let shortest = 1.0
    /// The longest wait, in seconds.
    private let longest: Double
    private var wait = shortest
    /// Until when nothing is told.
    private var nextAt: Instant?
    /// When what is held back is told, or `nil` if nothing is.
    private(set) var due: Instant?

    init(longest: Double) {
        self.longest = longest
    }

    /// Returns whether something that has just happened is told now; it is due later if not.
    mutating func shouldReport(at now: Instant) -> Bool {
        if let nextAt, now < nextAt {
            due = nextAt
            return false
        }
        let isOften = nextAt.map { now.seconds(since: $0) <= longest } ?? false
        wait = isOften ? min(2 * wait, longest) : Self.shortest
        nextAt = now.advanced(bySeconds: wait)
        due = nil
        return true
    }

    /// Returns whether what is held back is told now.
    mutating func flush(at now: Instant, isLast: Bool) -> Bool {
        guard let due, isLast || due <= now else { return false }
        if isLast { nextAt = nil }
        return shouldReport(at: now)
    }
}

/// The numbers of parts that were left out, and of those that have been reported.
struct Omissions: Sendable {
    private var counts: [Omission.Subject: Int] = [:]
    private var paces: [Omission.Subject: ReportThrottle] = [:]

    /// - Returns: The report that is due now, or `nil` if it may wait.
    mutating func record(_ subject: Omission.Subject, count: Int, at now: Instant) -> Omission? {
        guard count > 0 else { return nil }
        counts[subject, default: 0] += count
        let isTold = paces[subject, default: ReportThrottle(longest: 10)].shouldReport(at: now)
        return isTold ? omission(subject) : nil
    }

    /// Returns what was held back and is to be told now; all of it if it is the last time.
    mutating func flush(at now: Instant, isLast: Bool = false) -> [Omission] {
        Omission.Subject.allCases.compactMap { subject in
            paces[subject]?.flush(at: now, isLast: isLast) == true ? omission(subject) : nil
        }
    }

    var due: Instant? { paces.values.compactMap(\.due).min() }

    var all: [Omission] { Omission.Subject.allCases.compactMap(omission) }

    /// Whether something passed that was not read, so that nothing follows from what was not seen.
    var isTrafficIncomplete: Bool {
        [.requests, .parts, .entries].contains { counts[$0] != nil }
    }

    private func omission(_ subject: Omission.Subject) -> Omission? {
        counts[subject].map { Omission(subject, count: $0) }
    }
}

/// The requests that were refused because they named another server, and what of them has been told.
struct MisdirectedRequests: Sendable {
    /// The number of hosts that are held back.
    private static let limit = 8

    private var count = 0
    /// The last one.
    private(set) var newest: MisdirectedRequest?
    /// One for each host.
    private var held: [MisdirectedRequest] = []
    private var pace = ReportThrottle(longest: 60)

    /// - Returns: The report that is due now, if it may not wait.
    mutating func record(_ request: MisdirectedRequest, at now: Instant) -> MisdirectedRequest? {
        count += 1
        var request = request
        request.count = count
        newest = request
        guard pace.shouldReport(at: now) else {
            let place = held.firstIndex { $0.host == request.host && $0.isURL == request.isURL }
            if let place { held.remove(at: place) }
            if held.count < Self.limit { held.append(request) }
            return nil
        }
        held.removeAll { $0.host == request.host && $0.isURL == request.isURL }
        // Its number is the newest one; the others are told with it.
        return request
    }

    /// Returns what was held back and is to be told now; all of it if it is the last time.
    mutating func flush(at now: Instant, isLast: Bool = false) -> [MisdirectedRequest] {
        guard pace.flush(at: now, isLast: isLast) else { return [] }
        defer { held = [] }
        return held.map { request in
            var request = request
            request.count = count
            return request
        }
    }

    var due: Instant? { pace.due }
}

/// The reports of both.
extension ObservationMachine {
    mutating func omit(_ subject: Omission.Subject, _ count: Int, at moment: Moment) {
        guard let omission = omissions.record(subject, count: count, at: moment.now) else { return }
        emit(omission, of: nil, at: moment)
    }

    mutating func recordRefusal(of request: MisdirectedRequest, at moment: Moment) {
        guard let request = misdirected.record(request, at: moment.now) else { return }
        emit(request, of: nil, at: moment)
    }

    mutating func reportDue(at moment: Moment, isLast: Bool = false) {
        for omission in omissions.flush(at: moment.now, isLast: isLast) {
            emit(omission, of: nil, at: moment)
        }
        for request in misdirected.flush(at: moment.now, isLast: isLast) {
            emit(request, of: nil, at: moment)
        }
    }
}
