/* Looks for the words that CONTRIBUTING.md retires, and for lines that are too long:
 *
 *     words ROOT [EXCEPTIONS]
 *
 * In comments, in messages, and in the text of .md files. Lines have at most 100 characters: those
 * of code everywhere, those of .md files but for tables and blocks of code. A function of a library
 * or command ends at most 62 lines after it begins. Prints each place with the remedy; exit code 1
 * when there is one.
 *
 * A line of EXCEPTIONS is a file, a colon, and a part of the line that is meant. A line that
 * excuses nothing is wrong, so that the list shrinks. "later: FOLDER/" leaves out the folder's
 * lines and its comments, but for questions and two of the words in headers. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS = 100, FUNCTION_LINES = 62 }; /* .clang-tidy's, which CI asks an hour later */

/* The parts of a file that have rules of their own. */
typedef enum part { COMMENT = 1, MESSAGE = 2, PROSE = 4, ALL = 7 } part;

typedef struct retired {
    const char *words;
    int parts; /* of a file */
    const char *remedy;
    bool first;            /* at the begin of a sentence only */
    bool always;           /* in headers of folders whose other comments come later, too */
    const char *but_in;    /* a folder in which it is a term; NULL: none */
    const char *not_after; /* this word; NULL: after any */
} retired;

static const retired list[] = {
    {.words = "behind", ALL, "say 'after' or 'past'", .always = true},
    {.words = "beside", ALL, "say 'next to' or 'along with'", .always = true},
    {.words = "told", ALL, "say 'reported' or 'printed'", .but_in = "search/"},
    {.words = "tells", COMMENT | PROSE, "say 'says', 'reports' or 'prints'", .but_in = "search/"},
    {.words = "so many", ALL, "give the number: 'N'"},
    {.words = "is none", COMMENT | PROSE, "say 'is not a ...'", .not_after = "there"},
    {.words = "are none", COMMENT | PROSE, "say 'are not ...'", .not_after = "there"},
    {.words = "What", COMMENT | PROSE, "begin with a noun", .first = true},
    {.words = "Whatever", COMMENT | PROSE, "begin with a noun", .first = true},
    {.words = "Who", COMMENT | PROSE, "begin with a noun", .first = true},
    {.words = "Whoever", COMMENT | PROSE, "begin with a noun", .first = true},
};

/* Sources of other authors or of a kind that is under test, and what devices compile. */
static const char *const foreign[] = {"tests/refactor/sources", "tests/cli/written",
                                      "tests/words/planted", "/prelude", NULL};

typedef struct exception {
    char *file, *part; /* owned; part NULL: the folder `file` is done later */
    bool used;
} exception;

typedef struct words {
    const char *root;
    exception *exceptions;
    size_t exception_count;
    size_t files, wrong;
    /* The file at hand. */
    const char *path, *text;
    exception *later; /* of its folder; NULL: none */
} words;

/* ---- findings */

static bool has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), size = strlen(suffix);
    return length > size && strcmp(path + length - size, suffix) == 0;
}

static bool is_header(const words *in) {
    return has_suffix(in->path, ".h");
}

static int line_of(const words *in, const char *at) {
    int line = 1;
    for (const char *c = in->text; c < at; ++c)
        line += *c == '\n';
    return line;
}

static bool is_excused(words *in, const char *line, size_t length) {
    bool excused = false;
    for (size_t i = 0; i < in->exception_count; ++i) {
        exception *one = &in->exceptions[i];
        if (one->part && strcmp(one->file, in->path) == 0 &&
            memmem(line, length, one->part, strlen(one->part)))
            one->used = excused = true;
    }
    return excused;
}

/* `always`: also where the folder is done later. */
static void report(words *in, const char *at, bool always, const char *what, const char *remedy) {
    const char *line = at;
    while (line > in->text && line[-1] != '\n')
        --line;
    size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");
    if (in->later && !always) {
        in->later->used = true;
        return;
    }
    if (is_excused(in, line, length))
        return;
    printf("%s:%d: %s: %s: %.*s\n", in->path, line_of(in, at), what, remedy,
           (int)(length - (blanks < length ? blanks : 0)), line + (blanks < length ? blanks : 0));
    ++in->wrong;
}

/* ---- one part of a file */

/* A part as one line, with the place of each character. */
typedef struct flat {
    char *text;
    const char **places;
    size_t length;
} flat;

static void flat_add(flat *to, char c, const char *place) {
    if (c == ' ' && (to->length == 0 || to->text[to->length - 1] == ' '))
        return;
    to->text[to->length] = c;
    to->places[to->length++] = place;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns true at the begin of the part, or after the end of a sentence. */
static bool is_first(const flat *in, size_t at) {
    return at == 0 || (at >= 2 && in->text[at - 1] == ' ' && strchr(".?!-*|", in->text[at - 2]) &&
                       !(at >= 3 && in->text[at - 3] == '.'));
}

static bool is_after(const flat *in, size_t at, const char *word) {
    size_t length = strlen(word);
    return at > length && strncasecmp(in->text + at - length - 1, word, length) == 0;
}

static void words_find(words *in, const flat *of, part part) {
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        const retired *one = &list[i];
        size_t length = strlen(one->words);
        if (!(one->parts & part) ||
            (one->but_in && strncmp(in->path, one->but_in, strlen(one->but_in)) == 0))
            continue;
        for (const char *at = of->text; (at = strstr(at, one->words)); at += length) {
            size_t place = (size_t)(at - of->text);
            if ((place > 0 && (is_word(at[-1]) || at[-1] == '-')) || is_word(at[length]) ||
                (one->first && (*of->text == '#' || !is_first(of, place))) ||
                (one->not_after && is_after(of, place, one->not_after)))
                continue;
            report(in, of->places[place], part == MESSAGE || (one->always && is_header(in)),
                   one->words, one->remedy);
        }
    }
}

/* A question ends with a word; a C expression has a blank before its '?'. */
static void questions_find(words *in, const flat *of) {
    for (size_t i = 1; i < of->length; ++i)
        if (of->text[i] == '?' && (is_word(of->text[i - 1]) || strchr(")`'\"", of->text[i - 1])) &&
            (i + 1 == of->length || of->text[i + 1] == ' '))
            report(in, of->places[i], is_header(in) && i + 1 == of->length, "a question",
                   "say 'Returns true if ...'");
}

static void part_check(words *in, const char *begin, const char *end, part part) {
    flat of = {.text = ht_alloc((size_t)(end - begin) + 1, 1),
               .places = ht_alloc((size_t)(end - begin) + 1, sizeof *of.places)};
    bool fresh = false, code = false;
    for (const char *at = begin; at < end; ++at) {
        if (*at == '`')
            code = !code;
        if (*at == '\n') {
            flat_add(&of, ' ', at);
            fresh = true;
        } else if (fresh && part == COMMENT && (*at == '*' || *at == ' ' || *at == '/')) {
            fresh = *at == ' ';
        } else if (!code || *at == '`') { /* names of code and options are as they are */
            flat_add(&of, *at == '\t' ? ' ' : *at, at);
            fresh = false;
        }
    }
    while (of.length > 0 && of.text[of.length - 1] == ' ')
        --of.length;
    of.text[of.length] = 0;
    words_find(in, &of, part);
    if (part == COMMENT)
        questions_find(in, &of);
    free(of.text);
    free(of.places);
}

/* ---- files */

static const char *literal_end(const char *at) {
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static exception *later_find(const words *in, const char *path) {
    for (size_t i = 0; i < in->exception_count; ++i)
        if (!in->exceptions[i].part &&
            strncmp(in->exceptions[i].file, path, strlen(in->exceptions[i].file)) == 0)
            return &in->exceptions[i];
    return NULL;
}

static void code_check(words *in) {
    bool messages = strncmp(in->path, "tests/", 6) != 0;
    for (const char *at = in->text; *at;) {
        const char *end = at + 1;
        if (at[0] == '/' && (at[1] == '*' || at[1] == '/')) {
            end = at[1] == '*' ? strstr(at + 2, "*/") : at + strcspn(at, "\n");
            end = end ? end : at + strlen(at);
            const char *begin = at + 2 + strspn(at + 2, " \n*");
            if (begin < end)
                part_check(in, begin, end, COMMENT);
            end += at[1] == '*' && *end ? 2 : 0;
        } else if (*at == '"' || (*at == '\'' && (at == in->text || !is_word(at[-1])))) {
            end = literal_end(at);
            if (*at == '"' && messages && end - at > 2)
                part_check(in, at + 1, end - 1, MESSAGE);
        }
        at = end;
    }
}

/* A paragraph ends at an empty line, and is one of prose unless it is indented or in a fence. */
static void prose_check(words *in) {
    bool fence = false;
    for (const char *at = in->text; *at;) {
        size_t length = strcspn(at, "\n");
        bool mark = strncmp(at + strspn(at, " "), "```", 3) == 0;
        fence = fence != mark;
        bool skip = mark || fence || strncmp(at, "    ", 4) == 0 || length == 0;
        const char *end = at + length;
        bool line = skip || *at == '|' || *at == '#';
        while (!line && *end && end[1] && end[1] != '\n' && !strchr("|#", end[1]) &&
               strncmp(end + 1, "```", 3) != 0)
            end += 1 + strcspn(end + 1, "\n");
        if (!skip)
            part_check(in, at, end, PROSE);
        at = *end ? end + 1 : end;
    }
}

static size_t columns_of(const char *line, size_t length) {
    size_t columns = 0;
    for (size_t i = 0; i < length; ++i)
        columns += ((unsigned char)line[i] & 0xC0) != 0x80;
    return columns;
}

static void lines_check(words *in, bool prose) {
    bool fence = false;
    for (const char *at = in->text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        bool mark = prose && strncmp(at + strspn(at, " "), "```", 3) == 0;
        fence = fence != mark;
        bool free_form = prose && (fence || *at == '|' || strncmp(at, "    ", 4) == 0);
        if (columns_of(at, length) > COLUMNS && !free_form)
            report(in, at, false, "a line of more than 100 characters", "wrap it");
        at += length;
    }
}

/* Returns true in folders whose functions may be long, such as a test's with its cases. */
static bool is_apart(const char *path) {
    return strncmp(path, "tests/", 6) == 0 || strncmp(path, "benchmarks/", 11) == 0 ||
           strncmp(path, "examples/", 9) == 0;
}

/* In the form that clang-format gives: a definition begins in the first column, and its body ends
 * with a brace there. */
static void functions_check(words *in) {
    const char *begin = NULL;
    int lines = 0;
    for (const char *at = in->text; *at; at += *at == '\n', ++lines) {
        size_t length = strcspn(at, "\n");
        bool first = isalpha((unsigned char)*at) && at[length - 1] != ':'; /* no label */
        if (begin && length == 1 && *at == '}' && lines > FUNCTION_LINES)
            report(in, begin, true, "a function of more than 62 lines", "split it");
        if (first || *at == '}') {
            begin = first ? at : NULL;
            lines = 0;
        }
        at += length;
    }
}

static void file_check(words *in, const char *path) {
    bool prose = has_suffix(path, ".md");
    if (!prose && !has_suffix(path, ".c") && !has_suffix(path, ".h") && !has_suffix(path, ".cpp"))
        return;
    char *full = ht_path_join(in->root, path), *text = NULL;
    ht_error error;
    if (ht_file_read_text(full, "a source", &text, &error) == HT_OK) {
        in->path = path;
        in->text = text;
        in->later = later_find(in, path);
        ++in->files;
        if (prose)
            prose_check(in);
        else
            code_check(in);
        if (has_suffix(path, ".c") && !is_apart(path))
            functions_check(in);
        lines_check(in, prose);
    } else {
        printf("%s: %s\n", path, error.message);
        ++in->wrong;
    }
    free(text);
    free(full);
}

static bool is_foreign(const char *path) {
    for (const char *const *one = foreign; *one; ++one)
        if (**one == '/' ? has_suffix(path, *one) : strcmp(path, *one) == 0)
            return true;
    return false;
}

static void folder_check(words *in, const char *folder, bool deep) {
    char *whole = ht_path_join(in->root, folder);
    struct dirent **entries = NULL;
    int count = scandir(whole, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;
        char *path = *folder ? ht_path_join(folder, name) : ht_strdup(name);
        char *full = ht_path_join(in->root, path);
        struct stat status;
        if (name[0] != '.' && stat(full, &status) == 0) {
            if (S_ISDIR(status.st_mode) && deep && !is_foreign(path))
                folder_check(in, path, true);
            else if (S_ISREG(status.st_mode))
                file_check(in, path);
        }
        free(full);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(whole);
}

/* ---- exceptions */

static bool exceptions_read(words *in, const char *path) {
    char *text = NULL, *rest = NULL;
    ht_error error;
    if (ht_file_read_text(path, "the exceptions", &text, &error) != HT_OK) {
        fprintf(stderr, "words: %s: %s\n", path, error.message);
        return false;
    }
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strchr(line, ':');
        if (*line == '#' || !colon)
            continue;
        *colon = 0;
        HT_GROW(in->exceptions, in->exception_count);
        bool later = strcmp(line, "later") == 0;
        in->exceptions[in->exception_count++] =
            later ? (exception){.file = ht_strdup(colon + 1 + strspn(colon + 1, " "))}
                  : (exception){.file = ht_strdup(line), .part = ht_strdup(colon + 1)};
    }
    free(text);
    return true;
}

static void exceptions_end(words *in) {
    for (size_t i = 0; i < in->exception_count; ++i) {
        exception *one = &in->exceptions[i];
        if (!one->used) {
            printf("an exception excuses nothing: %s:%s\n", one->part ? one->file : "later",
                   one->part ? one->part : one->file);
            ++in->wrong;
        }
        free(one->file);
        free(one->part);
    }
    free(in->exceptions);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "Usage: words ROOT [EXCEPTIONS]\n");
        return 2;
    }
    static const char *const folders[] = {
        "base", "templates", "search",     "predictor", "refactor", "runtime", "pipeline",
        "loop", "cli",       "benchmarks", "tests",     "examples", "docs"};
    words in = {.root = argv[1]};
    if (argc == 3 && !exceptions_read(&in, argv[2]))
        return 2;
    folder_check(&in, "", false);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
        folder_check(&in, folders[i], true);
    exceptions_end(&in);
    printf("%zu files: %zu wrong\n", in.files, in.wrong);
    return in.wrong || in.files == 0 ? 1 : 0;
}
