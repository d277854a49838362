import ArgumentParser

/// Files that findings are written to at the end, in forms that other programs read.
struct ReportFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write the findings as JUnit's XML at the end.", valueName: "file"),
        completion: .file()
    )
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Write the findings as SARIF at the end, for a page of code scanning.",
            valueName: "file"
        ),
        completion: .file()
    )
    var sarif: String?

    /// Whether no file is named.
    var isEmpty: Bool { forms.isEmpty }

    private typealias Text = (FindingsReport, FindingsReport.Limit) -> String

    /// The named files, each with what is written to it.
    private var forms: [(file: PrivateFile, text: Text)] {
        let named: [(path: String?, option: String, text: Text)] = [
            (junit, "--junit", { JUnitReport(report: $0, limit: $1).text }),
            (sarif, "--sarif", { report, _ in SARIFReport(report: report).document.text }),
        ]
        return named.compactMap { path, option, text in
            path.map { (PrivateFile(path: $0, option: option), text) }
        }
    }

    /// Finds out before a run whether the files can be written at its end.
    func check() throws(CommandFailure) {
        for form in forms { try form.file.check(replaces: true) }
    }

    /// Writes the files, each regardless of the others.
    ///
    /// - Parameters:
    ///   - report: The findings of the run.
    ///   - limit: Which findings are failures.
    /// - Returns: Why files could not be written.
    func write(_ report: FindingsReport, limit: FindingsReport.Limit) -> [CommandFailure] {
        var failures: [CommandFailure] = []
        for form in forms {
            failures.collect { () throws(CommandFailure) in
                try form.file.replace(with: form.text(report, limit))
            }
        }
        return failures
    }
}
