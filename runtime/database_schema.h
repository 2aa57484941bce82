/* The tuning database's schema and statements. docs/database.md explains each column; a change of
 * meaning is a new HT_DATABASE_VERSION. */
#ifndef HT_RUNTIME_DATABASE_SCHEMA_H
#define HT_RUNTIME_DATABASE_SCHEMA_H

enum {
    HT_DATABASE_APPLICATION_ID =
        0x48745475, /* "HtTu"; `file` and we recognise our own files by it */
    HT_DATABASE_VERSION = 1,
    HT_DATABASE_BUSY_MS = 5000
};

/* The distance of ht_database_nearest: over the fields both texts have, the sum of |log2 a - log2
 * b|. Values below 1 (no padding) count as one half. */
double ht_problem_distance(const char *a, const char *b);

#define HT_DATABASE_SCHEMA                                                                         \
    "CREATE TABLE jobs ("                                                                          \
    "  id INTEGER PRIMARY KEY,"                                                                    \
    "  source_hash TEXT NOT NULL,"                                                                 \
    "  template_name TEXT NOT NULL,"                                                               \
    "  template_hash TEXT NOT NULL,"                                                               \
    "  problem TEXT NOT NULL,"                                                                     \
    "  device TEXT NOT NULL,"                                                                      \
    "  compiler TEXT NOT NULL,"                                                                    \
    "  method TEXT NOT NULL,"                                                                      \
    "  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"                     \
    "  UNIQUE (source_hash, template_name, template_hash, problem, device, compiler, method));"    \
    "CREATE TABLE evaluations ("                                                                   \
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
    "  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"                     \
    "  UNIQUE (job_id, config));"                                                                  \
    "CREATE INDEX jobs_by_template ON jobs (template_hash, device);"                               \
    "PRAGMA application_id = 0x48745475;"                                                          \
    "PRAGMA user_version = 1;"

#define HT_DATABASE_JOB_WHERE                                                                      \
    "source_hash = :source_hash AND template_name = :template_name"                                \
    " AND template_hash = :template_hash AND problem = :problem AND device = :device"              \
    " AND compiler = :compiler AND method = :method"

#define HT_DATABASE_PUT_JOB                                                                        \
    "INSERT INTO jobs (source_hash, template_name, template_hash, problem, device, compiler,"      \
    " method) VALUES (:source_hash, :template_name, :template_hash, :problem, :device, :compiler," \
    " :method) ON CONFLICT DO NOTHING"

#define HT_DATABASE_RESOURCE_COLUMNS                                                               \
    "vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, lds, scratch, max_block, wavefront,"           \
    " waves_per_simd, max_waves_per_simd"

#define HT_DATABASE_PUT                                                                            \
    "INSERT OR REPLACE INTO evaluations (job_id, config, status, reason, median_ms, samples,"      \
    " compile_seconds, " HT_DATABASE_RESOURCE_COLUMNS ") VALUES ("                                 \
    "(SELECT id FROM jobs WHERE " HT_DATABASE_JOB_WHERE "),"                                       \
    " :config, :status, :reason, :median_ms, :samples, :compile_seconds,"                          \
    " :vgprs, :agprs, :sgprs, :vgpr_spills, :sgpr_spills, :lds, :scratch, :max_block,"             \
    " :wavefront, :waves_per_simd, :max_waves_per_simd)"

#define HT_DATABASE_GET                                                                            \
    "SELECT config, status, reason, median_ms, samples, "                                          \
    "compile_seconds, " HT_DATABASE_RESOURCE_COLUMNS                                               \
    " FROM evaluations WHERE config = :config AND job_id ="                                        \
    " (SELECT id FROM jobs WHERE " HT_DATABASE_JOB_WHERE ")"

/* The bare column beside min() is the row of the minimum: documented SQLite behaviour. The baseline
 * of a reference kernel is kept under the configuration "original", which is no configuration to
 * start from. */
#define HT_DATABASE_NEAREST                                                                        \
    "SELECT jobs.problem, evaluations.config, min(evaluations.median_ms)"                          \
    " FROM jobs JOIN evaluations ON evaluations.job_id = jobs.id"                                  \
    " WHERE jobs.template_name = :template_name AND jobs.template_hash = :template_hash"           \
    " AND jobs.device = :device AND jobs.problem <> :problem"                                      \
    " AND evaluations.status = 'ok' AND evaluations.config <> 'original'"                          \
    " GROUP BY jobs.problem ORDER BY jobs.problem"

#endif
