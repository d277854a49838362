import Basics
import Glibc

/// The TCP sockets of this machine, as the kernel says when it is asked for one, or as it lists them in
/// `/proc/net/tcp` and `/proc/net/tcp6`.
package struct SocketTable: Sendable {
    /// An end of a connection.
    struct End: Sendable, Hashable {
        /// The address as a number; an IPv4 address in the form of an IPv6 address.
        var address: UInt128
        var port: Int
    }

    /// What is known of the socket at one end of a connection.
    struct Owner: Sendable, Equatable {
        /// The user that has made it, by number.
        let user: UInt32
        /// The number by which `/proc/PID/fd` names it.
        let inode: UInt64
    }

    private struct Socket: Sendable {
        let local: End
        let remote: End
        let isListening: Bool
        let owner: Owner
    }

    /// The bytes that are read of each list: about 50 000 sockets.
    private static let limit = 8 << 20

    /// Those of the lists, or `nil` if the kernel is asked for each.
    private let sockets: [Socket]?

    private init() {
        sockets = nil
    }

    /// Parses lists of the kernel; lines that are none of a socket are left out.
    ///
    /// - Parameter texts: The contents of the two files.
    init(parsing texts: [String]) {
        sockets = texts.flatMap { text in
            var text = text
            return text.withUTF8 { bytes in
                var lines = Fields(of: bytes[...], between: UInt8(ascii: "\n"))
                var sockets: [Socket] = []
                while let line = lines.next() {
                    if let socket = Self.socket(line) { sockets.append(socket) }
                }
                return sockets
            }
        }
    }

    /// The sockets at present, none where there are no such files.
    ///
    /// The lists have every connection that has ended within the last minute, and take tens of
    /// milliseconds to read where there are thousands: a short connection is over by then.
    package static var present: SocketTable {
        SocketQuestion.isAnswered ? SocketTable() : SocketTable(under: "/proc")
    }

    init(under root: String) {
        self.init(
            parsing: ["\(root)/net/tcp", "\(root)/net/tcp6"].compactMap { path in
                KernelFile.text(of: path, limit: Self.limit)
            }
        )
    }

    /// The ports at which programs of this machine listen, in ascending order.
    package static var listeningPorts: [Int] { SocketTable(under: "/proc").listeningPorts }

    var listeningPorts: [Int] {
        Set((sockets ?? []).lazy.filter(\.isListening).map(\.local.port)).sorted()
    }

    /// Returns the owner of the socket at one end of a connection, or `nil` if this machine does not
    /// have it, or no process does any longer.
    func owner(at local: End, to remote: End) -> Owner? {
        guard let sockets else { return SocketQuestion(local: local, remote: remote).answer }
        return sockets.first { socket in
            socket.local == local && socket.remote == remote && socket.owner.inode != 0
        }?.owner
    }

    /// Returns the user of the program at one end of a connection, or `nil` if this machine does not have
    /// that end, or no process does any longer.
    ///
    /// - Parameters:
    ///   - peer: The address and port of the program.
    ///   - own: Those that it is connected to.
    /// - Returns: The number of the user.
    package func user(
        from peer: (host: String, port: Int),
        to own: (host: String, port: Int)
    ) -> UInt32? {
        guard let local = End(host: peer.host, port: peer.port),
            let remote = End(host: own.host, port: own.port)
        else { return nil }
        return owner(at: local, to: remote)?.user
    }

    /// Parses such as `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711`.
    private static func socket(_ line: Fields.Field) -> Socket? {
        var fields = Fields(of: line, between: UInt8(ascii: " "))
        func skip(_ count: Int) { for _ in 0..<count { _ = fields.next() } }
        skip(1)
        guard let local = end(fields.next()), let remote = end(fields.next()) else { return nil }
        let isListening = fields.next()?.elementsEqual("0A".utf8) ?? false
        skip(3)
        guard let user = number(fields.next(), radix: 10).flatMap({ UInt32(exactly: $0) }) else {
            return nil
        }
        skip(1)
        guard let inode = number(fields.next(), radix: 10) else { return nil }
        return Socket(
            local: local,
            remote: remote,
            isListening: isListening,
            owner: Owner(user: user, inode: inode)
        )
    }

    /// Parses an address as words in the order of this machine's bytes, and a port.
    private static func end(_ field: Fields.Field?) -> End? {
        guard let field, let colon = field.firstIndex(of: UInt8(ascii: ":")),
            let port = number(field[(colon + 1)...], radix: 16)
        else { return nil }
        var rest = field[..<colon]
        let isShort = rest.count == 8
        guard isShort || rest.count == 32 else { return nil }
        var address: UInt128 = isShort ? 0xFFFF : 0
        while !rest.isEmpty {
            guard let word = number(rest.prefix(8), radix: 16) else { return nil }
            address = address << 32 | UInt128(UInt32(bigEndian: UInt32(word)))
            rest = rest.dropFirst(8)
        }
        return End(address: address, port: Int(clamping: port))
    }

    /// Parses a number of one digit or more, or returns `nil` for anything else.
    private static func number(_ field: Fields.Field?, radix: UInt64) -> UInt64? {
        guard let field, !field.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in field {
            guard let digit = byte.hexDigitValue, UInt64(digit) < radix else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: radix)
            guard !isTooLarge, product <= .max - UInt64(digit) else { return nil }
            number = product + UInt64(digit)
        }
        return number
    }
}

/// The parts of a text between separators, without empty ones: of thousands of lines, none is copied.
private struct Fields {
    typealias Field = Slice<UnsafeBufferPointer<UInt8>>

    private var rest: Field
    private let separator: UInt8

    init(of text: Field, between separator: UInt8) {
        rest = text
        self.separator = separator
    }

    mutating func next() -> Field? {
        guard let start = rest.firstIndex(where: { $0 != separator }) else { return nil }
        rest = rest[start...]
        let end = rest.firstIndex(of: separator) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }
}

extension SocketTable.End {
    /// - Parameters:
    ///   - host: An address, as in `127.0.0.1` or `::1`.
    ///   - port: The port.
    init?(host: String, port: Int) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard inet_pton(family, host, &bytes) == 1 else { continue }
            let start: UInt128 = count == 4 ? 0xFFFF : 0
            self.init(address: bytes.reduce(start) { $0 << 8 | UInt128($1) }, port: port)
            return
        }
        return nil
    }
}

/// A file whose contents the kernel makes while they are read: it has no size, and a read brings a part.
enum KernelFile {
    /// Reads a file to its end.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - limit: The bytes after which it is cut.
    /// - Returns: The text, or `nil` if it cannot be read.
    static func text(of path: String, limit: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
