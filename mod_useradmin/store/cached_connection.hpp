// A connection with its client and cached schema.
#pragma once

#include "store/dialect.hpp"

#include <apr_time.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace useradmin::store {

/// Shares schemas among a process's connections to one database. One connection reads the catalog
/// for all of them.
class SharedSchemas {
  public:
    /// The schema of a label (CachedConnection::get), and when it was read.
    struct Entry {
        /// Locked while a connection reads the catalog.
        std::timed_mutex reading;
        /// Protects the members below.
        std::mutex mutex;
        std::shared_ptr<const Schema> schema;
        apr_time_t read_at = 0;
    };

    /// Returns the entry of a label, and creates it if necessary. The entry lives as long as this
    /// object.
    Entry& entry(const char* label) {
        const std::lock_guard lock(mutex_);
        return entries_[label];
    }

  private:
    std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

/// The client and the cached schema of a connection. Lives in the connection's pool.
class CachedConnection {
  public:
    /// `shared` may be nullptr.
    CachedConnection(std::unique_ptr<Client> client, SharedSchemas::Entry* shared)
        : client_(std::move(client)), shared_(shared) {}

    /// Returns the object for the connection and the label. The first call creates it.
    static CachedConnection& get(const Connection& connection, const Dialect& dialect,
                                 const char* label);

    Client& client() noexcept { return *client_; }
    /// Valid until the next refresh_schema().
    const Schema& schema() const noexcept { return *schema_; }

    /// If the cached schema is at least ten seconds old or was invalidated, reads the catalog or
    /// takes the schema that another connection has read. While another connection is reading, may
    /// keep a schema that is less than 20 seconds old. Returns false on failure.
    bool refresh_schema(const Dialect& dialect, const TableNames& names, Deadline deadline,
                        apr_pool_t* pool);
    /// Invalidates the schema, so the next refresh_schema() reads it again.
    void invalidate_schema();
    /// Returns whether the server responds. Within a second of the last call, sends a query only if
    /// the server has sent something.
    bool is_alive();

  private:
    /// Reads the catalog, and shares the schema with other connections.
    bool read_schema(const Dialect& dialect, const TableNames& names, apr_pool_t* pool);
    /// Uses the shared schema, unless it is too old or was read before the last
    /// invalidate_schema(). Returns whether it is used.
    bool take_shared();
    /// Sets the schema, and discards prepared statements if it has changed.
    void set_schema(std::shared_ptr<const Schema> schema, apr_time_t read_at);

    std::unique_ptr<Client> client_;
    SharedSchemas::Entry* shared_;
    std::shared_ptr<const Schema> schema_ = std::make_shared<Schema>();
    /// 0 if the schema was never read, or was invalidated.
    apr_time_t schema_read_at_ = 0;
    apr_time_t invalidated_at_ = 0;
    apr_time_t last_checked_at_ = 0;
};

} // namespace useradmin::store
