/** Shows how a database runs queries: which indexes it uses, and what it scans. */

import type { CompiledQuery, Kysely, RootOperationNode } from 'kysely';
import type { Store } from '../../server/base/store/index.ts';
import type { Database } from '../../server/base/store/schema.ts';

/** Runs `work` and returns the plan of each query that it sent, as a string. */
export async function plansOf(store: Store, work: (db: Kysely<Database>) => Promise<unknown>): Promise<string[]> {
  const nodes: { node: RootOperationNode; queryId: { queryId: string } }[] = [];
  await work(
    store.db.withPlugin({
      transformQuery({ node, queryId }) {
        nodes.push({ node, queryId });
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  const explain = store.dialect === 'postgres' ? 'explain' : 'explain query plan';
  const plans: string[] = [];
  for (const { node, queryId } of nodes) {
    const query: CompiledQuery = store.db.getExecutor().compileQuery(node, queryId);
    const { rows } = await store.db.executeQuery({ ...query, sql: `${explain} ${query.sql}` });
    plans.push(JSON.stringify(rows));
  }
  return plans;
}
