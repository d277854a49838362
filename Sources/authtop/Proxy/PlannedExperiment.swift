import Basics
import Client
import Model
import UI

/// An experiment of the command line, and when it begins: `lose-answer:hang@30s`.
struct PlannedExperiment: Sendable, Equatable {
    let experiment: AppExperiment
    /// Seconds from the start.
    let after: Double

    /// - Throws: `CommandFailure` with what was expected.
    init(parsing text: String) throws(CommandFailure) {
        let parts = text.parts(at: "@", limit: 2, keepsEmpty: true)
        after = try Self.seconds(parts.count > 1 ? String(parts[1]) : "0s", in: text)
        do throws(AppExperimentError) {
            experiment = try AppExperiment(parsing: String(parts[0]))
        } catch {
            throw CommandFailure(.badInput, "--fault \(text.visibleInOneLine): \(error.message)")
        }
    }

    private static func seconds(
        _ text: String,
        in option: String
    ) throws(CommandFailure) -> Double {
        let number = text.ends(with: "s") ? String(text.dropLast()) : text
        guard let seconds = Double(number), (0...86_400).contains(seconds) else {
            throw CommandFailure(
                .badInput,
                "--fault \(option.visibleInOneLine): expected seconds after @, such as @30s"
            )
        }
        return seconds
    }
}

extension AppExperimentError {
    var message: String {
        switch self {
        case .unknown(let name):
            "there is no experiment \"\(name.visibleInOneLine)\": expected one of "
                + AppExperiment.all.map(\.name).joined(separator: ", ")
        case .parameter(let name, nil): "\(name) has no parameter: expected nothing after its name"
        case .parameter(let name, let expected?): "expected \(name):\(expected)"
        }
    }
}
