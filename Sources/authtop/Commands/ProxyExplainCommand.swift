import ArgumentParser
import Basics
import Client
import Model
import Observer
import Profiles
import UI

struct ProxyExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a rule of the findings or a fault, or list all."
    )

    @Argument(
        help: ArgumentHelp(
            "The rule, such as race, or the fault, such as expire.",
            valueName: "name"
        ),
        completion: .list(ProxyExplainCommand.names)
    )
    var rule: String?

    func run() throws {
        guard let rule = rule.map({ String($0.part(before: ":")) }) else { return list() }
        if let fault = Fault.all.first(where: { $0.names.contains(rule) }) {
            return write(Self.lines(fault))
        }
        guard let found = FindingRule.named(rule) else {
            let near = NearestKey.of(rule, among: Self.names)
            throw CommandFailure(
                .badInput,
                "there is no rule and no fault \"\(rule.inOneLine(limit: 60))\""
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

    private static let names = FindingRule.all.map(\.name) + Fault.all.flatMap(\.names)

    /// What a fault is in each place where it can act.
    private static func lines(_ fault: Fault) -> [String] {
        fault.places.map { fault.at($0) }.flatMap { fault -> [String] in
            let parameter = fault.notation.map { ":\($0)" } ?? ""
            let checks = fault.checks.map { "  expected: \(ScorecardText.text($0))" }
            return ["\(fault.name)\(parameter) (\(fault.place.summary))", ""]
                + ["\(fault): \(fault.sentence)."] + checks + [""]
        }
        .dropLast()
    }

    private static func others(_ fault: Fault) -> String {
        let names = fault.names.filter { $0 != fault.name }
        return names.isEmpty ? "" : " (also \(names.joined(separator: ", ")))"
    }

    private func list() {
        let rules = FindingRule.all.map { ($0.name, $0.severity.rawValue, $0.summary) }
        let faults = Fault.all.map { fault in
            // What it does to an app, if it can; its other names are those of its other places.
            (fault.name, "fault", fault.at(.app).sentence + Self.others(fault))
        }
        let entries = rules + faults
        let width = entries.map(\.0.count).max() ?? 0
        let kindWidth = entries.map(\.1.count).max() ?? 0
        for (name, kind, text) in entries {
            let head = "\(name.padded(to: width))  \(kind.padded(to: kindWidth))  "
            guard StandardOutput.write(head + text, wrappedBelow: head.count) else { return }
        }
    }

    private func write(_ lines: [String]) {
        for line in lines where !StandardOutput.write(line, wrappedBelow: 0) { return }
    }
}

extension FindingRule {
    /// What is wrong with a name in the place of a rule's, as a part of a sentence.
    static func problem(withName name: String) -> String {
        let shown = name.inOneLine(limit: 60)
        guard let fault = Fault.all.first(where: { $0.names.contains(name) }) else {
            return "there is no rule \"\(shown)\""
        }
        return "\"\(shown)\" is a fault (authtop proxy explain \(fault.name)), and no rule"
    }
}

extension Fault.Place {
    fileprivate var summary: String {
        switch self {
        case .backend: "fault of the sandbox"
        case .client: "experiment with a backend"
        case .app: "experiment with an app"
        }
    }
}
