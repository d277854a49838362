package import Basics

/// The events of a run, as they were written to a file.
package struct Recording: Sendable, Equatable {
    /// The version of the format that the first line states.
    ///
    /// It grows when a line can no longer be read as before.
    package static let version = 1

    /// The size above which a file is not read, in bytes.
    package static let sizeLimit = 1 << 30

    /// The state of a session besides its events.
    package struct Session: Sendable, Hashable, Codable {
        package var id: SessionID
        /// The faults of the built-in backend, as the user wrote them.
        package var faults: [String]

        package init(id: SessionID, faults: [String]) {
            self.id = id
            self.faults = faults
        }
    }

    /// The first line.
    package struct Header: Sendable, Hashable, Codable {
        /// The kind of the file: `recording`.
        var authtop = kind
        var version = Recording.version
        /// When the recording began.
        package var startedAt: Moment
        package var sessions: [Session]

        package static let kind = "recording"

        package init(startedAt: Moment, sessions: [Session]) {
            self.startedAt = startedAt
            self.sessions = sessions
        }

    }

    /// The last line.
    package struct End: Sendable, Hashable, Codable {
        package enum Reason: String, Sendable, Hashable, Codable {
            /// The run ended.
            case ended
            /// The next event would have exceeded the limit on the file's size.
            case limit
        }

        package var endedAt: Moment
        var end: Reason

        package init(endedAt: Moment, end: Reason) {
            self.endedAt = endedAt
            self.end = end
        }
    }

    package var header: Header
    package var events: [SessionEvent]
    /// `nil` if the run was cut off.
    package var end: End?

    package init(header: Header, events: [SessionEvent], end: End? = nil) {
        self.header = header
        self.events = events
        self.end = end
    }
}
