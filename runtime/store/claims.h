/* Configurations that several processes search for one job at the same time: each is claimed by the
 * one that evaluates it. A claim ends with its process, however that ends. docs/database.md
 * documents the table. */
#ifndef HT_RUNTIME_STORE_CLAIMS_H
#define HT_RUNTIME_STORE_CLAIMS_H

#include "runtime/store/database.h"

typedef struct ht_claims ht_claims;

/* Joins those that search for the key. The database is borrowed. */
ht_status ht_claims_open(ht_database *database, const ht_database_key *key, ht_claims **out_claims,
                         ht_error *error);
/* Leaves them, and frees. NULL is fine. */
void ht_claims_close(ht_claims *claims);
/* Leaves them until the next claim: nobody waits for this process, or shares with it. */
void ht_claims_leave(ht_claims *claims);

/* Claims a fair part of the configurations (texts) that nobody claims: with N processes an N-th, so
 * that all make as many. Sets out_mine[i] for those. None may be left, or be this one's turn: then
 * look for their results, and ask again. */
ht_status ht_claims_take(ht_claims *claims, const char *const *configs, size_t count,
                         bool *out_mine, ht_error *error);
/* Gives up what is claimed, of which `made` were evaluated and committed. */
ht_status ht_claims_done(ht_claims *claims, size_t made, ht_error *error);

#endif
