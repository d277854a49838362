extension FindingRule {
    /// All rules, the ones that public issues show most first.
    package static let all: [FindingRule] = [
        .race, .spentRefresh, .loop401, .staleToken, .deadRefreshLoop,
    ]

    package static func named(_ name: String) -> FindingRule? {
        all.first { $0.name == name }
    }
}
