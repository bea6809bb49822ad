import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { addTallies } from '../../server/modules/tallies/table.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { assignmentsOf, findRunner, readBlocks } from '../support/documented-blocks.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NOT_COPIED = ['.cache', '.ci', '.git', 'node_modules', 'test'];
const DAY_MS = 86_400_000;
const COMMANDS_TIMEOUT_MS = 170_000;
const RELEASE = 'v1.4.0';
const BASH_ENV = path.join(ROOT, 'test/support/documented-shell.sh');

const blocks = readBlocks().filter(
  (block) =>
    ['sh', 'bash'].includes(block.language) &&
    block.reason === null &&
    assignmentsOf(block.text) === null &&
    [null, 'test/docs/shell-blocks.slow.test.ts'].includes(findRunner(block)),
);

let copy: ProjectCopy;
let sandbox: OpenSandbox;
let gateway: RunningGateway;
let env: Readonly<Record<string, string>>;
let shown: readonly (readonly [text: string, here: string])[];

beforeAll(async () => {
  copy = await copyProject(readdirSync(ROOT).filter((name) => !NOT_COPIED.includes(name)));
  await cp(path.join(ROOT, 'generated'), path.join(copy.root, 'old/generated'), { recursive: true });
  git(`git add . && git commit -qm 'Keep what was generated before' && git tag ${RELEASE}`);
  sandbox = await openSandbox({ root: ROOT, credential: 'key-of-ada' });
  const upstreams: Record<string, string> = Object.assign({}, ...Object.values(sandbox.environment));
  gateway = await startGateway({
    ...{ connectors: await loadConnectors(), env: upstreams, secretOf: () => 'key-of-ada' },
    // Blocks start gateways on the same file.
    alone: false,
  });
  await gateway.store.db
    .transaction()
    .execute((transaction) => addPartner(transaction, { clientId: 'fixture', name: 'Fixture' }, { now: Date.now() }));
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await addTallies(gateway.store.db, [{ day, kind: 'usage', key: 'crm_get_person\t\tcalls', count: 100 }]);
  const port = String(await freePort());
  env = {
    ...upstreams,
    PORT: port,
    // Other tests start sandboxes at the same time.
    SANDBOX_PORT: String(await freePort()),
    DATABASE_URL: gateway.databaseUrl,
    ENCRYPTION_KEYS: gateway.encryptionKeys,
    TOKEN: gateway.token,
    GATEWAY: gateway.listensAt,
    npm_config_loglevel: 'silent',
    npm_config_dry_run: 'true',
  };
  shown = [
    ['http://127.0.0.1:3000', gateway.listensAt],
    ['https://tools.example.com', gateway.listensAt],
    ['https://example.com/openapi.yaml', path.join(ROOT, 'specs/mailer/openapi.yaml')],
    ['<file-or-url>', path.join(ROOT, 'specs/mailer/openapi.yaml')],
    ['<service>', 'letters'],
    ['<id>', 'ada'],
  ];
}, 120_000);

afterAll(async () => {
  await gateway?.close();
  await sandbox?.close();
  await copy?.remove();
});

function git(commands: string): void {
  const { status, output } = copy.run(commands);
  if (status !== 0) throw new Error(output);
}

async function run(commands: string): Promise<string> {
  const here = shown.reduce((text, [written, meant]) => text.replaceAll(written, meant), commands);
  const options = {
    cwd: copy.root,
    timeout: COMMANDS_TIMEOUT_MS,
    env: { ...process.env, NODE_OPTIONS: '', BASH_ENV, ...env },
  };
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', here],
    options,
  ).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`These commands failed:\n${here}\n${error.stdout}${error.stderr}`);
  });
  return stdout + stderr;
}

let last = '';
beforeEach(({ task }) => {
  const document = task.name.split(':')[0] ?? '';
  if (document === last) return;
  git('git reset --quiet --hard && git clean --quiet --force -d');
  last = document;
}, 60_000);

describe('in a copy of the project, with a gateway and services that run', () => {
  test.each(blocks.map(({ document, line, text }) => [`${document}:${line}`, text] as const))(
    '%s runs',
    async (_, commands) => {
      expect(await run(commands)).not.toMatch(/"isError":true|"error":/);
    },
    180_000,
  );

  test('a command that fails is a failure of its block, and so is a server that does not start', async () => {
    await expect(run('npm run utg -- partner show --client-id nobody\ntrue\n')).rejects.toThrow('nobody');
    await expect(run('PORT=none npm start\n')).rejects.toThrow('PORT');
  });
});
