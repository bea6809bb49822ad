/** The screenshots command: takes the documentation's pictures from the running demo. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { Page } from 'playwright-core';
import { createCommand } from '../../../shared/cli/command.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { CHROMIUM, launchBrowser } from '../../../test/support/chromium.ts';
import { startDemo } from '../../demo/start.ts';
import { moveClock } from './clock.ts';
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
      for (const { file, title, bytes } of await takePictures(to)) {
        console.log(`${to}/${file}  ${Math.ceil(bytes / 1024)} KiB  ${title}`);
      }
    });
}

/** A written file. */
interface Taken {
  /** File name. */
  readonly file: string;
  /** Title of the page. */
  readonly title: string;
  readonly bytes: number;
}

const SCHEMES = ['light', 'dark'] as const;
const VIEWPORT = { width: 1200, height: 800 };
const MAX_BYTES = 150_000;

const FONTS = path.resolve(import.meta.dirname, '../../../test/support/fonts.conf');

const STORY = 'story.png';
const MAX_STORY_BYTES = 1_000_000;

/** The time that the pictures show. */
const NOW = Date.UTC(2026, 10, 24, 14, 30);

/**
 * Takes every picture, light and dark: 1200 × 800 pixels, at most 150 kB. Then the animated one of the story, at most 1 MB.
 *
 * @param folder for the pictures; created if missing.
 * @throws {Error} if a page is not as expected, or a picture is too large.
 */
export async function takePictures(folder: string): Promise<Taken[]> {
  await mkdir(folder, { recursive: true });
  const clock = moveClock(NOW);
  const demo = await startDemo({ port: null, sandboxPort: null, appPort: null });
  const browser = await launchBrowser({ FONTCONFIG_FILE: FONTS });
  try {
    await liveADay(demo.facts, clock, NOW);
    const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: 1, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const taken: Taken[] = [];
    for (const { name, open } of PICTURES) {
      await open(page, demo.facts);
      for (const scheme of SCHEMES) taken.push(await take(page, scheme, path.join(folder, `${name}-${scheme}.png`)));
    }
    const story = await recordStory(browser, demo.facts);
    taken.push(await write(path.join(folder, STORY), { picture: story, title: 'The demo', maxBytes: MAX_STORY_BYTES }));
    return taken;
  } finally {
    await browser.close();
    await demo.close();
    clock.restore();
  }
}

async function take(page: Page, colorScheme: (typeof SCHEMES)[number], file: string): Promise<Taken> {
  await page.emulateMedia({ colorScheme });
  const picture = await page.screenshot({ caret: 'hide', animations: 'disabled' });
  return write(file, { picture, title: await page.title(), maxBytes: MAX_BYTES });
}

async function write(
  file: string,
  { picture, title, maxBytes }: { readonly picture: Buffer; readonly title: string; readonly maxBytes: number },
): Promise<Taken> {
  if (picture.length > maxBytes) throw new Error(`${file} has ${picture.length} bytes, more than ${maxBytes}.`);
  await writeFile(file, picture);
  return { file: path.basename(file), title, bytes: picture.length };
}
