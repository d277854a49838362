import Basics
import HTTP

/// The files of a ZIP archive (PKWARE APPNOTE 6.3, sections 4.3.7 to 4.3.16), in memory: stored or
/// deflated, not encrypted, and below 4 GiB.
struct ZipArchive {
    private struct Member {
        let method: Int
        let offset: Int
        let size: Int
    }

    private static let memberLimit = 100_000

    private let bytes: [UInt8]
    private let members: [String: Member]

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

    /// Reads the list at its end, or returns `nil` if there is none.
    init?(_ bytes: [UInt8]) {
        let reader = Reader(bytes: bytes)
        // The record at the end has a comment of at most 65 535 bytes.
        let first = max(0, bytes.count - 22 - 65_535)
        let last = bytes.count - 22
        guard last >= first,
            let end = (first...last).reversed().first(where: { reader.has(0x0605_4B50, at: $0) }),
            let count = reader.number(2, at: end + 10), count <= Self.memberLimit,
            var place = reader.number(4, at: end + 16)
        else { return nil }
        var members: [String: Member] = [:]
        for _ in 0..<count {
            guard reader.has(0x0201_4B50, at: place),
                let flags = reader.number(2, at: place + 8),
                let method = reader.number(2, at: place + 10),
                let size = reader.number(4, at: place + 20),
                let nameLength = reader.number(2, at: place + 28),
                let extraLength = reader.number(2, at: place + 30),
                let commentLength = reader.number(2, at: place + 32),
                let offset = reader.number(4, at: place + 42),
                let name = reader.bytes(nameLength, at: place + 46)
            else { return nil }
            if flags & 1 == 0 {
                members[String(decoding: name, as: UTF8.self)] =
                    Member(method: method, offset: offset, size: size)
            }
            place += 46 + nameLength + extraLength + commentLength
        }
        self.bytes = bytes
        self.members = members
    }

    var names: [String] { members.keys.sorted() }

    /// Returns the contents of a file, or `nil` if there is none, it is larger than the limit, or cannot
    /// be read.
    func contents(of name: String, limit: Int) -> [UInt8]? {
        let reader = Reader(bytes: bytes)
        guard let member = members[name], reader.has(0x0403_4B50, at: member.offset),
            let nameLength = reader.number(2, at: member.offset + 26),
            let extraLength = reader.number(2, at: member.offset + 28),
            let data = reader.bytes(
                member.size,
                at: member.offset + 30 + nameLength + extraLength
            )
        else { return nil }
        switch member.method {
        case 0: return data.count <= limit ? Array(data) : nil
        case 8: return Inflater(.raw).inflated(Array(data), limit: limit)
        default: return nil
        }
    }

    /// Reads numbers in the order of bytes of ZIP.
    private struct Reader {
        let bytes: [UInt8]

        func bytes(_ count: Int, at place: Int) -> ArraySlice<UInt8>? {
            guard place >= 0, count >= 0, place <= bytes.count, count <= bytes.count - place else {
                return nil
            }
            return bytes[place..<(place + count)]
        }

        func number(_ size: Int, at place: Int) -> Int? {
            bytes(size, at: place)?.reversed().reduce(0) { $0 << 8 | Int($1) }
        }

        func has(_ signature: Int, at place: Int) -> Bool { number(4, at: place) == signature }
    }
}
