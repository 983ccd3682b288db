import Testing

@testable import FunctionHost

@Suite("Trace identifiers")
struct TraceIdentifierTests {
  static let root = "1-5759e988-bd862e3fe1be46a994272793"

  static let good: [(header: String, root: String)] = [
    ("Root=\(root)", root), ("Root=\(root);Parent=53995c3f42cd8ad8;Sampled=1", root),
    ("Root=\(root);Parent=53995c3f42cd8ad8;Sampled=0;Lineage=1:a87bd80c:0", root),
    // A load balancer puts its own field first.
    ("Self=1-67891234-12456789abcdef012345678;Root=\(root)", root),
    ("Sampled=1;Root=\(root);", root), (";;Root=\(root);;", root), ("Roots=x;Root=\(root)", root),
    ("Root=1-5759E988-BD862E3FE1BE46A994272793", "1-5759E988-BD862E3FE1BE46A994272793"),
    ("Root=1-00000000-000000000000000000000000", "1-00000000-000000000000000000000000"),
  ]

  @Test("the root of a trace header is read, whatever else it contains", arguments: good)
  func reads(header: String, root: String) throws {
    let trace = try #require(TraceIdentifier(header: Array(header.utf8)[...]))
    #expect(String(decoding: trace.utf8, as: UTF8.self) == root)
  }

  static let bad: [String] =
    [
      "", ";", "=", "Root", "Root=", "Root=;", root, "root=\(root)", "ROOT=\(root)", " Root=\(root)",
      "Root =\(root)", "Root= \(root)", "Root=\(root) ", "Root=\(root),", "Root=\(root)\n",
      "Root=\"\(root)\"", "XRoot=\(root)", "Parent=\(root)", "Parent=53995c3f42cd8ad8;Sampled=1",
      // Which of two would be the trace?
      "Root=\(root);Root=\(root)", "Root=;Root=\(root)", "Root=\(root);Root=x", "Root=x;Root=\(root)",
      "Root=2-5759e988-bd862e3fe1be46a994272793", "Root=15759e988-bd862e3fe1be46a9942727930",
      "Root=1-5759e988-bd862e3fe1be46a99427279", "Root=1-5759e988-bd862e3fe1be46a9942727930",
      "Root=1-5759e98-8bd862e3fe1be46a994272793", "Root=1-5759e9880-bd862e3fe1be46a99427279",
      "Root=1_5759e988_bd862e3fe1be46a994272793", "Root=1-5759e988-bd862e3fe1be46a99427279g",
      "Root=1-5759g988-bd862e3fe1be46a994272793", "Root=1-5759e988-bd862e3fe1be46a9942727\u{E9}",
      "Root=1-5759e988-\u{FF11}d862e3fe1be46a9942727", "Root=\u{0}1-5759e988-bd862e3fe1be46a99427279",
      #"Root=1-5759e988","canary":"x"#, "Root=1-5759e988-bd862e3fe1be46a99427\r\nx",
    ] + [String(repeating: "Root=", count: 50_000), String(repeating: ";", count: 100_000)]

  @Test("text of any other form is no trace", arguments: bad)
  func refuses(header: String) {
    #expect(TraceIdentifier(header: Array(header.utf8)[...]) == nil)
  }

  @Test("no change of a single byte adds a character to the log", arguments: 0...255)
  func survivesChanges(byte: UInt8) {
    let header = Array("Root=\(Self.root);Sampled=1".utf8)
    for position in header.indices {
      var other = header
      other[position] = byte
      guard let trace = TraceIdentifier(header: other[...]) else { continue }
      #expect(trace.utf8.count == 35)
      #expect(trace.utf8.allSatisfy { "0123456789abcdefABCDEF-".utf8.contains($0) })
    }
  }
}
