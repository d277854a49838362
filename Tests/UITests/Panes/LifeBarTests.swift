import Testing

@testable import UI

@Suite("Life bars")
struct LifeBarTests {
    @Test(
        "full at first, empty at last, and never the other way round",
        arguments: [1, 2, 7, 56, 200]
    )
    func drains(columns: Int) {
        for lifetime in [5.0, 20, 900, 2_592_000] {
            var before = columns
            for step in 0...400 {
                let left = lifetime * Double(400 - step) / 400
                let bar = LifeBar(left: left, of: lifetime, renewsAt: nil)
                let filled = bar.filled(of: columns)
                #expect(filled <= before)
                #expect((filled == 0) == (left == 0))
                before = filled
            }
            #expect(
                LifeBar(left: lifetime, of: lifetime, renewsAt: nil).filled(of: columns) == columns
            )
        }
    }

    @Test(
        "life reaches past the mark exactly until the renewal is due",
        arguments: [3, 10, 56, 196]
    )
    func marker(columns: Int) {
        let lifetime = 20.0
        let lead = 20.0 / 3
        for tenth in 0...200 {
            let left = Double(tenth) / 10
            let bar = LifeBar(left: left, of: lifetime, renewsAt: lead)
            let marker = bar.marker(of: columns) ?? -1
            if left > lead { #expect(bar.filled(of: columns) >= marker + 1) }
            if left < lead { #expect(bar.filled(of: columns) <= marker + 1) }
        }
    }

    @Test(
        "it is drawn in the given width, with any numbers",
        arguments: [(0, 0), (20, 0), (-3, 20), (40, 20), (.nan, 20), (5, .infinity)]
            as [(Double, Double)]
    )
    func extremes(left: Double, lifetime: Double) {
        for columns in [0, 1, 2, 33] {
            let bar = LifeBar(left: left, of: lifetime, renewsAt: left)
            #expect(bar.line(columns: columns, style: .good).width == columns)
        }
    }

    @Test(
        "life, mark and what is spent",
        arguments: [(12.0, "████████┃█░░░░░"), (4, "████░░░░┃░░░░░░")]
    )
    func picture(left: Double, text: String) {
        let bar = LifeBar(left: left * 15 / 18, of: 15, renewsAt: 8.5)
        #expect(bar.line(columns: 15, style: .good).text == text)
    }
}
