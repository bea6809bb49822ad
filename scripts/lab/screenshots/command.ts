/** The screenshots command: takes the documentation's pictures from the running demo. */

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { createCommand } from '../../../shared/cli/command.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { CHROMIUM } from './browser.ts';
import { takePictures } from './take.ts';

/** `npm run lab -- screenshots`. */
export function createScreenshotsCommand(): Command {
  return createCommand('screenshots')
    .summary('take the pictures of the documentation')
    .description(
      'Starts the demo, lets sample users work for a day of its clock, goes through its pages in Chromium, and writes ' +
        'each one as a picture, light and dark.',
    )
    .option('--to <folder>', 'where the pictures go', 'docs/pictures')
    .action(async ({ to }: { to: string }) => {
      if (!existsSync(CHROMIUM)) throw new FailureError(`${CHROMIUM} is not installed.`);
      for (const { file, title, bytes } of await takePictures(to)) {
        console.log(`${to}/${file}  ${Math.ceil(bytes / 1024)} KiB  ${title}`);
      }
    });
}
