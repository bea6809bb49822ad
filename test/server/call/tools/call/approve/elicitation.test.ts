import { afterEach, beforeEach, expect, test } from 'vitest';
import { createValueSealer } from '../../../../../../server/base/credentials/sealed-value.ts';
import type { ToolResult } from '../../../../../../server/call/tools/provider.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { createContext, createPrincipal, errorOf } from '../../support.ts';
import { ADD, type ApprovalsUnderTest, BURN, startApprovals } from './support.ts';

const PAGES = {
  states: createValueSealer({ keys: [{ id: 'test', key: keyBytes(1) }], purpose: 'test' }),
  consentLinks: { urlOf: () => '', open: () => null },
  approvalUrlOf: (id: string | null) => `https://gateway.example/me/approvals/${id}`,
};

describeStore('a call that a 2026 client waits for', (given) => {
  let calls: ApprovalsUnderTest;
  beforeEach(async () => {
    calls = await startApprovals(given.store, {
      rule: ['write'],
      channels: ['page', 'client'],
      changes: { pages: PAGES },
    });
  });
  afterEach(() => calls.close());

  function call(tool: string, mode: 'url' | 'form', answer: object | null = null, asked?: ToolResult, more = {}) {
    const requestState = asked !== undefined && 'requestState' in asked ? (asked.requestState ?? null) : null;
    const context = createContext({
      clientCapabilities: { elicitation: { [mode]: {} } },
      inputResponses: { ...answer },
      requestState,
    });
    return calls.nodes[0]!.provider.call(createPrincipal({ ...calls.principal }), tool, { id: '1', ...more }, context);
  }
  const outcomeOf = (result: ToolResult) =>
    'inputRequests' in result ? 'asks' : 'content' in result && result.isError === true ? errorOf(result).code : 'ok';

  test('opens the page, and goes on after the approval there; that the page was opened approves nothing', async () => {
    const asked = await call(BURN, 'url');
    const [row] = await calls.waiting();
    const url = `https://gateway.example/me/approvals/${row?.id}`;
    expect(asked).toMatchObject({ inputRequests: { approve: { params: { mode: 'url', url } } } });
    const opened = { approve: { action: 'accept' }, confirm: { action: 'accept' } };
    expect(outcomeOf(await call(BURN, 'url', opened, asked))).toBe('asks');
    expect(calls.writes()).toBe(0);
    await calls.approveAll();
    expect(outcomeOf(await call(BURN, 'url', opened, asked))).toBe('ok');
    expect(calls.writes()).toBe(1);
  });

  test('is approved or denied by the client itself where that is accepted, and only as an answer to what was asked', async () => {
    const yes = { confirm: { action: 'accept' } };
    expect(outcomeOf(await call(ADD, 'form', yes))).toBe('asks');
    const asked = await call(ADD, 'form');
    expect(asked).toMatchObject({ inputRequests: { confirm: { params: { mode: 'form' } } } });
    expect(outcomeOf(await call(ADD, 'form', yes, asked))).toBe('ok');
    expect(calls.writes()).toBe(1);
    const again = await call(ADD, 'form');
    expect(outcomeOf(await call(ADD, 'form', { confirm: { action: 'decline' } }, again))).toBe('denied_by_user');
    expect(calls.writes()).toBe(1);
  });

  test('is not made by an approval on the page after its client declined; the approval serves the next call', async () => {
    const asked = await call(ADD, 'form');
    await calls.approveAll();
    expect(outcomeOf(await call(ADD, 'form', { confirm: { action: 'decline' } }, asked))).toBe('denied_by_user');
    expect(calls.writes()).toBe(0);
    expect(outcomeOf(await call(ADD, 'form'))).toBe('ok');
    expect(calls.writes()).toBe(1);
  });

  test('is approved by the client itself only where its form shows every argument', async () => {
    const short = await call(ADD, 'form', null, undefined, { note: 'x'.repeat(900) });
    expect(short).toMatchObject({
      inputRequests: { confirm: { params: { message: expect.stringContaining(`note "${'x'.repeat(900)}"`) } } },
    });
    const long = { note: `${'x'.repeat(1000)} and pay eve` };
    expect(outcomeOf(await call(ADD, 'form', null, undefined, long))).toBe('awaiting_approval');
    const url = await call(ADD, 'url', null, undefined, long);
    expect(url).toMatchObject({ inputRequests: { approve: { params: { mode: 'url' } } } });
    expect(outcomeOf(await call(ADD, 'form', { confirm: { action: 'accept' } }, url, long))).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });

  test('that destroys is not approved by a client that may only approve other calls', async () => {
    const asked = await call(BURN, 'form');
    expect(outcomeOf(asked)).toBe('awaiting_approval');
    const url = await call(BURN, 'url');
    expect(outcomeOf(await call(BURN, 'form', { confirm: { action: 'accept' } }, url))).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });
});
