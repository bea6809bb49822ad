import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { takePictures } from '../../scripts/lab/screenshots/command.ts';
import { hasBrowser } from '../support/browser.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../docs/pictures');
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** From the header of a PNG (its specification, §11.2.2). */
async function sizeOf(file: string) {
  const bytes = await readFile(file);
  expect(bytes.subarray(0, 8)).toEqual(PNG);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** The frames of an animated PNG, and how long they take (PNG, third edition, §11.3.6). Every chunk has a valid checksum. */
async function animationOf(file: string) {
  const bytes = await readFile(file);
  const expected: number[] = [];
  let promised = 0;
  let milliseconds = 0;
  let frames = 0;
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const end = at + 8 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    expect(bytes.readUInt32BE(end)).toBe(crc32(bytes.subarray(at + 4, end)));
    if (type === 'acTL') promised = bytes.readUInt32BE(at + 8);
    if (type === 'fcTL' || type === 'fdAT') expected.push(bytes.readUInt32BE(at + 8));
    if (type === 'IDAT' || type === 'fdAT') frames += 1;
    if (type === 'fcTL') milliseconds += (1000 * bytes.readUInt16BE(at + 28)) / bytes.readUInt16BE(at + 30);
  }
  expect(expected).toEqual(expected.map((_, index) => index));
  expect(frames).toBe(promised);
  return { frames, seconds: milliseconds / 1000 };
}

describe.skipIf(!hasBrowser())('the screenshots in the documentation', () => {
  test('all exist and still match the pages of the demo', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
    try {
      const system = Date;
      const taken = await takePictures(folder);
      expect(Date).toBe(system);
      expect(
        Object.fromEntries(taken.map(({ file, title }) => [file.replace(/-(light|dark)\.png$/, ''), title])),
      ).toEqual({
        connect: 'Connect Metronome · Unified Tool Gateway',
        consent: 'Allow Relay Assistant? · Unified Tool Gateway',
        'partner-app': 'Assistant · Relay',
        dashboard: 'Overview · Unified Tool Gateway',
        playground: 'retrieval_retrieve · Unified Tool Gateway',
        tools: 'Tools: add a contact · Unified Tool Gateway',
        tool: 'mailer_create_contact · Unified Tool Gateway',
        'tool-report': 'Tool changes',
        'story.png': 'The demo',
      });
      const files = taken.map(({ file }) => file).sort();
      expect((await readdir(folder)).sort()).toEqual(files);
      expect((await readdir(PICTURES)).filter((name) => name.endsWith('.png')).sort()).toEqual(files);
      for (const story of [path.join(folder, 'story.png'), path.join(PICTURES, 'story.png')]) {
        expect(await sizeOf(story)).toEqual([800, 512]);
        expect((await stat(story)).size).toBeLessThan(1_000_000);
        const { frames, seconds } = await animationOf(story);
        expect([frames, seconds]).toEqual([13, 26]);
      }
      for (const file of files.filter((name) => name !== 'story.png')) {
        expect(await sizeOf(path.join(folder, file))).toEqual([1200, 800]);
        expect(await sizeOf(path.join(PICTURES, file))).toEqual([1200, 800]);
        expect((await stat(path.join(PICTURES, file))).size).toBeLessThan(150_000);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
