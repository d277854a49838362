/// The invariants of the lifecycle, by their numbers in its documentation.
enum Invariant: Int, Sendable, Hashable, CaseIterable {
    case singleSpend = 1
    case noNeedlessRespend = 2
    case commitBeforePublish = 3
    case atomicPair = 4
    case journal = 5
    case generations = 6
    case noResurrection = 7
    case noCrossSessionDamage = 8
    case transientNeverSignsOut = 9
    case terminalAlwaysEnds = 10
    case drainingUntilExpiry = 11
    case expiredTokenBan = 12
    case availability = 13
    case economy = 14
    case timerLiveness = 15
    case waiters = 16
    case refusalDiscipline = 17
    case retryAfterRespected = 18
    case lostResponse = 19
    case siblings = 20
    case suspend = 21
    case wallIndependence = 22
    case secrets = 23
    case feedExactness = 24
    case separation = 25
    case logoutAlwaysWorks = 26
    case announcedRenewal = 27
    case dialDiscipline = 28

    var number: Int { rawValue }
}
