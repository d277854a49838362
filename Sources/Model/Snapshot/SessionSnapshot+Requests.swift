import Basics
import Profiles

extension SessionSnapshot {
    mutating func start(_ flight: FlightRecord) {
        flights.insert(flight)
        flightNumber = flight.number
        problems.hasNoProgress = false
    }

    /// Logs the refresh that the flight sends, until the exchange takes its place.
    mutating func logSent(_ number: Int, of session: SessionID) {
        guard let flight, let request = capabilities?.refreshRequest else { return }
        let record = RequestRecord(
            id: number,
            purpose: .refresh,
            method: request.method,
            target: request.target,
            result: .awaited,
            seconds: 0,
            generation: generation,
            fingerprint: current?.pair.refresh?.fingerprint,
            why: .refresh(flight.cause),
            flight: flight.number
        )
        requests.insert(
            LoggedRequest(
                record: record,
                session: session,
                endedAt: flight.startedAt,
                login: login
            )
        )
    }

    mutating func end(_ number: Int, _ outcome: FlightRecord.Outcome) {
        flights.change(number) { $0.outcome = outcome }
        if flightNumber == number { flightNumber = nil }
    }

    mutating func log(_ record: RequestRecord, of session: SessionID, at moment: Moment) {
        var record = record
        evidence.move(from: &record)
        let request = LoggedRequest(
            record: record,
            session: session,
            endedAt: moment,
            login: login
        )
        requests.insert(request)
        reachability.note(record, at: moment)
        if record.status != nil { claimsSandbox = record.claimsSandbox }
        requestCounts.note(record)
        guard !record.why.isExperiment else { return }
        if request.wasTokenRefused {
            let newest = generations.last.map(\.receivedAt.now)
            if record.generation < generation, let newest, newest > request.startedAt.now {
                requests.change(record.id) { $0.issuedAfter = generation }
            } else {
                awaitingPair = awaitingPair.suffix(Self.awaitingLimit - 1) + [record.id]
            }
        }
        if let original = record.retryOf {
            requests.change(original) { $0.repeatedAs = record.id }
        }
        countUse(of: request)
    }

    /// What did not leave has used nothing.
    private mutating func countUse(of request: LoggedRequest) {
        let record = request.record
        guard record.wasSent else { return }
        if record.purpose == .refresh, let fingerprint = record.fingerprint,
            refreshToken?.fingerprint == fingerprint
        {
            refreshToken?.timesSent += 1
        }
        guard record.purpose == .protected, record.generation > 0,
            let number = generations.last(where: {
                $0.login == login && $0.generation == record.generation
            })?.number
        else { return }
        generations.change(number) { generation in
            generation.requests += 1
            let age = request.startedAt.now.seconds(since: generation.pair.issuedAt.now)
            if request.wasTokenRefused {
                generation.refusals += 1
                generation.refusedAge = min(generation.refusedAge ?? age, age)
            } else if let status = record.status, (200..<300).contains(status) {
                generation.acceptedAge = max(generation.acceptedAge ?? age, age)
            }
        }
    }
}
