import Glibc

/// Bytes that nobody else holds, overwritten before their memory is given back.
///
/// Unchecked: written once, before anybody else sees them, and wiped when nobody can any more.
final class WipedBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        var text = text
        buffer = text.withUTF8 { source in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: source.count)
            _ = copy.initialize(from: source)
            return copy
        }
    }

    init(_ bytes: [UInt8]) {
        buffer = .allocate(capacity: bytes.count)
        _ = buffer.initialize(from: bytes)
    }

    deinit {
        wipe()
        buffer.deallocate()
    }

    var count: Int { buffer.count }

    /// The bytes, which are not wiped meanwhile, even where this is their last use.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeBufferPointer(buffer)) }
    }

    /// Not `memset`, which the compiler may leave out where nobody reads what it wrote.
    func wipe() {
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
    }
}
