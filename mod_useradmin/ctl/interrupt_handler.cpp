#include "ctl/interrupt_handler.hpp"

#include "ctl/display.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include <pthread.h>

namespace useradmin::ctl {

namespace {

constexpr int end_of_thread = SIGUSR1;
constexpr std::chrono::seconds max_delay(5);

} // namespace

InterruptHandler::InterruptHandler(bool wants_json, std::function<std::string(bool)> describe)
    : wants_json_(wants_json), describe_(std::move(describe)) {
    sigemptyset(&signals_);
    sigaddset(&signals_, end_of_thread);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals_, number);
    }
    // Threads that are created later inherit the mask, so only wait() receives the signals.
    pthread_sigmask(SIG_BLOCK, &signals_, &mask_);
    thread_ = std::thread([this] { wait(); });
}

InterruptHandler::~InterruptHandler() {
    pthread_kill(thread_.native_handle(), end_of_thread);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void InterruptHandler::wait() {
    int number = 0;
    if (sigwait(&signals_, &number) != 0 || number == end_of_thread)
        return;
    // The server may have stopped responding during the COMMIT.
    const std::unique_lock lock(mutex_, max_delay);
    print_failure("interrupted; " + describe_(!lock), wants_json_);
    // Another thread may hold stdout's lock while it waits for the reader of a pipe.
    if (wants_json_)
        std::fflush(stdout);
    // Let the signal terminate the process, so the wait status reports the signal to the parent
    // process.
    raise(number);
    sigset_t ending = {};
    sigemptyset(&ending);
    sigaddset(&ending, number);
    pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
}

} // namespace useradmin::ctl
