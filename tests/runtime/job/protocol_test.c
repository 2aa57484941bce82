#include "runtime/process/process.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Feeds an inbox bytes as they might arrive: a few at a time. */
static void feed(ht_inbox *inbox, const void *data, size_t length) {
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    cr_assert_eq(write(pair[0], data, length), (ssize_t)length);
    cr_assert(ht_inbox_read(inbox, pair[1]));
    close(pair[0]);
    close(pair[1]);
}

Test(protocol, messages_come_out_whole_however_they_arrive) {
    const char text[] = "{\"op\":\"x\"}";
    char stream[64];
    uint32_t length = (uint32_t)strlen(text);
    size_t total = 0;
    for (int i = 0; i < 2; ++i) {
        memcpy(stream + total, &length, sizeof length);
        memcpy(stream + total + sizeof length, text, length);
        total += sizeof length + length;
    }
    ht_inbox inbox = {0};
    int seen = 0;
    for (size_t i = 0; i < total; ++i) {
        bool bad = true;
        feed(&inbox, stream + i, 1);
        json_t *message = ht_inbox_take(&inbox, &bad);
        cr_assert_not(bad);
        if (message != NULL) {
            cr_assert_eq((i + 1) % (sizeof length + length), 0);
            cr_assert_str_eq(json_string_value(json_object_get(message, "op")), "x");
            json_decref(message);
            ++seen;
        }
    }
    cr_assert_eq(seen, 2);
    ht_inbox_free(&inbox);
}

Test(protocol, garbage_is_told_apart) {
    const struct {
        uint32_t length;
        const char *text;
    } cases[] = {{7, "garbage"}, {2, "[]"}, {UINT32_MAX, "x"}, {0, ""}, {9, "{\"a\": 1}x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char stream[64];
        memcpy(stream, &cases[i].length, 4);
        memcpy(stream + 4, cases[i].text, strlen(cases[i].text));
        ht_inbox inbox = {0};
        bool bad = false;
        feed(&inbox, stream, 4 + strlen(cases[i].text));
        cr_expect_null(ht_inbox_take(&inbox, &bad));
        cr_expect(bad, "case %zu", i);
        ht_inbox_free(&inbox);
    }
}

Test(protocol, text_of_any_bytes_can_be_sent) {
    json_t *text = ht_message_text("error: \xff\xfe in a comment");
    cr_assert_str_eq(json_string_value(text), "error: ?? in a comment");
    json_decref(text);
    text = ht_message_text("Gr\xc3\xb6\xc3\x9f"
                           "e");
    cr_assert_str_eq(json_string_value(text), "Gr\xc3\xb6\xc3\x9f"
                                              "e");
    json_decref(text);
}

Test(protocol, errors_arrive_as_they_were_sent) {
    ht_error sent = {0}, got = {0};
    ht_error_set_at(&sent, HT_ERROR_COMPILE, "conv.hip", 3, 14, "no member '%s'", "x");
    json_t *message = json_object();
    ht_message_set_error(message, HT_ERROR_COMPILE, &sent);
    cr_assert_eq(ht_message_get_error(message, &got), HT_ERROR_COMPILE);
    cr_assert_str_eq(got.message, sent.message);
    cr_assert_str_eq(got.file, "conv.hip");
    cr_assert_eq(got.line, 3);
    cr_assert_eq(got.column, 14);
    json_object_set_new(message, "status", json_integer(9999));
    cr_assert_eq(ht_message_get_error(message, &got), HT_ERROR_INTERNAL);
    json_decref(message);
}

/* Waits for a program that is not a worker at all, in place of one. */
static ht_status wait_for(const char *script, double seconds, char *evidence, size_t size) {
    char *folder = NULL, program[600];
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    snprintf(program, sizeof program, "%s/program", folder);
    cr_assert_eq(ht_file_write(program, script, strlen(script), NULL), HT_OK);
    char command[700];
    snprintf(command, sizeof command, "chmod +x '%s'", program);
    cr_assert_eq(system(command), 0);
    setenv("HIPTEMPER_WORKER", program, 1);
    ht_process process;
    ht_process_init(&process, folder, "log");
    ht_error error = {0};
    cr_assert_eq(ht_process_start(&process, &error), HT_OK, "%s", error.message);
    ht_process_ask(&process, json_object(), seconds);
    json_t *reply = NULL;
    size_t index = 0;
    ht_status status = ht_process_wait(&process, 1, NULL, &index, &reply);
    cr_expect_null(reply);
    cr_expect_eq(process.pid, 0, "it is reaped");
    ht_process_evidence(&process, evidence, size);
    ht_process_free(&process);
    ht_dir_remove(folder);
    free(folder);
    return status;
}

Test(process, deaths_leave_evidence, .timeout = 30) {
    char evidence[200];
    /* Words from before the request are not of its making, so the program waits for it. */
    cr_expect_eq(wait_for("#!/bin/sh\ndd bs=1 count=1 of=/dev/null <&$2 2>/dev/null\n"
                          "echo one\necho the last words >&2\nkill -SEGV $$\n",
                          10, evidence, sizeof evidence),
                 HT_ERROR_CRASH);
    cr_expect_str_eq(evidence, "SIGSEGV: the last words");
    cr_expect_eq(wait_for("#!/bin/sh\nexit 3\n", 10, evidence, sizeof evidence), HT_ERROR_CRASH);
    cr_expect_str_eq(evidence, "exit code 3");
    cr_expect_eq(wait_for("#!/bin/sh\nexec sleep 1000\n", 0.2, evidence, sizeof evidence),
                 HT_ERROR_TIMEOUT);
    cr_expect_eq(wait_for("#!/bin/sh\nprintf 'no message at all' >&3\nexec sleep 1000\n", 10,
                          evidence, sizeof evidence),
                 HT_ERROR_CRASH, "what it sends is no message");
}

Test(process, a_program_that_is_missing_is_an_error) {
    setenv("HIPTEMPER_WORKER", "/nothing/here", 1);
    ht_process process;
    ht_process_init(&process, "/tmp", "hiptemper-test-unused.log");
    ht_error error = {0};
    cr_assert_eq(ht_process_start(&process, &error), HT_ERROR_IO);
    cr_assert_not_null(strstr(error.message, "/nothing/here"), "%s", error.message);
    ht_process_free(&process);
    unlink("/tmp/hiptemper-test-unused.log");
}
