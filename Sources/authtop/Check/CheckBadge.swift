import Observer

/// The policy as an image for a page, in SVG.
struct CheckBadge {
    private static let label = "refresh tokens"
    /// The width of a character and of the margins, in pixels.
    private static let character = 6.6
    private static let margin = 12.0

    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    private var message: String {
        switch report.policy.name {
        case .named(let verdict): verdict.rawValue
        case .possible: "not decided"
        case .inconclusive(.noRefreshToken): "none"
        case .inconclusive: "inconclusive"
        }
    }

    private var color: String {
        if outcomes.contains(where: { $0.outcome == .fails }) { return "#c9302c" }
        let isKnown = report.policy.verdict != nil
        return isKnown && !outcomes.contains { $0.outcome == .unknown } ? "#2a7ab0" : "#777"
    }

    var lines: [String] {
        let left = Self.width(Self.label)
        let right = Self.width(message)
        let whole = left + right
        return [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(whole)\" height=\"20\" "
                + "role=\"img\" aria-label=\"\(Self.label): \(message)\">",
            "<title>\(Self.label): \(message)</title>",
            "<rect width=\"\(left)\" height=\"20\" fill=\"#444\"/>",
            "<rect x=\"\(left)\" width=\"\(right)\" height=\"20\" fill=\"\(color)\"/>",
            "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" "
                + "text-anchor=\"middle\">",
            "<text x=\"\(left / 2)\" y=\"14\">\(Self.label)</text>",
            "<text x=\"\(left + right / 2)\" y=\"14\">\(message)</text>",
            "</g>",
            "</svg>",
        ]
    }

    private static func width(_ text: String) -> Int {
        Int((Double(text.count) * character + margin).rounded())
    }
}
