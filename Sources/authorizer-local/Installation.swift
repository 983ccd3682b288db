internal import Foundation

/// Finds the programs and files that belong to this program, from any working folder.
///
/// `make install` writes `bin/authorizer-local`, `libexec/authorizer-local/NAME` and
/// `share/authorizer-local/init/KIND`. In a checkout the programs are in `dist`, and the starter files in
/// `template/init`.
enum Installation {
  /// Returns the absolute path of a program, such as `bootstrap`; `nil` if it is missing.
  ///
  /// The nearest `dist/NAME` of the working folder comes first, so that a checkout tests its own build.
  static func program(_ name: String) -> String? {
    if let built = built(name) { return built }
    return places(of: name).first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the folder of the starter files of a kind for `init`, such as `rest`; `nil` if it is missing.
  static func starter(_ kind: String) -> String? {
    var folders = [prefix + "/share/authorizer-local/init/" + kind]
    if let checkout { folders.append(checkout + "/template/init/" + kind) }
    return folders.first(where: FileSystem.isDirectory)
  }

  /// Returns the failure for a missing program. Its hint fits an installed program as well as a checkout.
  ///
  /// - Parameters:
  ///   - user: what needs the program, such as a function of a template.
  ///   - alternative: what else the user can do, such as `give its path with --fetch-keys PATH`.
  static func missing(
    _ name: String, neededBy user: String? = nil, orElse alternative: String
  ) -> CommandFailure {
    let place: String
    let cure: String
    if checkout != nil {
      place = "dist/\(name)"
      cure = "build it with make bootstrap"
    } else if isInstalled {
      place = prefix + "/libexec/authorizer-local/" + name
      cure = "run make install again in the checkout"
    } else {
      place = name
      cure = "copy it to \(folder), the folder of authorizer-local"
    }
    let need = user.map { ", and \($0) needs it" } ?? ""
    return CommandFailure(
      .unavailable, Printable.text("\(place) is missing\(need)"),
      hint: Printable.text("\(cure), or \(alternative)"))
  }

  /// The prefix of the installation, such as `/usr/local`; meaningful only if ``isInstalled``.
  static let prefix = URL(fileURLWithPath: folder).deletingLastPathComponent().path

  /// Whether this program is in the folder `bin` of a prefix.
  static var isInstalled: Bool { URL(fileURLWithPath: folder).lastPathComponent == "bin" && checkout == nil }

  /// The root of the checkout that this program was built in, or was copied to the `dist` of; else `nil`.
  static let checkout: String? = {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: true)
    guard let end = parts.last == "dist" ? parts.count - 1 : parts.lastIndex(of: ".build") else { return nil }
    let root = "/" + parts[..<end].joined(separator: "/")
    return FileSystem.exists(root + "/Package.swift") ? root : nil
  }()

  /// The folder of the running executable, without symbolic links.
  ///
  /// The kernel's link also names an executable that was replaced or removed while it runs; its folder is still right.
  private static let folder: String = {
    let kernel = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = kernel ?? Bundle.main.executablePath ?? ""
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
  }()

  /// The places of a program that do not depend on the working folder, best first.
  private static func places(of name: String) -> [String] {
    var places = [prefix + "/libexec/authorizer-local/" + name]
    if let checkout {
      // Not the folder of the executable: in `.build/debug` it has unoptimized, dynamic builds.
      places.append(checkout + "/dist/" + name)
    } else {
      places.append(folder + "/" + name)
    }
    return places
  }

  /// Returns the nearest `dist/NAME` in the working folder or above.
  ///
  /// Programs of other users are skipped: anyone can create `/tmp/dist/bootstrap`. The owner of the working folder is
  /// trusted, because a container often runs as root in a user's checkout.
  private static func built(_ name: String) -> String? {
    let here = FileSystem.currentDirectory
    let trusted = [FileStatus.currentUser, FileStatus.superuser, FileStatus.owner(of: here)]
    func isTrusted(_ path: String) -> Bool {
      FileStatus.owner(of: path).map { trusted.contains($0) } ?? false
    }
    return FileSystem.upwards(from: here).map { $0 + "/dist/" + name }.first { path in
      FileSystem.exists(path) && isTrusted(path) && isTrusted(FileSystem.directory(of: path))
    }
  }
}
