import Basics
package import Model

/// Screens that follow each other, as a picture that moves.
package struct Film: Sendable {
    /// The largest number of frames, so that the picture stays one that is loaded with a page.
    package static let limit = 600
    /// Seconds for which the last frame stays before the first one comes again.
    private static let rest = 3.0

    private struct Frame: Sendable {
        let grid: Grid
        /// Seconds since the first frame.
        let time: Double
    }

    private var frames: [Frame] = []
    private let theme: Theme

    /// The dashboard of a recording, as it was.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - state: The dashboard before the first event.
    ///   - size: The size of the screen.
    ///   - step: The seconds of the recording between two frames.
    package init(
        of recording: Recording,
        from state: DashboardState,
        size: (columns: Int, rows: Int),
        step: Double
    ) {
        theme = state.theme
        var state = state
        _ = state.update(.resized(columns: size.columns, rows: size.rows))
        var playback = Playback(of: recording)
        playback.perform(.toggle, at: .origin)
        var shown = 0
        // At its end, all that was recorded is closed.
        while !playback.isAtEnd, frames.count < Self.limit {
            _ = state.update(.events(Array(recording.events[shown..<playback.applied])))
            shown = playback.applied
            let moment = playback.moment
            _ = state.update(.clock(moment))
            append(state.render(size: size, now: moment), at: playback.elapsed)
            playback.perform(.seek(seconds: step), at: .origin)
        }
    }

    /// Returns the number of frames that a recording has.
    package static func count(of recording: Recording, step: Double) -> Int {
        Int((Playback(of: recording).duration / step).rounded(.up))
    }

    private mutating func append(_ grid: Grid, at time: Double) {
        guard grid != frames.last?.grid else { return }
        frames.append(Frame(grid: grid, time: time))
    }

    /// The film as an SVG document, which moves by CSS; a user who prefers less motion sees the last
    /// frame.
    ///
    /// The frames are below each other, and one is visible at a time. A row that several frames have
    /// is there once.
    package var svg: String {
        guard let last = frames.last else { return "" }
        let height = Double(last.grid.rows) * SVGDrawing.cell.height
        var rows: [String: Int] = [:]
        var definitions: [String] = []
        var uses: [String] = []
        for (number, frame) in frames.enumerated() {
            let top = Double(number) * height
            let drawing = SVGDrawing(grid: frame.grid, theme: theme)
            for row in 0..<frame.grid.rows {
                let elements = drawing.elements(ofRow: row, at: 0).joined(separator: "\n")
                guard !elements.isEmpty else { continue }
                let id = rows[elements, default: rows.count]
                if rows.updateValue(id, forKey: elements) == nil {
                    definitions.append("<g id=\"r\(id)\">\n\(elements)\n</g>")
                }
                let y = top + Double(row) * SVGDrawing.cell.height
                uses.append("<use href=\"#r\(id)\" y=\"\(SVGDrawing.number(y))\"/>")
            }
        }
        let drawing = SVGDrawing(grid: last.grid, theme: theme)
        let body =
            [style(height: height), "<defs>"] + definitions
            + ["</defs>", drawing.window, "<g id=\"film\">"] + uses + ["</g>", "</svg>"]
        return drawing.document(of: body)
    }

    private func style(height: Double) -> String {
        let duration = (frames.last?.time ?? 0) + Self.rest
        func place(_ number: Int) -> String {
            "transform:translateY(-\(SVGDrawing.number(Double(number) * height))px)"
        }
        let steps = frames.enumerated().map { number, frame in
            let percent = (frame.time / duration * 100_000).rounded() / 1000
            return "\(percent)%{\(place(number))}"
        }
        let still = place(frames.count - 1)
        return """
            <style>
            #film{\(still);animation:film \(SVGDrawing.number(duration))s step-end infinite}
            @keyframes film{\(steps.joined())}
            @media(prefers-reduced-motion:reduce){#film{animation:none}}
            </style>
            """
    }
}
