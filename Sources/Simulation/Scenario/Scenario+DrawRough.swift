import Backend
import Basics
import Model
import Profiles

/// Simulated systems in which only the promises without conditions hold.
extension Scenario {
    mutating func drawStorm(_ random: inout SeededGenerator) {
        drawOddities(&random)
        hasRefreshToken = Int.random(in: 0..<24, using: &random) > 0
        renewsByLogin = !hasRefreshToken && Bool.random(using: &random)
        hasTwoSubjects = Int.random(in: 0..<4, using: &random) == 0
        transit = 0.005...random.uniform(0.05...3)
        exchangeFaults = [0, 0.02, 0.1, 0.3].drawn(&random)
        faults = Fault.ofExchanges
        kills = [0, 0, 0.002, 0.02].drawn(&random)
        vaultFaults = [0, 0, 0.01, 0.1].drawn(&random)
        vaultWrite = 0.0002...[0.005, 0.1, 2].drawn(&random)
        if Int.random(in: 0..<4, using: &random) == 0 { vaultNotice = nil }
        let pace = accessLifetime * random.uniform(1...10)
        betweenSuspends = [nil, pace, 5 * pace].drawn(&random)
        betweenWallSteps = [nil, 5 * pace].drawn(&random)
        betweenOutages = [nil, 5 * pace, 20 * pace].drawn(&random)
        outage = 0.5...max(10, min(7_200, 2 * accessLifetime))
        betweenUserActions = [nil, pace / 4, pace].drawn(&random)
    }

    /// A backend that has one thing wrong with it, and clients that keep asking.
    mutating func drawRepeatedFault(_ random: inout SeededGenerator) {
        drawOddities(&random)
        // Some endings come only of one fault many times in a row.
        faults = [[.unauthorized], [.notFound], [.rateLimit], Fault.ofExchanges].drawn(&random)
        faults = [faults.drawn(&random)]
        exchangeFaults = [0.3, 0.6, 0.9].drawn(&random)
        accessLifetime = random.logUniform(1...3_600)
        refreshLifetime = max(refreshLifetime, 4 * accessLifetime)
        transit = 0.005...0.3
        betweenRequests = random.uniform(0.5...3)
        betweenCalls = accessLifetime * random.uniform(0.3...3)
        kills = [0, 0, 0.002].drawn(&random)
        stepLimit = 30_000
    }

    /// Log in, log out, renew, pause, and all of it again before the first answer is there.
    mutating func drawImpatientUsers(_ random: inout SeededGenerator) {
        drawOddities(&random)
        accessLifetime = random.logUniform(1...120)
        refreshLifetime = accessLifetime * random.uniform(1...8)
        transit = 0.05...random.uniform(0.5...3)
        exchangeFaults = [0, 0.1, 0.3].drawn(&random)
        faults = Fault.ofExchanges
        kills = [0, 0.01].drawn(&random)
        if Bool.random(using: &random) { giveUpAfter = Int.random(in: 2...4, using: &random) }
        betweenUserActions = random.uniform(0.5...5)
        betweenOutages = random.uniform(15...100)
        outage = 5...max(20, 3 * accessLifetime)
        betweenRequests = accessLifetime * random.uniform(0.3...3)
        betweenCalls = betweenRequests
        stepLimit = 30_000
    }

    /// Draws a computer that is often suspended during a renewal, and wakes without a network.
    mutating func drawFrequentSleep(_ random: inout SeededGenerator) {
        drawOddities(&random)
        accessLifetime = random.logUniform(1...86_400)
        refreshLifetime = max(refreshLifetime, random.uniform(4...40) * accessLifetime)
        transit = 0.01...random.uniform(0.1...1)
        betweenSuspends = accessLifetime * random.uniform(0.5...3)
        outageAfterSleep = 0.5
        outage = 0.5...20
        kills = [0, 0.01].drawn(&random)
        exchangeFaults = [0, 0.05].drawn(&random)
        faults = Fault.ofExchanges
        betweenRequests = accessLifetime * random.uniform(0.3...3)
        betweenCalls = betweenRequests
    }

    /// Draws the properties in which backends and profiles differ.
    private mutating func drawOddities(_ random: inout SeededGenerator) {
        evidence = Evidence.allCases.drawn(&random)
        refreshIsStated = Bool.random(using: &random)
        if Int.random(in: 0..<12, using: &random) == 0 { behavior = .consumes }
        if behavior == .consumes { rotation = .maybe }
        if Int.random(in: 0..<3, using: &random) == 0 {
            giveUpAfter = Int.random(in: 2...6, using: &random)
        }
        logoutScopes = [.this, .everywhere]
    }
}
