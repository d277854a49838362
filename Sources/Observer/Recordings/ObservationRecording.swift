package import Basics
import Model

/// The observations of an app's traffic, as written to a file.
///
/// It has what the machine took in, not what it made of it: rules that are newer than the file find
/// what it shows.
package struct ObservationRecording: Sendable, Equatable {
    /// The version of the format that the first line states.
    ///
    /// It grows when a line can no longer be read as before.
    static let version = 1

    /// The first line.
    package struct Header: Sendable, Hashable, Codable {
        /// The kind of the file: `observation`.
        var authtop = kind
        var version = ObservationRecording.version
        /// When the recording began.
        var startedAt: Moment
        var profile: String
        var dialect: String?
        var baseURL: String
        var origins: Set<String>

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
    struct Entry: Sendable, Hashable, Codable {
        var at: Moment
        var input: ObservationInput
    }

    var header: Header
    var entries: [Entry]
    /// `nil` if the run was cut off.
    var end: Recording.End?
}

extension ObservationRecording {
    /// Runs the machine over it.
    var observed: ObservedRun {
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
