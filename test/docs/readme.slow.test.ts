import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../shared/cli/free-port.ts';
import { blocksOf } from '../support/documented-blocks.ts';
import { type CommandStep, excerptPattern, stepsOf } from '../support/page-steps.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
const commands = stepsOf('README.md', readme).filter((step) => step.kind === 'command');
const program = blocksOf('README.md', readme).find(({ language }) => language === 'ts')?.text ?? '';
const MCP = 'http://127.0.0.1:3000/api/mcp/unified';

let copy: ProjectCopy;
let demo: RunningScript | undefined;
let gateway: RunningScript | undefined;
const env: Record<string, string> = {};

beforeAll(async () => {
  copy = await copyProject();
  Object.assign(env, {
    DATABASE_URL: `sqlite:${path.join(copy.root, 'gateway.sqlite')}`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PORT: String(await freePort()),
  });
  env.GATEWAY = `http://127.0.0.1:${env.PORT}`;
});
afterAll(async () => {
  await demo?.stop();
  await gateway?.stop('SIGTERM');
  await copy.remove();
});

async function start(command: string): Promise<void> {
  if (command.includes('npm run demo')) {
    demo = runScript('scripts/demo/main.ts', [], {}, copy.root);
    await demo.waitFor(/Ctrl-C stops/);
  } else {
    gateway = runScript('server/main.ts', [], env, copy.root);
    await gateway.waitFor(/"listening"/);
  }
}

async function takeStep({ command, remark, prints = '' }: CommandStep): Promise<void> {
  if (remark.startsWith('not run: ')) return;
  if (remark === 'runs until it is stopped') return start(command);
  const { status, output } = copy.run(command, env);
  expect([status, output]).toEqual([0, expect.stringMatching(excerptPattern(prints))]);
  const credentials = /client_id: +(\S+)\nclient_secret: (\S+)/.exec(output);
  if (credentials !== null) Object.assign(env, { CLIENT_ID: credentials[1], CLIENT_SECRET: credentials[2] });
}

test.each(commands.map((step) => [step.command.split('\n')[0], step] as const))(
  'README.md runs: %s',
  async (_, step) => {
    await takeStep(step);
  },
  90_000,
);

test('the program of README.md calls a tool', async () => {
  const [, url = '', token = ''] = await demo!.waitFor(/gateway +(http\S+)[\s\S]*token +(utg\S+)/);
  await writeFile(path.join(copy.root, 'agent.ts'), program.replace(MCP, url));
  const { status, output } = copy.run(`"${process.execPath}" agent.ts`, { TOKEN: token });
  expect([status, output]).toEqual([0, expect.stringMatching(/user/)]);
});

test('README.md has at most 150 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150);
});
