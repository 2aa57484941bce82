/* The tuning database's schema and statements. docs/database.md explains each column; a change of
 * meaning is a new HT_DATABASE_VERSION. */
#ifndef HT_RUNTIME_STORE_DATABASE_SCHEMA_H
#define HT_RUNTIME_STORE_DATABASE_SCHEMA_H

enum {
    HT_DATABASE_APPLICATION_ID =
        0x48745475, /* "HtTu"; `file` and we recognise our own files by it */
    HT_DATABASE_VERSION = 4,
    HT_DATABASE_CHECKSUMS_SINCE = 3,
    HT_DATABASE_BUSY_MS = 5000
};

/* The distance of ht_database_nearest: over the fields both texts have, the sum of |log2 a - log2
 * b|. Values below 1 (no padding) count as one half. */
double ht_problem_distance(const char *a, const char *b);

#define HT_DATABASE_NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

#define HT_DATABASE_DEATHS_TABLE                                                                   \
    "CREATE TABLE deaths ("                                                                        \
    "  job_id INTEGER NOT NULL REFERENCES jobs (id),"                                              \
    "  config TEXT NOT NULL,"                                                                      \
    "  count INTEGER NOT NULL,"                                                                    \
    "  status TEXT NOT NULL,"                                                                      \
    "  evidence TEXT NOT NULL,"                                                                    \
    "  UNIQUE (job_id, config));"

/* Of the table jobs, with the bracket that closes them. */
#define HT_DATABASE_JOBS_COLUMNS                                                                   \
    "  id INTEGER PRIMARY KEY,"                                                                    \
    "  source_hash TEXT NOT NULL,"                                                                 \
    "  template_name TEXT NOT NULL,"                                                               \
    "  template_hash TEXT NOT NULL,"                                                               \
    "  problem TEXT NOT NULL,"                                                                     \
    "  device TEXT NOT NULL,"                                                                      \
    "  compiler TEXT NOT NULL,"                                                                    \
    "  method TEXT NOT NULL,"                                                                      \
    "  settings TEXT NOT NULL,"                                                                    \
    "  checking TEXT NOT NULL,"                                                                    \
    "  created TEXT NOT NULL DEFAULT (" HT_DATABASE_NOW "),"                                       \
    "  UNIQUE (source_hash, template_name, template_hash, problem, device, compiler, method,"      \
    "          settings, checking));"

/* Schema 2; a new file is made by way of it, so that new and old ones have the same tables. */
#define HT_DATABASE_SCHEMA_2                                                                       \
    "CREATE TABLE jobs (" HT_DATABASE_JOBS_COLUMNS "CREATE TABLE evaluations ("                    \
    "  id INTEGER PRIMARY KEY,"                                                                    \
    "  job_id INTEGER NOT NULL REFERENCES jobs (id),"                                              \
    "  config TEXT NOT NULL,"                                                                      \
    "  status TEXT NOT NULL,"                                                                      \
    "  reason TEXT,"                                                                               \
    "  median_ms REAL,"                                                                            \
    "  samples TEXT NOT NULL,"                                                                     \
    "  compile_seconds REAL NOT NULL,"                                                             \
    "  vgprs INTEGER, agprs INTEGER, sgprs INTEGER,"                                               \
    "  vgpr_spills INTEGER, sgpr_spills INTEGER,"                                                  \
    "  lds INTEGER, scratch INTEGER, max_block INTEGER, wavefront INTEGER,"                        \
    "  waves_per_simd INTEGER, max_waves_per_simd INTEGER,"                                        \
    "  created TEXT NOT NULL DEFAULT (" HT_DATABASE_NOW "),"                                       \
    "  reduced INTEGER NOT NULL DEFAULT 0,"                                                        \
    "  conditions TEXT,"                                                                           \
    "  UNIQUE (job_id, config));" HT_DATABASE_DEATHS_TABLE                                         \
    "CREATE INDEX jobs_by_template ON jobs (template_hash, device);"                               \
    "PRAGMA application_id = 0x48745475;"                                                          \
    "PRAGMA user_version = 2;"

/* From schema 1. Other things that its results depend on were not written down, so its jobs get
 * empty settings, which no new job has: they can be asked about and give seeds, but are not reused.
 * A constraint of a table cannot be changed, so `jobs` is made anew, as SQLite's manual of ALTER
 * TABLE says. */
#define HT_DATABASE_FROM_1                                                                         \
    "CREATE TABLE jobs_2 (" HT_DATABASE_JOBS_COLUMNS                                               \
    "INSERT INTO jobs_2 SELECT id, source_hash, template_name, template_hash, problem, device,"    \
    " compiler, method, '', '', created FROM jobs;"                                                \
    "DROP TABLE jobs;"                                                                             \
    "ALTER TABLE jobs_2 RENAME TO jobs;"                                                           \
    "CREATE INDEX jobs_by_template ON jobs (template_hash, device);"                               \
    "ALTER TABLE evaluations ADD COLUMN reduced INTEGER NOT NULL DEFAULT 0;"                       \
    "ALTER TABLE evaluations ADD COLUMN conditions TEXT;" HT_DATABASE_DEATHS_TABLE                 \
    "PRAGMA user_version = 2;"

#define HT_DATABASE_JOB_WHERE_OF(job)                                                              \
    job "source_hash = :source_hash AND " job "template_name = :template_name AND " job            \
        "template_hash = :template_hash AND " job "problem = :problem AND " job                    \
        "device = :device AND " job "compiler = :compiler AND " job "method = :method AND " job    \
        "settings = :settings AND " job "checking = :checking"
#define HT_DATABASE_JOB_WHERE HT_DATABASE_JOB_WHERE_OF("")

/* The values that a row's checksum covers, after the table's name; the key of its job first.
 * `job` and `row` say where the values come from: ":" for parameters, "jobs." and the like for
 * columns. */
#define HT_DATABASE_KEY_VALUES(job)                                                                \
    job "source_hash, " job "template_name, " job "template_hash, " job "problem, " job            \
        "device, " job "compiler, " job "method, " job "settings, " job "checking"
#define HT_DATABASE_JOB_VALUES(job) HT_DATABASE_KEY_VALUES(job) ", " job "created"
#define HT_DATABASE_EVALUATION_VALUES(job, row)                                                    \
    HT_DATABASE_KEY_VALUES(job)                                                                    \
    ", " row "config, " row "status, " row "reason, " row "median_ms, " row "samples, " row        \
    "compile_seconds, " row "reduced, " row "conditions, " row "created, " row "vgprs, " row       \
    "agprs, " row "sgprs, " row "vgpr_spills, " row "sgpr_spills, " row "lds, " row                \
    "scratch, " row "max_block, " row "wavefront, " row "waves_per_simd, " row                     \
    "max_waves_per_simd"
#define HT_DATABASE_DEATH_VALUES(job, row)                                                         \
    HT_DATABASE_KEY_VALUES(job) ", " row "config, " row "count, " row "status, " row "evidence"

/* The checksum of a row that is being written, of one in the table with the key that the caller
 * gives, and of one with the key of the job that is joined. */
#define HT_DATABASE_JOB_SUM(job) "ht_checksum('jobs', " HT_DATABASE_JOB_VALUES(job) ")"
#define HT_DATABASE_EVALUATION_SUM(job, row)                                                       \
    "ht_checksum('evaluations', " HT_DATABASE_EVALUATION_VALUES(job, row) ")"
#define HT_DATABASE_DEATH_SUM(job, row)                                                            \
    "ht_checksum('deaths', " HT_DATABASE_DEATH_VALUES(job, row) ")"
#define HT_DATABASE_JOB_SUM_NEW HT_DATABASE_JOB_SUM(":")
#define HT_DATABASE_JOB_SUM_KEPT HT_DATABASE_JOB_SUM("jobs.")
#define HT_DATABASE_EVALUATION_SUM_NEW HT_DATABASE_EVALUATION_SUM(":", ":")
#define HT_DATABASE_EVALUATION_SUM_KEPT HT_DATABASE_EVALUATION_SUM(":", "evaluations.")
#define HT_DATABASE_EVALUATION_SUM_JOINED HT_DATABASE_EVALUATION_SUM("jobs.", "evaluations.")
#define HT_DATABASE_DEATH_SUM_NEW HT_DATABASE_DEATH_SUM(":", ":")
#define HT_DATABASE_DEATH_SUM_JOINED HT_DATABASE_DEATH_SUM("jobs.", "deaths.")

/* True of a row that has its checksum; any other is reported (database_rows.h). */
#define HT_DATABASE_JOB_GOOD                                                                       \
    "ht_row_good('jobs', jobs.id, jobs.checksum, " HT_DATABASE_JOB_VALUES("jobs.") ")"
#define HT_DATABASE_EVALUATION_GOOD_OF(job)                                                        \
    "ht_row_good('evaluations', evaluations.id, evaluations.checksum, "                            \
    "" HT_DATABASE_EVALUATION_VALUES(job, "evaluations.") ")"
#define HT_DATABASE_DEATH_GOOD_OF(job)                                                             \
    "ht_row_good('deaths', deaths.rowid, deaths.checksum, "                                        \
    "" HT_DATABASE_DEATH_VALUES(job, "deaths.") ")"
#define HT_DATABASE_EVALUATION_GOOD_KEPT HT_DATABASE_EVALUATION_GOOD_OF(":")
#define HT_DATABASE_EVALUATION_GOOD HT_DATABASE_EVALUATION_GOOD_OF("jobs.")
#define HT_DATABASE_DEATH_GOOD_KEPT HT_DATABASE_DEATH_GOOD_OF(":")
#define HT_DATABASE_DEATH_GOOD HT_DATABASE_DEATH_GOOD_OF("jobs.")

/* Of an evaluation whose job is joined. */
#define HT_DATABASE_NOT_CONDEMNED                                                                  \
    "NOT EXISTS (SELECT 1 FROM deaths WHERE deaths.job_id = jobs.id"                               \
    " AND deaths.config = evaluations.config AND count > 1 AND " HT_DATABASE_DEATH_GOOD ")"

/* From schema 2. Nobody can tell whether the rows of such a file are as they were written: their
 * checksums say what they are now. */
#define HT_DATABASE_FROM_2                                                                         \
    "ALTER TABLE jobs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"                             \
    "ALTER TABLE evaluations ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"                      \
    "ALTER TABLE deaths ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"                           \
    "UPDATE jobs SET checksum = " HT_DATABASE_JOB_SUM_KEPT ";"                                     \
    "UPDATE evaluations SET checksum = " HT_DATABASE_EVALUATION_SUM_JOINED                         \
    " FROM jobs WHERE jobs.id = job_id;"                                                           \
    "UPDATE deaths SET checksum = " HT_DATABASE_DEATH_SUM_JOINED                                   \
    " FROM jobs WHERE jobs.id = job_id;"                                                           \
    "PRAGMA user_version = 3;"

/* A damaged row of the same key is mended. */
#define HT_DATABASE_PUT_JOB                                                                        \
    "INSERT INTO jobs (source_hash, template_name, template_hash, problem, device, compiler,"      \
    " method, settings, checking, created, checksum) VALUES (:source_hash, :template_name,"        \
    " :template_hash, :problem, :device, :compiler, :method, :settings, :checking, :created,"      \
    " " HT_DATABASE_JOB_SUM_NEW ") ON CONFLICT (source_hash, template_name, template_hash,"        \
    " problem, device, compiler, method, settings, checking) DO UPDATE"                            \
    " SET created = excluded.created, checksum = excluded.checksum"                                \
    " WHERE jobs.checksum <> " HT_DATABASE_JOB_SUM_KEPT

#define HT_DATABASE_RESOURCE_COLUMNS                                                               \
    "vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, lds, scratch, max_block, wavefront,"           \
    " waves_per_simd, max_waves_per_simd"

#define HT_DATABASE_JOB_ID "(SELECT id FROM jobs WHERE " HT_DATABASE_JOB_WHERE ")"

/* A reduced measurement leaves a full one alone, unless that is damaged. */
#define HT_DATABASE_PUT                                                                            \
    "INSERT INTO evaluations (job_id, config, status, reason, median_ms, samples,"                 \
    " compile_seconds, reduced, conditions, created, " HT_DATABASE_RESOURCE_COLUMNS ", checksum)"  \
    " VALUES (" HT_DATABASE_JOB_ID ","                                                             \
    " :config, :status, :reason, :median_ms, :samples, :compile_seconds, :reduced, :conditions,"   \
    " :created, :vgprs, :agprs, :sgprs, :vgpr_spills, :sgpr_spills, :lds, :scratch, :max_block,"   \
    " :wavefront, :waves_per_simd, :max_waves_per_simd, " HT_DATABASE_EVALUATION_SUM_NEW ")"       \
    " ON CONFLICT (job_id, config) DO UPDATE SET status = excluded.status,"                        \
    " reason = excluded.reason, median_ms = excluded.median_ms, samples = excluded.samples,"       \
    " compile_seconds = excluded.compile_seconds, reduced = excluded.reduced,"                     \
    " conditions = excluded.conditions, created = excluded.created,"                               \
    " vgprs = excluded.vgprs,"                                                                     \
    " agprs = excluded.agprs,"                                                                     \
    " sgprs = excluded.sgprs,"                                                                     \
    " vgpr_spills = excluded.vgpr_spills,"                                                         \
    " sgpr_spills = excluded.sgpr_spills,"                                                         \
    " lds = excluded.lds,"                                                                         \
    " scratch = excluded.scratch,"                                                                 \
    " max_block = excluded.max_block,"                                                             \
    " wavefront = excluded.wavefront,"                                                             \
    " waves_per_simd = excluded.waves_per_simd,"                                                   \
    " max_waves_per_simd = excluded.max_waves_per_simd,"                                           \
    " checksum = excluded.checksum WHERE excluded.reduced <= evaluations.reduced"                  \
    " OR evaluations.checksum <> " HT_DATABASE_EVALUATION_SUM_KEPT

#define HT_DATABASE_PUT_DEATH                                                                      \
    "INSERT INTO deaths (job_id, config, count, status, evidence, checksum)"                       \
    " VALUES (" HT_DATABASE_JOB_ID ", :config, :count, :status, :evidence,"                        \
    " " HT_DATABASE_DEATH_SUM_NEW ") ON CONFLICT (job_id, config) DO UPDATE"                       \
    " SET count = excluded.count, status = excluded.status, evidence = excluded.evidence,"         \
    " checksum = excluded.checksum"

#define HT_DATABASE_DEATHS                                                                         \
    "SELECT count, status, evidence FROM deaths WHERE config = :config"                            \
    " AND job_id = " HT_DATABASE_JOB_ID " AND " HT_DATABASE_DEATH_GOOD_KEPT

#define HT_DATABASE_FORGIVE                                                                        \
    "DELETE FROM deaths WHERE config = :config AND job_id = " HT_DATABASE_JOB_ID

#define HT_DATABASE_GET                                                                            \
    "SELECT config, status, reason, median_ms, samples, compile_seconds, reduced, conditions,"     \
    " " HT_DATABASE_RESOURCE_COLUMNS " FROM evaluations WHERE config = :config"                    \
    " AND job_id = " HT_DATABASE_JOB_ID " AND " HT_DATABASE_EVALUATION_GOOD_KEPT

/* When the key's own job began: what was written later, as by that job's search at other sizes,
 * gives it no seeds. So a search that is done again begins as it did the first time. */
#define HT_DATABASE_OWN_BEGIN                                                                      \
    "(SELECT ifnull(own.created, '9999'), ifnull(min(first.id), 9223372036854775807)"              \
    " FROM jobs AS own LEFT JOIN evaluations AS first ON first.job_id = own.id"                    \
    " WHERE " HT_DATABASE_JOB_WHERE_OF("own.") ")"

/* The bare column next to min() is the row of the minimum: documented SQLite behaviour. The
 * baseline of a reference kernel is kept under the configuration "original", which is no
 * configuration to start from. */
#define HT_DATABASE_NEAREST                                                                        \
    "SELECT jobs.problem, evaluations.config, min(evaluations.median_ms)"                          \
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"                                  \
    " WHERE jobs.template_name = :template_name AND jobs.template_hash = :template_hash"           \
    " AND jobs.device = :device AND jobs.problem <> :problem"                                      \
    " AND evaluations.status = 'ok' AND evaluations.config <> 'original'"                          \
    " AND NOT evaluations.reduced"                                                                 \
    " AND (evaluations.created, evaluations.id) < " HT_DATABASE_OWN_BEGIN                          \
    " AND " HT_DATABASE_NOT_CONDEMNED " AND " HT_DATABASE_EVALUATION_GOOD                          \
    " GROUP BY jobs.problem ORDER BY jobs.problem"

#endif
