/* Loops in the database: killed anywhere, they go on to the same history. */
#include "base/memory.h"
#include "loop/keep.h"
#include "runtime/store/loops.h"
#include "tests/loop/world.h"
#include "tests/test_folder.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

TestSuite(keep, .timeout = 60);

static const ht_loop_name name = {"key", "/a/k.hip", "k"};

/* Runs the loop until it ends or is killed, as a process of its own would. */
static ht_status process_run(const char *database, const ht_loop_name *of, world *world,
                             char **out_text) {
    ht_loop loop;
    ht_keeping *keeping = NULL;
    ht_revision original = world_original();
    json_t *about = json_pack("{s:s}", "device", "host");
    world_loop(world, &loop);
    cr_assert_eq(ht_keeping_open(database, of, false, &original, about, &loop, &keeping, NULL),
                 HT_OK);
    world->under = (ht_loop_hands){.context = keeping, .keep = ht_keeping_put};
    ht_status status = ht_loop_run(&loop, NULL);
    if (status == HT_OK)
        cr_assert_eq(ht_keeping_end(keeping, loop.ended, NULL), HT_OK);
    if (out_text)
        *out_text = world_text(&loop.history);
    ht_revision_free(&original);
    ht_keeping_close(keeping);
    ht_loop_free(&loop);
    json_decref(about);
    return status;
}

static char *undisturbed(const char *folder, uint64_t seed) {
    char *database = ht_path_join(folder, "whole.sqlite"), *text = NULL;
    world world = {.seed = seed};
    cr_assert_eq(process_run(database, &name, &world, &text), HT_OK);
    free(database);
    return text;
}

/* Runs it with a kill at one moment; returns the history that it ends with. */
static char *disturbed(const char *folder, uint64_t seed, unsigned moment, bool after,
                       bool *out_killed) {
    char *own = ht_format("%s/%u%d.sqlite", folder, moment, after), *text = NULL;
    world killed = {.seed = seed, .calls_left = moment, .fails_after = after};
    *out_killed = process_run(own, &name, &killed, NULL) == HT_ERROR_INTERRUPTED;
    world again = {.seed = seed};
    cr_assert_eq(process_run(own, &name, &again, &text), HT_OK);
    free(own);
    return text;
}

Test(keep, a_loop_killed_at_any_moment_goes_on_to_the_same_history) {
    char *folder = test_folder_make(), *whole = undisturbed(folder, 5);
    unsigned kills = 0;
    for (int after = 0; after < 2; ++after) {
        bool killed = true;
        for (unsigned moment = 1; killed; ++moment) {
            char *text = disturbed(folder, 5, moment, after, &killed);
            cr_expect_str_eq(text, whole, "killed at call %u", moment);
            free(text);
            kills += killed;
        }
    }
    cr_expect_geq(kills, 20, "%u", kills);
    free(whole);
    ht_dir_remove(folder);
    free(folder);
}

/* Lessons learnt in between would change its plan. */
Test(keep, a_loop_plans_on_with_the_lessons_that_it_began_with) {
    char *folder = test_folder_make(), *whole = undisturbed(folder, 5), *text = NULL;
    char *database = ht_path_join(folder, "shared.sqlite");
    world killed = {.seed = 5, .calls_left = 4};
    cr_assert_eq(process_run(database, &name, &killed, NULL), HT_ERROR_INTERRUPTED);
    const ht_loop_name other = {"other", "/b/k.hip", "k"};
    for (uint64_t seed = 20; seed < 26; ++seed) {
        world another = {.seed = seed};
        const ht_loop_name own = {ht_format("other %lu", (unsigned long)seed), other.file, "k"};
        cr_assert_eq(process_run(database, &own, &another, NULL), HT_OK);
        free((char *)(size_t)own.key);
    }
    world again = {.seed = 5};
    cr_assert_eq(process_run(database, &name, &again, &text), HT_OK);
    cr_expect_str_eq(text, whole);
    free(text);
    free(whole);
    free(database);
    ht_dir_remove(folder);
    free(folder);
}

Test(keep, more_rounds_go_on_with_a_loop_that_has_ended_for_theirs) {
    char *folder = test_folder_make(), *whole = undisturbed(folder, 5);
    char *database = ht_path_join(folder, "short.sqlite");
    ht_loop loop;
    ht_keeping *keeping = NULL;
    ht_revision original = world_original();
    json_t *about = json_object();
    world world = {.seed = 5};
    world_loop(&world, &loop);
    loop.settings.rounds = 3;
    cr_assert_eq(ht_keeping_open(database, &name, false, &original, about, &loop, &keeping, NULL),
                 HT_OK);
    world.under = (ht_loop_hands){.context = keeping, .keep = ht_keeping_put};
    cr_assert_eq(ht_loop_run(&loop, NULL), HT_OK);
    cr_expect_eq(loop.history.count, 4);
    cr_assert_eq(ht_keeping_end(keeping, loop.ended, NULL), HT_OK);
    ht_keeping_close(keeping);
    ht_loop_free(&loop);
    char *text = NULL;
    world = (struct world){.seed = 5};
    cr_assert_eq(process_run(database, &name, &world, &text), HT_OK);
    cr_expect_str_eq(text, whole);
    ht_kept_loop kept;
    cr_assert_eq(ht_kept_loop_read(database, &name, &kept, NULL), HT_OK);
    cr_expect_str_eq(kept.kernel, "k");
    cr_expect(json_is_string(json_object_get(kept.document, "ended")));
    char *read = world_text(&kept.history);
    cr_expect_str_eq(read, whole);
    free(read);
    ht_kept_loop_free(&kept);
    ht_revision_free(&original);
    json_decref(about);
    free(text);
    free(whole);
    free(database);
    ht_dir_remove(folder);
    free(folder);
}

/* The steps after it depend on it. */
Test(keep, a_damaged_step_and_those_after_it_are_done_again) {
    char *folder = test_folder_make(), *whole = undisturbed(folder, 5), *text = NULL;
    char *database = ht_path_join(folder, "whole.sqlite");
    sqlite3 *sqlite;
    cr_assert_eq(sqlite3_open(database, &sqlite), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(sqlite, "UPDATE steps SET document = '{}' WHERE number = 4", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(sqlite);
    world again = {.seed = 5};
    cr_assert_eq(process_run(database, &name, &again, &text), HT_OK);
    cr_expect_str_eq(text, whole);
    cr_expect_geq(again.performed, 2);
    free(text);
    free(whole);
    free(database);
    ht_dir_remove(folder);
    free(folder);
}

Test(keep, a_database_without_loops_or_without_this_one_says_so) {
    char *folder = test_folder_make(), *whole = undisturbed(folder, 5);
    char *database = ht_path_join(folder, "whole.sqlite"),
         *none = ht_path_join(folder, "no.sqlite");
    ht_kept_loop kept;
    ht_error error = {0};
    const ht_loop_name other = {.file = "/b/k.hip"};
    cr_expect_eq(ht_kept_loop_read(database, &other, &kept, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "there is no loop of it"), "%s", error.message);
    ht_kept_loop_free(&kept);
    cr_expect_eq(ht_kept_loop_read(none, &other, &kept, &error), HT_ERROR_INPUT);
    ht_kept_loop_free(&kept);
    free(whole);
    free(database);
    free(none);
    ht_dir_remove(folder);
    free(folder);
}
