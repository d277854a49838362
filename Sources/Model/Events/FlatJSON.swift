import Basics
import FoundationEssentials
import Profiles

/// One flat JSON object on a line, its members in the order in which they were set.
///
/// Times are ISO 8601 in UTC with milliseconds; durations are in seconds or, if the name says so,
/// milliseconds. `nil` values are omitted.
struct FlatJSON {
    /// Most lines are shorter.
    private var writer = JSONWriter(reserving: 512)
    private let moment: Moment

    /// Begins with `at`.
    init(at moment: Moment) {
        self.moment = moment
        writer.beginObject()
        set("at", moment.wall)
    }

    /// Returns the object without a line break.
    consuming func text() -> String {
        writer.endObject()
        return writer.text
    }

    mutating func set(_ name: String, _ value: JSONValue?) {
        if let value { writer.writeMember(name, value) }
    }

    mutating func set(_ name: String, _ text: String?) {
        set(name, text.map(JSONValue.string))
    }

    mutating func set(_ name: String, _ number: Int?) {
        set(name, number.map { JSONValue.integer(Int64($0)) })
    }

    /// - Parameters:
    ///   - name: The member's name.
    ///   - seconds: Its value.
    ///   - scale: The part of a second to which it is rounded.
    mutating func set(_ name: String, seconds: Double?, scale: Double = 1000) {
        guard let seconds, seconds.isFinite else { return }
        set(name, .number((seconds * scale).rounded() / scale))
    }

    mutating func set(_ name: String, _ duration: Duration?) {
        set(name, seconds: duration?.inSeconds)
    }

    mutating func set(_ name: String, _ date: Date) {
        set(name, .string(date.iso8601))
    }

    /// An instant as the wall clock will show it.
    mutating func set(_ name: String, _ instant: Instant?) {
        if let instant { set(name, moment.wallTime(at: instant)) }
    }
}
