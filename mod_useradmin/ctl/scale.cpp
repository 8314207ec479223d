#include "ctl/scale.hpp"

#include "ctl/display.hpp"
#include "ctl/sql_files.hpp"
#include "ctl/transaction.hpp"
#include "text/unicode.hpp"
#include "json/writer.hpp"

#include <charconv>
#include <chrono>
#include <thread>

namespace useradmin::ctl {

namespace {

// How many users are locked at a time, for about a tenth of a second.
constexpr int users_at_once = 2000;
// How often a lock is tried that others wait for behind us, two seconds each, and how long they get
// on between two tries.
constexpr int tries_for_lock = 100;
constexpr std::chrono::seconds pause_between_tries(1);
// How long check --counts waits for a lock.
constexpr std::chrono::seconds lock_timeout(5);
// How often it is gone through users that somebody is changing.
constexpr int most_passes = 100;
constexpr int folds_at_once = 500;

/// What there is of the copy.
struct State {
    bool is_laid = false;
    /// Whether a trigger of the user table reaches it.
    bool is_reached = false;
    /// Whether all changes of the user table reach it.
    bool is_watched = false;
    /// Whether it has tables for marks, which copies of old have not.
    bool has_marks = false;
};

/// What was found wrong and mended.
struct Mended {
    std::int64_t users = 0;
    std::int64_t rows = 0;
    std::int64_t gone = 0;
    std::int64_t counts = 0;
};

std::int64_t number_of(const std::optional<std::string>& cell) {
    std::int64_t number = 0;
    if (cell)
        std::from_chars(cell->data(), cell->data() + cell->size(), number);
    return number;
}

/// The copy of a database's user table.
class Copy {
  public:
    explicit Copy(Database& database) : database_(database) {
        const store::Schema schema = database.schema();
        if (!schema.user.exists())
            throw CommandError(Exit::failure, "there is no table " + schema.user.sql +
                                                  "; lay it with 'useradminctl schema'");
        words_ = database.dialect().scale_words(schema);
        if (words_.empty())
            throw CommandError(Exit::usage,
                               std::string(database.dialect().product().name) +
                                   " needs nothing beside its tables for long lists; leave out "
                                   "--scale, --no-scale and --counts");
        about_users_ = schema.user.about_rows;
        for (const auto& [word, meaning] : words_)
            if (meaning.find(body_quote) != meaning.npos)
                throw CommandError(Exit::failure,
                                   "a name must not hold " + std::string(body_quote));
        // Whatever the account's own settings are.
        database.execute("SET default_transaction_isolation = 'read committed'");
        database.execute("SET standard_conforming_strings = on");
        database.execute("SET statement_timeout = 0");
        database.execute("SET lock_timeout = 0");
    }

    /// Statements fail with a LockTimeout from now on, rather than wait for locks without end.
    void limit_lock_waits() {
        database_.execute("SET lock_timeout = '" + std::to_string(lock_timeout.count()) + "s'");
    }

    /// A LockTimeout in a sentence: which sessions hold locks on the tables.
    CommandError error_of(const LockTimeout& timeout) {
        std::string holders;
        for (const Database::Row& row : ask(file("lock_holders").front()))
            (holders += holders.empty() ? "" : ", ") += row[0].value_or("");
        return {Exit::failure,
                holders.empty()
                    ? std::string(timeout.what()) + "; run this again"
                    : "waited " + std::to_string(lock_timeout.count()) +
                          " s for a lock on the user table or its copy, which is held by " +
                          holders +
                          "; wait for these transactions, or end them with "
                          "pg_terminate_backend(PID), then run this again"};
    }

    /// Fails where another table has it.
    State state() {
        const std::vector<Database::Row> rows = ask(file("state").front());
        if (rows[0][2] == "t")
            throw CommandError(Exit::failure,
                               filled_in("the schema @scale@ belongs to another user table; "
                                         "rename one of the two tables"));
        return {rows[0][0] == "t", rows[0][1] == "t", rows[0][3] == "t", rows[0][4] == "t"};
    }

    void lay() {
        const Progress progress("Laying the copy");
        Transaction transaction(database_);
        run("tables");
        fill_folds();
        run("marks");
        transaction.commit();
    }

    /// Lays the tables of the marks beside a copy that has none, for whoever reads that.
    void lay_marks() {
        Transaction transaction(database_);
        run("marks");
        run("readers");
        transaction.commit();
    }

    /// Makes the functions anew that go through the users, for the table as it is by now.
    void renew_functions() {
        const AsOwner as_owner(*this);
        Transaction transaction(database_);
        run("upkeep");
        transaction.commit();
    }

    /// How many orders have marks: all, some or none.
    enum class Marked { none, some, all };
    Marked marked() {
        const std::vector<std::string> orders = marked_orders();
        const auto count =
            std::count_if(orders.begin(), orders.end(), [&](const std::string& order) {
                return number_of(ask("SELECT count(*) FROM @scale@." + order)[0][0]) > 0;
            });
        if (count == std::ssize(orders))
            return Marked::all;
        return count > 0 ? Marked::some : Marked::none;
    }

    /// Runs a file whose statements lock the user table for a moment, once nobody else has it.
    void run_locked(const char* name, const char* what) {
        const Progress progress(what);
        for (int tries_left = tries_for_lock; tries_left > 0; --tries_left) {
            if (try_locked(name))
                return;
            std::this_thread::sleep_for(pause_between_tries);
        }
        throw CommandError(Exit::failure,
                           "others keep the user table locked; end their long transactions (they "
                           "stand in pg_stat_activity), then run this again");
    }

    /// Goes through all users until the copy lacks none.
    Mended fill() {
        const Progress progress("Filling the copy");
        const AsOwner as_owner(*this);
        Mended mended;
        for (int pass = 0; pass < most_passes; ++pass) {
            mended.users = 0;
            std::optional<std::string> last;
            while (true) {
                const std::vector<Database::Row> rows =
                    ask("SELECT last, seen, mended FROM @scale@.mend(" +
                        (last ? store::literal(*last) : std::string("NULL")) + ", " +
                        std::to_string(users_at_once) + ")");
                if (number_of(rows[0][1]) == 0)
                    break;
                last = rows[0][0];
                mended.users += number_of(rows[0][1]);
                mended.rows += number_of(rows[0][2]);
                progress.show("Filling the copy: " + std::to_string(mended.users) + " of about " +
                              std::to_string(std::max(about_users_, mended.users)) + " users");
            }
            if (number_of(ask("SELECT @scale@.missing()")[0][0]) == 0)
                return mended;
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
        throw CommandError(Exit::failure, "others keep users locked; end their long transactions "
                                          "(they stand in pg_stat_activity), then run this again");
    }

    void sweep(Mended& mended) {
        const Progress progress("Comparing the counts");
        if (mended.rows > 0)
            run("settle");
        const AsOwner as_owner(*this);
        const std::vector<Database::Row> rows = ask("SELECT gone, corrected FROM @scale@.sweep()");
        mended.gone = number_of(rows[0][0]);
        mended.counts = number_of(rows[0][1]);
    }

    /// Makes the marks, or compares them with the users.
    void mark(Mended& mended) {
        const Progress progress("Counting along the orders");
        const AsOwner as_owner(*this);
        for (const std::string& order : marked_orders())
            mended.counts +=
                number_of(ask("SELECT @scale@.mend_marks(" + store::literal(order) + ")")[0][0]);
        // What many changes at a time have needed is gone through by each list until then.
        database_.execute(filled_in("VACUUM (TRUNCATE) @scale@.changes"));
    }

    void index() {
        const Progress progress("Making the indexes");
        for (const Database::Row& row : ask(file("leftovers").front()))
            database_.execute(row[0].value_or(""));
        run("indexes");
    }

    void run(const char* name) {
        for (const std::string& statement : file(name))
            database_.execute(statement);
    }

  private:
    /// Works with the rights of the user table's owner until it goes: what runs is the owner's.
    class AsOwner {
      public:
        explicit AsOwner(Copy& copy) : database_(copy.database_) { copy.run("owner"); }
        ~AsOwner() {
            static_cast<void>(database_.client().execute("RESET ROLE", database_.pool()));
        }
        AsOwner(const AsOwner&) = delete;
        AsOwner& operator=(const AsOwner&) = delete;

      private:
        Database& database_;
    };

    /// The names of the orders that have marks, which are names of tables.
    std::vector<std::string> marked_orders() {
        std::vector<std::string> orders;
        for (const Database::Row& row : ask("SELECT name FROM @scale@.orders()"))
            orders.push_back(row[0].value_or(""));
        return orders;
    }

    /// The text with what the words mean in their places; what they mean may look like a word
    /// itself.
    std::string filled_in(std::string_view text) const {
        std::string filled;
        while (!text.empty()) {
            const auto word = std::find_if(words_.begin(), words_.end(), [&](const auto& each) {
                return text.starts_with(each.first);
            });
            if (word != words_.end())
                filled += word->second;
            else
                filled += text.front();
            text.remove_prefix(word != words_.end() ? word->first.size() : 1);
        }
        return filled;
    }

    std::vector<Database::Row> ask(const std::string& query) {
        return database_.rows(filled_in(query));
    }

    /// The statements of a file of scale/.
    std::vector<std::string> file(const std::string& name) const {
        std::vector<std::string> statements;
        for (const std::string_view text : texts_of(database_, "scale/" + name))
            for (const std::string& statement : statements_of(text))
                statements.push_back(filled_in(statement));
        return statements;
    }

    bool try_locked(const char* name) {
        Transaction transaction(database_);
        for (const std::string& statement : file(name)) {
            const auto answer = database_.client().execute(statement.c_str(), database_.pool());
            const auto* fault = std::get_if<store::Fault>(&answer);
            if (fault == nullptr)
                continue;
            if (*fault == store::Fault::busy)
                return false;
            throw CommandError(Exit::failure,
                               "the database refused: " + database_.client().error());
        }
        transaction.commit();
        return true;
    }

    /// Tells the database how the service folds, code point by code point.
    void fill_folds() {
        std::string values;
        int count = 0;
        const auto flush = [&] {
            if (count > 0)
                database_.execute(filled_in("INSERT INTO @scale@.folds VALUES " + values));
            values.clear();
            count = 0;
        };
        text::each_fold([&](std::string_view point, std::string_view folded) {
            values += (count > 0 ? ", (" : "(") + store::literal(point) + ", " +
                      store::literal(folded) + ")";
            if (++count == folds_at_once)
                flush();
        });
        flush();
    }

    Database& database_;
    std::vector<std::pair<std::string, std::string>> words_;
    std::int64_t about_users_ = 0;
};

void print(const Context& context, const Mended& mended, const std::string& sentence) {
    if (!context.wants_json()) {
        say(sentence);
        return;
    }
    std::string document;
    json::Writer writer(document);
    writer.begin_object().key("success").boolean(true).key("data").begin_object();
    writer.key("users").integer(mended.users);
    writer.key("rowsMended").integer(mended.rows + mended.gone);
    writer.key("countsCorrected").integer(mended.counts);
    writer.end_object().end_object();
    print_json(document);
}

} // namespace

Exit lay_scale(Context& context) {
    Copy copy(context.database());
    State state = copy.state();
    if (state.is_laid && !state.is_reached) {
        copy.run("unwatched");
        state.is_laid = false;
    }
    if (!state.is_laid)
        copy.lay();
    else if (!state.has_marks)
        copy.lay_marks();
    copy.renew_functions();
    // Marks are made of what the triggers tell: of none that still do what they did before.
    if (!state.is_watched || copy.marked() != Copy::Marked::all)
        copy.run_locked("triggers", "Waiting for the user table");
    Mended mended = copy.fill();
    copy.index();
    copy.sweep(mended);
    copy.mark(mended);
    copy.run("readers");
    copy.run("ready");
    print(context, mended,
          "The copy of " + std::to_string(mended.users) +
              " users is complete; the service uses it within ten seconds.");
    return Exit::success;
}

Exit remove_scale(Context& context) {
    Copy copy(context.database());
    static_cast<void>(copy.state());
    copy.run_locked("removal", "Waiting for the user table");
    print(context, {}, "The copy was taken away; the two indexes of the user table stay.");
    return Exit::success;
}

Exit check_counts(Context& context) {
    Copy copy(context.database());
    const State state = copy.state();
    if (!state.is_laid)
        throw CommandError(Exit::failure,
                           "there are no counts; 'useradminctl schema --scale' lays them");
    copy.limit_lock_waits();
    Mended mended;
    try {
        copy.renew_functions();
        mended = copy.fill();
        copy.sweep(mended);
        // The first marks are made of what the triggers have told, which --scale waits for.
        if (state.has_marks && copy.marked() != Copy::Marked::none)
            copy.mark(mended);
    } catch (const LockTimeout& timeout) {
        throw copy.error_of(timeout);
    }
    const std::int64_t rows = mended.rows + mended.gone;
    print(context, mended,
          rows + mended.counts == 0
              ? "The counts of " + std::to_string(mended.users) + " users are right."
              : std::to_string(rows) + " rows and " + std::to_string(mended.counts) +
                    " counts were wrong, and were mended.");
    return Exit::success;
}

} // namespace useradmin::ctl
