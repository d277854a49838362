import ArgumentParser
import Basics
import FoundationEssentials
import Simulation

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run the lifecycle on virtual clocks under faults, and check every invariant.",
        discussion: """
            Equal arguments give equal results, down to the digest on the last line; progress and \
            speed go to stderr. Exit code 1: an invariant was violated, or, with --complete or from a \
            million rotations on, something that can happen never did.
            """
    )

    @Option(help: "A number, or a commit's hash, of which 16 digits are used; random by default.")
    var seed: SeedArgument?

    @Option(help: "The minimum number of simulated systems, each with its own seed.")
    var seeds: Int?

    @Option(help: "The minimum number of rotations; 10000 if no other limit is given.")
    var rotations: Int?

    @Option(name: .customLong("for"), help: "Stop after this time, such as 60s.")
    var duration: RunTime?

    @Option(help: "The number of parallel systems; default: one per core. No effect on results.")
    var jobs: Int?

    @Option(help: "What to leave out, comma-separated: faults, or \(Self.features).")
    var without: String?

    @Flag(
        name: .customLong("bystander"),
        help: """
            Read the traffic as `authtop proxy` would, and fail if it finds a mistake of a client; \
            invariants are not checked.
            """
    )
    var passiveObserver = false

    @Flag(help: "Fail unless every fault, transition and check was seen.")
    var complete = false

    /// The number of rotations from which everything must have occurred.
    static let enough = 1_000_000

    private static var features: String {
        ScenarioFeature.all.filter { if case .fault = $0 { false } else { true } }.map(\.name)
            .joined(separator: ", ")
    }

    func validate() throws {
        for (name, value) in [("seeds", seeds), ("rotations", rotations)] {
            if let value, value < 1 {
                throw ValidationError("--\(name) \(value): expected 1 or more")
            }
        }
        if let jobs, !(1...1_024).contains(jobs) {
            throw ValidationError("--jobs \(jobs): expected 1 to 1024")
        }
        _ = try leftOut()
    }

    private func leftOut() throws -> [ScenarioFeature] {
        try (without ?? "").parts(at: ",").map { name in
            if let known = ScenarioFeature(name: String(name)) { return known }
            let names = ScenarioFeature.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--without \(name): expected any of \(names)")
        }
    }

    func run() async throws {
        let time = LiveTimekeeper()
        let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        let seed = seed?.seed ?? LabEnvironment.randomSeed()
        let isOpen = duration != nil && rotations == nil
        let plan = SimulationRun(
            seed: seed.value,
            seeds: seeds ?? (isOpen ? .max : 1),
            rotations: rotations ?? (seeds == nil && !isOpen ? 10_000 : 0),
            without: try leftOut(),
            hasPassiveObserver: passiveObserver
        )
        printResult(seed.opening)
        var watch = SimulationWatch(time: time, limit: duration?.seconds)
        var report = await plan.run(jobs: jobs) { watch.goesOn($0) }
        watch.logSpeed(of: report, jobs: jobs)
        if let violation = report.violation {
            printProgress("an invariant is violated: removing what it does not depend on")
            report.violation = plan.shrunk(violation)
        }
        try show(report, plan)
    }

    private func show(_ report: SimulationReport, _ plan: SimulationRun) throws {
        var lines = report.lines
        let missing = report.rarer(than: 1).map(\.name)
        let mustBeComplete = complete || report.rotations >= Self.enough && !passiveObserver
        if report.violation == nil, mustBeComplete, !missing.isEmpty {
            lines.append("✗ never seen: \(missing.joined(separator: ", "))")
        }
        if duration != nil { lines.append("the same again: \(plan.again(report))") }
        for line in lines { printResult(line) }
        guard report.passiveObserver?.ofClients.isEmpty ?? true else { throw ExitCode(1) }
        guard report.violation == nil, missing.isEmpty || !mustBeComplete else { throw ExitCode(1) }
    }
}

/// Reports the progress of a simulation on stderr, at most once per second, and whether its time is
/// over.
struct SimulationWatch {
    private let time: any Timekeeper
    private let began: Instant
    private let end: Instant?
    private var nextLine: Instant

    /// - Parameters:
    ///   - time: The clock.
    ///   - limit: The time limit in seconds, or `nil` if only the run's own targets count.
    init(time: any Timekeeper, limit: Double?) {
        self.time = time
        began = time.now
        end = limit.map(began.advanced(bySeconds:))
        nextLine = began.advanced(bySeconds: 1)
    }

    mutating func goesOn(_ report: SimulationReport) -> Bool {
        let now = time.now
        if now >= nextLine {
            nextLine = now.advanced(bySeconds: 1)
            printProgress(
                "\(Int(now.seconds(since: began))) s: \(report.seeds) systems, "
                    + "\(report.rotations) rotations"
            )
        }
        return end.map { now < $0 } ?? true
    }

    func logSpeed(of report: SimulationReport, jobs: Int) {
        let seconds = time.now.seconds(since: began)
        let rate = Int(Double(report.steps) / max(seconds, 0.001))
        let tenths = (seconds * 10).rounded() / 10
        printProgress("\(tenths) s, \(rate) steps/s, \(jobs) at a time")
    }
}
