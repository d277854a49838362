import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Client

/// The steps of most tests.
extension MachineHarness {
    /// A viewModel whose session has just been opened.
    static func signedIn(
        configuration: SessionConfiguration = .testing(),
        seed: UInt64 = 1,
        _ change: (inout ScriptedBackend) -> Void = { _ in }
    ) -> MachineHarness {
        let harness = MachineHarness(configuration: configuration, seed: seed)
        change(&harness.backend)
        harness.send(.start)
        harness.advance(harness.backend.roundTrip)
        return harness
    }

    /// Starts without a stored session and without a login.
    static func signedOut() -> MachineHarness {
        let harness = MachineHarness(configuration: .testing(logInAtStart: false))
        harness.send(.start)
        harness.settle()
        return harness
    }

    /// To the instant at which the renewal is due, and through what follows at once.
    func advanceToSoft() {
        guard let refreshAt = machine.schedule?.refreshAt else { return }
        advance(refreshAt.seconds(since: moment.now))
    }

    /// To the instant from which the access token may no longer be used.
    func advanceToHard() {
        guard let usableUntil = machine.schedule?.usableUntil else { return }
        advance(usableUntil.seconds(since: moment.now))
    }

    /// Sends a protected request whose caller waits this many seconds.
    func request(_ id: Int, timeout: Double = 20) {
        let deadline = moment.now.advanced(bySeconds: timeout)
        send(.sendRequest(id: id, why: .user, deadline: deadline))
    }

    /// Performs an action, and returns its result, or `nil` if there is none within this many
    /// seconds.
    func perform(_ action: SessionAction, within seconds: Double = 10) -> ActionResult? {
        lastCaller += 1
        let caller = lastCaller
        send(.perform(action, caller: caller))
        if results[caller] == nil { advance(seconds) }
        return results[caller]?.first
    }

    func needToken(_ waiter: Int, inPlaceOf refused: AccessToken? = nil, timeout: Double = 20) {
        let deadline = moment.now.advanced(bySeconds: timeout)
        send(.tokenNeeded(waiter: waiter, deadline: deadline, refused: refused))
    }

    /// Another process renews with the token that the vault holds, and stores the new pair.
    func siblingRenews() {
        let time = MachineHarness.epoch + now
        guard var record = vault.record, let pair = record.pair, let token = pair.tokens.refresh,
            let issued = backend.renewElsewhere(token, at: time)
        else { return }
        record.pair = PairRecord(
            generation: pair.generation + 1,
            tokens: TokenPair(access: issued.access, refresh: issued.refresh ?? token),
            times: PairTimes(
                issuedAt: moment.wall,
                refreshIssuedAt: moment.wall,
                access: .weighing(issued.accessEvidence, sentAt: moment.wall, offset: nil),
                refresh: .weighing(issued.refreshEvidence, sentAt: moment.wall, offset: nil)
            ),
            statements: pair.statements
        )
        record.journal = nil
        vault.record = record
    }

    /// Another process opens a new session in the place of this one.
    func siblingLogsIn(as subject: String?) {
        siblingRenews()
        vault.record?.family = "another family"
        vault.record?.epoch += 1
        vault.record?.pair?.generation = 1
        vault.record?.pair?.statements.subject = subject
    }

    /// Another process ends the session: the tombstone stays.
    ///
    /// - Parameter reason: Why, or `nil` for a record that does not say.
    func siblingEnds(_ reason: SignedOutReason?) {
        let family = vault.record?.family ?? ""
        vault.record?.ending = reason.map {
            StoredEnding(family: family, reason: $0, endedAt: moment.wall)
        }
        vault.record?.pair = nil
        vault.record?.family = ""
        vault.record?.epoch += 1
    }

    /// From a fresh session to another situation; fails the test when it does not come to it.
    func bring(to name: String) {
        switch name {
        case "renewing", "blocked": backend.roundTrip = 15
        case "retrying": backend.refreshFaults = [.status(503)]
        case "unknown": backend.refreshFaults = Array(repeating: .lostRequest, count: 3)
        case "expired": backend.isUnreachable = true
        case "draining": backend.refreshFaults = [.refused]
        case "paused": send(.setPaused(.timer))
        case "unsaved":
            advanceToSoft()
            vault.writeProblem = VaultProblem(message: "disk full")
        case "probing":
            sleep(100)
            return send(.tick)
        default: break
        }
        switch name {
        case "fresh", "paused": advance(5)
        case "unsaved": advance(0.3)
        default: advance(until: { $0.state.name == name })
        }
    }

    /// Stops the process and starts another one on the same vault and backend.
    func restarted(
        after seconds: Double = 1,
        wallStep: Double = 0,
        configuration: SessionConfiguration = .testing()
    ) -> MachineHarness {
        let next = MachineHarness(configuration: configuration, seed: 2)
        next.backend = backend
        next.vault = ScriptedVault(record: vault.record)
        next.sleep(now + seconds)
        next.stepWall(wallStep)
        next.send(.start)
        next.settle()
        return next
    }
}

extension MachineHarness {
    /// Stops the process and starts another one that cannot read the vault.
    func lockedRestart() -> MachineHarness {
        let next = MachineHarness(seed: 2)
        next.backend = backend
        next.vault = ScriptedVault(
            record: vault.record,
            readProblem: VaultProblem(.locked, message: "locked")
        )
        next.sleep(now + 1)
        next.send(.start)
        next.settle()
        return next
    }
}

extension SessionConfiguration {
    static func testing(
        rotation: Rotation = .always,
        logouts: Set<LogoutScope> = [.this, .everywhere],
        hasRefreshToken: Bool = true,
        refreshSlides: Bool = true,
        spendsUnreplaced: Bool = false,
        renewsByLogin: Bool = false,
        logInAtStart: Bool = true,
        lead: Double? = nil,
        giveUpAfter: Int? = nil,
        attempts: Int? = nil,
        renewsBeforeUse: Bool = false,
        renewsUnstated: Bool = false,
        refusalEnds: Bool = false,
        allowsUserChange: Bool = false,
        refreshNamesScope: Bool = false,
        secondRefusalEnds: Bool = false,
        logoutNeeds: [LogoutScope: LogoutNeeds]? = nil,
        questions: [TokenQuestion] = [],
        captures: [CaptureReference] = []
    ) -> SessionConfiguration {
        SessionConfiguration(
            profile: "acme",
            capabilities: .testing(rotation: rotation, logouts: logouts, questions: questions),
            rotation: rotation,
            hasRefreshToken: hasRefreshToken,
            refreshSlides: refreshSlides,
            spendsUnreplaced: spendsUnreplaced,
            renewsByLogin: renewsByLogin,
            logInAtStart: logInAtStart,
            renewal: RenewalPolicy(leadOverride: lead),
            giveUpAfter: giveUpAfter,
            attempts: attempts,
            renewsBeforeUse: renewsBeforeUse,
            renewsUnstated: renewsUnstated,
            refusalEnds: refusalEnds,
            allowsUserChange: allowsUserChange,
            refreshNamesScope: refreshNamesScope,
            secondRefusalEnds: secondRefusalEnds,
            logoutNeeds: logoutNeeds
                ?? Dictionary(
                    uniqueKeysWithValues: logouts.map {
                        ($0, LogoutNeeds(refresh: true, access: $0 == .everywhere))
                    }
                ),
            captures: captures,
            feed: FeedConfiguration(following: .overlap, asksSince: false)
        )
    }
}

extension Capabilities {
    static func testing(
        rotation: Rotation = .always,
        logouts: Set<LogoutScope> = [.this, .everywhere],
        questions: [TokenQuestion] = []
    ) -> Capabilities {
        Capabilities(
            dialect: "acme",
            title: "Acme",
            baseURL: "http://127.0.0.1:8787",
            rotation: rotation,
            logoutScopes: logouts,
            hasFeed: true,
            hasProtectedRequest: true,
            vault: "memory",
            requestEvery: 2,
            questions: questions
        )
    }
}

extension Fingerprinter {
    static let testing = Fingerprinter(salt: Array(repeating: 7, count: 16))
}
