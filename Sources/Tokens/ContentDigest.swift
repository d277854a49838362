import Crypto

/// SHA-256 in hex: says whether two texts are the same.
package func contentDigest(of text: String) -> String {
    SHA256.hash(data: Array(text.utf8)).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
    .joined()
}
