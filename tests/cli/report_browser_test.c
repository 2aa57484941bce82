/* The page of `hiptemper report` in a browser: Chromium, without a screen. Skipped where it is not
 * installed (Debian: chromium). */
#include "program.h"
#include "report_database.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(report_browser, .init = workplace_make, .fini = workplace_remove, .timeout = 240);

/* Runs after the page's own script; "fine" or what is wrong goes to the title. */
static const char probe[] =
    "'use strict';\n"
    "(function () {\n"
    "  var wrong = [];\n"
    "  function must(ok, what) { if (!ok) wrong.push(what); }\n"
    "  function rows() { return Array.from(document.getElementById('kernels').tBodies[0].rows); }\n"
    "  function shown() { return rows().filter(function (row) { return row.offsetHeight > 0; }); "
    "}\n"
    "  function column(index) { return rows().map(function (row) {\n"
    "    var cell = row.cells[index];\n"
    "    return cell.dataset.sort === undefined ? cell.textContent : cell.dataset.sort; }); }\n"
    "  var heads = Array.from(document.getElementById('kernels').tHead.rows[0].cells);\n"
    "  function click(name) {\n"
    "    var index = heads.findIndex(function (head) { return head.textContent === name; });\n"
    "    must(index >= 0, 'no heading ' + name);\n"
    "    heads[index].querySelector('button').click();\n"
    "    return column(index); }\n"
    "  function known(values) { return values.filter(Boolean).map(Number); }\n"
    "  function rises(values) { return values.every(function (value, i) {\n"
    "    return i === 0 || values[i - 1] <= value; }); }\n"
    "  must(rows().length === ROWS, rows().length + ' rows');\n"
    "  var down = click('speedup'), up = click('speedup');\n"
    "  must(known(down).length > 1, 'few speedups');\n"
    "  must(rises(known(down).reverse()) && !rises(known(down)), 'largest first ' + down);\n"
    "  must(rises(known(up)), 'smallest first ' + up);\n"
    "  must(up[up.length - 1] === '' && down[down.length - 1] === '', 'unknown last ' + up);\n"
    "  var names = click('kernel');\n"
    "  must(names.slice().sort(function (a, b) { return a.localeCompare(b, 'en', {numeric: true}); "
    "})\n"
    "    .join() === names.join(), 'by name ' + names);\n"
    "  var box = document.querySelector('.filter[data-table=kernels]');\n"
    "  var input = box.querySelector('input'), select = box.querySelector('select');\n"
    "  function enter(field, value) {\n"
    "    field.value = value;\n"
    "    field.dispatchEvent(new Event('input', {bubbles: true}));\n"
    "    return shown().length; }\n"
    "  must(enter(input, 'WORSE slow') === 1, 'filter by words');\n"
    "  must(box.querySelector('.count').textContent === '1 of ' + ROWS, 'count');\n"
    "  must(enter(input, 'nothing has this') === 0, 'filter all');\n"
    "  must(enter(input, '') === ROWS, 'filter none');\n"
    "  must(enter(select, 'slower') === 1, 'filter by verdict');\n"
    "  must(enter(select, '') === ROWS, 'all verdicts');\n"
    "  location.hash = '#k1';\n"
    "  setTimeout(function () {\n"
    "    must(document.getElementById('k1').open, 'a link opens its kernel');\n"
    "    document.querySelectorAll('details').forEach(function (part) { part.open = true; });\n"
    "    var plots = Array.from(document.querySelectorAll('figure.plot svg'));\n"
    "    must(plots.length === PLOTS, plots.length + ' plots');\n"
    "    plots.forEach(function (plot, i) {\n"
    "      must(plot.getBoundingClientRect().height > 50, 'no height of plot ' + i);\n"
    "      must(plot.getBBox().width > 50, 'nothing in plot ' + i);\n"
    "      must(plot.querySelectorAll('text').length > 3, 'no words in plot ' + i);\n"
    "      plot.querySelectorAll('use').forEach(function (use) {\n"
    "        must(document.querySelector(use.getAttribute('xlink:href')), 'no shape'); }); });\n"
    "    must(window.pwned === undefined, 'a name was run');\n"
    "    var wide = document.documentElement.scrollWidth, room = window.innerWidth;\n"
    "    must(wide <= room, 'wider than the window: ' + wide + ' of ' + room);\n"
    "    document.title = wrong.length ? 'WRONG: ' + wrong.join('; ') : 'all is fine';\n"
    "  }, 50);\n"
    "}());\n";

static void database_make(void) {
    static const char hostile[] = "<script>window.pwned=1</script><img src=x "
                                  "onerror=\"window.pwned=2\">`touch pwned`";
    for (int i = 0; i < 6; ++i) {
        ht_nights *nights = fake_open("n.sqlite");
        int64_t night = fake_begin(nights);
        const fake_result results[] = {{"steady", "small", "tree/a.hip", "aaaa", NULL,
                                        "-a\n+</pre><script>pwned=3</script>\n", 4, 10},
                                       {"worse", "small", "tree/b.hip", i == 5 ? "cccc" : "bbbb",
                                        NULL, NULL, i == 5 ? 8 : 5, 10},
                                       {hostile, "small", "tree/c.hip", "dddd", NULL, NULL, 3, 10},
                                       {"none10", "", "tree/d.hip", "", "refused", NULL, 0, 0}};
        for (size_t j = 0; j < sizeof results / sizeof *results; ++j)
            fake_put(nights, night, &results[j]);
        fake_end(nights, night, NULL);
        ht_nights_close(nights);
    }
    fake_search("n.sqlite", "steady", "aaaa", 25);
    fake_search("n.sqlite", hostile, "dddd", 25);
}

/* Writes the page with the probe in it. */
static void page_make(void) {
    program_result result = program_run("report n.sqlite --html r.html");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char *page = workplace_read("r.html");
    const char *nonce = strstr(page, "<script nonce=\""), *end = strstr(page, "</body>");
    cr_assert(nonce && end);
    char *with_rows = ht_text_replaced(probe, "ROWS", "4");
    /* speedups; three histories; progress, and two parameters, of two searches */
    char *script = ht_text_replaced(with_rows, "PLOTS", "12");
    char *probed = ht_format("%.*s%.*s>%s</script>%s", (int)(end - page), page,
                             (int)strcspn(nonce, ">"), nonce, script, end);
    workplace_write("p.html", probed);
    free(probed);
    free(script);
    free(with_rows);
    free(page);
}

static void look(const char *chromium, const char *size, const char *scheme) {
    char *address = ht_format("file://%s/p.html", workplace());
    char *window = ht_format("--window-size=%s", size);
    char *profile = ht_format("--user-data-dir=%s/profile", workplace());
    const char *const words[] = {chromium,
                                 "--headless=new",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--enable-logging=stderr",
                                 "--virtual-time-budget=5000",
                                 "--dump-dom",
                                 window,
                                 profile,
                                 scheme,
                                 address,
                                 NULL};
    const ht_tool_call call = {.arguments = words, .seconds = 100, .folder = workplace()};
    ht_text out = {0};
    int code = 1;
    ht_error error = {0};
    cr_assert_eq(ht_tool_run(&call, &out, &code, &error), HT_OK, "%s", error.message);
    const char *title = strstr(out.data, "<title>");
    cr_assert(title, "%s", out.data);
    cr_expect(strstr(title, "<title>all is fine</title>"), "%s %s: %.*s", size, scheme,
              (int)strcspn(title, "\n"), title);
    const char *console = strstr(out.data, ":CONSOLE");
    cr_expect_null(console, "%.400s", console);
    char *pwned = workplace_read("pwned");
    cr_expect_null(pwned);
    ht_text_free(&out);
    free(address);
    free(window);
    free(profile);
}

Test(report_browser, plots_are_there_tables_sort_and_filter_and_the_console_is_quiet) {
    char *chromium = ht_tool_find("chromium"), *gnuplot = ht_tool_find("gnuplot");
    if (!chromium || !gnuplot)
        cr_skip_test("not run: it needs chromium and gnuplot-nox");
    database_make();
    page_make();
    look(chromium, "1200,900", "--blink-settings=preferredColorScheme=1");
    look(chromium, "1200,900", "--blink-settings=preferredColorScheme=0");
    look(chromium, "500,900", "--blink-settings=preferredColorScheme=1");
    free(chromium);
    free(gnuplot);
}
