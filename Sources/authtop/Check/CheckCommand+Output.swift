import Basics
import Observer
import Platform
import Profiles

/// The report as it was asked for, and what else the command writes.
extension CheckCommand {
    func write(_ lines: [String]) {
        let indent = isForProgram ? nil : CheckRows.textColumn
        for line in lines where !StandardOutput.write(line, wrappedBelow: indent) { return }
    }

    func print(
        _ report: CheckReport,
        of chosen: ChosenProfile,
        _ requirements: CheckRequirements
    ) throws {
        if let failure = report.failure {
            throw CheckText.failure(failure, profile: chosen.name)
        }
        let outcomes = requirements.outcomes(in: report, dialect: chosen.dialect.name)
        write(lines(report, of: chosen, outcomes))
        if let writtenProfile { try write(report, to: writtenProfile) }
        if let failed = outcomes.first(where: { $0.outcome == .fails }) {
            throw CommandFailure(.notSo, "\(chosen.name): \(failed.name) does not hold")
        }
        if let unknown = outcomes.first(where: { $0.outcome == .unknown }) {
            throw CommandFailure(.unreachable, "\(chosen.name): \(unknown.name) is not decided")
        }
        if let answer = report.unanswered {
            let text = ExchangeText.text(answer)
            throw CommandFailure(.unreachable, "\(chosen.name): the policy is not decided: \(text)")
        }
    }

    func lines(
        _ report: CheckReport,
        of chosen: ChosenProfile,
        _ outcomes: [CheckRequirements.Outcome]
    ) -> [String] {
        if badge { return CheckBadge(report: report, outcomes: outcomes).lines }
        if json {
            let object = CheckJSON(report: report, outcomes: outcomes)
                .object(profile: chosen.name, baseURL: chosen.origin.description)
            return [object.serialized]
        }
        let title = "authtop check of \(chosen.name)"
        if junit { return CheckJUnit(title: title, report: report, outcomes: outcomes).lines }
        if sarif {
            return [CheckSARIF(report: report, outcomes: outcomes).document.object.serialized]
        }
        if markdown {
            return CheckMarkdown(title: title, report: report, outcomes: outcomes).lines
        }
        return CheckText(report: report, showsExchanges: exchanges).lines
            + outcomes.map { CheckText.line($0) }
    }

    /// Fails before anything is sent if the profile cannot be written.
    func checkFree(_ name: String, in environment: LiveEnvironment) throws {
        guard !environment.catalogue.entries.contains(where: { $0.name == name }) else {
            throw CommandFailure(
                .badInput,
                "--write-profile \(name): there is such a profile, which was not changed"
            )
        }
    }

    private func write(_ report: CheckReport, to name: String) throws {
        let folder = try LiveEnvironment().catalogue.folder.get()
        let path = "\(folder)/\(name).toml"
        let finding = FoundProfile(name: name, extended: profile ?? "", policy: report.policy)
        guard let text = finding.text(baseURL: connection.baseURL) else {
            throw CommandFailure(.unreachable, "--write-profile: the policy is not decided")
        }
        try PrivateFile(path: path).create(text, makingFolder: true)
        StandardError.write("wrote \(path): authtop sandbox --like \(name) behaves like it")
    }
}
