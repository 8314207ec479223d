// Runs each target on its corpus (fuzz DIRECTORY), or one target on files (fuzz TARGET FILE…).
#include "targets.hpp"

#include "support/files.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace {

using std::filesystem::path;
using useradmin::fuzz::Target;

int report_error(const path& what, const char* message) {
    std::fprintf(stderr, "%s %s\n", what.c_str(), message);
    return 2;
}

void replay(const Target& target, const path& file) {
    // If a target aborts, the last line printed is the name of its input.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    target.run(useradmin::test::read_file(file));
}

/// Runs each target on the files in its corpus directory. Returns the exit status.
int replay_all(const path& corpus) {
    std::size_t folders = 0;
    for (const auto& folder : std::filesystem::directory_iterator(corpus)) {
        const Target* const target =
            useradmin::fuzz::find_target(folder.path().filename().string());
        if (target == nullptr)
            return report_error(folder.path(), "is the corpus of no target.");
        std::vector<path> files;
        for (const auto& file : std::filesystem::directory_iterator(folder))
            files.push_back(file.path());
        if (files.empty())
            return report_error(folder.path(), "is empty.");
        std::sort(files.begin(), files.end());
        for (const path& file : files)
            replay(*target, file);
        ++folders;
    }
    return folders == std::size(useradmin::fuzz::targets)
               ? 0
               : report_error(corpus, "lacks the corpus of a target.");
}

} // namespace

int main(int count, char** arguments) {
    if (count == 2)
        return replay_all(arguments[1]);
    const Target* const target = count > 2 ? useradmin::fuzz::find_target(arguments[1]) : nullptr;
    if (target == nullptr)
        return report_error(
            "fuzz:", "say a directory with a corpus for each target, or a target and files.");
    for (int index = 2; index < count; ++index)
        replay(*target, arguments[index]);
    return 0;
}
