import ArgumentParser
import Model
import UI

/// Experiments of authtop's own client with the backend.
struct ExperimentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Begin an experiment with the backend as soon as the session has tokens, or a time \
            after that; may be repeated: corrupted-token, replayed-token@30s … (authtop proxy \
            explain).
            """,
            valueName: "name[@after]"
        ),
        completion: .list(Fault.ofClient.map(\.name))
    )
    var fault: [String] = []

    /// Parses the options.
    ///
    /// - Parameter isReadOnly: Whether nothing may be done by hand.
    /// - Returns: The experiments, in the order in which they begin.
    /// - Throws: `CommandFailure` for an unknown one, or if it is forbidden.
    func plan(isReadOnly: Bool) throws(CommandFailure) -> [FaultSetting] {
        guard fault.isEmpty || !isReadOnly else {
            throw CommandFailure(.badInput, "--readonly forbids experiments: leave out --fault")
        }
        return try FaultSetting.plan(parsing: fault, at: .client).sorted { $0.delay < $1.delay }
    }
}

extension FaultSetting {
    /// Parses the values of `--fault`.
    ///
    /// - Parameters:
    ///   - texts: The values.
    ///   - place: Where the faults are to act.
    /// - Returns: The settings, as they were written.
    /// - Throws: `CommandFailure` for one that is unknown, or that begins nothing.
    static func plan(
        parsing texts: [String],
        at place: Fault.Place
    ) throws(CommandFailure) -> [FaultSetting] {
        var plan: [FaultSetting] = []
        for text in texts {
            let name = "--fault \(text.visibleInOneLine)"
            do throws(FaultSettingError) {
                plan.append(try FaultSetting(parsing: text, at: place))
            } catch {
                throw CommandFailure(.badInput, "\(name): \(error)")
            }
            guard plan.last?.state != .off else {
                throw CommandFailure(.badInput, "\(name): expected an experiment to begin")
            }
        }
        return plan
    }
}
