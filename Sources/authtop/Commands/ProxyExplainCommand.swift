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
        guard let rule else { return list() }
        if let experiment = Fault.ofApp.first(where: { $0.name == rule }) {
            let parameter = experiment.notation.map { ":\($0)" } ?? ""
            let lines = [
                "\(experiment.name)\(parameter) (experiment)", "",
                "\(experiment): \(experiment.sentence).",
            ]
            return write(lines)
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
        write(lines)
    }

    private func list() {
        let width = FindingRule.all.map(\.name.count).max() ?? 0
        let rules = FindingRule.all.map { ($0.name, $0.severity.rawValue, $0.summary) }
        let experiments = Fault.ofApp.map { ($0.name, "fault", $0.sentence) }
        for (name, kind, text) in rules + experiments {
            let head = "\(name.padded(to: width))  \(kind.padded(to: 5)) "
            guard StandardOutput.write(head + text, wrappedBelow: head.count) else { return }
        }
    }

    private func write(_ lines: [String]) {
        for line in lines where !StandardOutput.write(line, wrappedBelow: 0) { return }
    }
}
