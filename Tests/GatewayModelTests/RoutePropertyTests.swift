@testable import GatewayModel
import TestSupport
import Testing

/// Compares the route table with a second implementation of AWS's rules, on 10,000 random tables of each kind of API.
@Suite struct RoutePropertyTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func agreesWithTheNaiveRouter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      for isREST in [true, false] {
        let keys = Self.keys(isREST: isREST, &random)
        let table = try RouteTableTests.table(keys, isREST: isREST)
        let naive = NaiveRouter(keys: keys)
        for _ in 0..<2 {
          let (method, path) = (Self.methods.randomElement(using: &random) ?? "GET", Self.path(&random))
          let found = table.route(method: method, path: path)?.route.key
          let expected =
            isREST ? naive.restKey(method: method, path: path) : naive.httpKey(method: method, path: path)
          #expect(found == expected, "\(isREST ? "REST" : "HTTP") \(method) \(path) of \(keys)")
        }
      }
    }
  }

  /// The random tables must reach every kind of route, otherwise the comparison would prove nothing.
  @Test func randomTablesReachEveryKindOfRoute() throws {
    var random = SeededGenerator(seed: 7)
    var counts: [String: Int] = [:]
    for _ in 0..<4000 {
      let keys = Self.keys(isREST: true, &random)
      let (method, path) = (Self.methods.randomElement(using: &random) ?? "GET", Self.path(&random))
      let router = NaiveRouter(keys: keys)
      let key = router.restKey(method: method, path: path)
      let kind =
        key.map { $0.hasSuffix("+}") ? "greedy" : $0.contains("{") ? "parameter" : "literal" } ?? "none"
      counts[kind, default: 0] += 1
      // The path has a resource that lacks the method, so the request falls through.
      if key != nil,
        try RouteTableTests.table(keys, isREST: true, missingMethod: .refused).route(
          method: method, path: path) == nil
      {
        counts["fall", default: 0] += 1
      }
    }
    #expect(counts.count == 5)
    #expect(counts.values.allSatisfy { $0 > 40 }, "\(counts)")
  }

  private static let methods = ["GET", "POST", "PUT"]

  /// Returns one to eight different routes. A REST API has one parameter below each resource.
  private static func keys(isREST: Bool, _ random: inout SeededGenerator) -> [String] {
    var keys: [String] = []
    var children: [String: String] = [:]
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let verb = (methods + ["ANY", "ANY"]).randomElement(using: &random) ?? "ANY"
      var path = ""
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        var part = ["a", "b", "{x}", "{y}", "{p+}"].randomElement(using: &random) ?? "a"
        // A tree has one parameter at a place; a route of another table may have any name there.
        if part.hasPrefix("{"), isREST {
          part = children[path] ?? part
          children[path] = part
        }
        path += "/" + part
        if part.hasSuffix("+}") { break }
      }
      let key = "\(verb) \(path.isEmpty ? "/" : path)"
      if !keys.contains(where: { shape($0) == shape(key) }) { keys.append(key) }
    }
    if !isREST, Bool.random(using: &random) { keys.append("$default") }
    return keys
  }

  /// The key without the names of its parameters: AWS refuses two routes with the same shape.
  private static func shape(_ key: String) -> String { key.replacing("{y}", with: "{x}") }

  private static func path(_ random: inout SeededGenerator) -> String {
    var path = ""
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      path += "/" + (["a", "b", "c"].randomElement(using: &random) ?? "a")
    }
    return path.isEmpty ? "/" : path + (Int.random(in: 0..<6, using: &random) == 0 ? "/" : "")
  }
}
