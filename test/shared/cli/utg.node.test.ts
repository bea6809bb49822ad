import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createInitCommand } from '../../../scripts/init/command.ts';
import { listCommands } from '../../../scripts/utg/commands.ts';
import { runUtg } from '../../../scripts/utg/run.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { commandsByName } from '../../../shared/cli/command.ts';
import { runInProcess } from '../../support/run-command.ts';

const run = promisify(execFile);
const COMMANDS = await listCommands();
const ALL = commandsByName(COMMANDS);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'utg-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function utg(...argv: string[]) {
  const texts = { out: '', err: '' };
  const keep = (name: 'out' | 'err') => (text: string) => {
    texts[name] += text;
  };
  const code = await runUtg(argv, { out: keep('out'), err: keep('err') });
  return { code, ...texts };
}

describe('utg', () => {
  test.each([[[]], [['--help']]])('%j lists every command, grouped by task', async (argv) => {
    const { code, out, err } = await utg(...argv);
    expect([code, err]).toEqual([0, '']);
    for (const title of Object.keys(COMMANDS)) expect(out).toContain(`\n${title}:\n`);
    for (const [name, { summary }] of ALL) expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  test.each([...ALL])('%s has the summary of its own help', async (name, { summary, load }) => {
    const command = await load();
    expect([command.name(), command.summary()]).toEqual([name, summary]);
  });

  test('prints the version', async () => {
    expect(await utg('--version')).toMatchObject({ code: 0, out: `${manifest.version}\n` });
  });

  test('names the nearest command', async () => {
    const err = "Unknown command 'codgen'. Did you mean codegen?\nTry: npm run utg -- --help\n";
    expect(await utg('codgen')).toEqual({ code: 2, out: '', err });
  });

  test('names itself in the help and the errors of a command', async () => {
    const { stderr } = await run(process.execPath, ['scripts/utg.ts', 'codegen', '--hepl']).catch((error) => error);
    expect(stderr).toBe("Unknown option '--hepl'\n(Did you mean --help?)\nTry: npm run utg -- codegen --help\n");
  });

  test('says what is missing if nothing was generated', async () => {
    await expect(loadConnectors(folder)).rejects.toThrow('codegen" in the folder that holds specs/');
  });

  test('says what to change in a project whose files Node reads as CommonJS', async () => {
    const project = path.join(folder, 'CommonJS');
    await mkdir(path.join(project, 'generated'), { recursive: true });
    await writeFile(path.join(project, 'generated/index.ts'), "import { a } from './a/index.ts';\n");
    await writeFile(path.join(project, 'package.json'), '{ "type": "commonjs" }');
    await expect(loadConnectors(project)).rejects.toThrow(
      `${project}/package.json must have "type": "module", because generated files are ES modules: run "npm pkg set type=module" there.`,
    );
  });
});

describe('utg start', () => {
  test('takes settings as flags, which override the environment, but no secret', async () => {
    const start = (...flags: string[]) =>
      run(process.execPath, ['scripts/utg.ts', 'start', ...flags], { env: { ...process.env, PORT: '3000' } }).catch(
        (error) => error,
      );
    expect((await start('--port', 'none')).stderr).toContain('PORT must be a whole number');
    expect((await start('--admin-secret', 'x')).stderr).toContain("Unknown option '--admin-secret'");
  });
});

describe('utg init', () => {
  test('writes a project, with a script for the command line, and overwrites nothing', async () => {
    const target = path.join(folder, 'My Gateway');
    const made = await runInProcess(createInitCommand, [target]);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('npm run codegen\n');
    const written = JSON.parse(await readFile(path.join(target, 'package.json'), 'utf8'));
    expect(written).toMatchObject({ name: 'my-gateway', private: true, type: 'module' });
    expect(written.scripts).toMatchObject({
      codegen: 'utg codegen',
      start: 'utg start',
      'tools:diff': 'utg tools:diff',
      utg: 'utg',
    });
    for (const file of [
      '.gitignore',
      '.github/workflows/tools.yml',
      'deploy/caddy/Caddyfile',
      'deploy/systemd/unified-tool-gateway.service',
      'specs/notes/openapi.yaml',
      'specs/notes/connector.yaml',
    ]) {
      expect(await readFile(path.join(target, file), 'utf8')).not.toBe('');
    }
    expect(await readFile(path.join(target, '.env.example'), 'utf8')).toMatch(/^#PUBLIC_URL=$/m);
    for (const [file, indent] of [
      ['.env.example', ''],
      ['deploy/compose/compose.yaml', '      '],
      ['deploy/kubernetes/base/settings.yaml', '  '],
    ] as const) {
      const text = await readFile(path.join(target, file), 'utf8');
      for (const rule of [/^( *)APPROVALS[:=] ?destroy,send,pay$/m, /^( *)CONSENT[:=] ?need$/m]) {
        expect([file, rule.exec(text)?.[1]]).toEqual([file, indent]);
      }
    }
    const image = await readFile(path.join(target, 'Containerfile'), 'utf8');
    expect(image).toContain('ENTRYPOINT ["node", "node_modules/.bin/utg"]');
    expect(image).not.toContain('scripts/');
    expect(await readFile(path.join(target, 'deploy/kubernetes/base/deployment.yaml'), 'utf8')).not.toContain(
      'scripts/',
    );
    const again = await runInProcess(createInitCommand, [target]);
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain(
      'has package.json, specs, tsconfig.json, .gitignore, .env.example, README.md, Containerfile, .dockerignore, deploy already',
    );
  });

  test('generates tools from its example without a warning', async () => {
    const target = path.join(folder, 'example');
    await runInProcess(createInitCommand, [target]);
    const { stdout, stderr } = await run(process.execPath, ['codegen/main.ts', '--root', target, '--verbose']);
    expect(stderr).not.toMatch(/warning|error/);
    expect(stdout).toContain('notes: 4 tools');
  });
});
