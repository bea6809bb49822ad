/** Anyone makes the gateways ask for names that their name server is silent about. */

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { Violation } from './ledger/judge.ts';
import { hasFailed } from './load/course.ts';
import type { Exchange } from './load/wire.ts';
import { newVisitor } from './load/world.ts';
import type { Stage } from './stage/index.ts';
import { type NameServer, openNameServer } from './stage/name-server.ts';

const UPSTREAM = 'upstream.example';
const SILENT = '.slow.example';
const ASKED = 60;
const ASKED_EVERY_MS = 80;
const CALL = 'POST /api/mcp/unified';
/** Less than a gateway waits for a name server. */
const P99_MS = 1_900;

let names: NameServer | null = null;

export const SILENT_NAMES: Fault = {
  name: 'silent-names',
  title: "clients' documents at names that the name server is silent about",
  store: 'postgres',
  needs: ['postgres', 'namespaces'],
  async prepare(stage) {
    const { retrieval } = stage.upstreams;
    names = await openNameServer(path.dirname(stage.clockFile), UPSTREAM, SILENT);
    // So that every call needs the name server.
    retrieval.mood = 'closes';
    await restart(stage, {
      CLIENT_ID_METADATA_DOCUMENTS: 'on',
      PLAIN_HTTP_UPSTREAMS: UPSTREAM,
      RETRIEVAL_BASE_URL: `http://${UPSTREAM}:${new URL(retrieval.origin).port}`,
    });
  },
  async strike(_, world) {
    const asked: Promise<unknown>[] = [];
    while (asked.length < ASKED) {
      const query = new URLSearchParams({ client_id: `https://h${asked.length}${SILENT}/c.json` });
      const request = { surface: 'page', path: `/api/mcp/oauth/authorize?${query}` } as const;
      asked.push(
        newVisitor(world)
          .ask(request)
          .catch(() => null),
      );
      await delay(ASKED_EVERY_MS);
    }
    await Promise.all(asked);
    return async () => {};
  },
  async check(_, __, exchanges) {
    const judged = judgeCalls(exchanges.filter(({ name }) => name === CALL));
    return names?.unanswered.size === 0
      ? [...judged, { check: 'others', text: 'no silent name was asked for' }]
      : judged;
  },
  async tidy(stage) {
    await names?.close();
    stage.upstreams.retrieval.mood = 'answers';
    await restart(stage, {});
  },
};

function judgeCalls(calls: readonly Exchange[]): Violation[] {
  const times = calls.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);
  const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY);
  const failed = calls.filter(hasFailed).map(({ failure, status }) => `a call failed: ${failure ?? status}`);
  const late = p99 > P99_MS ? [`of ${calls.length} calls, one percent took at least ${p99} ms`] : [];
  return [...failed, ...late].map((text) => ({ check: 'others', text }));
}

async function restart({ nodes }: Stage, env: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop('SIGTERM')));
  await Promise.all(nodes.map((node) => node.start(env)));
}
