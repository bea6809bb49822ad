import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCountsCommand } from '../../scripts/lab/counts/command.ts';
import { whyNotCounted } from '../../scripts/lab/counts/instructions.ts';
import { comparePins, formatCompared, movePins, type Pins } from '../../scripts/lab/counts/pins.ts';
import { runCommand } from '../../shared/cli/run.ts';

const PINS: Pins = {
  node: 'v26.10.0',
  pins: {
    list: { statements: { count: 1, reason: 'the token' } },
    call: {
      statements: { count: 2, reason: 'the token and the record' },
      bytes: { count: 9_000, reason: 'first counted' },
      instructions: { count: 2_000_000, reason: 'first counted' },
    },
  },
};
const counted = (count: number) => ({ count, parts: [] });
const movedOf = (figures: Record<string, number>) =>
  comparePins(
    { call: Object.fromEntries(Object.entries(figures).map(([name, count]) => [name, counted(count)])) },
    PINS,
  )
    .filter(({ isMoved }) => isMoved)
    .map(({ figure }) => figure);

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

describe('a count', () => {
  test.each([
    ['a statement more', { statements: 3, bytes: 9_000 }, ['statements']],
    ['a statement less', { statements: 1, bytes: 9_000 }, ['statements']],
    ['a kilobyte more', { statements: 2, bytes: 10_024 }, ['bytes']],
    ['a kilobyte less', { statements: 2, bytes: 7_976 }, ['bytes']],
    ['what is not pinned yet', { statements: 2, pages: 0 }, ['pages']],
    ['a twentieth of the instructions more', { instructions: 2_100_000 }, ['instructions']],
    ['a twentieth of the instructions less', { instructions: 1_900_000 }, ['instructions']],
    ['instructions within the band', { instructions: 2_050_000 }, []],
    ['bytes within the band, and a figure that was not counted', { bytes: 9_100 }, []],
  ])('moves by %s', (_, figures, want) => {
    expect(movedOf(figures)).toEqual(want);
  });

  test('that moved is printed next to its pin and the reason of that', () => {
    const compared = comparePins({ call: { statements: counted(3), bytes: counted(9_100) } }, PINS);
    expect(formatCompared(compared)).toMatch(
      /^call\n {2}MOVED statements +3 {2}pin 2: the token and the record\n {8}bytes +9100 {2}pin 9000 ± \d+$/,
    );
  });

  test('is written with its reason, and all others keep theirs', () => {
    const compared = comparePins({ call: { statements: counted(1), bytes: counted(9_100) } }, PINS);
    expect(movePins(PINS, compared, 'v27.0.0', 'the token is kept in memory')).toEqual({
      node: 'v27.0.0',
      pins: {
        list: PINS.pins.list,
        call: { ...PINS.pins.call, statements: { count: 1, reason: 'the token is kept in memory' } },
      },
    });
  });
});

test('every pin has a reason, and PostgreSQL has those of SQLite but for its bytes and instructions', async () => {
  const { pins }: Pins = JSON.parse(await readFile('scripts/lab/counts/pins.json', 'utf8'));
  expect(Object.values(pins).flatMap((figures) => Object.values(figures).map(({ reason }) => reason))).not.toContain(
    '',
  );
  const figuresOn = (database: string) =>
    Object.entries(pins).flatMap(([title, figures]) =>
      title.endsWith(` on ${database}`)
        ? [
            [
              title.split(' ')[0],
              Object.keys(figures)
                .filter((name) => !['bytes', 'instructions'].includes(name))
                .sort(),
            ],
          ]
        : [],
    );
  expect(figuresOn('SQLite')).toHaveLength(3);
  expect(figuresOn('PostgreSQL').sort()).toEqual(figuresOn('SQLite').sort());
});

test('instructions are not counted without valgrind, and the reason says how to get it', () => {
  vi.stubEnv('PATH', path.join(import.meta.dirname, 'no-such-folder'));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(whyNotCounted()).toMatch(/^(there is no valgrind \(on Debian: apt-get install valgrind\)|their pins are)/);
});

test('another version of Node is refused, with the way to the right one', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'counts-'));
  folders.push(folder);
  const file = path.join(folder, 'pins.json');
  await writeFile(file, JSON.stringify({ ...PINS, node: 'v1.2.3' }));
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  expect(await runCommand(createCountsCommand({ out: print, err: print }), ['--pins', file])).toBe(1);
  expect(printed).toContain(`The pins are those of Node v1.2.3, and this is ${process.version}. npm ci installs it`);
});
