/** What is wrong with a page in a browser: accessibility, weight, and content that moves while it loads. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules of WCAG 2.2 A and AA, and best practices. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const MAX_BYTES = 60_000;

/** Bytes of the document, and what moved in it without input: elements, with their places before and after. */
const MEASURE = `new Promise((resolve) => {
  const bytes = performance.getEntriesByType('navigation')[0]?.decodedBodySize ?? 0;
  const moved = [];
  const place = ({ x, y, width, height }) => [x, y, width, height].join();
  const add = (entries) => {
    for (const { sources } of entries.filter(({ hadRecentInput }) => !hadRecentInput)) {
      for (const { node, previousRect, currentRect } of sources) {
        moved.push((node?.outerHTML ?? node?.textContent ?? '?').trim().slice(0, 80) + ' from ' + place(previousRect) + ' to ' + place(currentRect));
      }
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => {
    add(observer.takeRecords());
    resolve({ bytes, moved });
  }, 50);
})`;

/** @returns one line per problem; for a violated rule, with the elements. Works whatever the page's own policy and scripts are. */
export async function findPageProblems(page: Page): Promise<string[]> {
  // A page that is still without its style sheet has other sizes.
  await page.waitForLoadState();
  const { bytes, moved } = (await page.evaluate(MEASURE)) as { bytes: number; moved: string[] };
  await page.evaluate(AXE);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'], selectors: false, preload: false })`;
  const { violations } = (await page.evaluate(run)) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[];
  };
  return [
    ...(bytes > MAX_BYTES ? [`${bytes} bytes`] : []),
    ...moved.map((what) => `moved: ${what}`),
    ...violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`),
  ];
}
