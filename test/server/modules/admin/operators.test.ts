import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findUserById } from '../../../../server/base/store/repositories/users.ts';
import { addOperator, changeRole, removeOperator, replaceSecret } from '../../../../server/modules/admin/operators.ts';
import { findOperator } from '../../../../server/modules/admin/stored-operators.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { fieldOf, givenDashboard, insertCalls, insertHelper, insertTeam, SECRET, type Visitor } from './support.ts';

const MAX_WRONG_SECRETS = 10;

const given = givenDashboard();

const inTransaction = <Result>(work: Parameters<ReturnType<typeof given.store.db.transaction>['execute']>[0]) =>
  given.store.db.transaction().execute(work) as Promise<Result>;
const operatorNamed = async (name: string) => (await findOperator(given.store.db, name))!;
const statusOf = async (visitor: Visitor, path = '/admin') => (await visitor.get(path)).status;

function pathOf(pattern: string): string {
  return pattern
    .replace(/^\/admin\/users\/:id/, `/admin/users/${given.userId}`)
    .replace(/^\/admin\/partners\/:id/, `/admin/partners/${given.partnerId}`)
    .replace('/clients/:id', '/clients/helper')
    .replace(':service', 'library')
    .replace(':name', 'library_find')
    .replace(/:\w+/g, 'x');
}

const isSignIn = (pattern: string) => pattern.startsWith('/admin/sign-in');
const isData = (pattern: string) => /\.(csv|json)$|\/live$/.test(pattern);

describe('an operator with the look role', () => {
  test('sees every page, without any form that acts', async () => {
    const ada = await given.operator({ name: 'ada', role: 'look' });
    const admin = await given.operator();
    const [call = ''] = await insertCalls(given, [{}]);
    await insertHelper(given);
    const { team } = await insertTeam(given);
    const pages = given.routes.GET.filter((pattern) => !isSignIn(pattern) && !isData(pattern)).map((pattern) =>
      pathOf(pattern.replace('/calls/:id', `/calls/${call}`).replace('/teams/:id', `/teams/${team}`)),
    );
    expect(pages.length).toBeGreaterThan(8);
    let forms = 0;
    for (const path of pages) {
      const seen = await ada.get(path);
      expect([path, seen.status]).toEqual([path, 200]);
      expect([path, seen.text.match(/<form method="post" action="[^"]*"/g)]).toEqual([
        path,
        ['<form method="post" action="/admin/sign-out"'],
      ]);
      expect(seen.text.replace(/<form[\s\S]*?<\/form>/g, '')).not.toContain('<button');
      forms += (await admin.get(path)).text.match(/<form method="post"/g)!.length - 1;
    }
    expect(forms).toBeGreaterThan(5);
  });

  test('is refused every form', async () => {
    const ada = await given.operator({ name: 'ada', role: 'look' });
    const csrf = fieldOf((await ada.get('/admin')).text, 'csrf');
    const acts = given.routes.POST.filter((pattern) => !isSignIn(pattern) && pattern !== '/admin/sign-out');
    expect(acts.length).toBeGreaterThan(10);
    await insertHelper(given);
    for (const path of acts.map(pathOf)) {
      const { status, text } = await ada.post(path, { csrf, sure: 'yes', name: 'x', user: given.userId });
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('You may look, but not change things');
    }
    expect(await findUserById(given.store.db, given.userId)).toBeDefined();
    expect((await searchAuditEvents(given.store.db, {}, 50)).map(({ type }) => type)).toEqual([
      'operator_signed_in',
      'operator_added',
    ]);
  });

  test('signs out', async () => {
    const ada = await given.operator({ name: 'ada', role: 'look' });
    await ada.submit('/admin', '/admin/sign-out');
    expect(await statusOf(ada)).toBe(303);
  });

  test('sees the settings of a partner', async () => {
    const ada = await given.operator({ name: 'ada', role: 'look' });
    expect((await ada.get(`/admin/partners/${given.partnerId}`)).text).toContain('Services that the partner may offer');
  });
});

describe('a form that is on its way for long', () => {
  /** Sends the form in two parts. @param meanwhile runs between them. @returns the status of the answer. */
  async function sendSlowly(visitor: Visitor, path: string, form: string, meanwhile: () => Promise<unknown>) {
    const headers = {
      Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': form.length,
    };
    const request = sendRequest(given.origin + path, { method: 'POST', headers });
    request.write(form.slice(0, 5));
    await sleep(100);
    await meanwhile();
    request.end(form.slice(5));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  const toLook: typeof removeOperator = (transaction, operator, event) =>
    changeRole(transaction, operator, 'look', event);

  test.each([
    ['removed', 401, removeOperator],
    ['left with the look role', 403, toLook],
  ] as const)('changes nothing for an operator who is %s meanwhile', async (_, status, change) => {
    const ada = await given.operator({ name: 'ada', role: 'act' });
    const path = `/admin/users/${given.userId}`;
    const csrf = fieldOf((await ada.get(path)).text, 'csrf');
    const operator = await operatorNamed('ada');
    const form = new URLSearchParams({ csrf, sure: 'yes' }).toString();
    const sent = sendSlowly(ada, `${path}/remove`, form, () =>
      inTransaction((transaction) => change(transaction, operator, { now: given.now })),
    );
    expect(await sent).toBe(status);
    expect(await findUserById(given.store.db, given.userId)).toBeDefined();
  });
});

describe('every action', () => {
  test('is in the audit trail under the name of the operator', async () => {
    const ada = await given.operator({ name: 'ada', role: 'act' });
    const partner = `/admin/partners/${given.partnerId}`;
    const user = `/admin/users/${given.userId}`;
    await ada.submit('/admin/partners', '/admin/partners', { name: 'Another' });
    await ada.submit(partner, partner, { name: 'Renamed', all_services: 'yes' });
    await ada.submit(partner, `${partner}/approvals`, { approvals: 'destroy' });
    await ada.submit(partner, `${partner}/secrets`);
    const [secret] = /secrets\/[^/"]+\/revoke/.exec((await ada.get(partner)).text)!;
    await ada.confirm(partner, `${partner}/${secret}`);
    await ada.submit(user, `${user}/tokens`);
    const [token] = /tokens\/[^/"]+\/revoke/.exec((await ada.get(user)).text)!;
    await ada.submit(user, `${user}/${token}`);
    await ada.submit('/admin/tools/library_find', '/admin/tools/library_find', { user: given.userId, words: 'x' });
    await ada.confirm(user, `${user}/connections/library/remove`);
    await ada.confirm(user, `${user}/remove`);
    await given.operator();
    await ada.confirm('/admin/operators', '/admin/operators/sessions/end-others');
    await ada.submit('/admin', '/admin/sign-out');
    const events = await searchAuditEvents(given.store.db, {}, 50);
    const told = events.toReversed().map(({ type, details }) => [type, details.operator]);
    // In the same moment as the revocation of the last secret.
    expect(told).toContainEqual(['partner_suspended', 'ada']);
    expect(told.filter(([type]) => type !== 'partner_suspended')).toEqual([
      ['operator_added', undefined],
      ['operator_signed_in', 'ada'],
      ['partner_added', 'ada'],
      ['partner_changed', 'ada'],
      ['partner_changed', 'ada'],
      ['partner_secret_added', 'ada'],
      ['partner_secret_revoked', 'ada'],
      ['access_token_minted', 'ada'],
      ['access_token_revoked', 'ada'],
      ['tool_tried', 'ada'],
      ['connection_removed', 'ada'],
      ['user_removed', 'ada'],
      ['operator_signed_in', 'admin'],
      ['operator_session_ended', 'ada'],
      ['operator_signed_out', 'ada'],
    ]);
    expect((await (await given.operator()).get('/admin/audit')).text).toContain('operator <bdi>ada</bdi>');
  });
});

describe('a named operator', () => {
  test('is not locked out by wrong guesses of others', async () => {
    const secret = await inTransaction<string>((transaction) =>
      addOperator(transaction, { name: 'ada', role: 'act' }, { now: given.now }),
    );
    const visitor = given.visitor();
    for (let attempt = 0; attempt <= MAX_WRONG_SECRETS; attempt += 1) await visitor.signIn('wrong');
    expect((await visitor.signIn(SECRET)).status).toBe(429);
    expect((await visitor.signIn(secret)).status).toBe(303);
  });

  test('has the current role at once', async () => {
    const ada = await given.operator({ name: 'ada', role: 'look' });
    const operator = await operatorNamed('ada');
    await inTransaction((transaction) => changeRole(transaction, operator, 'act', { now: given.now }));
    expect((await ada.submit('/admin/partners', '/admin/partners', { name: 'Acme Two' })).status).toBe(200);
    await inTransaction((transaction) => changeRole(transaction, operator, 'look', { now: given.now }));
    expect((await ada.submit('/admin', '/admin/partners', { name: 'Acme Three' })).status).toBe(403);
  });

  test('who is removed is signed out at once', async () => {
    const ada = await given.operator({ name: 'ada', role: 'act' });
    const operator = await operatorNamed('ada');
    await inTransaction((transaction) => removeOperator(transaction, operator, { now: given.now }));
    expect(await statusOf(ada)).toBe(303);
  });

  test('whose secret is replaced signs in only with the new one', async () => {
    const ada = await given.operator({ name: 'ada', role: 'act' });
    const operator = await operatorNamed('ada');
    const secret = await inTransaction<string>((transaction) =>
      replaceSecret(transaction, operator, { now: given.now }),
    );
    expect(await statusOf(ada)).toBe(303);
    expect((await given.visitor().signIn(secret)).status).toBe(303);
  });

  test('leaves no secret in the store', async () => {
    const secret = await inTransaction<string>((transaction) =>
      addOperator(transaction, { name: 'ada', role: 'act' }, { now: given.now }),
    );
    expect(secret).toMatch(/^utg_op_[A-Za-z0-9_-]{43}$/);
    const rows = await given.store.db.selectFrom('operators').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe('sessions', () => {
  test('are listed, the current one marked, and ended one by one', async () => {
    const admin = await given.operator();
    const ada = await given.operator({ name: 'ada', role: 'look' });
    const { text } = await admin.get('/admin/operators');
    expect(text.match(/this one/g)).toHaveLength(1);
    const [row] = text.split('<tr>').filter((part) => part.includes('<bdi>ada</bdi>') && part.includes('sessions/'));
    const [path] = /\/admin\/operators\/sessions\/[^/"]+\/end/.exec(row!)!;
    const answer = await admin.confirm('/admin/operators', path);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin/operators?done=ended']);
    expect([await statusOf(ada), await statusOf(admin)]).toEqual([303, 200]);
  });

  test('of others are ended all at once', async () => {
    const [first, second, third] = [await given.operator(), await given.operator(), await given.operator()];
    await first.confirm('/admin/operators', '/admin/operators/sessions/end-others');
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 303, 303]);
  });

  test('that have ended are not listed', async () => {
    await given.operator({ name: 'ada', role: 'look' });
    given.now += 3_600_000;
    const { text } = await (await given.operator()).get('/admin/operators');
    expect(text.split('Sessions</h2>')[1]).not.toContain('<bdi>ada</bdi>');
  });
});
