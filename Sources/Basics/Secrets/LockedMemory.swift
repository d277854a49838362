import Glibc
import Synchronization

/// Memory for secrets, in pages that are written neither to swap space nor to a dump.
///
/// Pages are locked as far as `RLIMIT_MEMLOCK` allows; beyond that, and on systems that lock none, they
/// are used all the same. Pages of small secrets are kept for later ones.
enum LockedMemory {
    private struct State {
        /// The addresses of free blocks, by the logarithm of their size.
        var free = [[UInt]](repeating: [], count: largest + 1)
        /// The unused part of the newest chunk.
        var next: UInt = 0
        var end: UInt = 0
    }

    private static let state = Mutex(State())
    /// The logarithm of the size of the smallest block.
    private static let smallest = 4
    /// The same of the largest one that is a part of a chunk.
    private static let largest = 12
    private static let chunkSize = 1 << 16

    /// Returns uninitialized memory for this many bytes, which must be given back with the same
    /// number.
    static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        let order = order(of: count)
        let address = order > largest ? pages(count) : state.withLock { take(order, from: &$0) }
        guard let pointer = UnsafeMutablePointer<UInt8>(bitPattern: address) else {
            preconditionFailure("no memory")
        }
        return pointer
    }

    /// Gives memory back, which must have been wiped.
    static func deallocate(_ pointer: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let order = order(of: count)
        guard order <= largest else {
            munmap(pointer, count)
            return
        }
        state.withLock { $0.free[order].append(UInt(bitPattern: pointer)) }
    }

    private static func order(of count: Int) -> Int {
        max(smallest, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
    }

    private static func take(_ order: Int, from state: inout State) -> UInt {
        if let address = state.free[order].popLast() { return address }
        let size = UInt(1) << UInt(order)
        if state.end - state.next < size {
            state.next = pages(chunkSize)
            state.end = state.next + UInt(chunkSize)
        }
        defer { state.next += size }
        return state.next
    }

    /// Maps pages, and locks them if that is allowed.
    private static func pages(_ count: Int) -> UInt {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let pages = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let pages, UInt(bitPattern: pages) != .max else { preconditionFailure("no memory") }
        _ = madvise(pages, count, MADV_DONTDUMP)
        _ = mlock(pages, count)
        return UInt(bitPattern: pages)
    }
}
