import ArgumentParser
import Client
import Model
import Observer
import Profiles
import UI

struct ProxyExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a rule of the findings or an experiment, or list all."
    )

    @Argument(
        help: ArgumentHelp(
            "The rule, such as race, or the experiment, such as expire.",
            valueName: "name"
        ),
        completion: .list(FindingRule.all.map(\.name) + Fault.ofApp.map(\.name))
    )
    var rule: String?

    func run() throws {
        guard let rule else {
            let width = FindingRule.all.map(\.name.count).max() ?? 0
            for rule in FindingRule.all {
                let severity = rule.severity.rawValue.padded(to: 5)
                let line = "\(rule.name.padded(to: width))  \(severity) \(rule.summary)"
                guard StandardOutput.write(line) else { return }
            }
            for experiment in Fault.ofApp {
                let line =
                    "\(experiment.name.padded(to: width))  fault \(experiment.sentence)"
                guard StandardOutput.write(line) else { return }
            }
            return
        }
        if let experiment = Fault.ofApp.first(where: { $0.name == rule }) {
            let parameter = experiment.notation.map { ":\($0)" } ?? ""
            let lines = [
                "\(experiment.name)\(parameter) (experiment)", "",
                "\(experiment): \(experiment.sentence).",
            ]
            _ = StandardOutput.write(lines.joined(separator: "\n"))
            return
        }
        guard let found = FindingRule.named(rule) else {
            let names = FindingRule.all.map(\.name) + Fault.ofApp.map(\.name)
            let near = NearestKey.of(rule, among: names)
            throw CommandFailure(
                .badInput,
                "there is no rule \"\(rule.inOneLine(limit: 60))\""
                    + (near.map { ": did you mean \($0)?" }
                        ?? ": `authtop proxy explain` lists all of them")
            )
        }
        let references =
            found.references.isEmpty
            ? [] : ["", "The same elsewhere: \(found.references.joined(separator: " "))"]
        let lines =
            ["\(found.name) (\(found.severity.rawValue))", "", found.summary, "", found.remedy]
            + references
        _ = StandardOutput.write(lines.joined(separator: "\n"))
    }
}
