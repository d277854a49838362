import Basics
import Client
import Model

/// The result of a run in 64 bits: equal seeds give equal digests, or the simulation has a bug.
///
/// FNV-1a over words (Fowler, Noll and Vo), because the standard library's hasher differs between
/// processes on purpose.
struct Digest: Sendable, Equatable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    mutating func add(_ number: Int) {
        add(UInt64(bitPattern: Int64(number)))
    }

    mutating func add(_ other: Digest) {
        add(other.value)
    }

    mutating func add(
        _ process: Int,
        _ input: SessionInput,
        _ effects: Int,
        _ state: SessionState,
        at now: Instant
    ) {
        add(UInt64(bitPattern: now.nanoseconds))
        add(process << 32 | effects << 16 | state.ordinal << 8 | input.ordinal)
    }

    /// 16 hexadecimal digits.
    var text: String { value.hexadecimal }
}

extension SessionState {
    var ordinal: Int {
        switch self {
        case .cold: 0
        case .vaultUnavailable: 1
        case .signedOut: 2
        case .signingIn: 3
        case .fresh: 4
        case .renewing: 5
        case .retrying: 6
        case .blocked: 7
        case .expired: 8
        case .unknown: 9
        case .draining: 10
        case .signingOut: 11
        }
    }
}

extension SessionInput {
    var ordinal: Int {
        switch self {
        case .start: 0
        case .tick: 1
        case .logIn: 2
        case .logOut: 3
        case .refreshNow: 4
        case .setPaused: 5
        case .tryVault: 6
        case .sendRequest: 7
        case .tokenNeeded: 8
        case .waiterCancelled: 9
        case .feedRejected: 10
        case .recordLoaded: 11
        case .flightLocked: 12
        case .committed: 13
        case .loginEnded: 14
        case .refreshEnded: 15
        case .protectedEnded: 16
        case .revocationEnded: 17
        case .probed: 18
        case .vaultChanged: 19
        case .feed: 20
        case .vaultChecked: 21
        case .requestCancelled: 22
        case .experiment: 23
        case .clockShifted: 24
        case .faultsObserved: 25
        case .cancelLogIn: 26
        case .authorizationPrompted: 27
        case .authorizationStrayed: 28
        case .introspect: 31
        case .questionEnded: 32
        case .authorizationEnded: 29
        case .flightLockHeld: 30
        case .deviceAuthorized: 31
        case .perform: 33
        case .callerCancelled: 34
        case .profileEdited: 35
        case .authorizationPushed: 36
        case .flightRefused: 37
        case .served: 38
        }
    }
}
