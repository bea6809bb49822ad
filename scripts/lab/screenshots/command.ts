/** The screenshots command: takes the documentation's pictures from the running demo. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createCommand } from '../../../shared/cli/command.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { CHROMIUM, launchBrowser } from '../../../test/support/chromium.ts';
import { startDemo } from '../../demo/start.ts';
import { restoreClock, setClock } from './clock.ts';
import { liveADay } from './day.ts';
import { PICTURES } from './pictures.ts';
import { recordStory } from './story.ts';

/** `npm run lab -- screenshots`. */
export function createScreenshotsCommand(): Command {
  return createCommand('screenshots')
    .summary('take the pictures of the documentation')
    .description(
      'Starts the demo, lets sample users work for a day of its clock, goes through its pages in Chromium, and writes ' +
        'each one as a picture, light and dark, and the story of the demo as an animated one.',
    )
    .option('--to <folder>', 'where the pictures go', 'docs/pictures')
    .action(async ({ to }: { to: string }) => {
      if (!existsSync(CHROMIUM)) throw new FailureError(`${CHROMIUM} is not installed.`);
      for (const file of await takePictures(to)) console.log(`${to}/${file}`);
    });
}

const VIEWPORT = { width: 1200, height: 800 };
const FONTS = path.resolve(import.meta.dirname, '../../../test/support/fonts.conf');
/** The time that the pictures show. */
const NOW = Date.UTC(2026, 10, 24, 14, 30);

/**
 * Takes every picture, light and dark: 1200 × 800 pixels, at most 150 kB. Then the animated one of the story, at most 1 MB.
 *
 * @param folder for the pictures; created if missing.
 * @returns the names of the files.
 * @throws {Error} if a page is not as expected, or a picture is too large.
 */
export async function takePictures(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  const write = async (file: string, picture: Buffer, maxBytes: number): Promise<void> => {
    if (picture.length > maxBytes) throw new Error(`${file} has ${picture.length} bytes, more than ${maxBytes}.`);
    await writeFile(path.join(folder, file), picture);
    files.push(file);
  };
  setClock(NOW);
  const demo = await startDemo({ port: null, sandboxPort: null, appPort: null });
  const browser = await launchBrowser({ FONTCONFIG_FILE: FONTS });
  try {
    await liveADay(demo.facts, NOW);
    const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: 1, reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const { name, open } of PICTURES) {
      await open(page, demo.facts);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const picture = await page.screenshot({ caret: 'hide', animations: 'disabled' });
        await write(`${name}-${colorScheme}.png`, picture, 150_000);
      }
    }
    await write('story.png', await recordStory(browser, demo.facts), 1_000_000);
    return files;
  } finally {
    await browser.close();
    await demo.close();
    restoreClock();
  }
}
