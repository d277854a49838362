/// The faults of the sandbox that are on now, if they are others than before.
package struct FaultsChange: Sendable, Hashable, Codable {
    /// What changed them.
    package enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
        /// The user, with this program.
        case user = "person"
        /// Seen at the sandbox: another client, its schedule, or a fault that fired for the last
        /// time.
        case sandbox
    }

    /// The settings of the faults that are on, as the user writes them.
    package var active: [String]
    package var by: Origin

    package init(active: [String], by: Origin) {
        self.active = active
        self.by = by
    }
}
