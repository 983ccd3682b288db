package import FunctionHost
package import JOSE

extension ObjectReader {
  /// Reads a list of algorithms; `nil` if it is absent or no list of names. Each unknown name is a problem.
  package mutating func algorithms(_ member: String) -> [Algorithm]? {
    guard let names = texts(member) else { return nil }
    var algorithms: [Algorithm] = []
    for (index, name) in names.enumerated() {
      guard let algorithm = Algorithm(rawValue: name) else {
        let known = Algorithm.allCases.map { $0.rawValue }.joined(separator: ", ")
        add("\(member)[\(index)]", "one of \(known) is expected")
        continue
      }
      algorithms.append(algorithm)
    }
    return algorithms
  }
}
