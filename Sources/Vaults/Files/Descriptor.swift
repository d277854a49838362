import Glibc

/// An open file or folder; closed when it goes away.
struct Descriptor: ~Copyable {
    let number: Int32

    deinit { close(number) }
}
