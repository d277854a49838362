import Glibc

extension [UInt8] {
    /// Overwrites the bytes, as far as nobody else holds a copy of the array.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }
}

extension Sequence<UInt8> {
    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
