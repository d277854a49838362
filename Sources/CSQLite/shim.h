// SQLite for Swift: a database in memory, whose contents are not trusted.
#pragma once

#include <sqlite3.h>

// Functions and views of the file's own schema must not run anything.
static inline int cs_distrust(sqlite3 *_Nonnull database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (result != SQLITE_OK) return result;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
