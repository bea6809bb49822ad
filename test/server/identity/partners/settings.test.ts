import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPartnerCommand } from '../../../../scripts/partner/command.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { findPartnerByClientId } from '../../../../server/base/store/repositories/partners.ts';
import { authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { SettingError } from '../../../../server/identity/partners/setting-error.ts';
import { parsePartnerSettings } from '../../../../server/identity/partners/settings.ts';
import { ringText } from '../../../support/keys.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { runWithSettings } from '../../../support/run-command.ts';
import { createSqliteDatabase } from '../../base/store/sqlite-database.ts';

describe('settings of a partner', () => {
  test('are trimmed and deduplicated, and otherwise kept as typed', () => {
    const typed = {
      name: ' Acme ',
      redirectUris: ['https://acme.example/back ', 'https://acme.example/back', ''],
      connectUri: 'http://localhost:3000/connect',
      logoText: '👩‍🚀',
      services: ['mailer', 'crm', 'crm'],
    };
    expect(parsePartnerSettings(typed, ['crm', 'mailer'])).toEqual({
      name: 'Acme',
      redirectUris: ['https://acme.example/back'],
      connectUri: 'http://localhost:3000/connect',
      logoText: '👩‍🚀',
      services: ['crm', 'mailer'],
    });
  });

  test('that are not named are absent, and empty ones are removed', () => {
    expect(parsePartnerSettings({}, [])).toEqual({});
    expect(parsePartnerSettings({ connectUri: '', logoText: ' ', services: null }, [])).toEqual({
      connectUri: null,
      logoText: null,
      services: null,
    });
  });

  test.each([
    ['redirectUris', { redirectUris: ['http://acme.example/back'] }],
    ['redirectUris', { redirectUris: ['https://acme.example/back#part'] }],
    ['redirectUris', { redirectUris: ['https://user@acme.example/back'] }],
    ['redirectUris', { redirectUris: ['javascript:alert(1)'] }],
    ['redirectUris', { redirectUris: ['//acme.example'] }],
    ['redirectUris', { redirectUris: Array.from({ length: 21 }, (_, n) => `https://acme.example/${n}`) }],
    ['connectUri', { connectUri: 'data:text/html,x' }],
    ['logoText', { logoText: 'ACME' }],
    ['services', { services: ['nothing'] }],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(201) }],
  ])('refuses %s of %j', (setting, typed) => {
    const parse = () => parsePartnerSettings(typed, ['crm']);
    expect(parse).toThrow(SettingError);
    expect(parse).toThrow(expect.objectContaining({ setting }));
  });
});

describe('npm run utg -- partner', () => {
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

  test('adds a partner with its settings, changes them, and shows them', async () => {
    await run('add', '--name', 'Acme', '--redirect-uri', 'https://acme.example/back', '--services', 'crm,mailer');
    expect(await findPartnerByClientId(store.db, 'acme')).toMatchObject({
      redirectUris: ['https://acme.example/back'],
      services: ['crm', 'mailer'],
      connectUri: null,
    });
    const changed = await run(
      'set',
      '--client-id',
      'acme',
      '--services',
      'all',
      '--connect-uri',
      'https://acme.example/c',
      '--plain-links',
      'off',
    );
    expect(changed.code).toBe(0);
    expect(changed.output).toContain(
      'redirect URIs: https://acme.example/back\nconnect URI:   https://acme.example/c\n',
    );
    expect(changed.output).toContain('services:      all\nplain links:   off\n');
    expect((await run('set', '--client-id', 'acme')).output).toContain('Name at least one setting');
    const refused = await run('set', '--client-id', 'acme', '--services', 'nothing');
    expect(refused.output).toContain('--services names "nothing". Services: billing, crm,');
  });

  test('revokes the named secret, and no other', async () => {
    const secretOf = ({ output }: { output: string }) => /utg_ps_\S+/.exec(output)![0];
    const first = secretOf(await run('add', '--name', 'Acme'));
    const second = secretOf(await run('rotate-secret', '--client-id', 'acme'));
    const shown = await run('show', '--client-id', 'acme');
    const [, newest, oldest] = /secret: +(\S+) .*\nsecret: +(\S+) /.exec(shown.output)!;
    expect(newest).not.toBe(oldest);
    expect((await run('revoke-secret', '--client-id', 'acme', '--secret', oldest!)).output).toBe(
      'The secret is revoked.\n',
    );
    expect(await authenticatePartner(store.db, { clientId: 'acme', clientSecret: first })).toBeUndefined();
    expect(await authenticatePartner(store.db, { clientId: 'acme', clientSecret: second })).toBeDefined();
    expect((await run('revoke-secret', '--client-id', 'acme', '--secret', oldest!)).code).toBe(2);
  });

  test('resumes a partner whose last secret was revoked only once it has another', async () => {
    await run('add', '--name', 'Acme');
    const [, secret] = /secret: +(\S+) /.exec((await run('show', '--client-id', 'acme')).output)!;
    await run('revoke-secret', '--client-id', 'acme', '--secret', secret!);
    const refused = await run('resume', '--client-id', 'acme');
    const wayOut = 'First issue one: partner rotate-secret --client-id acme';
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining(wayOut)]);
    expect((await run('show', '--client-id', 'acme')).output).toContain('suspended:');
    await run('rotate-secret', '--client-id', 'acme');
    expect((await run('show', '--client-id', 'acme')).output).toContain('suspended:');
    expect((await run('resume', '--client-id', 'acme')).output).toBe('"acme" is resumed.\n');
    expect((await run('show', '--client-id', 'acme')).output).not.toContain('suspended:');
  }, 60_000);
});
