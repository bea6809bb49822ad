/** Exceeds limits on all nodes in turn: all nodes together must allow only as much as one. */

import type { Violation } from './ledger/judge.ts';
import { register } from './load/flows.ts';
import { newVisitor, type World } from './load/world.ts';

/** As documented in docs/guides/limits.md. */
const REGISTRATIONS = 60;
const WRONG_CODES = 20;
const WRONG_CODES_PER_REQUEST = 5;
const TRIES = 2;

/** Registers clients and types wrong connection codes, each from one address. */
export async function checkLimits(world: World): Promise<Violation[]> {
  const [registered, looked] = [await countRegistrations(world), await countWrongCodes(world)];
  const found = [
    ['registrations of one address in a minute', registered, REGISTRATIONS],
    ['wrong connection codes of one address', looked, WRONG_CODES],
  ] as const;
  return found
    .filter(([, count, limit]) => count !== limit)
    .map(([what, count, limit]) => ({ check: 'limits', text: `${count} ${what} were taken; the limit is ${limit}` }));
}

/** Sends from one address to the nodes in turn. */
function inTurn(world: World) {
  let turn = 0;
  return newVisitor(world, () => {
    turn += 1;
    return turn % world.nodes;
  });
}

async function countRegistrations(world: World): Promise<number> {
  const visitor = inTurn(world);
  let taken = 0;
  for (let left = TRIES * world.nodes * REGISTRATIONS; left > 0; left -= world.nodes) {
    const asked = Array.from({ length: world.nodes }, () => register({ world, visitor }).then(Boolean, () => false));
    const done = (await Promise.all(asked)).filter(Boolean).length;
    taken += done;
    if (done === 0) break;
  }
  return taken;
}

async function countWrongCodes(world: World): Promise<number> {
  const clientId = await register({ world, visitor: newVisitor(world) });
  const visitor = inTurn(world);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:7000/callback',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  });
  let looked = 0;
  for (let left = TRIES * WRONG_CODES; left > 0; left -= WRONG_CODES_PER_REQUEST) {
    let page = await visitor.open(`/api/mcp/oauth/authorize?${query}`);
    for (let turn = 0; turn < WRONG_CODES_PER_REQUEST; turn += 1) {
      const form = new URLSearchParams(page.fields ?? '');
      form.set('connection_code', 'ZZZZ-ZZZZ-ZZZZ');
      form.set('decision', 'continue');
      page = await visitor.open('/api/mcp/oauth/authorize', form);
      if (page.answer.status === 429) return looked;
      if (page.typed.includes('connection_code')) looked += 1;
    }
  }
  return looked;
}
