import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withOAuthOrigin } from '../../server/call/upstream/oauth/origins.ts';
import { createStartCommand } from '../../server/command.ts';
import { type Config, ConfigError } from '../../server/config/index.ts';
import type { ConfigProblem } from '../../server/config/setting.ts';
import type { Connector, ServerTemplate } from '../../server/contract/index.ts';
import { describeVariables, loadConfig } from '../../server/index.ts';
import { admin } from '../../server/modules/admin/module.ts';
import type { Output } from '../../shared/cli/output.ts';
import { verifies } from '../requirements/verifies.ts';
import { fakeConnector } from '../support/fake-connector.ts';
import { keyBytes } from '../support/keys.ts';
import { settingsOf } from '../support/module-settings.ts';
import { oauth2Part } from '../support/oauth-rules.ts';
import { runInProcess } from '../support/run-command.ts';

const KEY = keyBytes(7).toString('base64');
const GENERATED_SECRET = 'Zk3vQ9xT1mB7yR5nL0wHs2Jd';

function connector(name: string, servers: readonly ServerTemplate[]): Connector {
  return {
    name,
    title: name,
    description: '',
    categories: [],
    credential: { parts: [], help: '', url: null },
    verify: null,
    servers,
    errors: { message: [], code: [], details: [], invalidCredential: [], inSuccess: null },
    tools: [],
  };
}

const RETRIEVAL = connector('retrieval', [
  {
    url: '{retrieval_base_url}',
    variables: [
      { name: 'retrieval_base_url', env: 'RETRIEVAL_BASE_URL', default: 'https://api.example.com', derive: null },
    ],
  },
]);

const DATATABLE = connector('datatable', [
  {
    url: '{datatable_base_url}',
    variables: [
      {
        name: 'datatable_base_url',
        env: 'DATATABLE_BASE_URL',
        default: 'https://data.example.com/api/v3',
        derive: null,
      },
    ],
  },
  {
    url: '{datatable_root_url}',
    variables: [
      {
        name: 'datatable_root_url',
        env: 'DATATABLE_ROOT_URL',
        default: 'https://data.example.com',
        derive: { from: 'datatable_base_url', removeSuffix: '/api/v3' },
      },
    ],
  },
]);

const PUBLIC = {
  PUBLIC_URL: 'https://tools.example.com',
  ENCRYPTION_KEYS: `k1:${KEY}`,
  TRUST_PROXY: 'none',
};

function load(env: Record<string, string>, connectors: readonly Connector[] = []): Config {
  return loadConfig({ env, connectors });
}

function problemsOf(env: Record<string, string>, connectors: readonly Connector[] = []): readonly ConfigProblem[] {
  try {
    load(env, connectors);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('an empty environment is a local run', () => {
    const { modules, ...core } = load({});
    expect(core).toEqual({
      publicUrl: 'http://127.0.0.1:3000',
      isLoopback: true,
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: 'sqlite:data/gateway.sqlite',
      databaseUrlFile: null,
      limitsRedisUrl: null,
      encryptionKeys: null,
      trustedProxies: [],
      allowedOrigins: [],
      privateUseSchemes: [],
      refreshHoldMs: 1000,
      refreshRetryMs: 0,
      clientDocuments: false,
      logLevel: 'info',
      maxBodyBytes: 4_194_304,
      maxResultBytes: 4_194_304,
      approvals: [],
      approvalChannels: ['page', 'partner'],
      approvalRemember: [],
      catalogueMode: 'lean',
      answerContent: 'auto',
      resultTokens: 20_000,
      requireReviewed: null,
      upstreamTimeoutMs: 30_000,
      upstreamConcurrency: 256,
      outgoingNetworks: ['127.0.0.0/8', '::1'],
      outgoingProxy: null,
      testSandboxUrl: null,
      toolCallsPerMinute: 120,
      callRecordRetentionDays: 90,
      registration: 'open',
      maxUnusedClients: 1000,
      mcpDrift: 'refuse',
      registrationsPerMinute: 60,
      refusedPerMinute: 600,
      partnerPerMinute: 6000,
      consent: 'all',
      maxGrantMs: 365 * 86_400_000,
      stopDelayMs: 1000,
      stopTimeoutMs: 10_000,
      baseUrls: new Map(),
      oauthOrigins: new Map(),
      callLimits: [],
      withhold: [],
      warnings: [],
      workSecondsPerMinute: 10,
      workers: 1,
    });
    const settings = Object.fromEntries(modules.map(({ module, settings: values }) => [module.name, values]));
    expect(settings).toMatchObject({
      admin: {
        listen: null,
        url: 'http://127.0.0.1:3000',
        secret: null,
        openId: null,
        idleSeconds: 3600,
      },
      landing: { toolPages: true },
      telemetry: null,
      tallies: { countUsage: false },
    });
  });

  test.each([
    [{}, false],
    [{ CLIENT_ID_METADATA_DOCUMENTS: 'on' }, true],
    [{ PUBLIC_URL: 'https://tools.example.com' }, true],
    [{ PUBLIC_URL: 'https://tools.example.com', CLIENT_ID_METADATA_DOCUMENTS: 'off' }, false],
  ])('client metadata documents are accepted if PUBLIC_URL is https, or as set: %j', (env, want) => {
    expect(load({ ENCRYPTION_KEYS: PUBLIC.ENCRYPTION_KEYS, TRUST_PROXY: 'none', ...env }).clientDocuments).toBe(want);
  });

  test('an empty variable counts as unset', () => {
    expect(load({ PORT: '', PUBLIC_URL: '', ENCRYPTION_KEYS: '' })).toEqual(load({}));
  });

  test('the default of PUBLIC_URL follows PORT', () => {
    expect(load({ PORT: '4000' }).publicUrl).toBe('http://127.0.0.1:4000');
  });

  test('a public gateway listens on every address', () => {
    const config = load({ ...PUBLIC, PUBLIC_URL: 'https://Tools.Example.com/' });
    expect(config).toMatchObject({ publicUrl: 'https://tools.example.com', isLoopback: false, host: '0.0.0.0' });
  });

  test.each([
    ['http://localhost:3000', '127.0.0.1'],
    ['http://127.0.0.1', '127.0.0.1'],
    ['http://127.0.0.2:3000', '127.0.0.2'],
    ['http://[::1]:8080', '::1'],
    ['https://localhost', '127.0.0.1'],
  ])('%s is a local host, and listens on %s', (publicUrl, host) => {
    expect(load({ PUBLIC_URL: publicUrl, TRUST_PROXY: 'none' })).toMatchObject({ publicUrl, isLoopback: true, host });
  });

  test('the key ring keeps its order', () => {
    const old = keyBytes(9);
    const keys = load({ ENCRYPTION_KEYS: `k2:${KEY}, k1:${old.toString('base64url')}` }).encryptionKeys;
    expect(keys?.map(({ id }) => id)).toEqual(['k2', 'k1']);
    expect(keys?.[1]?.key).toEqual(old);
  });

  test('lists are split and trimmed', () => {
    expect(load({ ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173/' }).allowedOrigins).toEqual([
      'https://a.example',
      'http://localhost:5173',
    ]);
    expect(load({ PRIVATE_USE_REDIRECT_SCHEMES: 'Cursor, com.example.app' }).privateUseSchemes).toEqual([
      'cursor',
      'com.example.app',
    ]);
  });
});

describe('the dashboard', () => {
  test.each([
    [{}, null, 'http://127.0.0.1:3000'],
    [{ ADMIN_LISTEN: '127.0.0.1:3001' }, { host: '127.0.0.1', port: 3001 }, 'http://127.0.0.1:3001'],
    [{ ADMIN_LISTEN: '[::1]:3001' }, { host: '::1', port: 3001 }, 'http://[::1]:3001'],
    [
      { ADMIN_LISTEN: '0.0.0.0:3001', ADMIN_URL: 'https://admin.example.com' },
      { host: '0.0.0.0', port: 3001 },
      'https://admin.example.com',
    ],
  ])('is enabled by %j', (env, listen, url) => {
    expect(settingsOf(load(env), admin)).toMatchObject({ listen, url });
  });

  test.each([
    [{ ADMIN_LISTEN: '0.0.0.0:3001' }, 'ADMIN_URL'],
    [{ ADMIN_URL: 'https://admin.example.com' }, 'ADMIN_LISTEN'],
  ])('does not start with only %j', (env, variable) => {
    expect(problemsOf(env)).toMatchObject([{ variable }]);
  });
});

describe('the OpenID provider of operators', () => {
  const OPENID = {
    ADMIN_OPENID_ISSUER: 'https://login.example.com',
    ADMIN_OPENID_CLIENT_ID: 'tool-gateway',
    ADMIN_OPENID_CLIENT_SECRET: 'secret',
    ADMIN_OPENID_LOOK: '@example.com',
  };

  test('has every setting', () => {
    expect(settingsOf(load(OPENID), admin)?.openId).toEqual({
      issuer: 'https://login.example.com',
      clientId: 'tool-gateway',
      clientSecret: 'secret',
      scope: 'openid email profile',
      rules: { look: [{ kind: 'domain', value: 'example.com' }], act: [] },
    });
  });

  test.each([
    ['ADMIN_OPENID_ISSUER', 'ADMIN_OPENID_ISSUER'],
    ['ADMIN_OPENID_CLIENT_ID', 'ADMIN_OPENID_CLIENT_ID'],
    ['ADMIN_OPENID_CLIENT_SECRET', 'ADMIN_OPENID_CLIENT_SECRET'],
    ['ADMIN_OPENID_LOOK', 'ADMIN_OPENID_ACT'],
  ] as const)('is disabled without %s', (missing, variable) => {
    const { [missing]: _, ...others } = OPENID;
    expect(problemsOf(others)).toMatchObject([{ variable }]);
  });

  test.each([
    ['ADMIN_OPENID_ISSUER', 'http://login.example.com'],
    ['ADMIN_OPENID_ISSUER', 'https://user:secret@login.example.com'],
    ['ADMIN_OPENID_SCOPE', 'email'],
    ['ADMIN_OPENID_ACT', 'email=ada@example.com'],
  ])('is refused with %s=%s', (variable, value) => {
    expect(problemsOf({ ...OPENID, [variable]: value })).toMatchObject([{ variable }]);
  });
});

describe('proxies', () => {
  test('must be named behind https', () => {
    const { TRUST_PROXY, ...others } = PUBLIC;
    expect(problemsOf(others)).toMatchObject([{ variable: 'TRUST_PROXY' }]);
  });

  test.each([
    ['none', []],
    ['0', []],
    ['10.0.0.0/8, ::1,2001:db8::/32', ['10.0.0.0/8', '::1', '2001:db8::/32']],
  ])('%s is %j', (text, want) => {
    expect(load({ ...PUBLIC, TRUST_PROXY: text }).trustedProxies).toEqual(want);
  });
});

describe('problems', () => {
  test.each([
    ['PORT', 'abc'],
    ['PORT', '0'],
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['WORKERS', 'all'],
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PRIVATE_USE_REDIRECT_SCHEMES', 'javascript'],
    ['PRIVATE_USE_REDIRECT_SCHEMES', 'https'],
    ['PRIVATE_USE_REDIRECT_SCHEMES', 'cursor:'],
    ['PUBLIC_URL', 'tools.example.com'],
    ['ADMIN_SECRET', 'nineteen-characters'],
    ['ADMIN_SECRET', 'a'.repeat(24)],
    ['ADMIN_SECRET', 'abcabcabcabcabcabcabcabc'],
    ['ADMIN_SECRET', 'horse-staple-horse-staple-'],
    ['ADMIN_SECRET', 'abcdefghijklmnopqrstuvwxyz'],
    ['ADMIN_SECRET', '01234567890123456789'],
    ['ADMIN_SECRET', 'please-change-me-now-or-so'],
    ['ADMIN_SECRET', 'My-Password-For-Production-1'],
    ['ADMIN_SECRET', '$(openssl rand -base64 24)'],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(32, 'abcd').toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from('correct-horse-battery-staple-123').toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`],
    ['ENCRYPTION_KEYS', `k2:${KEY},k1:${Buffer.alloc(32, 1).toString('base64')}`],
    ['TEST_SANDBOX_URL', '127.0.0.1:3001'],
    ['TEST_SANDBOX_URL', 'http://127.0.0.1:3001/crm'],
    ['PLAIN_HTTP_UPSTREAMS', 'http://crm.internal'],
    ['OUTGOING_NETWORKS', 'crm.internal'],
    ['OUTGOING_NETWORKS', '10.0.0.0/33'],
    ['PUBLIC_URL', 'http://tools.example.com'],
    ['PUBLIC_URL', 'https://tools.example.com/gateway'],
    ['PUBLIC_URL', 'https://tools.example.com?x=1'],
    ['PUBLIC_URL', 'https://user:secret@tools.example.com'],
    ['PUBLIC_URL', 'http://localhost.example.com'],
    ['PUBLIC_URL', 'ftp://tools.example.com'],
    ['HOST', '0.0.0.0:3000'],
    ['HOST', 'not a host'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['LIMITS_REDIS_URL', 'redis:'],
    ['LIMITS_REDIS_URL', 'http://redis.example.com'],
    ['LIMITS_REDIS_URL', 'redis://redis.example.com/one'],
    ['ENCRYPTION_KEYS', 'k1'],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(16).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${KEY},k1:${KEY}`],
    ['ENCRYPTION_KEYS', `bad id:${KEY}`],
    ['TRUST_PROXY', 'true'],
    ['CLIENT_REGISTRATION', 'on'],
    ['CLIENT_REGISTRATION', 'open,app.example.com'],
    ['CLIENT_REGISTRATION', 'https://app.example.com'],
    ['CLIENT_REGISTRATION', 'app.example.com:8443'],
    ['MAX_GRANT_DAYS', '-1'],
    ['TRUST_PROXY', '1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TRUST_PROXY', 'proxy.example.com'],
    ['ADMIN_LISTEN', '3001'],
    ['ADMIN_LISTEN', '127.0.0.1:0'],
    ['ADMIN_LISTEN', '127.0.0.1:65536'],
    ['ADMIN_LISTEN', ':3001'],
    ['ADMIN_LISTEN', '[::1:3001'],
    ['ALLOWED_ORIGINS', '*'],
    ['ALLOWED_ORIGINS', 'https://a.example/page'],
    ['LOG_LEVEL', 'loud'],
    ['MAX_BODY_BYTES', '1'],
    ['UPSTREAM_TIMEOUT_MS', '-1'],
  ])('%s=%s is refused with a valid example', (variable, value) => {
    verifies('mcp-https');
    const [problem, ...others] = problemsOf({ [variable]: value });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ variable });
    const example = problem!.example.replace(/"k1:.*"/, `k1:${KEY}`).replace(/"\$\(openssl.*"/, GENERATED_SECRET);
    expect(problemsOf({ ...PUBLIC, [variable]: example })).toEqual([]);
  });

  test('all are reported at once', () => {
    const found = problemsOf(
      { PORT: 'x', PUBLIC_URL: 'https://tools.example.com', LOG_LEVEL: 'y', RETRIEVAL_BASE_URL: 'z' },
      [RETRIEVAL],
    );
    expect(found.map(({ variable }) => variable)).toEqual([
      'PORT',
      'LOG_LEVEL',
      'RETRIEVAL_BASE_URL',
      'ENCRYPTION_KEYS',
      'TRUST_PROXY',
    ]);
  });

  test('the message has one line per problem and one per example', () => {
    expect(() => load({ PORT: 'x' })).toThrow(
      'The gateway cannot start with these settings:\n' +
        '  PORT must be a whole number from 1 to 65535\n' +
        '    for example: PORT=3000',
    );
  });

  test('no message repeats a secret', () => {
    const message = JSON.stringify([
      problemsOf({ ENCRYPTION_KEYS: `k1:${Buffer.from('planted-secret').toString('base64')}` }),
      problemsOf({ DATABASE_URL: 'mysql://user:planted-secret@db/x' }),
      problemsOf({ LIMITS_REDIS_URL: 'redis://:planted-secret@redis/one' }),
      problemsOf({ PUBLIC_URL: 'https://user:planted-secret@tools.example.com' }),
    ]);
    expect(message).not.toContain('planted-secret');
    expect(message).not.toContain(Buffer.from('planted-secret').toString('base64').slice(0, 8));
  });
});

describe('weak keys and secrets', () => {
  test('are never mistaken for random ones', () => {
    for (let draw = 0; draw < 2_000; draw += 1) {
      expect(
        problemsOf({
          ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
          ADMIN_SECRET: randomBytes(24).toString(draw % 2 === 0 ? 'base64' : 'base64url'),
        }),
      ).toEqual([]);
    }
  });

  test('are refused with the command that creates a strong one', () => {
    const [key, secret] = problemsOf({
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      ADMIN_SECRET: 'a'.repeat(24),
    });
    expect([key?.problem, key?.example]).toEqual([
      'entry 1 holds a weak key, which repeats a few bytes: create one with openssl rand -base64 32',
      '"k1:$(openssl rand -base64 32)"',
    ]);
    expect([secret?.problem, secret?.example]).toEqual([
      'has too few different characters: create one with openssl rand -base64 24',
      '"$(openssl rand -base64 24)"',
    ]);
  });
});

describe('secrets in files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'utg-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  test('are read like the variables themselves, without a final line break', async () => {
    const config = load({
      PUBLIC_URL: 'https://tools.example.com',
      TRUST_PROXY: 'none',
      ENCRYPTION_KEYS_FILE: await write('keys', `k1:${KEY}\n`),
      ADMIN_SECRET_FILE: await write('admin', `${GENERATED_SECRET}\r\n`),
      DATABASE_URL_FILE: await write('url', 'postgres://gateway:planted@db/x\n'),
      LIMITS_REDIS_URL_FILE: await write('redis', 'rediss://:planted@redis:6380/1\n'),
    });
    expect(settingsOf(config, admin)?.secret).toBe(GENERATED_SECRET);
    expect(config.databaseUrl).toBe('postgres://gateway:planted@db/x');
    expect(config.limitsRedisUrl).toBe('rediss://:planted@redis:6380/1');
    expect(config.encryptionKeys?.map(({ id }) => id)).toEqual(['k1']);
    expect(config.warnings).toEqual([]);
  });

  test('are refused if the variable is set too, or the file is missing or empty', async () => {
    const found = problemsOf({
      ...PUBLIC,
      ENCRYPTION_KEYS_FILE: await write('keys', `k1:${KEY}`),
      ADMIN_SECRET_FILE: join(folder, 'missing'),
      DATABASE_URL_FILE: await write('empty', '\n'),
    });
    expect(found.map(({ variable, problem }) => `${variable} ${problem}`)).toEqual([
      'DATABASE_URL_FILE names an empty file',
      'ENCRYPTION_KEYS_FILE is set, and so is ENCRYPTION_KEYS: set one of them',
      'ADMIN_SECRET_FILE names a file that cannot be read (ENOENT)',
    ]);
  });

  test('follow the rules of the variables, and are never printed', async () => {
    const found = problemsOf({ ADMIN_SECRET_FILE: await write('admin', 'planted-secret') });
    expect(found).toMatchObject([{ variable: 'ADMIN_SECRET', problem: 'must have 20 to 512 characters' }]);
    expect(JSON.stringify(found)).not.toContain('planted-secret');
  });
});

describe('keys that a program prints', () => {
  const RING = `k1:${KEY}`;

  test.each([
    ['words', `echo ${RING}`],
    ['a group of words', `sh -c 'printf "%s" "${RING}"'`],
    ['part of a word', `echo "k1":'${KEY}'`],
  ])('are read, with %s as arguments', (_, command) => {
    const config = load({ ...PUBLIC, ENCRYPTION_KEYS: '', ENCRYPTION_KEYS_COMMAND: command });
    expect(config.encryptionKeys?.map(({ id }) => id)).toEqual(['k1']);
    expect(config.warnings).toEqual([]);
    expect(config).not.toHaveProperty('encryptionKeysCommand');
  });

  test.each([
    ['echo planted-secret', 'entry 1 is not of the form id:base64'],
    [`echo ${RING} ; true`, 'entry 1 is not of the form id:base64'],
    ['echo $PLANTED', 'entry 1 is not of the form id:base64'],
    ['true', 'names a program that printed nothing'],
    ['sh -c "echo planted-secret >&2; echo planted-secret; exit 3"', 'names a program that failed (exit code 3)'],
    ['sh -c "kill -9 $$"', 'names a program that failed (ended by a signal)'],
    [' ', 'names no program'],
    ['missing-program', 'names a program that cannot be run (ENOENT)'],
    ['head -c 70000 /dev/zero', 'names a program that printed more than 65536 bytes'],
    ["echo 'planted-secret", 'has a quotation mark that is not closed'],
  ])('are refused from %s, and nothing that it prints is in the message', (command, problem) => {
    const found = problemsOf({ ...PUBLIC, ENCRYPTION_KEYS: '', ENCRYPTION_KEYS_COMMAND: command });
    expect(found).toMatchObject([{ variable: 'ENCRYPTION_KEYS_COMMAND', problem: expect.stringContaining(problem) }]);
    expect(JSON.stringify(found)).not.toContain('planted-secret');
  });

  test('are refused if the keys are set too, and the program does not run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'utg-keys-'));
    const command = { ENCRYPTION_KEYS_COMMAND: `touch ${join(folder, 'ran')}` };
    for (const other of [{ ENCRYPTION_KEYS: RING }, { ENCRYPTION_KEYS_FILE: join(folder, 'missing') }]) {
      const found = problemsOf({ ...PUBLIC, ENCRYPTION_KEYS: '', ...other, ...command });
      expect(found.map(({ variable, problem }) => `${variable} ${problem}`)).toContain(
        'ENCRYPTION_KEYS_COMMAND is set, and so is ENCRYPTION_KEYS: set one of them',
      );
    }
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('base URLs of connectors', () => {
  test('are in an internal network only if OUTGOING_NETWORKS includes it', () => {
    const at = (host: string) => ({ RETRIEVAL_BASE_URL: `https://${host}/api` });
    expect(problemsOf({ ...PUBLIC, ...at('127.0.0.1') }, [RETRIEVAL])).toEqual([
      {
        variable: 'OUTGOING_NETWORKS',
        problem:
          'does not include 127.0.0.1, but the base URL of retrieval is there: the gateway sends requests to public addresses and to these networks alone',
        example: '127.0.0.1',
      },
    ]);
    expect(problemsOf({ ...PUBLIC, ...at('localhost') }, [RETRIEVAL])).toHaveLength(1);
    expect(problemsOf({ ...PUBLIC, ...at('[::1]') }, [RETRIEVAL])).toHaveLength(1);
    expect(problemsOf({ ...at('127.0.0.1'), OUTGOING_NETWORKS: 'none' }, [RETRIEVAL])).toHaveLength(1);
    expect(problemsOf({ ...at('169.254.169.254') }, [RETRIEVAL])).toHaveLength(1);
    expect(problemsOf({ ...PUBLIC, ...at('10.2.3.4'), OUTGOING_NETWORKS: '10.0.0.0/8' }, [RETRIEVAL])).toEqual([]);
    expect(problemsOf({ ...PUBLIC, ...at('crm.internal') }, [RETRIEVAL])).toEqual([]);
  });

  test('are not where the sandbox of test mode is, which has to be as reachable as they are', () => {
    const sandbox = { TEST_SANDBOX_URL: 'http://127.0.0.1:3001' };
    expect(load(sandbox, [RETRIEVAL]).testSandboxUrl).toBe('http://127.0.0.1:3001');
    expect(load({}, [RETRIEVAL]).testSandboxUrl).toBeNull();
    const shared = { ...sandbox, RETRIEVAL_BASE_URL: 'http://127.0.0.1:3001/retrieval' };
    expect(problemsOf(shared, [RETRIEVAL])).toEqual([
      expect.objectContaining({
        variable: 'TEST_SANDBOX_URL',
        problem: 'must be no address of live services, and retrieval is there: start a second sandbox',
      }),
    ]);
    const away = { TEST_SANDBOX_URL: 'http://sandbox.internal:3001' };
    expect(problemsOf(away, [RETRIEVAL]).map(({ variable }) => variable)).toEqual(['PLAIN_HTTP_UPSTREAMS']);
    const inside = { TEST_SANDBOX_URL: 'https://10.2.3.4' };
    expect(problemsOf(inside, [RETRIEVAL]).map(({ variable }) => variable)).toEqual(['OUTGOING_NETWORKS']);
  });

  test('begin with http:// only for this machine and for named hosts', () => {
    const env = { RETRIEVAL_BASE_URL: 'http://crm.internal:8080/api' };
    expect(problemsOf(env, [RETRIEVAL])).toEqual([
      {
        variable: 'PLAIN_HTTP_UPSTREAMS',
        problem:
          'does not name crm.internal, but the base URL of retrieval begins with http://: use https://, or accept that its credentials travel unencrypted',
        example: 'crm.internal',
      },
    ]);
    expect(problemsOf({ ...env, PLAIN_HTTP_UPSTREAMS: 'other.internal, CRM.internal' }, [RETRIEVAL])).toEqual([]);
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      expect(problemsOf({ RETRIEVAL_BASE_URL: `http://${host}:4010` }, [RETRIEVAL])).toEqual([]);
    }
  });

  test('come from the descriptor', () => {
    expect(load({}, [RETRIEVAL, DATATABLE]).baseUrls).toEqual(
      new Map([
        ['retrieval', new Map([['{retrieval_base_url}', 'https://api.example.com']])],
        [
          'datatable',
          new Map([
            ['{datatable_base_url}', 'https://data.example.com/api/v3'],
            ['{datatable_root_url}', 'https://data.example.com'],
          ]),
        ],
      ]),
    );
  });

  test('are replaced by the environment, without a final slash', () => {
    const { baseUrls } = load({ RETRIEVAL_BASE_URL: 'http://127.0.0.1:4010/retrieval/' }, [RETRIEVAL]);
    expect(baseUrls.get('retrieval')?.get('{retrieval_base_url}')).toBe('http://127.0.0.1:4010/retrieval');
  });

  test('follow the one that they derive from, unless set themselves', () => {
    const derived = load({ DATATABLE_BASE_URL: 'http://127.0.0.1:4010/api/v3/' }, [DATATABLE]);
    expect(derived.baseUrls.get('datatable')?.get('{datatable_root_url}')).toBe('http://127.0.0.1:4010');
    const both = { DATATABLE_BASE_URL: 'http://127.0.0.1:4010/api/v3', DATATABLE_ROOT_URL: 'http://127.0.0.1:5000' };
    expect(load(both, [DATATABLE]).baseUrls.get('datatable')?.get('{datatable_root_url}')).toBe(
      'http://127.0.0.1:5000',
    );
  });

  test('are each reported under their variable if invalid', () => {
    const found = problemsOf({ DATATABLE_BASE_URL: 'ftp://x', DATATABLE_ROOT_URL: 'http://x?y' }, [DATATABLE]);
    expect(found.map(({ variable }) => variable)).toEqual(['DATATABLE_BASE_URL', 'DATATABLE_ROOT_URL']);
  });
});

describe('warnings', () => {
  test.each([
    ['RETRIEVAL_BASEURL', 'RETRIEVAL_BASE_URL'],
    ['RETREIVAL_BASE_URL', 'RETRIEVAL_BASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['encryption_keys', 'ENCRYPTION_KEYS'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ])('%s is recognised as %s', (given, meant) => {
    expect(load({ [given]: 'x' }, [RETRIEVAL]).warnings).toEqual([
      `${given} is set, but the gateway does not read it. Did you mean ${meant}?`,
    ]);
  });

  test('a setting of an earlier version says what happens now', () => {
    expect(load({ TASK_TTL_MS: '1', LIST_PAGE_TOOLS: '' }).warnings).toEqual([
      'TASK_TTL_MS is set, but the gateway no longer reads it: a task and its result are kept for an hour.',
    ]);
  });

  test('variables of other programs cause none', () => {
    const env = { HOME: '/root', PATH: '/bin', SHELL: 'sh', POST: 'x', npm_config_cache: 'x', NODE_OPTIONS: '--x' };
    expect(load(env, [RETRIEVAL]).warnings).toEqual([]);
  });
});

describe('npm start -- --help', () => {
  test('names every variable with its default and meaning', async () => {
    const create = (output: Output) => createStartCommand([RETRIEVAL, DATATABLE], output);
    const { out } = await runInProcess(create, ['--help']);
    expect(out).toMatch(/^ {2}PORT +Port to listen on\. \(default: 3000\)$/m);
    const help = out.replaceAll(/\s+/g, ' ');
    expect(help).toContain(' PUBLIC_URL Origin under which clients reach the gateway. ');
    expect(help).toContain(' (default: http://127.0.0.1:PORT) ');
    expect(help).toMatch(/ RETRIEVAL_BASE_URL [^(]+ \(default: https:\/\/api\.example\.com\) /);
    expect(help).toMatch(/ DATATABLE_ROOT_URL [^(]+ \(default: that of DATATABLE_BASE_URL without \/api\/v3\) /);
    expect(help).not.toMatch(/undefined|null|\[object/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe('the origin of an authorization server', () => {
  const connectors = [
    fakeConnector({ name: 'big-library', tools: [], parts: [oauth2Part('https://library.example')] }),
  ];
  const BASE = { LIBRARY_BASE_URL: 'https://library.example' };
  const loadWith = (BIG_LIBRARY_OAUTH_ORIGIN: string) =>
    loadConfig({ connectors, env: { ...BASE, BIG_LIBRARY_OAUTH_ORIGIN } });

  test('can be set for each connector with OAuth, and is in the help', () => {
    const { oauthOrigins } = loadWith('http://127.0.0.1:4010/');
    expect([...oauthOrigins]).toEqual([['big-library', 'http://127.0.0.1:4010']]);
    expect(describeVariables(connectors).map(({ name }) => name)).toContain('BIG_LIBRARY_OAUTH_ORIGIN');
    expect(loadWith('').oauthOrigins.size).toBe(0);
  });

  test('is an origin, with http only on this machine or if PLAIN_HTTP_UPSTREAMS allows it', () => {
    expect(() => loadWith('https://login.example/path')).toThrow('BIG_LIBRARY_OAUTH_ORIGIN must be an origin only');
    expect(() => loadWith('http://login.example')).toThrow('PLAIN_HTTP_UPSTREAMS does not name login.example');
  });

  test('replaces only scheme, host and port', () => {
    const rules = { issuer: 'https://library.example', revocationUrl: 'https://other.example/r?x=1' };
    const parts = [oauth2Part('https://library.example', rules)];
    const moved = withOAuthOrigin(
      fakeConnector({ tools: [], parts: [...parts, { id: 'key', type: 'bearer', label: 'Key' }] }),
      'http://127.0.0.1:4010',
    );
    expect(moved.credential.parts).toMatchObject([
      {
        oauth2: {
          authorizationUrl: 'http://127.0.0.1:4010/authorize',
          tokenUrl: 'http://127.0.0.1:4010/token',
          refreshUrl: null,
          revocationUrl: 'http://127.0.0.1:4010/r?x=1',
          issuer: 'http://127.0.0.1:4010',
        },
      },
      { id: 'key' },
    ]);
  });
});
