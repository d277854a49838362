package import FoundationEssentials

/// What was found at the places of all stores, at one moment.
package struct StoreScan: Sendable {
    /// A file that may have sessions.
    package struct File: Sendable, Hashable {
        package let path: String
        /// The name of the definition that it belongs to.
        package let store: String
        package let title: String
        package let sessions: [StoredSession]
        /// Whether it has more entries than were looked at.
        package let isCut: Bool
        package let problem: StoreProblem?
        package var facts: FileFacts?

        package init(
            path: String,
            store: String,
            title: String,
            sessions: [StoredSession] = [],
            isCut: Bool = false,
            problem: StoreProblem? = nil,
            facts: FileFacts? = nil
        ) {
            self.path = path
            self.store = store
            self.title = title
            self.sessions = sessions
            self.isCut = isCut
            self.problem = problem
            self.facts = facts
        }
    }

    package var files: [File]
    /// The folders with too many entries, of which not all were looked at.
    package var crowdedFolders: [String]
    /// When it was made.
    package let date: Date

    package init(files: [File] = [], crowdedFolders: [String] = [], date: Date) {
        self.files = files
        self.crowdedFolders = crowdedFolders
        self.date = date
    }
}

/// What the system says of a file.
package struct FileFacts: Sendable, Hashable {
    /// When its contents were written last.
    package let modified: Date
    /// The mode's permission bits.
    package let mode: UInt32
    /// The outermost folder above it that other users cannot enter, or `nil` if they can enter all.
    package let protectingFolder: String?

    package init(modified: Date, mode: UInt32, protectingFolder: String?) {
        self.modified = modified
        self.mode = mode
        self.protectingFolder = protectingFolder
    }

    /// Whether the mode lets every user read it.
    package var isOpen: Bool { mode & 0o004 != 0 }
}

/// Why the sessions of a file are not known.
package enum StoreProblem: Error, Sendable, Hashable {
    case notARegularFile
    /// In bytes.
    case tooLarge(Int)
    /// What the system says.
    case unreadable(String)
    case notInFormat(StoreFiles.Format)
    /// Of a format that has no empty files; it may be one that is being written.
    case empty
}
