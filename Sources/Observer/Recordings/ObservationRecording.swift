package import Basics
package import Model

/// What was observed of an app's traffic, as it was written to a file.
///
/// It has what the machine took in, not what it made of it: rules that are newer than the file find
/// what it shows.
package struct ObservationRecording: Sendable, Equatable {
    /// The version of the format that the first line states.
    ///
    /// It grows when a line can no longer be read as before.
    package static let version = 1

    /// The first line.
    package struct Header: Sendable, Hashable, Codable {
        /// What the file is: `observation`.
        package var authtop = kind
        package var version = ObservationRecording.version
        /// When the recording began.
        package var startedAt: Moment
        package var profile: String
        package var dialect: String?
        package var baseURL: String
        package var origins: Set<String>

        static let kind = "observation"

        package init(of configuration: ObservationMachine.Configuration, startedAt: Moment) {
            self.startedAt = startedAt
            profile = configuration.profile
            dialect = configuration.dialect
            baseURL = configuration.baseURL
            origins = configuration.origins
        }
    }

    /// Each line after it.
    package struct Entry: Sendable, Hashable, Codable {
        package var at: Moment
        package var input: ObservationInput

        package init(at: Moment, input: ObservationInput) {
            self.at = at
            self.input = input
        }
    }

    package var header: Header
    package var entries: [Entry]
    /// `nil` if the run was cut off.
    package var end: Recording.End?

    package init(header: Header, entries: [Entry], end: Recording.End? = nil) {
        self.header = header
        self.entries = entries
        self.end = end
    }
}

extension ObservationRecording {
    /// Runs the machine over it.
    package var observed: ObservedRun {
        ObservedRun(
            ObservationMachine.Configuration(
                profile: header.profile,
                dialect: header.dialect,
                baseURL: header.baseURL,
                origins: header.origins
            ),
            startedAt: header.startedAt,
            entries: entries,
            end: end
        )
    }
}
