import Basics

/// Future events, the earliest first; events at the same instant keep their order.
struct EventQueue<Event> {
    private struct Entry {
        let at: Int64
        let sequence: Int
        let slot: Int

        func isBefore(_ other: Entry) -> Bool {
            at == other.at ? sequence < other.sequence : at < other.at
        }
    }

    /// A binary heap of small entries; the events themselves stay where they are.
    private var heap: [Entry] = []
    private var slots: [Event?] = []
    private var free: [Int] = []
    private var lastSequence = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func insert(_ event: Event, at instant: Instant) {
        lastSequence += 1
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot] = event
        } else {
            slot = slots.count
            slots.append(event)
        }
        heap.append(Entry(at: instant.nanoseconds, sequence: lastSequence, slot: slot))
        siftUp(heap.count - 1)
    }

    mutating func popFirst() -> (at: Instant, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        guard let event = slots[first.slot] else { return nil }
        slots[first.slot] = nil
        free.append(first.slot)
        return (Instant(nanoseconds: first.at), event)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            if left < heap.count, heap[left].isBefore(heap[least]) { least = left }
            if right < heap.count, heap[right].isBefore(heap[least]) { least = right }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
