import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandStep, excerptPattern, type FileStep, stepsOf } from '../support/page-steps.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = 'docs/tutorials/connector-in-15-minutes.md';
const steps = stepsOf(PAGE, await readFile(path.join(ROOT, PAGE), 'utf8'));

let copy: ProjectCopy;
let demo: RunningScript | undefined;

beforeAll(async () => {
  copy = await copyProject();
});
afterAll(async () => {
  await demo?.stop();
  await copy.remove();
});

const printed = (pattern: RegExp) => pattern.exec(demo?.output() ?? '')?.[1] ?? '';

async function runDemo(prints: string): Promise<void> {
  demo = runScript('scripts/demo/main.ts', [], {}, copy.root);
  await demo.waitFor(/Ctrl-C stops/);
  expect(demo.output()).toMatch(excerptPattern(prints));
}

async function takeCommand({ command, remark, prints = '' }: CommandStep): Promise<void> {
  if (remark.startsWith('not run: ')) return;
  if (remark === 'runs until it is stopped') return runDemo(prints);
  const here = command
    .replaceAll('http://127.0.0.1:3000', printed(/gateway +(http:[^ ]*)\/api/))
    .replaceAll('http://127.0.0.1:3001', printed(/sandbox +(http:[^ ]*)/));
  const { status, output } = copy.run(here, { TOKEN: printed(/token +(\S+)/) });
  expect([status, output]).toEqual([
    remark.startsWith('fails: ') ? 1 : 0,
    expect.stringMatching(excerptPattern(prints)),
  ]);
}

async function takeFile({ kind, file, text }: FileStep): Promise<void> {
  const place = path.join(copy.root, file);
  if (kind === 'compare') expect(await readFile(place, 'utf8')).toMatch(excerptPattern(text));
  else await (kind === 'append' ? appendFile : writeFile)(place, text);
}

test.each(steps.map((step, index) => [index + 1, step] as const))(
  `step %i of ${PAGE}`,
  async (_, step) => {
    await (step.kind === 'command' ? takeCommand(step) : takeFile(step));
  },
  90_000,
);

test('the page leaves nothing behind', () => {
  expect(steps.length).toBeGreaterThan(15);
  expect(
    copy.run('git branch --show-current; git status --porcelain --untracked-files=all specs generated').output,
  ).toBe('main\n');
});
