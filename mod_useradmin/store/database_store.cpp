#include "store/database_store.hpp"

#include "apr/pool.hpp"
#include "store/cached_connection.hpp"
#include "store/lists.hpp"
#include "store/privileges.hpp"
#include "store/statements.hpp"
#include "store/work.hpp"

#include <apr_time.h>

#include <algorithm>
#include <memory>
#include <string>

namespace useradmin::store {

namespace {

constexpr std::chrono::milliseconds busy_pause(5);

/// What a change needs further that ends sessions.
constexpr unsigned needs_of(Sessions sessions) noexcept {
    return sessions == Sessions::end ? needs_session : 0U;
}

/// What a change needs further whose caller is looked at.
constexpr unsigned needs_of(const std::optional<Actor>& actor) noexcept {
    return actor ? needs_user : 0U;
}

/// Until when to wait for answers on a connection that was asked for at that time. One that was
/// long in coming gets a little longer: it is good, and ended at its first statement, the next one
/// would be as long in coming for the next request.
Deadline deadline_of(Clock::time_point asked, Deadline deadline) {
    constexpr std::chrono::milliseconds little(250);
    const auto now = Clock::now();
    return now - asked < little ? deadline : std::max(deadline, now + little);
}

/// The work, whole or not at all.
template <class T, class Operation>
Result<T> in_transaction(Work& piece, const Dialect& dialect, const Operation& work) {
    const std::unique_ptr<Transaction> transaction = dialect.begin(piece);
    if (transaction == nullptr)
        return Failure::failed;
    Result<T> result = work(piece, dialect);
    return !result || transaction->commit() ? std::move(result) : Result<T>(Failure::failed);
}

} // namespace

Failure DatabaseStore::late() {
    return unavailable("UA0107: ", "the database gave no answer in " +
                                       std::to_string(patience_.wait.count() / 1000) +
                                       " s, and was waited for no longer");
}

Failure DatabaseStore::locked() {
    return unavailable("UA0104: ", "the database was locked by others all the time");
}

Failure DatabaseStore::out_of_reach(const Client& client) {
    return unavailable("UA0105: ", "the database is out of reach: " + client.error());
}

Failure DatabaseStore::unavailable(std::string_view tag, std::string_view reason) {
    log_.write_throttled(text::Level::error, std::string(tag) += reason);
    return Failure::unavailable;
}

Failure DatabaseStore::failed(std::string_view tag, std::string_view reason) {
    log_.write(text::Level::error, std::string(tag) += reason);
    return Failure::failed;
}

std::string DatabaseStore::missing_grants(const Dialect& dialect, Client& client,
                                          const Schema& schema, unsigned needs) {
    const auto is_needed = [&](const Right& right) {
        const unsigned need = right.table == 'u'   ? needs_user
                              : right.table == 's' ? needs_session
                                                   : needs_account;
        return (needs & need) != 0;
    };
    // From the least to the most, so that nobody opens the hashes to what does without them.
    for (const std::span<const Right> all :
         {std::span<const Right>(service_rights), std::span<const Right>(session_rights),
          (needs & needs_new_hash) != 0 ? std::span<const Right>(extras_rights)
                                        : std::span<const Right>(),
          std::span<const Right>(password_rights), std::span<const Right>(sign_in_rights)}) {
        std::vector<Right> rights;
        std::copy_if(all.begin(), all.end(), std::back_inserter(rights), is_needed);
        auto answer = client.execute(dialect.missing_rights_query(schema, rights).c_str(), pool_);
        Rows* rows = std::get_if<Rows>(&answer);
        std::string grants;
        const Table* granted = nullptr;
        std::string end;
        while (rows != nullptr && rows->next()) {
            const Table& table = schema.table(rows->take().value_or("u").front());
            grants += &table == granted ? ", " : end + " GRANT ";
            granted = &table;
            grants += rows->take().value_or("");
            if (const std::string_view column = rows->take().value_or(""); !column.empty())
                grants += " (" + quoted_identifier(column) + ")";
            end = " ON " + table.name + " TO " + std::string(rows->take().value_or("")) + ";";
        }
        if (!grants.empty())
            return "; run:" + grants.append(end);
    }
    return {};
}

template <class T, class Operation>
Result<T> DatabaseStore::run(unsigned needs, Repeatable repeatable, const Operation& work,
                             Access access) {
    // Who reads slips in between two changes as a rule; without luck he takes a turn of his own.
    constexpr int tries_of_readers = 40;
    const Allowance::Use use(allowance_);
    std::optional<ipc::FairSemaphore::Permit> turn;
    for (int tries = 0;; ++tries) {
        if (write_semaphore_ && !turn && (access == Access::writes || tries == tries_of_readers)) {
            auto slot =
                write_semaphore_->acquire(std::chrono::duration_cast<std::chrono::milliseconds>(
                    use.deadline() - Clock::now()));
            if (!std::holds_alternative<ipc::FairSemaphore::Permit>(slot))
                return locked();
            turn.emplace(std::get<ipc::FairSemaphore::Permit>(std::move(slot)));
        }
        if (patience_.ends_statements && Clock::now() >= use.deadline())
            return tries == 0 ? late() : locked();
        {
            const auto asked = Clock::now();
            Lease lease(source_, use.deadline());
            if (!lease)
                return Failure::unavailable;
            const Dialect* dialect = dialect_of(apr::view_of(apr_dbd_name((*lease).driver)));
            if (dialect == nullptr)
                return failed("UA0101: ", "DBDriver must be " + names_of_drivers());
            if (auto result = run_on<T>(*lease, *dialect, needs, repeatable,
                                        deadline_of(asked, use.deadline()), work))
                return *std::move(result);
        }
        // Others may use the connection meanwhile.
        if (Clock::now() + busy_pause >= use.deadline())
            return locked();
        apr_sleep(apr_time_from_msec(busy_pause.count()));
    }
}

template <class T, class Operation>
std::optional<Result<T>> DatabaseStore::run_on(const Connection& connection, const Dialect& dialect,
                                               unsigned needs, Repeatable repeatable,
                                               Deadline deadline, const Operation& work) {
    KnownConnection& known = KnownConnection::of(connection, dialect, label_);
    Client& client = known.client();
    client.bound(patience_.ends_statements ? deadline : no_deadline);
    // Each passing reason passes once: a connection is made anew, the catalogue is read again.
    bool may_reconnect = true;
    bool may_doubt = true;
    while (true) {
        if (const auto fault = known.learn(dialect, names_, pool_)) {
            if (fault == Fault::busy)
                return std::nullopt;
            if (fault == Fault::late)
                return Result<T>(late());
            const std::string reason = client.error();
            if (std::exchange(may_reconnect, false) && client.reconnect())
                continue;
            if (fault == Fault::lost)
                return Result<T>(out_of_reach(client));
            return Result<T>(
                unavailable("UA0102: ", "the database's catalogue cannot be read: " + reason));
        }
        if (const Problem* problem = known.schema().problem_of(needs)) {
            // Whoever has just followed the remedy need not wait for it to be noticed.
            if (!std::exchange(may_doubt, false))
                return Result<T>(failed("UA0103: ", problem->text));
            known.doubt();
            continue;
        }
        // What must not be done twice is not begun on a connection that the database has closed.
        if (repeatable == Repeatable::no && may_reconnect && !known.answers()) {
            may_reconnect = false;
            // A pooler takes connections also while the database is away.
            if (!client.reconnect() || !client.ping())
                return Result<T>(out_of_reach(client));
            continue;
        }
        Work piece(client, known.schema(), pool_, witness_ != nullptr);
        Result<T> result = work(piece, dialect);
        if (result || result.failure() != Failure::failed)
            return result;
        switch (piece.fault().value_or(Fault::refused)) {
        case Fault::busy:
            return std::nullopt;
        case Fault::late:
            return Result<T>(late());
        case Fault::outdated:
        case Fault::forbidden:
            // What was there, and might be read, may have gone since the catalogue was read.
            if (std::exchange(may_doubt, false)) {
                known.doubt();
                continue;
            }
            break;
        case Fault::read_only:
            // A connection that was made to the primary may by now be one to a standby. Another one
            // may lead elsewhere, and nothing was done.
            if (!std::exchange(may_reconnect, false))
                return Result<T>(
                    unavailable("UA0108: ", "the database takes no writes: " + piece.error() +
                                                "; " + dialect.product().when_read_only));
            if (!client.connect_anew())
                return Result<T>(out_of_reach(client));
            continue;
        case Fault::lost: {
            const bool is_first = std::exchange(may_reconnect, false);
            const bool is_back = client.reconnect();
            if (repeatable == Repeatable::no) {
                // Of this write, and of no other: it has a line of its own.
                failed("UA0105: ", "the connection to the database broke, and nobody knows whether "
                                   "the write was done: " +
                                       piece.error());
                return Result<T>(Failure::unavailable);
            }
            if (!is_back || !is_first)
                return Result<T>(out_of_reach(client));
            continue;
        }
        case Fault::conflict:
        case Fault::refused:
            break;
        }
        std::string reason = "the database refused: " + piece.error();
        if (piece.fault() == Fault::forbidden)
            reason += missing_grants(dialect, client, known.schema(), needs);
        return Result<T>(failed("UA0106: ", reason));
    }
}

template <class T, class Operation>
Result<T> DatabaseStore::write(unsigned needs, Repeatable repeatable, const Operation& work) {
    return run<T>(
        needs, repeatable,
        [&](Work& piece, const Dialect& dialect) {
            // A statement alone that must wait at its end for those who read is begun anew, and
            // lets others in to read meanwhile, one after the other.
            return noted(dialect.product().has_one_writer ? in_transaction<T>(piece, dialect, work)
                                                          : work(piece, dialect),
                         piece);
        },
        Access::writes);
}

template <class T>
Result<T> DatabaseStore::noted(Result<T> result, const Work& piece) {
    if (!result && witness_ != nullptr && piece.may_be_committed())
        witness_->on_unknown_outcome();
    return result;
}

template <class T, class Operation>
Result<T> DatabaseStore::change(unsigned needs, Repeatable repeatable, const Operation& work) {
    if (witness_ == nullptr)
        return write<T>(needs, repeatable, work);
    const auto tell = [&](const Seen& seen) {
        return witness_->saw(seen.user_id, seen.before ? &*seen.before : nullptr,
                             seen.after ? &*seen.after : nullptr);
    };
    if (!witness_->comes_before()) {
        Seen seen;
        Result<T> result = write<T>(needs, repeatable, [&](Work& piece, const Dialect& dialect) {
            Result<T> done = work(piece, dialect);
            seen = piece.seen();
            return done;
        });
        // Nobody waits for the witness but the request itself.
        if (result)
            tell(seen);
        return result;
    }
    return run<T>(
        needs, Repeatable::no,
        [&](Work& piece, const Dialect& dialect) {
            bool is_told = false;
            Result<T> result =
                noted(in_transaction<T>(piece, dialect,
                                        [&](Work&, const Dialect&) -> Result<T> {
                                            Result<T> done = work(piece, dialect);
                                            if (!done)
                                                return done;
                                            is_told = tell(piece.seen());
                                            return is_told ? std::move(done)
                                                           : Result<T>(Failure::unavailable);
                                        }),
                      piece);
            // What was told is not done a second time.
            return is_told && !result && piece.fault() == Fault::busy ? Result<T>(locked())
                                                                      : std::move(result);
        },
        Access::writes);
}

template <class T>
Result<T> DatabaseStore::changed(Result<T> result) {
    // Also where it failed: the database may have done it all the same.
    if (totals_ != nullptr)
        totals_->forget();
    return result;
}

Result<Page> DatabaseStore::list(const Filter& filter, const Window& window) {
    const auto is_shared = [&](Sharing sharing) {
        return totals_ != nullptr &&
               (sharing == Sharing::always || (sharing == Sharing::when_kept && totals_->keeps()));
    };
    const Allowance::Use use(allowance_);
    std::optional<std::vector<model::User>> users;
    using Total = std::optional<std::int64_t>;
    // Nothing for a total that is left to those who share it.
    const auto count = [&](bool leaves_shared, LastTotal last) {
        return run<Total>(
            needs_user, Repeatable::yes, [&](Work& work, const Dialect& dialect) -> Result<Total> {
                const Lists& lists = dialect.lists(work.schema());
                if (leaves_shared && is_shared(lists.sharing(work.schema(), filter)))
                    return Total();
                Result<Counted> counted = lists.count(work, dialect, filter, window, last);
                if (!counted)
                    return counted.failure();
                users = std::move(counted->users);
                return Total(counted->total);
            });
    };
    Result<Total> total = count(true, {});
    if (total && !*total) {
        // No connection is held while another request counts.
        const Result<std::int64_t> shared =
            totals_->total(filter, use.deadline(), [&](LastTotal last) -> Result<std::int64_t> {
                const Result<Total> own = count(false, last);
                if (!own)
                    return own.failure();
                return **own;
            });
        if (!shared)
            return shared.failure();
        total = Total(*shared);
    }
    if (!total)
        return total.failure();
    // One that was counted after it was asked for says of a page behind the end that it is empty.
    if (totals_ != nullptr && !totals_->keeps() && window.offset >= **total)
        users.emplace();
    if (!users) {
        Result<std::vector<model::User>> page = run<std::vector<model::User>>(
            needs_user, Repeatable::yes, [&](Work& work, const Dialect& dialect) {
                return dialect.lists(work.schema()).page(work, dialect, filter, **total, window);
            });
        if (!page)
            return page.failure();
        users = std::move(*page);
    }
    return Page{*std::move(users), **total};
}

Result<model::User> DatabaseStore::find(std::string_view id) {
    return run<model::User>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) { return statements::find(work, dialect, id); });
}

Result<model::User> DatabaseStore::find_by_email(std::string_view email) {
    return run<model::User>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect&) { return statements::find_by_email(work, email); });
}

Result<model::User> DatabaseStore::create(const NewUser& user, const std::optional<Actor>& actor) {
    return changed(change<model::User>(
        needs_user | needs_account | needs_creation, Repeatable::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::create(work, dialect, user, actor);
        }));
}

Result<model::User> DatabaseStore::update(std::string_view id, const Changes& changes,
                                          const Guard& guard, Sessions sessions) {
    // Done a second time, it would find the row that it has changed itself.
    const bool may_change_caller = guard.actor && guard.actor->id == id;
    return changed(change<model::User>(
        needs_user | needs_of(sessions),
        guard.versions || may_change_caller ? Repeatable::no : Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::update(work, dialect, id, changes, guard, sessions);
        }));
}

Result<Done> DatabaseStore::remove(std::string_view id, const ProtectedAddress& spared,
                                   const Guard& guard) {
    return changed(change<Done>(
        needs_user | needs_session | needs_account, Repeatable::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::remove(work, dialect, id, spared, guard);
        }));
}

Result<Done> DatabaseStore::another(std::string_view id, std::string_view role,
                                    text::Timestamp now) {
    return run<Done>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::another(work, dialect, id, role, now);
        });
}

Result<Credential> DatabaseStore::credential(std::string_view email) {
    return run<Credential>(
        needs_user | needs_account, Repeatable::yes,
        [&](Work& work, const Dialect&) { return statements::credential(work, email); });
}

Result<Done> DatabaseStore::set_password(const model::Account& account, Sessions sessions,
                                         const Guard& guard) {
    return change<Done>(
        needs_user | needs_account | needs_new_hash | needs_of(sessions), Repeatable::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::set_password(work, dialect, account, sessions, guard);
        });
}

Result<Done> DatabaseStore::replace_hash(const model::Account& account,
                                         std::string_view instead_of) {
    return change<Done>(
        needs_user | needs_account, Repeatable::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::replace_hash(work, dialect, account, instead_of);
        });
}

Result<std::vector<std::string>> DatabaseStore::password_formats() {
    return run<std::vector<std::string>>(
        needs_account, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::password_formats(work, dialect);
        });
}

Result<SignedIn> DatabaseStore::session(std::string_view token) {
    return run<SignedIn>(
        needs_user | needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::session(work, dialect, token);
        });
}

Result<SignedIn> DatabaseStore::caller(std::string_view token) {
    return run<SignedIn>(
        needs_user | needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::caller(work, dialect, token);
        });
}

Result<std::vector<model::Session>> DatabaseStore::sessions_of(std::string_view user_id) {
    return run<std::vector<model::Session>>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::sessions_of(work, dialect, user_id);
        });
}

Result<std::vector<model::Session>>
DatabaseStore::live_sessions_of(std::string_view user_id, text::Timestamp now, std::int64_t most) {
    return run<std::vector<model::Session>>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::live_sessions_of(work, dialect, user_id, now, most);
        });
}

Result<std::string_view> DatabaseStore::open_session(const model::Session& session,
                                                     const SessionTerms& terms) {
    return change<std::string_view>(
        needs_user | needs_session | (terms.password_hash ? needs_account : 0U), Repeatable::no,
        [&](Work& work, const Dialect& dialect) {
            return statements::open_session(work, dialect, session, terms);
        });
}

Result<Done> DatabaseStore::extend_session(std::string_view token, text::Timestamp expires_at,
                                           text::Timestamp now) {
    return write<Done>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::extend_session(work, dialect, token, expires_at, now);
        });
}

Result<Done> DatabaseStore::close_session(std::string_view token) {
    return change<Done>(
        needs_session, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::close_session(work, dialect, token);
        });
}

Result<Done> DatabaseStore::close_session_of(std::string_view user_id, std::string_view id,
                                             const std::optional<Actor>& actor) {
    return change<Done>(
        needs_session | needs_of(actor), Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::close_session_of(work, dialect, user_id, id, actor);
        });
}

Result<std::int64_t> DatabaseStore::close_sessions_of(std::string_view user_id,
                                                      const std::optional<Actor>& actor) {
    return change<std::int64_t>(
        needs_session | needs_of(actor), Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::close_sessions_of(work, dialect, user_id, actor);
        });
}

Result<std::vector<ExtraColumn>> DatabaseStore::further_columns() {
    return run<std::vector<ExtraColumn>>(
        needs_user, Repeatable::yes,
        [](Work& work, const Dialect&) {
            return Result<std::vector<ExtraColumn>>(statements::further_columns(work));
        });
}

Result<Survey> DatabaseStore::survey(const ProtectedAddress& spared) {
    return run<Survey>(
        needs_user, Repeatable::yes,
        [&](Work& work, const Dialect& dialect) {
            return statements::survey(work, dialect, spared);
        });
}

Result<Done> DatabaseStore::ask() {
    return run<Done>(
        needs_user, Repeatable::yes,
        [](Work& work, const Dialect&) -> Result<Done> {
            const Result<Rows> answer = work.execute("SELECT 1");
            if (!answer)
                return answer.failure();
            return Done();
        });
}

} // namespace useradmin::store
