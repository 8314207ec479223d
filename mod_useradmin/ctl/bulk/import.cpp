// useradminctl import: creates or updates the users in a file, up to 500 per transaction.
#include "apr/pool.hpp"
#include "ctl/bulk/import_entry.hpp"
#include "ctl/bulk/user_file.hpp"
#include "ctl/check/database_facts.hpp"
#include "ctl/command.hpp"
#include "ctl/commands/last_super_admin.hpp"
#include "ctl/display.hpp"
#include "ctl/interrupt_handler.hpp"
#include "ctl/transaction.hpp"
#include "store/statements.hpp"
#include "text/unicode.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace useradmin::ctl {

namespace {

constexpr std::size_t users_at_once = 500;
// Names and images may be long, so also limit the bytes per transaction.
constexpr std::size_t batch_bytes = std::size_t{4} << 20;

enum class OnConflict { fail, skip, update };

OnConflict on_conflict_of(const Options& options) {
    const std::string_view word = options.find("on-conflict").value_or("fail");
    if (word != "fail" && word != "skip" && word != "update")
        throw UsageError("--on-conflict must be skip, update or fail");
    return word == "fail" ? OnConflict::fail
                          : (word == "skip" ? OnConflict::skip : OnConflict::update);
}

/// Holds pointers, because views refer to the entries, and a reallocation of the vector would move
/// them.
using Entries = std::vector<std::unique_ptr<ImportEntry>>;

constexpr const char* no_super_admin_left =
    "would leave no superAdmin who is not banned; create one first or use --yes";

std::string line_named(std::uint64_t number) {
    return "line " + std::to_string(number);
}

struct CloseUnlessStdin {
    void operator()(std::FILE* file) const noexcept {
        if (file != stdin)
            std::fclose(file);
    }
};
using Input = std::unique_ptr<std::FILE, CloseUnlessStdin>;

/// Opens a file, or standard input for "-". Throws CommandError on failure.
Input open_input(const std::string& name) {
    Input input(name == "-" ? stdin : std::fopen(name.c_str(), "re"));
    if (input == nullptr)
        throw CommandError("cannot read " + name + ": " + std::generic_category().message(errno));
    return input;
}

/// Returns the size of a regular file, or 0 for any other file.
std::uint64_t size_of(std::FILE* file) {
    struct stat status = {};
    const bool is_known = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    return is_known ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// Hashes the passwords on all processors.
void hash_passwords(const std::vector<ImportEntry*>& waiting, const password::Format& format) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> has_failed = false;
    // An exception would end the process.
    const auto work = [&]() noexcept {
        try {
            for (std::size_t index = next++; index < waiting.size(); index = next++) {
                auto hash = password::hash(format, waiting[index]->password);
                if (!hash)
                    throw std::bad_alloc();
                waiting[index]->new_hash = std::move(*hash);
                waiting[index]->row.password_hash = waiting[index]->new_hash.view();
            }
        } catch (const std::bad_alloc&) {
            has_failed = true;
        }
    };
    std::vector<std::jthread> threads;
    const std::size_t count =
        std::min<std::size_t>(waiting.size(), std::max(std::thread::hardware_concurrency(), 1U));
    for (std::size_t index = 1; index < count; ++index)
        threads.emplace_back(work);
    work();
    threads.clear();
    if (has_failed)
        throw CommandError("cannot hash a password: out of memory");
}

/// The numbers of users created, updated and skipped so far.
struct ImportCounts {
    std::int64_t created = 0;
    std::int64_t changed = 0;
    std::int64_t skipped = 0;

    std::int64_t total() const noexcept { return created + changed + skipped; }
};

ImportRules rules_of(const Context& context, const store::Schema& schema) {
    return {schema, context.settings.lowers_email.value_or(false), context.options.has("force"),
            text::now()};
}

class Import {
  public:
    Import(Context& context, const std::string& name)
        : context_(context), input_(open_input(name)), database_(context.database()),
          schema_(context.schema()), on_conflict_(on_conflict_of(context.options)),
          is_dry_(context.options.has("dry-run")), rules_(rules_of(context, schema_)),
          reader_(input_.get(), format_of(context.options.find("format"), name)),
          progress_(is_dry_ ? "Checking lines" : "Importing lines"),
          file_size_(size_of(input_.get())),
          interrupt_handler_(context.wants_json(), [this](bool is_delayed) {
              progress_.clear();
              return is_delayed ? state_of_slow_commit() : state("run the command again");
          }) {
        if (const store::Problem* problem =
                schema_.find_problem(store::needs_user | store::needs_account))
            throw CommandError(problem->text);
        is_unique_in_lower_ =
            std::ranges::any_of(indexes_of(database_, schema_), &Index::makes_lower_emails_unique);
    }

    Exit run() {
        if (is_dry_) {
            database_.set_lock_timeout(); // a dry run also updates rows
            dry_run_transaction_.emplace(database_);
            database_.disable_timeouts();
        }
        while (auto line = reader_.next()) {
            take(std::move(*line));
            if (entries_.size() >= users_at_once || bytes_ >= batch_bytes ||
                problems_.size() - reported_ >= users_at_once)
                flush(reader_.lines_read());
        }
        flush(reader_.lines_read());
        return report();
    }

  private:
    void take(FileLine line) {
        auto entry = std::make_unique<ImportEntry>();
        entry->line = line.number;
        entry->cells = std::move(line.cells);
        const std::string problem =
            line.problem.empty() ? fill_entry(*entry, rules_) : std::move(line.problem);
        if (!problem.empty()) {
            reject(Exit::failure, entry->line, problem);
            if (entries_.empty())
                report_problems();
            return;
        }
        // Flush first, so the duplicate conflicts with a user in the database.
        const std::string address = address_key(entry->row.user.email);
        if (names_.contains(address) || names_.contains(entry->row.user.id))
            flush(reader_.lines_before());
        names_.insert(address);
        if (!entry->row.user.id.empty())
            names_.emplace(entry->row.user.id);
        for (const Cell& cell : entry->cells)
            bytes_ += cell.text ? cell.text->view().size() : 0;
        entries_.push_back(std::move(entry));
    }

    /// Rejects a line. In a dry run, records the problem. Otherwise, ends the import with
    /// CommandError.
    void reject(Exit code, std::uint64_t line, const std::string& problem) {
        if (!is_dry_)
            throw CommandError(code, line_named(line) + " " + problem + "; " + state());
        problems_.push_back({line, problem});
    }

    /// Prints the problems found since the last call, in line order.
    void report_problems() {
        const auto first = problems_.begin() + static_cast<std::ptrdiff_t>(reported_);
        std::ranges::stable_sort(first, problems_.end(), {}, &Problem::line);
        if (first != problems_.end())
            progress_.clear();
        for (auto each = first; each != problems_.end(); ++each)
            print_error(line_named(each->line) + " " + each->message);
        reported_ = problems_.size();
    }

    /// Describes which lines were imported before a failure, and the next step.
    std::string
    state(const std::string& remedy = "fix the problem, then run the command again") const {
        return has_imported() ? imported_lines() + "; " + remedy + with_option() : imported_lines();
    }

    bool has_imported() const { return !is_dry_ && counts_.total() > 0; }

    std::string imported_lines() const {
        return has_imported()
                   ? "all lines up to line " + std::to_string(lines_imported_) + " were imported"
                   : "nothing was imported";
    }

    /// Describes an import whose transaction has not ended some seconds after a signal. If its
    /// COMMIT is in progress, logs that the outcome is unknown.
    std::string state_of_slow_commit() {
        // Leave the mutex locked, because the process ends.
        commit_mutex_.lock();
        if (!is_committing_)
            return state("run the command again");
        context_.audit().write_corrections(true);
        context_.audit().finish(Exit::failure);
        return "it is unknown whether " + pending_lines() + " imported; run the command again" +
               with_option();
    }

    /// Returns the end of a message that says "run the command again", such as " with --on-conflict
    /// skip".
    std::string with_option() const {
        return std::string(" with --on-conflict ") +
               (on_conflict_ == OnConflict::update ? "update" : "skip");
    }

    /// Writes the entries to the database, in one transaction where possible. lines: the number of
    /// lines up to the last entry.
    void flush(std::uint64_t lines) {
        for (; !entries_.empty(); entries_ = std::exchange(postponed_, {})) {
            lines_read_ = lines;
            if (is_dry_)
                try_to_write();
            else
                commit_entries();
            progress_.show_share(lines_read_, reader_.bytes_read(), file_size_);
        }
        names_.clear();
        bytes_ = 0;
    }

    /// Writes and commits the entries. If an attempt fails with a unique violation, the next
    /// attempt finds the existing user. Another process may create more users in the meantime, so
    /// the number of attempts is limited.
    void commit_entries() {
        constexpr int max_attempts = 5;
        for (int attempt = 1;; ++attempt) {
            const apr::ScopedPool pool(database_.pool());
            const bool has_existing = find_existing(pool.get()) > 0;
            hash_passwords();
            if (try_to_commit(attempt == max_attempts || (attempt > 1 && !has_existing)))
                return;
        }
    }

    /// Moves an entry and those after it to the next transaction.
    void postpone(Entries::iterator first) {
        lines_read_ = (*first)->line - 1;
        postponed_.insert(postponed_.begin(), std::make_move_iterator(first),
                          std::make_move_iterator(entries_.end()));
        entries_.erase(first, entries_.end());
    }

    /// Hashes only the passwords that will be written: hashing takes much longer than the rest of
    /// the import.
    void hash_passwords() {
        std::vector<ImportEntry*> waiting;
        for (const auto& entry : entries_)
            if (!entry->password.empty() && !entry->row.password_hash &&
                (entry->existing.empty() || on_conflict_ == OnConflict::update))
                waiting.push_back(entry.get());
        ctl::hash_passwords(waiting, context_.settings.hash_format());
    }

    /// Returns a key that is equal for addresses that the database regards as equal.
    std::string address_key(std::string_view email) const {
        return is_unique_in_lower_ || schema_.user.at("email").has_loose_equality
                   ? text::lower(email)
                   : std::string(email);
    }

    /// Marks the entries of existing users, and rejects those that conflict. Returns the number of
    /// existing users.
    std::size_t find_existing(apr_pool_t* pool) {
        store::Work work(database_.client(), database_.dialect(), schema_, pool);
        std::vector<store::bulk::Row> rows;
        for (const auto& entry : entries_) {
            entry->existing.clear();
            rows.push_back(entry->row);
        }
        const auto taken = store::bulk::find_existing(work, rows, is_unique_in_lower_);
        if (!taken)
            throw CommandError("the database reported an error: " + work.error_message() + "; " +
                               state("run the command again"));
        std::map<std::string, const model::User*, std::less<>> by_address;
        std::map<std::string, const model::User*, std::less<>> by_id;
        for (const model::User& user : *taken)
            by_address[address_key(user.email)] = by_id[std::string(user.id)] = &user;
        const auto find = [](const auto& users, std::string_view key) {
            const auto found = users.find(key);
            return found != users.end() ? found->second : nullptr;
        };
        std::set<std::string_view> claimed;
        for (auto next = entries_.begin(); next != entries_.end(); ++next) {
            ImportEntry* const entry = next->get();
            const model::User& user = entry->row.user;
            const model::User* const with_address = find(by_address, address_key(user.email));
            const model::User* const with_id = find(by_id, user.id);
            const model::User* const known = with_address != nullptr ? with_address : with_id;
            if (known == nullptr)
                continue;
            // If an earlier entry updates the same user, postpone this one: the address may change.
            if (!claimed.insert(known->id).second && on_conflict_ == OnConflict::update) {
                postpone(next);
                break;
            }
            entry->existing = known->id;
            entry->is_super_admin = is_super_admin_after(*entry, *known);
            const bool has_two_users = on_conflict_ == OnConflict::update &&
                                       with_address != nullptr && with_id != nullptr &&
                                       with_address->id != with_id->id;
            entry->is_conflict = has_two_users || on_conflict_ == OnConflict::fail;
            if (has_two_users)
                reject(Exit::already_exists, entry->line,
                       "has the id of one user and the address of another");
            else if (entry->is_conflict)
                reject(Exit::already_exists, entry->line,
                       (with_address != nullptr
                            ? "has the address of an existing user, " + std::string(user.email)
                            : "has the id of an existing user, " + std::string(user.id)) +
                           "; use --on-conflict skip or update to accept it");
        }
        return claimed.size();
    }

    bool is_super_admin_after(const ImportEntry& entry, model::User user) const {
        const model::User& given = entry.row.user;
        if (entry.has("role"))
            user.role = given.role;
        if (entry.has("banned"))
            user.banned = given.banned;
        // A ban without an expiry also clears an expiry in the past (clear_past_ban_expiry()).
        if (entry.has("banExpires") || given.banned)
            user.ban_expires = given.ban_expires;
        return is_active_super_admin(user, rules_.now);
    }

    /// Writes the entries in the transaction of a dry run.
    void try_to_write() {
        // Skip hashing: it dominates the run time, and the database accepts any string as a hash.
        for (const auto& entry : entries_)
            if (!entry->password.empty())
                entry->row.password_hash = "not hashed";
        const apr::ScopedPool pool(database_.pool());
        find_existing(pool.get());
        store::Work work(database_.client(), database_.dialect(), schema_, pool.get(),
                         /* has_listener */ false, context_.settings.plugin_policy());
        std::vector<store::RowChange> row_changes;
        if (!write(work, counts_, row_changes))
            fail(work);
        report_problems();
    }

    /// Writes and commits the entries. On a unique violation, returns false or, on the last
    /// attempt, throws CommandError.
    bool try_to_commit(bool is_last_try) {
        const apr::ScopedPool pool(database_.pool());
        store::Work work(database_.client(), database_.dialect(), schema_, pool.get(),
                         /* has_listener */ true, context_.settings.plugin_policy());
        const auto transaction = database_.dialect().begin_transaction(work);
        if (transaction == nullptr)
            fail(work);
        ImportCounts next = counts_;
        std::vector<store::RowChange> row_changes;
        if (!write(work, next, row_changes)) {
            if (work.error_kind() == store::ErrorKind::unique_violation && !is_last_try)
                return false;
            fail(work);
        }
        const auto delay = interrupt_handler_.delay();
        {
            const std::lock_guard lock(commit_mutex_);
            if (context_.audit().runs_before_commit())
                record_changes(row_changes);
            is_committing_ = true;
        }
        const bool is_committed = transaction->commit();
        // If a signal has arrived first, its thread keeps the mutex and ends the process.
        const std::lock_guard lock(commit_mutex_);
        is_committing_ = false;
        if (!is_committed) {
            context_.audit().write_corrections(work.may_be_committed());
            fail(work);
        }
        context_.audit().confirm_changes();
        counts_ = next;
        lines_imported_ = lines_read_;
        if (!context_.audit().runs_before_commit())
            record_changes(row_changes);
        return true;
    }

    /// Inserts the missing users. Updates or skips the existing ones, depending on on_conflict_.
    /// Returns false if the insertion fails. The views in `row_changes` are valid as long as the
    /// entries and the work's pool.
    bool write(store::Work& work, ImportCounts& counts,
               std::vector<store::RowChange>& row_changes) {
        std::vector<store::bulk::Row> missing;
        for (const auto& entry : entries_)
            if (entry->existing.empty())
                missing.push_back(entry->row);
        const bool names_by_id = context_.settings.account_id_is_user_id.value_or(false);
        if (!missing.empty() && !store::bulk::insert(work, missing, names_by_id, rules_.now))
            return false;
        counts.created += static_cast<std::int64_t>(missing.size());
        row_changes.reserve(entries_.size());
        for (const store::bulk::Row& row : missing)
            row_changes.push_back({row.user.id, std::nullopt, row.user});
        for (const auto& entry : entries_) {
            if (entry->existing.empty() || entry->is_conflict)
                continue;
            if (on_conflict_ != OnConflict::update) {
                ++counts.skipped;
                continue;
            }
            if (auto changed = change(work, *entry)) {
                row_changes.push_back(*changed);
                ++counts.changed;
            }
        }
        return true;
    }

    /// Applies an entry to an existing user. Returns std::nullopt if a dry run rejects it.
    std::optional<store::RowChange> change(store::Work& work, const ImportEntry& entry) {
        store::Changes changes = {{"updatedAt", rules_.now}};
        for (const model::Field<model::User>& field : model::user_fields)
            if (field.name != "id" && field.name != "updatedAt" && field.name != "createdAt" &&
                entry.has(field.name))
                changes.push_back({field.name, model::value_of(entry.row.user, field)});
        if (context_.settings.unverifies_email.value_or(false) && !entry.has("emailVerified"))
            changes.push_back(store::unverify_changed_email(rules_.lowers_email));
        const bool bans = entry.row.user.banned;
        if (bans && !entry.has("banExpires"))
            changes.push_back(store::clear_past_ban_expiry());
        work.row_change() = {};
        // A ban ends the user's sessions, as with 'useradminctl ban'.
        const auto ending = schema_.find_problem(store::needs_session) == nullptr
                                ? store::SessionPolicy::revoke
                                : store::SessionPolicy::keep;
        const store::UpdateGuard guard =
            entry.is_super_admin ? store::UpdateGuard() : last_super_admin_guard(context_);
        const bool ends_sessions = bans || context_.settings.ends_sessions;
        const auto changed =
            store::statements::update(work, entry.existing, changes, guard,
                                      ends_sessions ? ending : store::SessionPolicy::keep);
        if (!changed && changed.failure() == store::Failure::last_of_role) {
            reject(Exit::failure, entry.line, no_super_admin_left);
            return std::nullopt;
        }
        if (!changed && changed.is_not_found()) {
            reject(Exit::failure, entry.line, "refers to a user who was deleted in the meantime");
            return std::nullopt;
        }
        const store::RowChange row_change = work.row_change();
        if (!changed || (entry.row.password_hash && !set_password(work, *changed, entry, ending)))
            fail(work, &entry);
        return row_change;
    }

    /// Sets the password if it has changed. Like 'useradminctl passwd', ends the user's sessions.
    /// Returns false on failure.
    bool set_password(store::Work& work, const model::User& user, const ImportEntry& entry,
                      store::SessionPolicy ending) {
        const auto stored = store::statements::find_credential(work, user.email);
        if (!stored && !stored.is_not_found())
            return false;
        if (stored && stored->password_hash == entry.row.password_hash)
            return true;
        const model::Account account = store::credential_account(
            user, entry.account_id, entry.row.password_hash,
            context_.settings.account_id_is_user_id.value_or(false), rules_.now);
        return static_cast<bool>(store::statements::set_password(work, account, ending, {}));
    }

    void record_changes(const std::vector<store::RowChange>& changes) {
        if (context_.audit().record_changes(changes) || !context_.audit().runs_before_commit())
            return;
        context_.audit().write_corrections(false);
        throw CommandError("the audit log is required but cannot be written; " + state());
    }

    /// Ends the import because a statement failed. entry: the entry that the statement writes, or
    /// nullptr for all entries.
    [[noreturn]] void fail(const store::Work& work, const ImportEntry* entry = nullptr) {
        report_problems();
        const std::string lines = entry != nullptr ? line_named(entry->line) : last_lines();
        if (work.may_be_committed())
            throw CommandError(work.error_message() + "; it is unknown whether " + pending_lines() +
                               " imported; run the command again" + with_option());
        if (work.error_kind() == store::ErrorKind::busy)
            throw CommandError("another transaction holds a lock that " + lines + " needed: " +
                               work.error_message() + "; when it has ended, run the command again" +
                               (has_imported() ? with_option() : "") + "; " + imported_lines());
        throw CommandError("the database rejected " + lines + ": " + work.error_message() + "; " +
                           state());
    }

    /// Returns the line numbers of the entries: "line 7" or "lines 1 to 500".
    std::string last_lines() const {
        const std::string last = std::to_string(entries_.back()->line);
        return entries_.size() == 1
                   ? "line " + last
                   : "lines " + std::to_string(entries_.front()->line) + " to " + last;
    }

    std::string pending_lines() const {
        return last_lines() + (entries_.size() == 1 ? " was" : " were");
    }

    Exit report() const {
        progress_.clear();
        std::string error;
        if (!problems_.empty()) {
            error = count_of(problems_.size(), "line is", "lines are") +
                    " invalid; nothing was imported";
            print_error(error);
        }
        if (context_.wants_json())
            print_as_json(error);
        if (context_.wants_json() || !error.empty())
            return error.empty() ? Exit::success : Exit::failure;
        const std::string created = count_of(counts_.created, "user", "users");
        const std::string changed = std::to_string(counts_.changed);
        const std::string skipped = std::to_string(counts_.skipped);
        print_line(is_dry_ ? "all lines are valid; an import would create " + created +
                                 ", change " + changed + " and skip " + skipped
                           : created + " created, " + changed + " changed, " + skipped +
                                 " skipped" + (counts_.skipped > 0 ? " (already existed)" : ""));
        return Exit::success;
    }

    void print_as_json(const std::string& error) const {
        print_data(
            [&](json::Writer& writer) {
                writer.key("made").integer(counts_.created);
                writer.key("changed").integer(counts_.changed);
                writer.key("skipped").integer(counts_.skipped);
                if (is_dry_) {
                    writer.key("problems").begin_array();
                    for (const Problem& problem : problems_) {
                        writer.begin_object().key("line");
                        writer.integer(static_cast<std::int64_t>(problem.line));
                        writer.key("message").string(problem.message).end_object();
                    }
                    writer.end_array();
                }
            },
            error);
    }

    /// An invalid line in a dry run.
    struct Problem {
        std::uint64_t line;
        std::string message;
    };

    Context& context_;
    Input input_;
    Database& database_;
    const store::Schema& schema_;
    /// Whether an index forbids addresses that are equal in lower case.
    bool is_unique_in_lower_ = false;
    OnConflict on_conflict_;
    bool is_dry_;
    ImportRules rules_;
    UserFileReader reader_;
    Progress progress_;
    std::uint64_t file_size_;

    Entries entries_;
    /// The entries to write after entries_, in a separate transaction.
    Entries postponed_;
    /// The ids and address_key()s of entries_, to detect duplicates.
    std::set<std::string, std::less<>> names_;
    std::size_t bytes_ = 0;
    /// The number of lines up to the last entry.
    std::uint64_t lines_read_ = 0;
    /// The number of lines up to the last imported entry.
    std::uint64_t lines_imported_ = 0;
    ImportCounts counts_;
    std::vector<Problem> problems_;
    /// The number of problems printed so far.
    std::size_t reported_ = 0;
    /// Guards is_committing_, the counts and the audit log. The signal thread must not end the
    /// process after the audit lines of changes were written and before the changes are committed
    /// or the lines corrected.
    std::mutex commit_mutex_;
    /// Whether a COMMIT is in progress.
    bool is_committing_ = false;
    std::optional<Transaction> dry_run_transaction_;
    /// Must be the last member, because its thread uses the other members.
    InterruptHandler interrupt_handler_;
};

} // namespace

Exit import_users(Context& context) {
    return Import(context, context.options.arguments[0]).run();
}

} // namespace useradmin::ctl
