import Foundation
import Testing

@testable import UI

/// Compares a grid with `Screens/NAME.txt`: the characters, `---`, the styles.
///
/// `UPDATE_SCREENS=1` writes the file again, and then fails, so that no run passes unseen.
func expectScreen(
    _ grid: Grid,
    named name: String,
    isUpdating: Bool = isUpdatingScreens,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expectFile(
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Screens/\(name).txt"),
        is: "\(grid.text)\n---\n\(grid.styleText)\n",
        isUpdating: isUpdating,
        sourceLocation: sourceLocation
    )
}

extension Grid {
    /// The styles, a letter a column.
    var styleText: String {
        (0..<rows).map { row in
            (0..<columns).reduce(into: "") { $0.append(self[$1, row].style.rawValue) }
        }.joined(separator: "\n")
    }
}

let isUpdatingScreens = ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1"

/// Compares a drawing with a file, or writes the file as `expectScreen` does.
func expectFile(
    _ file: URL,
    is actual: String,
    isUpdating: Bool = isUpdatingScreens,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let name = file.lastPathComponent
    if isUpdating {
        try Data(actual.utf8).write(to: file)
        Issue.record(
            "\(name) written again: read it, then run again",
            sourceLocation: sourceLocation
        )
        return
    }
    guard let data = try? Data(contentsOf: file) else {
        Issue.record(
            "\(name) is not there: UPDATE_SCREENS=1 writes it",
            sourceLocation: sourceLocation
        )
        return
    }
    let expected = String(decoding: data, as: UTF8.self)
    guard expected != actual else { return }
    Issue.record(
        "\(name) is not what was drawn:\n\(difference(expected, actual))",
        sourceLocation: sourceLocation
    )
}

private func difference(_ expected: String, _ actual: String) -> String {
    let before = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let after = actual.split(separator: "\n", omittingEmptySubsequences: false)
    return (0..<max(before.count, after.count)).compactMap { row in
        let old = row < before.count ? String(before[row]) : "(none)"
        let new = row < after.count ? String(after[row]) : "(none)"
        return old == new ? nil : "row \(row)\n  file  \(old)\n  drawn \(new)"
    }.joined(separator: "\n")
}
