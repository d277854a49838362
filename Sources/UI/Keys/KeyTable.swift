/// Every key of the dashboard, in the order of the hints and of the help.
///
/// Each pane and each overlay lists its own keys beside what they change; `SessionKeys.swift` and
/// `DashboardKeys.swift` have those of the dashboard.
package enum KeyTable {
    static let commands: [KeyCommand] =
        replay + waiting + session + faults + experiments + panes
        + PaneCatalogue.all.flatMap { $0.keys }
        + lists + answers + filter + login + authorization + request + sessions + several + locked
        + palette + program

    /// The commands of each screen of this module, between which a name has the same keys.
    package static let screens: [[any ListedCommand]] = [commands, LocalScreen.commands]
}
