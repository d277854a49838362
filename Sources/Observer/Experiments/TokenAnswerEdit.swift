import Basics
import FoundationEssentials
import Profiles

/// Changes to the body of an answer that brings tokens.
enum TokenAnswerEdit {
    /// States another life of the access token, wherever the body states one that is longer.
    ///
    /// - Parameters:
    ///   - body: JSON.
    ///   - seconds: The life.
    ///   - wall: The present.
    ///   - names: The names of lifetimes and ends.
    /// - Returns: The body, or `nil` if it states none.
    static func shortening(
        _ body: [UInt8],
        to seconds: Int,
        at wall: Date,
        by names: LifetimeNames
    ) -> [UInt8]? {
        let end = wall.addingTimeInterval(Double(seconds))
        return replacing(body) { member, text in
            guard let unit = names.accessUnit(ofKey: member.name) else { return nil }
            guard let number = Double(text) else {
                guard let stated = try? Date(text, strategy: .iso8601), stated > end else {
                    return nil
                }
                return end.formatted(.iso8601)
            }
            let epoch = end.timeIntervalSince1970
            switch number {
            case 100_000_000_000...: return number > epoch * 1_000 ? "\(Int(epoch * 1_000))" : nil
            case 1_000_000_000... where unit != .milliseconds:
                return number > epoch ? "\(Int(epoch))" : nil
            default:
                let life = unit.number(ofSeconds: seconds)
                return number > Double(life) ? "\(life)" : nil
            }
        }
    }

    private static func replacing(
        _ body: [UInt8],
        _ change: (JSONMemberScanner.Member, String) -> String?
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        var scanner = JSONMemberScanner(body)
        while let member = scanner.next() {
            let place =
                member.isString
                ? (member.value.lowerBound + 1)..<(member.value.upperBound - 1) : member.value
            let text = String(decoding: body[place], as: UTF8.self)
            guard let other = change(member, text) else { continue }
            result += body[copied..<place.lowerBound]
            result += other.utf8
            copied = place.upperBound
        }
        return copied == 0 ? nil : result + body[copied...]
    }

    /// Takes out the refresh token.
    ///
    /// - Parameters:
    ///   - body: JSON.
    ///   - names: The names of tokens.
    /// - Returns: The body, or `nil` if it has none.
    static func removingRefreshToken(
        from body: [UInt8],
        by names: TokenNames
    ) -> [UInt8]? {
        var scanner = JSONMemberScanner(body)
        while let member = scanner.next() {
            guard member.isString, names.role(ofKey: member.name) == .refresh else { continue }
            let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
            var (start, end) = (member.range.lowerBound, member.range.upperBound)
            while end < body.count, spaces.contains(body[end]) { end += 1 }
            if end < body.count, body[end] == UInt8(ascii: ",") {
                end += 1
            } else {
                while start > 0, spaces.contains(body[start - 1]) { start -= 1 }
                if start > 0, body[start - 1] == UInt8(ascii: ",") { start -= 1 }
            }
            return Array(body[..<start]) + body[end...]
        }
        return nil
    }
}
