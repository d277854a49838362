import NIOCore
import Testing

@testable import Proxy

@Suite("Proxy: the meter of frames")
struct FrameMeterTests {
    private static func frame(_ type: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, 0, 0, 0, 0, 1] + payload
    }

    private static let unknown = frame(0x42, [UInt8](repeating: 0, count: 8))

    private static func windowUpdate(_ increment: UInt8) -> [UInt8] {
        frame(8, [0, 0, 0, increment])
    }

    private static let second = NIODeadline.uptimeNanoseconds(1_000_000_000)

    /// A peer that may send ten frames within two seconds.
    private final class Peer {
        private var meter = FrameMeter(limit: 10, within: .seconds(2), isOfClient: false)

        func getsData(_ count: Int) {
            meter.recordSent(count)
        }

        func maySend(_ bytes: [UInt8], at time: NIODeadline = second) -> Bool {
            meter.allows(ByteBuffer(bytes: bytes), at: time)
        }
    }

    @Test("frames of requests, and those that NIO counts, are not counted", arguments: 0...255)
    func types(type: UInt8) {
        let peer = Peer()
        for _ in 0..<10 { #expect(peer.maySend(Self.frame(type))) }
        #expect(peer.maySend(Self.frame(type)) == [0, 1, 2, 3, 4, 6, 9, 10, 12].contains(type))
    }

    @Test("a client begins with what is no frame")
    func preface() {
        var meter = FrameMeter(limit: 1, within: .seconds(2), isOfClient: true)
        let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.unknown
        let first = meter.allows(ByteBuffer(bytes: bytes), at: Self.second)
        let second = meter.allows(ByteBuffer(bytes: Self.unknown), at: Self.second)
        #expect(first)
        #expect(!second)
    }

    @Test("frames count once, however their bytes come", arguments: 1...30)
    func parts(size: Int) {
        let peer = Peer()
        let pair = Self.frame(0, Self.unknown) + Self.unknown
        let frames: [UInt8] = (0..<10).flatMap { _ in pair } + [0]
        for start in stride(from: 0, to: frames.count, by: size) {
            #expect(peer.maySend(Array(frames[start..<min(start + size, frames.count)])))
        }
        // Its first byte has come.
        #expect(!peer.maySend(Array(Self.unknown.dropFirst())))
    }

    @Test("a long frame counts as several")
    func length() {
        let peer = Peer()
        #expect(peer.maySend(Self.frame(4, [UInt8](repeating: 0, count: 9 * 16))))
        #expect(peer.maySend(Self.unknown))
        #expect(!peer.maySend(Self.unknown))
    }

    @Test("what gives back DATA does not count, in as many parts as it has bytes for either window")
    func windows() {
        let peer = Peer()
        peer.getsData(20)
        for _ in 0..<40 { #expect(peer.maySend(Self.windowUpdate(1))) }
        for _ in 0..<10 { #expect(peer.maySend(Self.windowUpdate(1))) }
        #expect(!peer.maySend(Self.windowUpdate(1)))
    }

    @Test("a larger window than DATA accounts for counts, and leaves the account as it was")
    func growth() {
        let peer = Peer()
        peer.getsData(5)
        #expect(peer.maySend(Self.windowUpdate(200)))
        #expect(peer.maySend(Self.windowUpdate(10)))
        for _ in 0..<9 { #expect(peer.maySend(Self.unknown)) }
        #expect(!peer.maySend(Self.unknown))
    }

    @Test("each request or answer may bring two with it")
    func heads() {
        let peer = Peer()
        for _ in 0..<50 {
            #expect(peer.maySend(Self.frame(1) + Self.unknown + Self.unknown))
        }
        #expect(peer.maySend((0..<8).flatMap { _ in Self.unknown }))
        #expect(!peer.maySend(Self.unknown))
    }

    @Test("after the time, as many are allowed again")
    func time() {
        let peer = Peer()
        for turn in Int64(0)..<5 {
            let now = Self.second + .seconds(3 * turn)
            for _ in 0..<10 { #expect(peer.maySend(Self.unknown, at: now)) }
        }
        let later = Self.second + .seconds(13)
        #expect(!peer.maySend(Self.unknown, at: later))
    }
}
