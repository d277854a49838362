import Foundation
import Glibc

/// TCP on this machine, with calls that block.
enum LoopbackSocket {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    static func connect(to port: Int) throws -> Int32 {
        let descriptor = try make()
        guard named(port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw Failure(call: "connect", code: errno)
        }
        return descriptor
    }

    /// A socket that has a port of its own and does not listen on it: all connections are refused,
    /// and no other program can take the port.
    ///
    /// It may listen and stop listening as often as it likes: a port that was asked for by its
    /// number is not given back by a `shutdown`.
    static func bind() throws -> Int32 {
        let first = try bind(to: 0)
        defer { close(first) }
        return try bind(to: port(of: first))
    }

    private static func bind(to port: Int) throws -> Int32 {
        let descriptor = try make()
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard named(port, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw Failure(call: "bind", code: errno)
        }
        return descriptor
    }

    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                getsockname(descriptor, address.baseAddress, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// - Returns: False when the other side does not take it any more.
    @discardableResult
    static func send(_ bytes: some Collection<UInt8>, on descriptor: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { part in
                Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: Empty at the end.
    static func receive(on descriptor: Int32) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(part.prefix(count)) : []
        }
    }

    private static func make() throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        return descriptor
    }

    private static func named(
        _ port: Int,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) }
        }
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
