import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../../../codegen/generate.ts';
import type { ConnectorModel, OAuth2Part } from '../../../codegen/tools/types.ts';
import { createAddCommand } from '../../../scripts/connector/command.ts';
import { compileGenerated } from '../../codegen/compile.ts';
import { runInProcess } from '../../support/run-command.ts';

const SERVICES = ['asana', 'box', 'discord', 'github', 'spotify'] as const;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function workspace(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'oauth2-services-'));
  cleanups.push(() => rm(root, { recursive: true, force: true }));
  return root;
}

async function addToNothing(service: string) {
  const root = await workspace();
  const descriptor = path.join(import.meta.dirname, service, 'openapi.yaml');
  const { code } = await runInProcess(createAddCommand, [descriptor, '--name', service, '--root', root]);
  const text = await readFile(path.join(root, 'specs', service, 'connector.yaml'), 'utf8');
  return { code, text, config: parse(text) };
}

async function finished(service: string) {
  const root = await workspace();
  await cp(path.join(import.meta.dirname, service), path.join(root, 'specs', service), { recursive: true });
  const { files, diagnostics, services } = await generate({ root });
  const [result] = services;
  if (result === undefined || result.connector === null) throw new Error(`${service} has errors`);
  return { files, diagnostics, connector: result.connector };
}

function signInOf({ credential }: ConnectorModel): OAuth2Part {
  const parts = [credential, ...(credential.alternatives ?? [])].flatMap((kind) => kind.parts);
  const [part] = parts.flatMap((one) => (one.type === 'oauth2' ? [one] : []));
  if (part === undefined) throw new Error('no OAuth 2.0');
  return part;
}

describe.each(SERVICES)('%s, added by one command', (service) => {
  test('has tools, and names the callback to register if the descriptor has OAuth 2.0', async () => {
    const { code, text, config } = await addToNothing(service);
    expect(code).toBe(0);
    expect(Object.keys(config.tools).length).toBeGreaterThan(4);
    expect(text.includes(`<PUBLIC_URL>/connect/${service}/callback`)).toBe(service !== 'discord');
  });
});

describe('the credential that one command writes', () => {
  test.each([
    [
      'spotify',
      { labels: { oauth_2_0: 'Spotify account' }, oauth2: { oauth_2_0: { clientAuthentication: 'basic' } } },
      '# To decide: users are asked for playlist-modify-private, playlist-modify-public,',
    ],
    [
      'asana',
      {
        schemes: ['personalAccessToken'],
        labels: { personalAccessToken: 'Asana personal access token', oauth2: 'Asana account' },
        alternatives: [{ label: 'Asana account', schemes: ['oauth2'] }],
        oauth2: { oauth2: { clientAuthentication: 'basic' } },
      },
      '# To decide: no tool says which scopes it needs.',
    ],
    [
      'box',
      { labels: { OAuth2Security: 'Box account' }, oauth2: { OAuth2Security: { clientAuthentication: 'basic' } } },
      '# To decide: no tool says which scopes it needs.',
    ],
    [
      'discord',
      { labels: { BotToken: 'Discord bot token' } },
      '# To decide: OAuth2 is enough for 5 of 7 operations, not for',
    ],
    ['github', undefined, '#     account: { authorizationUrl: https://..., tokenUrl: https://... }'],
  ])('for %s is that of its descriptor, with the rest left to decide', async (service, credential, comment) => {
    const { text, config } = await addToNothing(service);
    expect(config.credential).toEqual(credential);
    expect(text).toContain(comment);
  });
});

describe.each(SERVICES)('%s with its finished connector.yaml', (service) => {
  test('has no errors, and compiles', async () => {
    const { files, diagnostics } = await finished(service);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(compileGenerated(files)).toEqual([]);
  }, 60_000);
});

describe('the sign-in of a finished connector', () => {
  test.each([
    [
      'spotify',
      'https://accounts.spotify.com/authorize',
      'https://accounts.spotify.com/api/token',
      null,
      [],
      ['spotify_search'],
    ],
    [
      'asana',
      'https://app.asana.com/-/oauth_authorize',
      'https://app.asana.com/-/oauth_token',
      'https://app.asana.com/-/oauth_revoke',
      ['Personal access token'],
      [],
    ],
    [
      'box',
      'https://account.box.com/api/oauth2/authorize',
      'https://api.box.com/oauth2/token',
      'https://api.box.com/oauth2/revoke',
      [],
      [],
    ],
    [
      'discord',
      'https://discord.com/api/oauth2/authorize',
      'https://discord.com/api/oauth2/token',
      'https://discord.com/api/oauth2/token/revoke',
      [],
      ['discord_get_authorization'],
    ],
    [
      'github',
      'https://github.com/login/oauth/authorize',
      'https://github.com/login/oauth/access_token',
      null,
      ['Personal access token'],
      ['github_get_me'],
    ],
  ])(
    'of %s has endpoints, kinds and scopes',
    async (service, authorizationUrl, tokenUrl, revocationUrl, kinds, free) => {
      const { connector } = await finished(service);
      expect(signInOf(connector).oauth2).toMatchObject({
        flow: 'authorization_code',
        authorizationUrl,
        tokenUrl,
        revocationUrl,
      });
      expect((connector.credential.alternatives ?? []).map(({ label }) => label)).toEqual(kinds);
      expect(connector.tools.filter(({ scopes }) => scopes.length === 0).map(({ name }) => name)).toEqual(free);
      expect(connector.account?.tool).toBe(connector.verify?.tool);
    },
  );
});
