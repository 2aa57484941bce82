/* hiptemper import: MIOpen's databases become data that train reads, and what is left out is said.
 */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

TestSuite(import, .init = workplace_make, .fini = workplace_remove);

#define KEY "576-4-4-1x1-192-4-4-8-0x0-1x1-1x1-0-NCHW-FP32-F"
#define CELLS                                                                                      \
    "576\t4\t4\t1\t1\t192\t8\t0\t0\t1\t1\t1\t1\t0\t1\tNCHW\tFP32\tF\t4\t4\t1\tgfx90a\t110\t"

static json_t *run_json(const char *words) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s: exit code %d\n%s", words, result.code, result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s: %s", words, result.out);
    program_free(&result);
    return document;
}

static void fails(const char *words, const char *fragment) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 2, "%s: exit code %d\n%s", words, result.code, result.err);
    cr_assert_not_null(strstr(result.err, fragment), "%s: %s", words, result.err);
    program_free(&result);
}

static void file_ends(const char *name, const char *end) {
    char *text = workplace_read(name);
    cr_assert_not_null(text, "%s is not there", name);
    size_t length = strlen(text), most = strlen(end);
    cr_assert(length >= most && !strcmp(text + length - most, end), "%s:\n%s", name, text);
    free(text);
}

/* How many entries have a reason that begins like this. */
static long long skipped(const json_t *document, const char *reason) {
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(document, "skipped"), i, row) {
        const char *text = json_string_value(json_object_get(row, "reason"));
        if (!strncmp(text, reason, strlen(reason)))
            return json_integer_value(json_object_get(row, "entries"));
    }
    return 0;
}

Test(import, a_text_database_becomes_records_and_says_what_it_left_out) {
    workplace_write("gfx90a6e.cd.pdb.txt", KEY
                    "=ConvAsm1x1U:1,16,1,64,2,2,4,4;ConvBinWinogradRxSf2x3:215\n"
                    "not a line\n"
                    "4-8-8-8-3x3x3-4-8-8-8-1-1x1x1-1x1x1-1x1x1-0-NCDHW-FP32-F=ConvAsm1x1U:1\n" KEY
                    "=ConvAsm1x1U:1,16,1,64\n"
                    /* the input is no output of this size: keys of 2019-08 have it */
                    "576-4-4-1x1-192-9-9-8-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1\n");
    json_t *document = run_json("import miopen gfx90a6e.cd.pdb.txt --out data --json");
    cr_assert_eq(json_integer_value(json_object_get(document, "taken")), 1);
    cr_assert_eq(skipped(document, "no schema for the solver: ConvBinWinogradRxSf2x3"), 1);
    cr_assert_eq(skipped(document, "a line without '='"), 1);
    cr_assert_eq(skipped(document, "the key is not that of a convolution in two dimensions"), 1);
    cr_assert_eq(skipped(document, "another number of parameters than the kernel has"), 1);
    cr_assert_eq(skipped(document, "the sizes of input and output contradict"), 1);
    json_decref(document);
    file_ends("data/ConvAsm1x1U.FP32.gfx90a.tsv",
              CELLS "gfx90a6e.cd.pdb.txt\t1\t16\t1\t64\t2\t2\t4\t4\n");
}

static void database_make(const char *name, const char *sql) {
    char *path = ht_path_join(workplace(), name), *message = NULL;
    sqlite3 *database;
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, &message), SQLITE_OK, "%s", message);
    sqlite3_close(database);
    free(path);
}

#define TABLES                                                                                     \
    "CREATE TABLE config(id INTEGER PRIMARY KEY, layout TEXT, data_type TEXT, direction TEXT, "    \
    "spatial_dim INT, in_channels INT, in_h INT, in_w INT, in_d INT, fil_h INT, fil_w INT, "       \
    "fil_d INT, out_channels INT, batchsize INT, pad_h INT, pad_w INT, pad_d INT, "                \
    "conv_stride_h INT, conv_stride_w INT, conv_stride_d INT, dilation_h INT, dilation_w INT, "    \
    "dilation_d INT, bias INT, group_count INT);"                                                  \
    "CREATE TABLE perf_db(id INTEGER PRIMARY KEY, solver TEXT, config INTEGER, params TEXT);"

Test(import, an_sqlite_database_gives_data_that_train_reads) {
    database_make("gfx906_60.db",
                  TABLES "INSERT INTO config VALUES(1,'NCHW','FP16','W',2,64,28,28,1,3,3,1,64,16,1,"
                         "1,0,1,1,0,1,1,0,0,1);"
                         "INSERT INTO config VALUES(2,'NCHW','INT8','F',2,64,28,28,1,3,3,1,64,16,1,"
                         "1,0,1,1,0,1,1,0,0,1);"
                         "INSERT INTO perf_db VALUES(1,'ConvOclBwdWrW2<4>',1,'1,10,1,1,9');"
                         "INSERT INTO perf_db VALUES(2,'ConvOclBwdWrW2<1>',1,'1,10,1,1,5');"
                         "INSERT INTO perf_db VALUES(3,'ConvOclBwdWrW2<1>',2,'1,10,1,1,5');");
    json_t *document = run_json("import miopen gfx906_60.db --json");
    cr_assert_eq(json_integer_value(json_object_get(document, "taken")), 2);
    cr_assert_eq(skipped(document, "data type other than"), 1);
    json_decref(document);
    file_ends("ConvOclBwdWrW2.FP16.gfx906.tsv", "\tgfx906\t60\tgfx906_60.db\t1\t1\t10\t1\t1\t5\n");
    program_result result =
        program_run("train ConvOclBwdWrW2.FP16.gfx906.tsv --arch basic --hidden 32 --set "
                    "embedding=16 --epochs 1 --valid-split 0 --out w.model");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert_not_null(strstr(result.out, "2 records"), "%s", result.out);
    program_free(&result);
}

Test(import, find_databases_give_the_fastest_solver_and_with_times_all) {
    workplace_write("find.txt",
                    KEY "=ConvAsm1x1U:0.5,0,miopenConvolutionFwdAlgoDirect;GemmFwd1x1_0_1:0.25,64,"
                        "miopenConvolutionFwdAlgoGEMM\n");
    json_t *document =
        run_json("import miopen find.txt --arch gfx90a --cu 110 --times --out found --json");
    json_decref(document);
    file_ends("found/MIOpenFind.FP32.gfx90a.tsv", CELLS "find.txt\tGemmFwd1x1_0_1\n");
    file_ends("found/MIOpenTimes.FP32.gfx90a.tsv",
              CELLS "find.txt\tConvAsm1x1U\t0.5\t0\n" CELLS "find.txt\tGemmFwd1x1_0_1\t0.25\t64\n");
}

Test(import, what_cannot_be_read_as_a_whole_writes_nothing) {
    workplace_write("find.txt", KEY "=ConvAsm1x1U:1,16,1,64,2,2,4,4\n");
    workplace_write("gfx90a6e.db.bz2", "BZh91AY&SY");
    database_make("gfx90a68.db", "CREATE TABLE other(a);");
    fails("import miopen find.txt --out data", "give --arch and --cu");
    fails("import miopen gfx90a6e.db.bz2 --out data", "unpack it");
    fails("import miopen gfx90a68.db --out data", "not a performance database of MIOpen");
    fails("import cudnn find.txt", "there is miopen");
    char *path = ht_path_join(workplace(), "data");
    cr_assert_not(ht_dir_exists(path));
    free(path);
}
