/** Runs axe-core in a browser page, with the rules of WCAG 2.2 A and AA. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** @returns one line per violated rule, with the elements. Works whatever the page's own policy and scripts are. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`;
  const { violations } = (await page.evaluate(run)) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`);
}
