import Terminal
import Testing
import UI

@Suite("Colours of a terminal")
struct ColourDepthTests {
    private func foreground(_ color: UInt8, on depth: ColourDepth) -> Rendition {
        depth.rendition(of: Appearance(foreground: color))
    }

    @Test(
        "the number of colours says the depth",
        arguments: [
            (-1, ColourDepth.none), (0, .none), (2, .none), (8, .eight), (16, .sixteen),
            (88, .sixteen), (256, .palette), (16_777_216, .palette),
        ]
    )
    func depth(colors: Int, depth: ColourDepth) {
        #expect(ColourDepth(colors: colors) == depth)
    }

    @Test(
        "a palette shows every colour as it is",
        arguments: [0, 7, 8, 15, 16, 208, 255] as [UInt8]
    )
    func palette(color: UInt8) {
        #expect(foreground(color, on: .palette).colors == ColourPair(foreground: color))
    }

    @Test("without colours the attributes are left")
    func attributesOnly() {
        let appearance = Appearance(
            foreground: 1,
            background: 24,
            isBold: true,
            isDim: true,
            isReversed: true,
            isUnderlined: true
        )
        let expected = Rendition(attributes: [.bold, .dim, .reversed, .underlined])
        #expect(ColourDepth.none.rendition(of: appearance) == expected)
    }

    @Test("of eight colours a bright one is bold", arguments: 9...15 as ClosedRange<UInt8>)
    func bright(color: UInt8) {
        let expected = Rendition(
            colors: ColourPair(foreground: color - 8),
            attributes: .bold
        )
        #expect(foreground(color, on: .eight) == expected)
    }

    @Test("bright black is dim, never bold black, which many terminals show as black on black")
    func brightBlack() {
        #expect(foreground(8, on: .eight) == Rendition(attributes: .dim))
    }

    @Test("a bright background is the plain one, and no letter gets bold by it")
    func brightBackground() {
        let rendition = ColourDepth.eight.rendition(of: Appearance(background: 12))
        #expect(rendition == Rendition(colors: ColourPair(background: 4)))
    }

    @Test("the terminal's own colours stay its own", arguments: [ColourDepth.eight, .sixteen])
    func defaults(depth: ColourDepth) {
        #expect(depth.rendition(of: Appearance()) == Rendition())
    }

    @Test(
        "a colour of the cube keeps its hue",
        arguments: [
            (16, 0), (231, 15), (196, 9), (46, 10), (21, 12), (203, 9), (78, 10), (221, 11),
            (141, 12), (28, 2), (30, 6), (124, 1), (208, 11), (91, 5), (102, 8), (188, 7),
        ] as [(UInt8, UInt8)]
    )
    func hue(color: UInt8, named: UInt8) {
        #expect(NamedColours.nearest(color) == named)
    }

    @Test(
        "a grey is black, dark, light or white",
        arguments: [(232, 0), (239, 8), (245, 8), (250, 7), (255, 15)] as [(UInt8, UInt8)]
    )
    func greys(color: UInt8, named: UInt8) {
        #expect(NamedColours.nearest(color) == named)
    }

    @Test("every reduction stays within what the terminal has")
    func withinRange() {
        for color in UInt8.min...UInt8.max {
            let appearance = Appearance(foreground: color, background: color)
            let eight = ColourDepth.eight.rendition(of: appearance).colors
            let sixteen = ColourDepth.sixteen.rendition(of: appearance).colors
            #expect(eight.foreground ?? 0 < 8 && eight.background ?? 0 < 8)
            #expect(sixteen.foreground ?? 0 < 16 && sixteen.background ?? 0 < 16)
        }
    }
}
