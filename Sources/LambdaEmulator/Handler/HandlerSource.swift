internal import Text
package import GatewayModel
internal import Foundation

/// A handler: where its code is, what it is called, and what it needs.
package struct HandlerSource: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// By an interpreter; the version is that of the template.
    case interpreted(HandlerLanguage, wanted: InterpreterVersion?)
    /// It is a program of its own, `bootstrap`.
    case program
  }

  package let kind: Kind
  /// The absolute path of the folder of its code, `/var/task` on Lambda.
  package let folder: String
  package let handler: String
  /// The absolute paths of its layers, each with the contents of `/opt`.
  package var layers: [String] = []
  /// The layers that are not on this machine, for messages.
  package var missingLayers: [String] = []

  /// Reads the handler of a template's function.
  ///
  /// - Parameters:
  ///   - folder: the folder of the template.
  ///   - unpacked: returns a folder with the files of an archive, or with the inline code as the given file.
  /// - Throws: `HandlerRefusal` if it cannot run here.
  package init(
    _ function: TemplateFunction, in folder: String, unpacked: (Packed) throws(HandlerRefusal) -> String
  ) throws(HandlerRefusal) {
    if case .image = function.package.place { throw .image }
    guard let runtime = function.runtime else { throw .runtimeMissing }
    if let language = HandlerLanguage(runtime: runtime) {
      kind = .interpreted(language, wanted: HandlerLanguage.version(in: runtime))
    } else if runtime.hasBytePrefix("provided") {
      kind = .program
    } else {
      throw .runtimeNotSupported(runtime)
    }
    switch function.package.place {
    case .image: throw .image
    case .elsewhere(let place): throw .codeElsewhere(place)
    case .refused(let reason): throw .codeRefused(reason)
    case .inline(let text):
      guard case .interpreted(let language, _) = kind else { throw .programMissing(folder: "InlineCode") }
      // CloudFormation's name for the file (AWS::Lambda::Function Code, ZipFile).
      self.folder = try unpacked(.inline(text, fileName: "index" + (language.endings.first ?? "")))
    case .local(let path):
      let whole = Self.absolute(path, in: folder)
      if Self.isFolder(whole) {
        self.folder = whole
      } else if FileManager.default.fileExists(atPath: whole) {
        self.folder = try unpacked(.archive(whole))
      } else {
        throw .codeMissing(path)
      }
    }
    if function.hasUnknownHandler, case .interpreted = kind { throw .handlerUnknown }
    handler = function.handler ?? ""
    for layer in function.package.layers {
      switch layer {
      case .local(let path):
        let whole = Self.absolute(path, in: folder)
        if Self.isFolder(whole) { layers.append(whole) } else { missingLayers.append(path) }
      case .elsewhere(let text): missingLayers.append(text)
      }
    }
    try check(builds: function.buildMethod)
  }

  /// Code that has to be written into a folder first.
  package enum Packed: Hashable, Sendable {
    /// The absolute path of a ZIP file.
    case archive(String)
    case inline(String, fileName: String)
  }

  /// Reads `PATH:FUNCTION`: a file and the name of its function, or a folder and a `Handler`.
  ///
  /// - Parameter path: an absolute path.
  package init(path: String, symbol: String) throws(HandlerRefusal) {
    let isFolder = Self.isFolder(path)
    guard isFolder || !symbol.containsBytes(of: "/") else { throw .handlerMalformed(symbol) }
    if isFolder {
      folder = path
      handler = symbol
      let name = Self.module(of: symbol, .node)
      guard !name.isEmpty, Self.isInside(symbol) else { throw .handlerMalformed(symbol) }
      guard
        let language = HandlerLanguage.allCases.first(where: { language in
          let name = Self.module(of: symbol, language)
          return language.endings.contains { Self.isFile(path + "/" + name + $0) }
        })
      else { throw Self.missing(name, in: path, HandlerLanguage.allCases.flatMap(\.sourceEndings)) }
      kind = .interpreted(language, wanted: nil)
      return
    }
    let file = path.splitBytes(at: "/").last.map(String.init) ?? path
    guard let language = HandlerLanguage(file: file) else { throw .languageUnknown(file) }
    guard Self.isFile(path) else {
      throw .moduleMissing(file, folder: String(path.dropLast(bytes: file.utf8.count + 1)))
    }
    kind = .interpreted(language, wanted: nil)
    folder = String(path.dropLast(bytes: file.utf8.count + 1))
    let stem = file.splitBytes(at: ".").dropLast().joined(separator: ".")
    guard !stem.containsBytes(of: ".") else { throw .handlerMalformed(file) }
    handler = stem + "." + symbol
  }

  /// Checks that the file of the handler is there.
  private func check(builds method: String?) throws(HandlerRefusal) {
    guard case .interpreted(let language, let wanted) = kind else {
      guard FileManager.default.isExecutableFile(atPath: folder + "/bootstrap") else {
        throw .programMissing(folder: folder)
      }
      return
    }
    if handler.hasBytePrefix(Self.layerRoot), !handler.containsBytes(of: "..") {
      throw .handlerInLayer(handler, layer: "the folder \(Self.layerRoot)")
    }
    let name = Self.module(of: handler, language)
    guard !name.isEmpty, Self.isInside(handler) else { throw .handlerMalformed(handler) }
    let places = [folder] + layers.flatMap { layer in language.folders(for: wanted).map { layer + "/" + $0 } }
    let endings = language.endings + ["", "/__init__.py", "/index.js"]
    guard !places.contains(where: { place in endings.contains { Self.isFile(place + "/" + name + $0) } })
    else { return }
    if method != nil, method != "makefile", language == .node {
      throw .notBuilt(source: name, folder: folder)
    }
    let refusal = Self.missing(name, in: folder, language.sourceEndings)
    if case .moduleMissing = refusal, let layer = missingLayers.first {
      throw .handlerInLayer(handler, layer: "the layer \(layer)")
    }
    throw refusal
  }

  private static let layerRoot = "/opt/"

  /// Returns why a folder has no file for a handler: a source with one of these endings is not built, or there is none.
  private static func missing(_ name: String, in folder: String, _ endings: [String]) -> HandlerRefusal {
    for ending in endings where isFile(folder + "/" + name + ending) {
      return .notBuilt(source: name + ending, folder: folder)
    }
    return .moduleMissing(name, folder: folder)
  }

  /// The path of the handler's file without its ending; empty for a malformed handler. In Python, `src.app.handler` is
  /// a function of `src/app`; in Node.js, a member of `src`.
  private static func module(of handler: String, _ language: HandlerLanguage) -> String {
    let folder = handler.unicodeScalars.lastIndex(of: "/").map { handler[...$0] } ?? ""
    let parts = handler[folder.endIndex...].splitBytes(at: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, !parts.contains(where: \.isEmpty) else { return "" }
    return folder + (language == .python ? parts.dropLast().joined(separator: "/") : String(parts[0]))
  }

  private static func isInside(_ handler: String) -> Bool {
    !handler.containsBytes(of: "..") && !handler.hasBytePrefix("/")
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    URL(fileURLWithPath: path.hasBytePrefix("/") ? path : folder + "/" + path).standardizedFileURL.path
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? URL(fileURLWithPath: path).resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey])
      .isDirectory) == true
  }

  private static func isFile(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path) && !isFolder(path)
  }
}
