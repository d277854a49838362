import ArgumentParser

/// Says where the simulation has gone.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "simulate", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws {
        throw CommandFailure(
            .badInput,
            "the simulation is a program of its own: swift run -c release authtop-lab simulate"
        )
    }
}
