internal import Text

/// Why a handler cannot run on this machine.
package enum HandlerRefusal: Error, Equatable, Sendable {
  case image
  case runtimeMissing
  /// A runtime of another language, or of none.
  case runtimeNotSupported(String)
  /// The code is in a bucket, or its place is unknown.
  case codeElsewhere(String)
  case codeMissing(String)
  /// What a tool has built is not used.
  case codeRefused(String)
  /// The code is an archive that cannot be used.
  case archive(String, problem: String)
  /// The handler has not the form `FILE.FUNCTION`.
  case handlerMalformed(String)
  /// The handler depends on a value that is not known.
  case handlerUnknown
  /// The file of the handler is in a layer that is not on this machine.
  case handlerInLayer(String, layer: String)
  case moduleMissing(String, folder: String)
  /// There is only the source that a build turns into the file.
  case notBuilt(source: String, folder: String)
  /// The file of a `--handler` is of no language that runs here.
  case languageUnknown(String)
  /// `provided` without a `bootstrap`.
  case programMissing(folder: String)
  /// A file or folder that its run needs cannot be made.
  case folder(problem: String)
  /// This machine has no interpreter for the language.
  case interpreterMissing(HandlerLanguage, wanted: InterpreterVersion?)
  /// The interpreter is too old for the program that calls handlers.
  case interpreterTooOld(HandlerLanguage, path: String, found: InterpreterVersion)
  /// A handler for Python 2 does not run on Python 3.
  case interpreterOther(HandlerLanguage, path: String, found: InterpreterVersion, wanted: InterpreterVersion)

  /// Whether the text that names the handler is wrong, whatever this machine has.
  package var isMistake: Bool {
    switch self {
    case .handlerMalformed, .languageUnknown: true
    default: false
    }
  }

  /// What is wrong, in lower case.
  package var problem: String {
    switch self {
    case .image: "it is a container image"
    case .runtimeMissing: "it has no Runtime"
    case .runtimeNotSupported(let runtime): "its Runtime is \(runtime); Python, Node.js and provided run here"
    case .codeElsewhere(let place): "its code is not on this machine: \(place)"
    case .codeMissing(let folder): "there is no folder \(folder) with its code"
    case .codeRefused(let reason): reason
    case .archive(let path, let problem): "\(path): \(problem)"
    case .handlerMalformed(let name):
      "its handler is \(name.isEmpty ? "missing" : name); it has the form FILE.FUNCTION"
    case .handlerUnknown: "its handler depends on a value that is not known"
    case .handlerInLayer(let name, let layer):
      "its handler \(name) is not in its code, and \(layer) is not on this machine"
    case .moduleMissing(let module, let folder): "\(folder) has no file \(module) for its handler"
    case .notBuilt(let source, let folder):
      "\(source) is not built: \(folder) has no JavaScript for its handler"
    case .languageUnknown(let file): "\(file) is no Python or JavaScript file"
    case .folder(let problem): problem
    case .programMissing(let folder): "\(folder) has no executable file bootstrap"
    case .interpreterMissing(let language, let wanted):
      "\(language.name)\(wanted.map { " " + $0.text } ?? "") is not installed"
    case .interpreterTooOld(let language, let path, let found):
      "\(path) is \(language.name) \(found.text), and \(language.oldest.text) is the oldest that works"
    case .interpreterOther(let language, let path, let found, let wanted):
      "it needs \(language.name) \(wanted.text), and \(path) is \(found.text)"
    }
  }

  package var hint: String {
    switch self {
    case .image, .runtimeMissing, .runtimeNotSupported: "run it yourself: --run NAME='COMMAND'"
    case .codeElsewhere: "give its file on this machine: --handler NAME=PATH:FUNCTION"
    case .codeMissing: "check CodeUri"
    case .codeRefused:
      "build it again, for example with cdk synth, or give its file: --handler NAME=PATH:FUNCTION"
    case .folder: "check the temporary folder and the folder of the development state"
    case .archive: "give a ZIP file, or the folder"
    case .handlerMalformed: "write Handler: app.handler for the function handler in the file app"
    case .handlerUnknown: "give the value with --parameter NAME=VALUE"
    case .handlerInLayer: "give the function that the layer calls: --handler NAME=PATH:FUNCTION"
    case .moduleMissing:
      "check the path, or Handler and CodeUri of the template; if a build writes the file, build it first"
    case .notBuilt:
      "build it, for example with sam build, and use the built code, such as .aws-sam/build/template.yaml"
    case .languageUnknown(let file):
      file.hasByteSuffix(".ts") || file.hasByteSuffix(".mts")
        ? "build it, and give the JavaScript file" : "give a file with the ending .py, .js, .mjs or .cjs"
    case .programMissing: "build it, for example with sam build, or run it yourself: --run NAME='COMMAND'"
    case .interpreterMissing(let language, _), .interpreterTooOld(let language, _, _),
      .interpreterOther(let language, _, _, _):
      "install \(language.name), and check that it is in PATH"
    }
  }
}
