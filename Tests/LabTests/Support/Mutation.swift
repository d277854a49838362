import Testing

@testable import Lab
@testable import Simulation

/// One way of doing it wrong for each promise.
enum Mutation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sendsTwice
    case sendsSpentToken
    case publishesUncommitted
    case mixesPairs
    case skipsJournal
    case clearsOthersJournal
    case repeatsGeneration
    case writesAfterLogout
    case logsOutEverywhere
    case endsOnTransient
    case ignoresRefusal
    case deniesGoodToken
    case usesOldToken
    case renewsTooLate
    case renewsTooOften
    case forgetsTimer
    case answersTwice
    case misreportsRefresh
    case renewsWhenCanceled
    case sendsThirdTime
    case ignoresRetryAfter
    case renamesLoss
    case renewsAfterAdopting
    case skipsProbe
    case followsWallClock
    case tellsToken
    case endsOnFeedRefusal
    case losesMessage
    case appliesTwice
    case forgetsSince
    case keepsOldSocket
    case dialsAtOnce
    case keepsPairAfterLogout
    case announcesLate
    case announcesEarly
    case announcesDuringPause
    case announcesNoBeginning
    case announcesNoRetry
    case announcesLossAsRetry
    case deniesRefreshTokensEnd
    case misnamesReason
    case deniesTimer
    case deniesRenewal

    var testDescription: String { rawValue }

    /// The invariant that must catch it.
    var breaks: Invariant {
        switch self {
        case .sendsTwice: .singleSpend
        case .sendsSpentToken: .noNeedlessRespend
        case .publishesUncommitted: .commitBeforePublish
        case .mixesPairs: .atomicPair
        case .skipsJournal, .clearsOthersJournal: .journal
        case .repeatsGeneration: .generations
        case .writesAfterLogout: .noResurrection
        case .logsOutEverywhere: .noCrossSessionDamage
        case .endsOnTransient: .transientNeverSignsOut
        case .ignoresRefusal: .terminalAlwaysEnds
        case .deniesGoodToken: .drainingUntilExpiry
        case .usesOldToken: .expiredTokenBan
        case .renewsTooLate: .availability
        case .renewsTooOften: .economy
        case .forgetsTimer: .timerLiveness
        case .answersTwice, .misreportsRefresh, .renewsWhenCanceled: .waiters
        case .sendsThirdTime: .refusalDiscipline
        case .ignoresRetryAfter: .retryAfterRespected
        case .renamesLoss: .lostResponse
        case .renewsAfterAdopting: .siblings
        case .skipsProbe: .suspend
        case .followsWallClock: .wallIndependence
        case .tellsToken: .secrets
        case .endsOnFeedRefusal: .separation
        case .losesMessage, .appliesTwice, .forgetsSince, .keepsOldSocket: .feedExactness
        case .dialsAtOnce: .dialDiscipline
        case .keepsPairAfterLogout: .logoutAlwaysWorks
        case .announcesLate, .announcesEarly, .announcesDuringPause,
            .announcesNoBeginning, .announcesNoRetry, .announcesLossAsRetry,
            .deniesRefreshTokensEnd, .misnamesReason, .deniesTimer,
            .deniesRenewal:
            .announcedRenewal
        }
    }

    /// Where it shows, because some promises hold only there; `nil`: everywhere.
    var kind: ScenarioKind? {
        switch self {
        case .renewsTooLate, .renewsTooOften: .healthy
        // Their tokens are short-lived, so most of them have a feed.
        case .losesMessage, .appliesTwice, .forgetsSince, .keepsOldSocket, .dialsAtOnce,
            .endsOnFeedRefusal:
            .impatientUsers
        case .renewsAfterAdopting, .clearsOthersJournal: .siblings
        case .followsWallClock: .clocks
        case .renamesLoss, .ignoresRefusal: .lossWithoutGrace
        case .sendsTwice, .sendsSpentToken, .publishesUncommitted, .mixesPairs, .skipsJournal,
            .repeatsGeneration:
            nil
        case .writesAfterLogout, .logsOutEverywhere, .endsOnTransient, .deniesGoodToken,
            .usesOldToken, .forgetsTimer, .answersTwice, .misreportsRefresh,
            .renewsWhenCanceled,
            .sendsThirdTime, .ignoresRetryAfter, .skipsProbe, .tellsToken,
            .keepsPairAfterLogout, .announcesLate, .announcesEarly, .announcesDuringPause,
            .announcesNoBeginning, .announcesNoRetry, .announcesLossAsRetry,
            .deniesRefreshTokensEnd, .misnamesReason, .deniesTimer,
            .deniesRenewal:
            .storm
        }
    }
}
