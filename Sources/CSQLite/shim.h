// SQLite's C interface (https://www.sqlite.org/c3ref/intro.html), and functions for what Swift cannot import.

#ifndef AUTHORIZER_CSQLITE_SHIM_H
#define AUTHORIZER_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds bytes that SQLite copies (SQLITE_TRANSIENT is a cast, which Swift does not import). The pointer of an empty
/// text may be NULL, for which sqlite3_bind_text would bind NULL.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}

/// Binds a BLOB that SQLite copies.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Disables features that a manipulated database file could abuse (https://www.sqlite.org/security.html).
/// (sqlite3_db_config is variadic.)
static inline void csqlite_harden(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

#endif
