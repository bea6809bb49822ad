import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runWholeProcess } from '../../scripts/lab/bench/codegen/index.ts';

const MAIN = path.resolve(import.meta.dirname, '../../scripts/lab/main.ts');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(text: string): Promise<string> {
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, text);
  return file;
}

describe('a whole process', () => {
  test('is measured with the time of all threads and its peak memory', async () => {
    const file = await program('const kept = Buffer.alloc(200e6, 1); for (let i = 0; i < 5e7; i++) kept[i % 9] += i;');
    const { wall, cpu, memory } = await runWholeProcess([file], folder);
    expect(wall).toBeGreaterThan(0);
    expect(cpu).toBeGreaterThan(0);
    expect(memory).toBeGreaterThan(200);
  });

  test('that fails is not measured, and its last output is reported', async () => {
    const file = await program('console.error("no such file"); process.exitCode = 3;');
    await expect(runWholeProcess([file], folder)).rejects.toThrow(/ended with exit code 3:\nno such file/);
  });
});

describe('npm run lab -- bench', () => {
  test.each([
    ['an unknown part', 'gatway', "Command-argument value 'gatway' is invalid"],
    ['an option without a number', '--rounds=many', "Option '--rounds <n>' argument 'many' is invalid"],
  ])('refuses %s', async (_title, argument, words) => {
    await expect(runWholeProcess([MAIN, 'bench', argument], folder)).rejects.toThrow(
      `ended with exit code 2:\n${words}`,
    );
  });
});
