import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { takePictures } from '../../scripts/lab/screenshots/command.ts';
import { hasBrowser } from '../support/browser.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../docs/pictures');

describe.skipIf(!hasBrowser())('the pictures of the documentation', () => {
  test('can all be taken of the demo again, and leave the clock as it was', { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
    try {
      const system = Date;
      const files = await takePictures(folder);
      expect(Date).toBe(system);
      const documented = (await readdir(PICTURES)).filter((name) => name.endsWith('.png'));
      expect(files.sort()).toEqual(documented.sort());
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
