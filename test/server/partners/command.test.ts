import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPartnerCommand } from '../../../scripts/partner/command.ts';
import type { Store } from '../../../server/base/store/index.ts';
import { insertPartner } from '../../../server/base/store/repositories/partners.ts';
import { authenticatePartner } from '../../../server/identity/partners/secrets.ts';
import { createSigningKey } from '../../support/identity-provider.ts';
import { pngOf } from '../../support/images.ts';
import { ringText } from '../../support/keys.ts';
import { openListeningStore } from '../../support/listening.ts';
import { runWithSettings } from '../../support/run-command.ts';
import { createSqliteDatabase } from '../base/store/sqlite-database.ts';

let database: Awaited<ReturnType<typeof createSqliteDatabase>>;
let store: Store;

beforeEach(async () => {
  database = await createSqliteDatabase();
  store = await openListeningStore({ url: database.url });
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

function run(...args: string[]) {
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEYS: ringText('k1', 1) };
  return runWithSettings(env, createPartnerCommand, args);
}

function credentialsOf(output: string): { clientId: string; clientSecret: string } {
  const [, clientId = '', clientSecret = ''] = /^client_id: +(\S+)\nclient_secret: (\S+)\n$/.exec(output) ?? [];
  return { clientId, clientSecret };
}

test('a partner is added, listed, and gets a second secret next to the first', async () => {
  const added = await run('add', '--name', 'Acme & Sons');
  const first = credentialsOf(added.output);
  expect(first.clientId).toBe('acme-sons');
  expect(await authenticatePartner(store.db, first)).toMatchObject({ name: 'Acme & Sons' });

  const second = credentialsOf((await run('rotate-secret', '--client-id', 'acme-sons')).output);
  expect(await authenticatePartner(store.db, first)).toBeDefined();
  expect(await authenticatePartner(store.db, second)).toBeDefined();

  const listed = await run('list');
  expect(listed.output).toMatch(/^acme-sons {2}Acme & Sons {2}added \d{4}-\d\d-\d\dT[\d:.]+Z {2}secrets: 2\n$/);
  expect(listed.output).not.toContain('utg_ps_');

  const third = credentialsOf((await run('rotate-secret', '--client-id', 'acme-sons', '--now')).output);
  expect(await authenticatePartner(store.db, second)).toBeUndefined();
  expect(await authenticatePartner(store.db, third)).toBeDefined();

  const events = await store.db.selectFrom('audit_events').select(['type', 'partner_id']).execute();
  expect(events.map(({ type }) => type).sort()).toEqual([
    'partner_added',
    'partner_secret_added',
    'partner_secret_added',
  ]);
  expect(new Set(events.map((event) => event.partner_id)).size).toBe(1);
});

test.each([
  [['add'], "Required option '--name <name>' not specified", 'add --help'],
  [['add', '--name', ''], '--name is missing', 'add --help'],
  [['add', '--name', '&'], '--client-id must be', 'add --help'],
  [['add', '--name', 'Acme', '--client-id', 'a b'], '--client-id must be', 'add --help'],
  [['rotate-secret'], "Required option '--client-id <id>' not specified", 'rotate-secret --help'],
  [['rotate-secret', '--client-id', 'nobody'], 'There is no partner "nobody"', 'rotate-secret --help'],
  [['delete'], "Unknown command 'delete'", '--help'],
  [['constructor'], "Unknown command 'constructor'", '--help'],
  [['list', 'all'], 'Too many arguments', 'list --help'],
  [['list', '--all'], '--all', 'list --help'],
])('%j fails and says why', async (args, message, help) => {
  const { code, output } = await run(...args);
  expect(code).toBe(2);
  expect(output).toContain(message);
  expect(output).toContain(`Try: npm run utg -- partner ${help}\n`);
});

test('a client_id in use fails, and adds nothing', async () => {
  await run('add', '--name', 'Acme');
  const again = await run('add', '--name', 'ACME');
  expect([again.code, again.output]).toEqual([2, expect.stringContaining('There is already a partner "acme"')]);
  expect(await store.db.selectFrom('partner_secrets').selectAll().execute()).toHaveLength(1);
});

test('an identity issuer is added, changed, listed and removed', async () => {
  const ids: string[] = [];
  for (const clientId of ['acme', 'other'])
    ids.push((await insertPartner(store.db, { clientId, name: clientId, now: 1 })).id);
  const of = ['--client-id', 'acme'];
  const issuer = ['--issuer', 'https://idp.acme.example'];
  const added = await run('add-issuer', ...of, ...issuer, '--jwks-uri', 'https://idp.acme.example/keys');
  const [, id = ''] = /^Added https:\/\/idp\.acme\.example \((\S+)\)\.\n$/.exec(added.output) ?? [];
  expect(id).not.toBe('');
  const jwksFile = `${database.url.replace('sqlite:', '')}.jwks`;
  await writeFile(jwksFile, JSON.stringify({ keys: [(await createSigningKey('one')).jwk] }));
  const changed = await run('add-issuer', ...of, ...issuer, '--jwks-file', jwksFile, '--subject-claim', 'email');
  expect(changed.output).toBe(`Changed https://idp.acme.example (${id}).\n`);
  const listed = `${id}  https://idp.acme.example  keys: registered  user_id: email  never used\n`;
  expect((await run('list-issuers', ...of)).output).toBe(listed);
  const taken = await run('add-issuer', '--client-id', 'other', ...issuer, '--jwks-file', jwksFile);
  const wayOut = `approved for another partner. To take it away from that: partner remove-issuer --client-id acme --id ${id}`;
  expect([taken.code, taken.output]).toEqual([2, expect.stringContaining(wayOut)]);
  expect((await run('approve-issuer', ...of, '--id', id)).code).toBe(2);
  const waiting = { issuer: 'https://idp.acme.example', tenant: '', jwks_uri: null, jwks: '{"keys":[]}' };
  const rows = ['acme', 'other'].map((name, at) => ({ id: `of-${name}`, partner_id: ids[at]!, ...waiting }));
  await store.db
    .insertInto('identity_issuer_requests')
    .values(rows.map((row) => ({ ...row, subject_claim: 'sub', created_at: 1 })))
    .execute();
  const refused = await run('approve-issuer', '--client-id', 'other', '--id', 'of-other');
  expect([refused.code, refused.output]).toEqual([2, expect.stringContaining(wayOut)]);
  expect((await run('remove-issuer', ...of, '--id', id)).code).toBe(0);
  expect((await run('list-issuers', ...of)).output).toContain('waits for approval');
  expect((await run('approve-issuer', ...of, '--id', 'of-acme')).code).toBe(0);
  expect((await run('list-issuers', ...of)).output).toContain('never used');
  expect((await run('remove-issuer', '--client-id', 'other', '--id', 'of-other')).code).toBe(0);
  expect(await store.db.selectFrom('identity_issuer_requests').selectAll().execute()).toEqual([]);
}, 60_000);

test.each([
  [['--issuer', 'http://idp.example', '--jwks-uri', 'https://idp.example/keys'], '--issuer must be an https URL'],
  [['--issuer', 'https://idp.example'], '--jwks-uri or the keys themselves must be there'],
  [['--issuer', 'https://idp.example', '--jwks-file', '/nowhere'], '--jwks-file cannot be read as JSON'],
])('add-issuer %j fails and says why', async (options, message) => {
  await insertPartner(store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  const { code, output } = await run('add-issuer', '--client-id', 'acme', ...options);
  expect([code, output]).toEqual([2, expect.stringContaining(message)]);
});

test.each([[[]], [['--help']]])('%j prints the commands', async (args) => {
  const { code, output } = await run(...args);
  expect([code, output]).toEqual([0, expect.stringMatching(/^Commands:\n {2}add .*^ {2}rotate-secret /ms)]);
});

test('a partner says which calls its users approve', async () => {
  await run('add', '--name', 'Acme', '--approvals', 'write');
  const shown = await run('set', '--client-id', 'acme', '--approvals', 'send,pay');
  expect([shown.code, shown.output]).toEqual([0, expect.stringMatching(/approvals: +send, pay\n/)]);
});

test('a partner gets a logo and an accent colour, and loses them again', async () => {
  await run('add', '--name', 'Acme');
  const file = `${database.url.slice('sqlite:'.length)}.png`;
  await writeFile(file, pngOf(8, 8));
  const set = (...args: string[]) => run('set', '--client-id', 'acme', ...args);
  const shown = await set('--accent-color', '#0a7', '--logo-file', file);
  expect([shown.code, shown.output]).toEqual([0, expect.stringContaining('logo:          none, and an image')]);
  expect(shown.output).toContain('accent colour: #00aa77');
  const removed = await set('--accent-color', '', '--logo-file', '');
  expect(removed.output).toMatch(/logo: +none\naccent colour: none\n/);

  await writeFile(file, '<svg/>');
  for (const [args, message] of [
    [['--logo-file', file], '--logo-file: The logo is not a PNG, JPEG or WebP image.'],
    [['--logo-file', `${file}.gone`], '--logo-file cannot be read'],
    [['--accent-color', 'red'], '--accent-color must be a colour such as #0a66c2'],
  ] as const) {
    const { code, output } = await set(...args);
    expect([code, output]).toEqual([2, expect.stringContaining(message)]);
  }
});
