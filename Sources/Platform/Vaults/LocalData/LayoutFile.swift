import Basics

/// The layout in which the user has left a dashboard, so that the next one begins with it.
///
/// There is a file only if a layout is not the usual one.
package struct LayoutFile: Sendable {
    /// What a layout consists of.
    package struct Layout: Sendable, Hashable {
        /// The number of the pane with the focus.
        package let pane: Int
        package let isZoomed: Bool

        package init(pane: Int, isZoomed: Bool) {
            self.pane = pane
            self.isZoomed = isZoomed
        }
    }

    /// The kinds of dashboards, each of which has its own.
    package enum Kind: String, Sendable, CaseIterable {
        /// Of sessions of authtop's own.
        case own
        /// Of an app's.
        case app
    }

    private static let sizeLimit = 4 * 1024

    private let file: DataFile

    /// - Parameter folder: The state folder.
    package init(folder: String) {
        file = DataFile("layout", in: folder)
    }

    /// Returns the layout of the last dashboard of a kind, or `nil` if it was the usual one.
    package func read(_ kind: Kind) -> Layout? {
        layouts[kind]
    }

    /// Stores the layout of a dashboard, or that it is the usual one, on a separate thread.
    ///
    /// Failures are not reported, since nothing depends on the file.
    package func write(_ layout: Layout?, of kind: Kind) async {
        await BlockingQueue().run {
            var layouts = layouts
            guard layouts[kind] != layout else { return }
            layouts[kind] = layout
            guard !layouts.isEmpty else { return file.remove() }
            file.write(.object(Self.members(layouts)))
        }
    }

    private var layouts: [Kind: Layout] {
        guard let json = file.read(limit: Self.sizeLimit) else { return [:] }
        return Kind.allCases.reduce(into: [:]) { layouts, kind in
            guard let entry = json[kind.rawValue], case .integer(let pane)? = entry["pane"],
                let pane = Int(exactly: pane), case .bool(let isZoomed)? = entry["zoomed"]
            else { return }
            layouts[kind] = Layout(pane: pane, isZoomed: isZoomed)
        }
    }

    private static func members(_ layouts: [Kind: Layout]) -> [String: JSONValue] {
        layouts.reduce(into: [:]) { members, entry in
            members[entry.key.rawValue] = [
                "pane": .integer(Int64(entry.value.pane)), "zoomed": .bool(entry.value.isZoomed),
            ]
        }
    }
}
