// What an import that was broken off goes on from.
#pragma once

#include "ctl/user_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::ctl {

/// How far an import has come: a place between two of its transactions.
struct ImportPlace {
    FilePlace file;
    /// The id of a user that the last transaction made; empty where it made none. By this the
    /// database tells whether the transaction was done, and that it is the same database. Somebody
    /// else may have made a user of the same address meanwhile.
    std::string user;
    /// Counted from the start of the file.
    std::uint64_t made = 0;
    std::uint64_t changed = 0;
    std::uint64_t skipped = 0;
};

/// A file beside the one that is imported. Each transaction is told to it before it is committed,
/// so that whoever reads it later asks the database about one transaction and knows of all others.
class ImportJournal {
  public:
    /// Of the file with that name; of standard input there is none, and nothing is written.
    explicit ImportJournal(std::string_view file);

    struct Contents {
        /// The last place that is known to be committed, and the one that may be.
        ImportPlace committed;
        std::optional<ImportPlace> next;
    };
    /// What an earlier import has left; nothing where it left nothing. A CommandError where it
    /// cannot be read.
    std::optional<Contents> read() const;
    /// A CommandError where it cannot be written.
    void write(const Contents& contents) const;
    /// The import is done.
    void remove() const noexcept;

    /// The journal's own name; empty where there is none.
    const std::string& name() const noexcept { return name_; }

  private:
    std::string name_;
};

} // namespace useradmin::ctl
