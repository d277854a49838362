/// Every key of the dashboard, in the order of the hints and of the help.
///
/// Each list is beside what its keys change: that of a pane is its `keys`, those of overlays and lists
/// are in the files `DashboardState+….swift` of their names (`answers` in that of the question, `locked`
/// in that of the lock, `authorization` in that of the login), `session` is in `SessionKeys.swift`, and
/// `panes`, `several` and `program` are in `DashboardKeys.swift`.
package enum KeyTable {
    static let commands: [KeyCommand] =
        replay + waiting + session + faults + experiments + panes
        + PaneCatalogue.all.flatMap { $0.keys }
        + lists + answers + filter + login + authorization + request + sessions + several + locked
        + palette + program

    /// Those that the last row can name: at its right end, and before that.
    static let lasting = commands.filter { $0.hint?.isLasting == true }
    static let hinted = commands.filter { $0.hint?.isLasting == false }

    /// The commands of each screen of this module, between which a name has the same keys.
    package static let screens: [[any ListedCommand]] = [commands, LocalScreen.commands]
}
