extension TokenFormats {
    static let keys = ["access", "refresh"]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            access: try table?.choice("access", as: TokenFormat.self) ?? .jwt,
            refresh: try table?.choice("refresh", as: TokenFormat.self) ?? .opaque
        )
    }
}

extension DocumentedLifetimes {
    static let keys = ["access", "refresh", "refresh_slides"]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            access: try table?.seconds("access"),
            refresh: try table?.seconds("refresh"),
            refreshSlides: try table?.bool("refresh_slides") ?? true
        )
    }
}

extension DialectPolicy {
    static let keys = [
        "lead", "give_up_after", "renew", "retry", "pause_on_blur", "lock_after",
        "erase_on_logout",
    ]

    init(_ table: SchemaTable?) throws(DialectError) {
        self.init(
            lead: try table?.seconds("lead"),
            giveUpAfter: try table?.integer("give_up_after", in: 1...1000),
            renewal: try table?.choice("renew", as: Renewal.self) ?? .refresh,
            retry: try table?.choice("retry", as: Retry.self) ?? .timer,
            pausesInBackground: try table?.bool("pause_on_blur") ?? false,
            lockAfter: try table?.seconds("lock_after"),
            erasesOnLogout: try table?.bool("erase_on_logout") ?? false
        )
    }
}
