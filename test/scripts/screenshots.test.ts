import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
        consent: 'Allow Built-in client? · Unified Tool Gateway',
        'partner-app': 'Your application',
        dashboard: 'Overview · Unified Tool Gateway',
        playground: 'retrieval_retrieve · Unified Tool Gateway',
        tools: 'Tools: add a contact · Unified Tool Gateway',
        tool: 'mailer_create_contact · Unified Tool Gateway',
        'tool-report': 'Tool changes',
      });
      const files = taken.map(({ file }) => file).sort();
      expect((await readdir(folder)).sort()).toEqual(files);
      expect((await readdir(PICTURES)).filter((name) => name.endsWith('.png')).sort()).toEqual(files);
      for (const file of files) {
        expect(await sizeOf(path.join(folder, file))).toEqual([1200, 800]);
        expect(await sizeOf(path.join(PICTURES, file))).toEqual([1200, 800]);
        expect((await stat(path.join(PICTURES, file))).size).toBeLessThan(150_000);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
