import FunctionHost

/// The environment and files of a function, in memory.
struct InMemorySource: ConfigurationSource {
  enum File {
    case text(String)
    case bytes([UInt8])
    /// A file of this many bytes of white space.
    case blank(Int)
    case failure(FileError)
  }

  var variables: [String: String] = [:]
  var files: [String: File] = [:]

  func variable(_ name: String) -> String? { variables[name] }

  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let bytes: [UInt8]
    switch files[path] {
    case nil: throw .unreadable(errno: 2)
    case .failure(let error): throw error
    case .text(let text): bytes = Array(text.utf8)
    case .bytes(let content): bytes = content
    case .blank(let count): bytes = [UInt8](repeating: 0x20, count: count)
    }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes
  }
}
